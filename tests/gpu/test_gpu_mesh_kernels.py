"""Triton kernels of the mesh network, and steps as CUDA graphs.

1 Nearest points, against all distances. 2 Maps at places and 3 a graph layer, values and gradients, against torch in
float32. 4 A network with the kernels in bfloat16 is the one without them in float32, but for rounding. 5 A captured
step does what a plain one does.
"""

import importlib.util

import numpy as np
import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available() or importlib.util.find_spec("triton") is None:
    pytest.skip("needs a GPU and Triton", allow_module_level=True)

from taxel.learn import mesh_kernels, sphere_mesh, touch_mesh  # noqa: E402
from taxel.learn.captured import PLAIN, Schedule, Step  # noqa: E402

GPU = torch.device("cuda")


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False


def off(found, wanted):
    return ((found.float() - wanted.float()).norm() / wanted.float().norm()).item()


def test_nearest_points():
    a, b = torch.randn(5, 333, 3, device=GPU), torch.randn(5, 1001, 3, device=GPU)
    between = (a[:, :, None] - b[:, None]).square().sum(-1)
    assert (mesh_kernels.nearest(a, b) == between.argmin(2)).float().mean() > 0.999
    assert mesh_kernels.nearest(a, b[:, :1].expand(-1, 300, -1)).max() == 0  # the first of equals


@pytest.mark.parametrize(("channels", "edge"), [(256, 7), (64, 28), (32, 56), (16, 16)])
def test_maps_at_places(channels, edge):
    maps = torch.randn(3, channels, edge, edge, device=GPU, dtype=torch.bfloat16, requires_grad=True)
    at = 2.3 * torch.rand(3, 2562, 2, device=GPU) - 1.15
    out = mesh_kernels.read(maps, at)
    weights = torch.randn_like(out)
    single = maps.detach().float().requires_grad_()
    wanted = torch.nn.functional.grid_sample(single, at[:, :, None], align_corners=False)[..., 0].transpose(1, 2)
    assert off(out, wanted) < 1e-2
    (found,), (true,) = torch.autograd.grad(out, maps, weights), torch.autograd.grad(wanted, single, weights.float())
    assert off(found, true) < 2e-2


@pytest.mark.parametrize(("level", "width", "relu"), [(4, 160, True), (2, 160, False), (3, 3, False)])
def test_a_graph_layer(level, width, relu):
    sphere = sphere_mesh.icosphere(level)
    neighbours = [torch.as_tensor(values, device=GPU) for values in sphere.neighbours()]
    mean = torch.as_tensor(sphere.neighbour_mean(), device=GPU)
    y = torch.randn(3, len(mean), 2 * width, device=GPU, dtype=torch.bfloat16, requires_grad=True)
    bias = torch.randn(width, device=GPU, requires_grad=True)
    out = mesh_kernels.mix(y, bias, *neighbours, relu)
    weights = torch.randn_like(out)
    single, other = y.detach().float().requires_grad_(), bias.detach().requires_grad_()
    wanted = single[..., :width] + other + mean @ single[..., width:]
    wanted = torch.relu(wanted) if relu else wanted
    assert off(out, wanted) < 1e-2
    found = torch.autograd.grad(out, (y, bias), weights)
    true = torch.autograd.grad(wanted, (single, other), weights.float())
    assert all(off(a, b) < 3e-2 for a, b in zip(found, true, strict=True))


def test_a_network_is_the_same_with_kernels_but_for_rounding(monkeypatch):
    size = touch_mesh.Size(levels=(2, 3), width=64, layers=4)
    R = torch.linalg.qr(torch.randn(2, 4, 3, 3, device=GPU))[0]
    touches = touch_mesh.Touches(
        0.05 * torch.randn(2, 4, 3, 61, 61, device=GPU),
        R,
        0.4 * torch.randn(2, 4, 3, device=GPU),
        0.3 * torch.randn(2, 4, 32, 3, device=GPU),
        torch.tensor([[True, True, False, False], [True] * 4], device=GPU),
        0.75,
    )
    image = torch.rand(2, 112, 112, device=GPU)

    def run(kernels, half):
        if not kernels:
            monkeypatch.setattr(sphere_mesh, "kernels", lambda device: None)
            monkeypatch.setattr(touch_mesh, "kernels", lambda device: None)
        torch.manual_seed(1)
        net = touch_mesh.TouchMesh(size).to(GPU)
        with torch.autocast("cuda", torch.bfloat16, enabled=half):
            places = net(image, touches)[-1]
        places.square().sum().backward()
        monkeypatch.undo()
        return places.detach(), torch.cat([p.grad.flatten() for p in net.parameters()])

    true = run(False, False)
    single, half = run(True, False), run(True, True)
    assert (single[0] - true[0]).abs().max() < 1e-4 and off(single[1], true[1]) < 2e-2
    assert (half[0] - true[0]).abs().max() < 1e-2 and off(half[1], true[1]) < 0.2


def test_a_captured_step_is_the_plain_one():
    def steps(count):
        torch.manual_seed(3)
        layer = torch.nn.Linear(4, 4).to(GPU)
        optimiser = torch.optim.SGD(layer.parameters(), lr=1.0, momentum=0.9, fused=True)
        schedule = Schedule(optimiser, [0.1 / (k + 1) for k in range(count)], GPU)
        generator = torch.Generator(GPU).manual_seed(7)
        losses = torch.zeros(count, device=GPU)

        def body():
            k = schedule.start()
            x = torch.randn(8, 4, device=GPU, generator=generator)
            loss = (layer(x) - x).square().mean()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            losses.index_copy_(0, k, loss.detach()[None])

        return body, Step(body, generator), losses

    count = 3 * PLAIN
    body, _, plain = steps(count)
    for _ in range(count):
        body()
    _, step, captured = steps(count)
    for _ in range(count):
        step()
    step.wait()
    assert step.graph is not None
    np.testing.assert_allclose(captured.cpu(), plain.cpu(), rtol=1e-4)
    assert captured[-1] < captured[0]
