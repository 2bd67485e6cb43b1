"""Arrays of torch, CuPy, JAX and warp in and out of batches on a GPU, without a copy; what is refused; CUDA graphs."""

from __future__ import annotations

import numpy as np
import pytest
from gpu_scenes import TETRAHEDRON, make_camera, make_field, needs_gpu, paths, upload

import taxel

pytestmark = needs_gpu


@pytest.fixture(scope="module")
def pressed():
    """A batch, three poses in a row and what the last of two steps gives."""
    pytest.importorskip("torch")
    field, height = make_field("taxel", radius=1.2e-3)
    batch = field.batch(16, 2, device="cuda")
    X = paths(np.random.default_rng(9), 32, 5, height).reshape(5, 16, 2, 4, 4).astype(np.float32)
    batch.step(upload(X[0]))
    return batch, X, batch.step(upload(X[2])).numpy()


def again(batch, first, second) -> np.ndarray:
    batch.reset()
    batch.step(first)
    return batch.step(second).numpy()


def test_torch_sees_the_same_memory(pressed):
    import torch

    batch, X, wanted = pressed
    np.testing.assert_array_equal(again(batch, upload(X[0]), upload(X[2])), wanted)
    assert torch.from_dlpack(batch._displacement).data_ptr() == batch._displacement.address


def test_cupy(pressed):
    cupy = pytest.importorskip("cupy")
    batch, X, wanted = pressed
    np.testing.assert_array_equal(again(batch, cupy.asarray(X[0]), cupy.asarray(X[2])), wanted)
    assert cupy.asarray(batch._displacement).data.ptr == batch._displacement.address


def test_jax(pressed):
    jax = pytest.importorskip("jax")
    batch, X, wanted = pressed
    first, second = (jax.numpy.asarray(X[t]).block_until_ready() for t in (0, 2))
    np.testing.assert_array_equal(again(batch, first, second), wanted)
    np.testing.assert_array_equal(np.asarray(jax.dlpack.from_dlpack(batch._displacement)), wanted)


def test_warp(pressed):
    warp = pytest.importorskip("warp")
    batch, X, wanted = pressed
    first, second = (warp.array(X[t], dtype=warp.mat44, device="cuda") for t in (0, 2))
    np.testing.assert_array_equal(again(batch, first, second), wanted)


def test_wrong_arrays_are_refused(pressed):
    import torch

    batch, X, _ = pressed
    for wrong in (
        X[0],  # on the host
        upload(X[0, :3]),  # another shape
        upload(X[0]).double(),
        upload(X[0]).transpose(2, 3),  # strided
        torch.tensor(X[0]),  # a tensor on the host
    ):
        with pytest.raises(taxel.Error, match="X_PI"):
            batch.step(wrong)


def test_an_exact_mesh_has_no_kernel():
    mini = taxel.gelsight_mini_markers(dome=False)
    field = taxel.MarkerField(mini.pad, mini.markers, TETRAHEDRON, mode="paper")
    with pytest.raises(taxel.Error, match="trilinear"):
        field.batch(2, device="cuda")


def test_steps_in_a_cuda_graph(pressed):
    import torch

    batch, X, wanted = pressed
    captured, stream, graph = upload(X[0]), torch.cuda.Stream(), torch.cuda.CUDAGraph()
    batch.reset()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        batch.step(captured)
    batch.reset()
    for t in (0, 2):
        captured.copy_(upload(X[t]))
        graph.replay()
    torch.cuda.synchronize()
    np.testing.assert_array_equal(batch._displacement.numpy(), wanted)


def test_bytes_of_images():
    """uint8 by DLPack and by the array interface, views of rows, and a graph."""
    torch = pytest.importorskip("torch")
    X = upload(paths(np.random.default_rng(15), 8, 12, 10e-3).reshape(12, 4, 2, 4, 4)[3])
    batch = make_camera().batch(taxel.Body.sphere(8e-3), 4, 2, device="cuda")
    image = batch.render(X)
    wanted = image.numpy()
    assert np.ptp(wanted) > 0
    a, b = torch.from_dlpack(image), torch.as_tensor(image, device="cuda")
    np.testing.assert_array_equal(a.cpu().numpy(), wanted)
    assert a.data_ptr() == image.address
    np.testing.assert_array_equal(b.cpu().numpy(), wanted)
    assert b.dtype == torch.uint8
    np.testing.assert_array_equal(image[2][1].numpy(), wanted[2, 1])
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=stream):
        batch.render(X)
    a.zero_()
    graph.replay()
    torch.cuda.synchronize()
    np.testing.assert_array_equal(a.cpu().numpy(), wanted)
