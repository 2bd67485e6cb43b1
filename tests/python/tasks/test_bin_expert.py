"""The bin's expert does what a hand that feels can do as well. Cases: a level hand until the cube touches, however the
cube sits in it; the place on which it is pressed flat; cubes that go in level, in the outer rows, too, where the
fingers come to rest on the wall."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tensordict")

import taxel.tasks  # noqa: E402
from taxel.tasks import rotation as R  # noqa: E402
from taxel.tasks.bin import MIDDLE, PITCH, SHELF, Bin  # noqa: E402

OUTER = 1.5 * PITCH


def make() -> "taxel.tasks.TaskEnv":
    env = taxel.tasks.make("bin", 8, touch="none", seed=2, threads=1)
    env.stage = 2
    return env


def lean(env: "taxel.tasks.TaskEnv") -> "torch.Tensor":
    return R.angle_axis(env.task.held(env.engine)[1])[:, :2].norm(dim=-1)


def test_until_it_touches_the_hand_is_kept_level_whatever_the_cube_does():
    env = make()
    assert float(lean(env).max()) > 0.1
    assert float(env.expert()[:, 3:].abs().max()) < 1e-4  # the hand begins level


def test_a_cube_is_pressed_flat_on_cubes_beside_its_slot():
    task = Bin("soft", {})
    goals = torch.tensor(Bin.slots).repeat_interleave(400, 0)
    draw = torch.rand((len(goals), 3), generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    off = torch.cat([0.4 * draw[:, :2] - 0.2, draw[:, 2:]], -1)
    place, low = task._shelf(off, goals)
    assert float(place[:, :2].abs().amax(1).min()) > SHELF - 1e-6  # clear of the slot
    on = goals[:, :2] + place[:, :2] - torch.tensor(MIDDLE, dtype=torch.float64)
    assert float(on.abs().max()) < OUTER + 1e-9  # and inside of the bin
    # It presses where it is there, and stays above the others where it is not.
    there = off[:, :2].abs().amax(1, keepdim=True) > SHELF
    assert float(low[there].max()) < task.edge < float(low[off[:, :2].abs().amax(1, keepdim=True) < 0.03].min())


def test_a_cube_that_is_pressed_is_not_dragged():
    env = make()
    off = env.task.held(env.engine)[0] - env.memory["goal"]
    far = off[:, :2].abs().amax(1) > SHELF
    asked = lambda: env.task.settling(env.engine, env.memory, off, torch.zeros_like(off))[2][far, :2]  # noqa: E731
    assert bool(far.any()) and float((asked() - off[far, :2]).abs().max()) > 0.02  # on its way there
    env.memory["felt"][:, 0] = 1.0
    torch.testing.assert_close(asked(), off[far, :2])


def test_cubes_go_in_level():
    env = make()
    outer = (env.memory["goal"][:, 1].abs() > 0.05).clone()
    assert 2 <= int(outer.sum()) <= 6
    entered = torch.full((8,), float("nan"), dtype=torch.float64)
    end = torch.zeros(8, dtype=torch.float64)
    for _ in range(256):
        end = (env.task.held(env.engine)[0] - env.memory["goal"])[:, 2].clone()
        now = (end < 0.038) & entered.isnan()
        entered = torch.where(now, lean(env), entered)
        env.step(env.expert())
    assert bool(env.success.all())
    assert float(entered.max()) < 0.05
    assert float(end[outer].min()) > 0.01 and float(end[~outer].median()) < 0.003  # fingers on the wall; on the floor
