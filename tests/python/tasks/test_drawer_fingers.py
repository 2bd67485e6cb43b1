"""The fingers of the drawer's gripper, whose springs and dampers are the task's own."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tensordict")

import taxel.tasks  # noqa: E402


@pytest.mark.parametrize("engine", ["cpu", "warp"])
@pytest.mark.parametrize("contact", ["soft", "native"])
def test_fingers_that_hold_nothing_come_to_rest(contact, engine):
    if engine == "warp":
        pytest.importorskip("mujoco_warp")
    env = taxel.tasks.make("drawer", worlds=1, touch="none", threads=1, contact=contact, engine=engine)
    env.engine.qpos[:, env.task.scene.extra["rail"]] -= 0.06  # beside the handle
    env.engine.restart(torch.ones(1, dtype=torch.bool))
    close = torch.zeros(1, 7)
    close[:, 6] = -1.0
    fingers, dofs = env.task.scene.fingers, env.task.scene.finger_dofs
    widest = 0.0
    for _ in range(60):
        env.step(close)
        widest = max(widest, float(env.engine.qpos[0, fingers].max()))
    assert widest < 3.1e-3 and env.engine.qvel[0, dofs].abs().max() < 1e-3
    torch.testing.assert_close(env.engine.qpos[0, fingers], env.memory["width"].expand(2), atol=1e-5, rtol=0)
    assert env.memory["width"][0] == pytest.approx(1e-3)


def test_hard_pads_do_not_let_the_handle_go():
    env = taxel.tasks.make("drawer", worlds=6, touch="none", threads=1, contact="native", seed=3, stage=2)
    for _ in range(256):
        env.step(env.expert())
    assert env.success.all() and (env.peak_force < 20.0).all()  # 2 x 5 N of grip, and the pull
