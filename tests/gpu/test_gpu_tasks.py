"""The tasks on a GPU: a step is graphs, which do what plain launches do and wait for nothing; experts solve them."""

from __future__ import annotations

import pytest
import torch
from gpu_scenes import check, needs_gpu

pytestmark = needs_gpu


def env_of(task: str, worlds: int, **options):
    pytest.importorskip("mujoco_warp")
    import taxel.tasks

    return taxel.tasks.make(task, worlds, "warp", "cuda", seed=3, **options)


@pytest.mark.parametrize("task", ["peg", "drawer"])
def test_graphs_do_what_launches_do(task):
    graphs, plain = (env_of(task, 64, touch="taxel") for _ in range(2))
    for _ in range(12):
        action = graphs.expert()
        graphs.step(action)
        for part in [*plain._parts.values(), plain.engine.step]:
            part.forget()
            part._calls = -1000
        plain.step(action)
    check("speeds apart", float((graphs.engine.qvel - plain.engine.qvel).abs().max()), 1e-3, "m/s or rad/s")
    check("markers apart", float((graphs.touch.values - plain.touch.values).abs().max()), 1e-2, "px / 10")


def test_a_step_waits_for_nothing():
    env = env_of("peg", 64, touch="taxel")
    for _ in range(4):
        env.step(env.expert())
    actions = env.expert()
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        for _ in range(3):
            env.step(actions)
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize("task, least", [("peg", 0.9), ("drawer", 0.95), ("book", 0.9), ("bin", 0.9)])
def test_the_expert_solves_it(task, least):
    env = env_of(task, 256, touch="none", stage=2)
    for _ in range(256):
        env.step(env.expert())
    assert float(env.success.float().mean()) >= least, env.statistics()
    assert env.statistics()["overflow"] == 0
