"""The auxiliary loss of the distillation (distill.hints).

Cases: its gradient alone reaches LSTM and touch encoder, not the MLP; the trunk learns to tell what is felt, which it
does not tell by imitating alone; a policy.pt plays without the head; a run in pieces is the run in one, across the end
of the distillation; weight 0 is the run without; the peg's own hints; where it would do nothing it is refused.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("torch")
pytest.importorskip("rsl_rl")

import torch
from conftest import command
from test_policy_training import SMALL, distilling, run, silent, success, weights
from toy_task import ToyTask

from taxel.learn.policy.checkpoint import load_policy
from taxel.learn.policy.config import TrainConfig
from taxel.learn.policy.dagger import _sequences
from taxel.learn.policy.hints import hints_of
from taxel.learn.policy.run_folder import POLICY, RESUME, load_torch
from taxel.learn.policy.trainer import Trainer


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def with_hints(config: TrainConfig, weight: float = 0.3) -> TrainConfig:
    return replace(config, distill=replace(config.distill, hints=weight))


def test_the_gradient_of_the_hints_reaches_lstm_and_encoder(tmp_path):
    trainer = run(with_hints(replace(distilling(1), worlds=8)), tmp_path)
    actor, head = trainer.ppo.actor, trainer.dagger.head
    batch = _sequences(trainer.dagger.kept[0], torch.arange(8))
    latent = actor.get_latent(batch["padded"], batch["masks"], batch["actor_memory"])
    actor.zero_grad(set_to_none=True)
    head.loss(latent, batch["hints"]).backward()
    reached = {name for name, p in actor.named_parameters() if p.grad is not None and p.grad.abs().max() > 0}
    for part in ("rnn.rnn.weight_ih_l0", "rnn.rnn.weight_hh_l0", "rnn_norm.weight", "encoder.touch.layers.1.weight"):
        assert part in reached
    assert not any(name.startswith(("mlp", "distribution")) for name in reached)


def test_the_trunk_learns_to_tell_what_is_felt(tmp_path):
    config = with_hints(replace(distilling(6, kept=5), worlds=64))
    trainer = run(config, tmp_path)
    told = [row["losses"]["hints"] for row in trainer.curve]
    assert told[-1] < 0.02 and told[-1] < 0.25 * told[0]  # 1: knows nothing
    assert success(tmp_path) > 0.95
    assert trainer.dagger.head.norm.std[0] > 1e3 * trainer.dagger.head.norm.std[2]  # each hint at its own scale


def test_a_checkpoint_plays_without_the_head(tmp_path):
    config = replace(distilling(1), worlds=8)
    trainer = run(with_hints(config), tmp_path / "with")
    run(config, tmp_path / "without")
    kept, plain = (load_torch(tmp_path / name / POLICY)["actor"] for name in ("with", "without"))
    assert {k: v.shape for k, v in kept.items()} == {k: v.shape for k, v in plain.items()}
    obs = ToyTask(8, seed=3).get_observations()
    policy = load_policy(tmp_path / "with")
    policy.start(8)
    trainer.ppo.actor.start(8, "cpu")
    with torch.no_grad():
        assert torch.equal(policy.act(obs), trainer.ppo.actor(obs))


def test_a_run_with_hints_goes_on_bit_for_bit(tmp_path):
    config = with_hints(replace(distilling(5), worlds=16))
    whole = run(config, tmp_path / "whole")
    for piece, last in enumerate((1, 2, 5)):  # the distillation ends after the third
        part = run(replace(config, iterations=last), tmp_path / "parts", resume=piece > 0)
    assert torch.equal(weights(whole), weights(part))
    assert load_torch(tmp_path / "parts" / RESUME)["dagger"]["head"] is None  # thrown away
    assert "hints" not in whole.curve[-1]["losses"]


def test_without_a_weight_nothing_changes(tmp_path):
    config = replace(distilling(2), worlds=8)
    plain, none = run(config, tmp_path / "plain"), run(with_hints(config, 0.0), tmp_path / "none")
    assert torch.equal(weights(plain), weights(none)) and none.dagger.head is None
    some = run(with_hints(config, 0.3), tmp_path / "some")
    assert not torch.equal(weights(plain), weights(some))


def test_hints_of_a_real_task_are_those_its_teacher_sees():
    pytest.importorskip("gymnasium")
    from taxel.learn.policy.recall import with_recall
    from taxel.tasks.registry import make

    for recall in (False, True):
        env = with_recall(make("drawer", worlds=2, touch="none", threads=1), recall)
        env.step(torch.full((2, env.num_actions), 0.3))
        told, seen = hints_of(env), env.get_observations()["teacher"]
        last = seen.shape[1] - env.num_actions - 1
        assert told.shape == (2, 6) and torch.equal(told, seen[:, last - 6 : last])
        env.close()


def test_hints_that_would_do_nothing_are_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hint = ["--set", "distill.hints=0.5"]
    assert command(["train", "peg", "--method", "ppo", *hint]) == 2
    assert "--set distill.hints=0.5: --method ppo does not distill" in capsys.readouterr().err
    assert command(["train", "peg", "--role", "teacher", "--teacher", "scripted", *hint]) == 2
    assert "a teacher, which sees the hints" in capsys.readouterr().err
    blind = replace(distilling(1), worlds=4, touch="none", network=replace(SMALL, rnn_layers=0))
    with pytest.raises(ValueError, match="this policy has neither"):
        Trainer(with_hints(blind), ToyTask(4, touch=False), tmp_path, tell=silent)
