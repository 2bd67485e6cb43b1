"""Soft meshes are kept on disk between runs; a noisy one is bounded and says so."""

import numpy as np
import pytest

import taxel


def torus(around: int = 40, across: int = 20, noise: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    u, v = 2 * np.pi * a / around, 2 * np.pi * b / across
    radius = 0.008 * (1 + noise * (np.random.default_rng(3).random(u.shape) - 0.5))
    ring = 0.02 + radius * np.cos(v)
    vertices = np.stack([ring * np.cos(u), ring * np.sin(u), radius * np.sin(v)], axis=-1).reshape(-1, 3)
    n, e = (a + 1) % around, (b + 1) % across
    corners = [i * across + j for i, j in ((a, b), (n, b), (n, e), (a, e))]
    quads = np.stack(corners, axis=-1).reshape(-1, 4)
    return vertices, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def tets(body: taxel.Body) -> list[np.ndarray]:
    return [np.asarray(part) for part in body.tet_mesh]


def test_a_soft_mesh_is_meshed_once(monkeypatch, tmp_path):
    vertices, triangles = torus()
    plain = tets(taxel.Body.mesh(vertices, triangles, modulus=1e5))
    folder = tmp_path / "kept"
    monkeypatch.setenv("TAXEL_CACHE", str(folder))
    for _ in range(2):
        for one, other in zip(tets(taxel.Body.mesh(vertices, triangles, modulus=1e5)), plain, strict=True):
            np.testing.assert_array_equal(one, other)
        assert len(list(folder.iterdir())) == 1
    # Stiffness and name are not part of the mesh; another field is another treatment of its depths.
    taxel.Body.mesh(vertices, triangles, modulus=2e5, name="again")
    assert len(list(folder.iterdir())) == 1
    taxel.Body.mesh(vertices, triangles, modulus=1e5, field="backed", thickness=0.002)
    assert len(list(folder.iterdir())) == 2


def test_a_damaged_file_is_made_again(monkeypatch, tmp_path):
    vertices, triangles = torus()
    monkeypatch.setenv("TAXEL_CACHE", str(tmp_path))
    body = tets(taxel.Body.mesh(vertices, triangles, modulus=1e5))
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    for one, other in zip(tets(taxel.Body.mesh(vertices, triangles, modulus=1e5)), body, strict=True):
        np.testing.assert_array_equal(one, other)
    assert file.read_bytes() == whole


def test_a_wrong_size_is_named(monkeypatch, tmp_path):
    vertices, triangles = torus()
    monkeypatch.setenv("TAXEL_CACHE", str(tmp_path))
    monkeypatch.setenv("TAXEL_CACHE_MB", "plenty")
    with pytest.raises(ValueError, match=r"TAXEL_CACHE_MB.*plenty.*megabytes"):
        taxel.Body.mesh(vertices, triangles, modulus=1e5)


def test_the_api_says_where(monkeypatch, tmp_path):
    for name in ("TAXEL_CACHE", "TAXEL_CACHE_MB"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert taxel.mesh_cache() == tmp_path / "taxel"
    assert taxel.mesh_cache(tmp_path / "other", megabytes=20) == tmp_path / "other"
    vertices, triangles = torus()
    taxel.Body.mesh(vertices, triangles, modulus=1e5)
    assert len(list((tmp_path / "other").iterdir())) == 1
    assert taxel.mesh_cache(False) is None
    taxel.Body.mesh(vertices, triangles, modulus=1e5, resolution=0.002)
    assert len(list(tmp_path.rglob("*.mesh"))) == 1
    with pytest.raises(taxel.Error, match="megabytes is -1"):
        taxel.mesh_cache(megabytes=-1)
    (tmp_path / "file").touch()
    with pytest.raises(taxel.Error, match="is a file"):
        taxel.mesh_cache(tmp_path / "file")
