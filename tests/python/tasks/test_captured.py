"""What a step's graph needs: constants made once, small systems solved without a library, parts that are called plainly
on a CPU. The graphs themselves: tests/gpu/test_gpu_tasks.py."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("mujoco")

import mujoco  # noqa: E402

import taxel.tasks  # noqa: E402
from taxel.tasks import pads  # noqa: E402
from taxel.tasks import rotation as R  # noqa: E402
from taxel.tasks.captured import Captured  # noqa: E402
from taxel.tasks.impedance import solve  # noqa: E402


def test_constants_are_made_once_for_each_kind_and_shape():
    like = torch.zeros(3, dtype=torch.float64)
    a = R.constant((1.0, 0.0, -0.25), like)
    assert a is R.constant(np.array([1.0, 0.0, -0.25]), like) and a.tolist() == [1.0, 0.0, -0.25]
    assert R.constant((1.0, 0.0, -0.25), like.float()).dtype == torch.float32
    assert R.constant(np.array([[1.0, 0.0, -0.25]]), like).shape == (1, 3)
    assert R.rows([4, 2], like).tolist() == [4, 2] and R.rows([4, 2], like).dtype == torch.int64


def test_systems_are_solved_as_numpy_does():
    rng = np.random.default_rng(2)
    J = rng.normal(size=(40, 7, 6)) * rng.uniform(0.05, 2.0, (40, 1, 6))
    A = np.einsum("wki,wkj->wij", J, J) + 1e-4 * np.eye(6)
    b = rng.normal(size=(40, 6))
    found = solve(torch.from_numpy(np.concatenate([A, b[..., None]], -1))).numpy()
    assert found == pytest.approx(np.linalg.solve(A, b[..., None])[..., 0], rel=1e-9, abs=1e-9)


def test_on_a_cpu_a_part_is_called():
    calls = []
    part = Captured(lambda: calls.append(1) or {"n": len(calls)}, torch.device("cpu"))
    assert [part()["n"] for _ in range(4)] == [1, 2, 3, 4]
    part.forget()
    assert part()["n"] == 5


def test_hints_and_expert_are_asked_by_name():
    env = taxel.tasks.make("drawer", worlds=2, touch="none")
    assert env.hints().shape == (2, 6) and env.expert().shape == (2, 7)
    assert env.hints().dtype == torch.float32
    env.close()


def _force(resolution: float | None, depth: float, turn: float, off: float) -> np.ndarray:
    """Of a pad of the tasks on a peg that lies across it."""
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    vertices, triangles = pads.domed_pad(pads.SIZE, pads.RIM, pads.DOME, pads.CORNER_RADIUS)
    spec.add_mesh(name="gel", uservert=vertices.ravel(), userface=triangles.ravel())
    spec.worldbody.add_geom(name="pad", type=mujoco.mjtGeom.mjGEOM_MESH, meshname="gel")
    body = spec.worldbody.add_body(name="peg")
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=(0.008, 0.025, 0), mass=0.03)
    taxel.soften(spec, "pad", modulus=2e5, friction=1.0, field="columns", resolution=resolution)
    model = spec.compile()
    data = mujoco.MjData(model)
    lie, about = np.array([1.0, 1.0, 0, 0]) / np.sqrt(2), np.array([np.cos(turn / 2), 0, 0, np.sin(turn / 2)])
    data.qpos[:3] = off, 1.3 * off, pads.THICKNESS - depth + 0.008
    mujoco.mju_mulQuat(data.qpos[3:7], about, lie)
    mujoco.mj_forward(model, data)
    return np.array(taxel.wrench(model, data, "pad"))[:3]


@pytest.mark.parametrize("depth, turn, off", [(0.5e-3, 0.0, 0.0), (1.2e-3, 0.3, 1e-3), (2.4e-3, -0.2, -2e-3)])
def test_coarse_columns_push_as_fine_ones(depth, turn, off):
    fine, coarse = _force(None, depth, turn, off), _force(pads.COLUMN, depth, turn, off)
    assert np.linalg.norm(coarse - fine) < 0.03 * np.linalg.norm(fine)
