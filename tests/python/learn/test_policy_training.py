"""The training loop on a toy: it learns, goes on bit for bit, survives NaN and Ctrl-C, and starts from a teacher.

Cases: PPO learns what only touch tells, and does not without it; distillation learns; a run in pieces is the run in one
(distillation, PPO, and across both); Ctrl-C inside a rollout is undone; a NaN world is named, reset and counted; a
gradient that is no number is left out; AACD's critic is the teacher's; a teacher of another size is refused; a run
begins with a policy that there is.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("rsl_rl")

import torch
from toy_task import ToyTask

from taxel.learn.policy.checkpoint import load_policy, shrink
from taxel.learn.policy.config import Curriculum, Distill, Network, Ppo, TrainConfig
from taxel.learn.policy.evaluate import evaluate
from taxel.learn.policy.recall import Recall
from taxel.learn.policy.run_folder import RESUME, load_torch
from taxel.learn.policy.trainer import Trainer

SMALL = Network(rnn_layers=1, rnn_hidden=16, critic_rnn=False, mlp=(32,), encoder="dense", std=0.5, learn_std=True)
PPO = Ppo(steps=16, sequence=8, minibatch=512, lr=3e-3, lr_max=3e-3, kl=0.02, value_coef=1.0)
CONFIG = TrainConfig(
    task="toy",
    method="ppo",
    worlds=64,
    iterations=30,
    network=SMALL,
    ppo=PPO,
    save_every=1000,
    curriculum=Curriculum(threshold=0.7, episodes=128),
)


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def silent(_: str) -> None:
    pass


def run(config: TrainConfig, folder: Path, **more) -> Trainer:
    env = ToyTask(config.worlds, touch=config.touch != "none")
    trainer = Trainer(config, env, folder, tell=more.pop("tell", silent), **more)
    trainer.train()
    return trainer


def success(folder: Path, touch: bool = True) -> float:
    return evaluate(ToyTask(256, seed=7, touch=touch), load_policy(folder), 512).success


def weights(trainer: Trainer) -> torch.Tensor:
    models = (trainer.ppo.actor, trainer.ppo.critic)
    return torch.cat([v.double().flatten() for m in models for v in m.state_dict().values()])


def test_ppo_learns_what_only_touch_tells(tmp_path):
    trainer = run(CONFIG, tmp_path / "felt")
    assert success(tmp_path / "felt") > 0.9
    assert trainer.env.stage == 2  # the threshold was passed on the way
    run(replace(CONFIG, touch="none"), tmp_path / "blind")
    assert success(tmp_path / "blind", touch=False) < 0.4
    for name in ("config.json", "curve.json", "success.png", "policy.pt", "resume.pt"):
        assert (tmp_path / "felt" / name).stat().st_size > 0
    assert list((tmp_path / "felt").glob("events.out.tfevents*"))


def distilling(iterations: int, kept: int = 2) -> TrainConfig:
    fit = Distill(iterations=kept + 1, keep=kept, minibatch=256, lr=5e-3, noise=0.05)
    return replace(CONFIG, method="distill", teacher="scripted", iterations=iterations, distill=fit, worlds=32)


def test_distillation_learns_from_the_expert(tmp_path):
    run(replace(distilling(6, kept=5), worlds=64), tmp_path)
    assert success(tmp_path) > 0.95


@pytest.mark.parametrize("kind", ["ppo", "distill", "soft-argmax"])
def test_a_run_in_pieces_is_the_run_in_one(tmp_path, kind):
    config = distilling(5) if kind == "distill" else replace(CONFIG, iterations=4, worlds=16)
    if kind == "soft-argmax":
        published = Network(rnn_layers=2, rnn_hidden=8, mlp=(16, 8))
        config = replace(config, network=published, ppo=replace(PPO, steps=4, sequence=4))
    whole = run(config, tmp_path / "whole")
    for piece, last in enumerate((1, 2, config.iterations)):  # the distillation ends after the third
        part = run(replace(config, iterations=last), tmp_path / "parts", resume=piece > 0)
    assert torch.equal(weights(whole), weights(part))
    strip = lambda rows: [{k: r[k] for k in ("iteration", "phase", "success", "reward", "lr")} for r in rows]  # noqa: E731
    assert strip(whole.curve) == strip(part.curve)


def test_recall_tells_change_and_last_action():
    env = Recall(ToyTask(4, seed=2))
    first = env.get_observations()["policy"]
    assert first.shape == (4, 2 + 2 + 2) and not first[:, 2:].any()
    actions = torch.tensor([[0.5, -0.25]] * 4)
    obs, _, _, _ = env.step(actions)
    assert torch.allclose(obs["policy"][:, 2:4], 60 * 0.4 * actions) and torch.equal(obs["policy"][:, 4:], actions)
    kept = env.get_state()
    after = env.step(actions)[0]["policy"]
    env.set_state(kept)
    assert torch.equal(env.step(actions)[0]["policy"], after)
    env.reset(torch.tensor([False, True, False, False]))
    seen = env.get_observations()["policy"]
    assert not seen[1, 2:].any() and seen[0, 2:].all()
    env.stage = 2
    assert env.env.stage == 2  # the task's own, not the wrapper's


def test_ctrl_c_inside_a_rollout_is_undone(tmp_path):
    config = replace(CONFIG, iterations=4, worlds=16)
    whole = run(config, tmp_path / "whole")
    env = ToyTask(16)
    trainer = Trainer(config, env, tmp_path / "cut", tell=silent)
    step, count = env.step, 0

    def stops_in_the_third(actions):
        nonlocal count
        count += 1
        trainer.stop = trainer.stop or count == 2 * 16 + 7
        return step(actions)

    env.step = stops_in_the_third
    assert trainer.train() is False
    assert trainer.iteration == 2
    on = run(config, tmp_path / "cut", resume=True)
    assert torch.equal(weights(whole), weights(on))


def test_a_world_that_is_not_a_number_is_named_reset_and_counted(tmp_path):
    said: list[str] = []
    env = ToyTask(16)
    trainer = Trainer(replace(CONFIG, iterations=2, worlds=16), env, tmp_path, tell=said.append)
    env.break_world = 11
    trainer.train()
    assert any(line.startswith("world 11:") for line in said)
    assert trainer.health.count == 1 and trainer.curve[-1]["bad_worlds"] == 1
    assert torch.isfinite(weights(trainer)).all()
    assert torch.isfinite(env.position).all()


def test_a_gradient_that_is_not_a_number_is_left_out(tmp_path):
    trainer = Trainer(replace(CONFIG, iterations=1, worlds=16), ToyTask(16), tmp_path, tell=silent)
    compute = trainer.ppo.compute_returns

    def spoiled(obs):
        compute(obs)
        trainer.ppo.storage.advantages[3, 5] = math.nan

    trainer.ppo.compute_returns = spoiled
    trainer.train()
    assert trainer.curve[-1]["not_finite_updates"] == PPO.epochs  # the one minibatch of each epoch
    assert torch.isfinite(weights(trainer)).all()


def test_the_students_critic_starts_from_the_teachers(tmp_path):
    teacher = replace(CONFIG, role="teacher", iterations=2, worlds=16)
    taught = run(teacher, tmp_path / "teacher")
    config = replace(CONFIG, method="aacd", teacher=str(tmp_path / "teacher"), iterations=1, worlds=16)
    student = Trainer(config, ToyTask(16), tmp_path / "student", tell=silent)
    for mine, theirs in zip(student.ppo.critic.parameters(), taught.ppo.critic.parameters(), strict=True):
        assert torch.equal(mine, theirs)
    assert torch.equal(student.ppo.critic.state_norm.mean, taught.ppo.critic.state_norm.mean)
    before = [p.clone() for p in student.ppo.critic.parameters()]
    student.train()
    assert any(not torch.equal(a, b) for a, b in zip(before, student.ppo.critic.parameters(), strict=True))
    larger = replace(config, network=replace(SMALL, mlp=(33,)))
    with pytest.raises(ValueError, match=r"MLP 32\).*MLP 33\); give --set network\.critic_mlp=32,"):
        Trainer(larger, ToyTask(16), tmp_path / "larger", tell=silent)


def test_a_run_begins_with_a_policy_that_there_is(tmp_path):
    first = run(CONFIG, tmp_path / "first")
    config = replace(CONFIG, start=str(tmp_path / "first"), iterations=2, seed=5, ppo=replace(PPO, lr=1e-5, kl=1e-4))
    trainer = Trainer(config, ToyTask(64, touch=True), tmp_path / "on", tell=silent)
    for name in ("actor", "critic"):
        mine, theirs = (getattr(t.ppo, name).state_dict() for t in (trainer, first))
        assert all(torch.equal(v, theirs[k]) for k, v in mine.items())  # normalisation and noise, too
    trainer.train()
    rows = trainer.curve
    assert rows[0]["success"] > 0.5 > first.curve[0]["success"]
    whole, on = run(config, tmp_path / "whole"), run(replace(config, iterations=3), tmp_path / "on", resume=True)
    assert on.iteration == 3 and not torch.equal(weights(whole), weights(on))
    # A distillation keeps that critic, though the teacher's would fit.
    run(replace(CONFIG, role="teacher", iterations=1), tmp_path / "teacher")
    taught = replace(distilling(2), start=str(tmp_path / "first"), teacher=str(tmp_path / "teacher"), worlds=64)
    student = Trainer(taught, ToyTask(64, touch=True), tmp_path / "taught", tell=silent)
    assert torch.equal(student.ppo.critic.state_dict()["mlp.0.weight"], first.ppo.critic.state_dict()["mlp.0.weight"])


def test_a_policy_that_does_not_fit_is_no_start(tmp_path):
    run(replace(CONFIG, iterations=1), tmp_path / "first")
    config = replace(CONFIG, start=str(tmp_path / "first"))
    for changed, says in (
        ({"task": "other"}, "of toy, not of other"),
        ({"role": "teacher"}, "it is a student; leave --role out"),
        ({"network": replace(SMALL, mlp=(33,))}, "they come with it"),
    ):
        with pytest.raises(ValueError, match=says):
            Trainer(replace(config, **changed), ToyTask(64, touch=True), tmp_path / "on", tell=silent)
    with pytest.raises(ValueError, match="new actor and the teacher's critic"):
        replace(config, method="aacd", teacher="run")


def test_distillation_from_a_trained_teacher(tmp_path):
    run(replace(CONFIG, role="teacher", iterations=30), tmp_path / "teacher")
    assert success(tmp_path / "teacher") > 0.9
    config = replace(distilling(6, kept=5), teacher=str(tmp_path / "teacher"), worlds=64)
    run(config, tmp_path / "student")
    assert success(tmp_path / "student") > 0.8


def test_a_checkpoint_is_read_without_code_and_shrinks(tmp_path):
    trainer = run(replace(CONFIG, iterations=1, worlds=16), tmp_path)
    assert load_torch(tmp_path / RESUME)["about"]["iteration"] == 1
    small = shrink(tmp_path, tmp_path / "small.pt")
    assert small.stat().st_size < 0.75 * (tmp_path / "policy.pt").stat().st_size
    obs = ToyTask(8, seed=3).get_observations()
    full, half = load_policy(tmp_path), load_policy(small)
    for policy in (full, half):
        policy.start(8)
    assert torch.allclose(full.act(obs), half.act(obs), atol=2e-3)
    assert full.about["env_steps"] == trainer.env_steps
    (tmp_path / "policy.pt").write_bytes(b"not a checkpoint")
    with pytest.raises(ValueError, match="not a checkpoint of taxel train"):
        load_policy(tmp_path)
    with pytest.raises(ValueError, match="neither a run folder nor a checkpoint"):
        load_policy(tmp_path / "nowhere")


@pytest.mark.parametrize("part", ["actor", "critic"])
def test_weights_that_are_no_numbers_do_not_play(tmp_path, part):
    run(replace(CONFIG, iterations=1, worlds=4), tmp_path)
    saved = torch.load(tmp_path / "policy.pt", weights_only=True)
    name = next(n for n, t in saved[part].items() if t.is_floating_point() and t.numel() > 1)
    saved[part][name].view(-1)[1] = float("nan")
    torch.save(saved, tmp_path / "policy.pt")
    with pytest.raises(ValueError, match=f"1 weights of its {part} are no finite numbers \\({name}"):
        load_policy(tmp_path)


def test_a_run_ends_after_its_minutes_and_is_saved(tmp_path):
    trainer = Trainer(CONFIG, ToyTask(CONFIG.worlds, touch=True), tmp_path / "run", tell=silent)
    assert trainer.train(minutes=1e-6) and trainer.iteration == 1 and trainer.saved == 1
    again = Trainer(CONFIG, ToyTask(CONFIG.worlds, touch=True), tmp_path / "run", tell=silent, resume=True)
    assert again.train(minutes=1e-6) and again.iteration == 2


def test_without_tensorboard_a_run_goes_on(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    told: list[str] = []
    trainer = run(replace(CONFIG, iterations=2), tmp_path / "run", tell=told.append)
    assert trainer.iteration == 2 and sum("no more events for TensorBoard" in line for line in told) == 1
