"""The real task, tiny: a peg student with markers trains, stops and goes on bit for bit; the commands end to end.

One environment of four worlds serves all: its state is put back before each run.
"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("rsl_rl")
pytest.importorskip("gymnasium")

import torch
from conftest import command

from taxel.learn.policy.checkpoint import load_policy
from taxel.learn.policy.config import Distill, TrainConfig, numbers
from taxel.learn.policy.evaluate import evaluate
from taxel.learn.policy.trainer import Trainer

NETWORK, PPO = numbers("paper", "student")
CONFIG = TrainConfig(
    method="ppo",
    worlds=4,
    iterations=2,
    network=replace(NETWORK, rnn_hidden=16, mlp=(16,)),
    ppo=replace(PPO, steps=6, sequence=3, minibatch=12),
)


@pytest.fixture(scope="module")
def peg():
    from taxel.tasks.registry import make

    torch.set_num_threads(1)
    env = make("peg", worlds=4, touch="taxel", threads=1)
    env.max_episode_length = 9  # a rollout of six ends inside an episode
    env.first = env.get_state()
    yield env
    env.close()


def train(config, env, folder, resume=False):
    env.set_state(env.first)
    trainer = Trainer(config, env, folder, tell=lambda _: None, resume=resume)
    trainer.train()
    return trainer


def weights(trainer):
    models = (trainer.ppo.actor, trainer.ppo.critic)
    return torch.cat([v.double().flatten() for m in models for v in m.state_dict().values()])


@pytest.mark.parametrize("method", ["ppo", "distill"])
def test_a_peg_student_goes_on_bit_for_bit(peg, tmp_path, method):
    config = CONFIG
    if method == "distill":
        config = replace(config, method="distill", teacher="scripted", distill=Distill(iterations=2, keep=2))
    whole = train(config, peg, tmp_path / "whole")
    train(replace(config, iterations=1), peg, tmp_path / "parts")
    parts = train(config, peg, tmp_path / "parts", resume=True)
    assert torch.equal(weights(whole), weights(parts))
    assert whole.curve[-1]["reward"] == parts.curve[-1]["reward"]
    assert whole.curve[-1]["shares"]["physics"] > 0 and whole.curve[-1]["shares"]["touch"] > 0


def test_a_film_frame_shows_scene_fields_and_value(peg, tmp_path):
    from taxel.learn.policy.film import SceneCamera, draw, play

    train(replace(CONFIG, iterations=1), peg, tmp_path)
    score = evaluate(peg, load_policy(tmp_path), 4)
    camera = SceneCamera(peg)
    frames, _ = play(peg, load_policy(tmp_path), every=3, camera=camera)
    camera.close()
    assert score.episodes == 4 and score.peak_force is not None
    assert [f.step for f in frames] == [0, 3, 6] and frames[0].touch.shape == (2, 2, 9, 7)
    pictures = draw(frames, "peg", "student", False)
    assert pictures[0].shape == pictures[1].shape and pictures[0].shape[1] > frames[0].scene.shape[1]
    assert not np.array_equal(pictures[0], pictures[1])


def test_a_policy_at_work_on_the_live_page(peg, tmp_path):
    from taxel.learn.policy.live_world import PolicyWorld

    train(replace(CONFIG, iterations=1), peg, tmp_path)
    world = PolicyWorld(load_policy(tmp_path))
    before = world.read()
    for _ in range(3):
        world.step()
    frame = world.read()
    assert frame.time == pytest.approx(3 / 60) and [m.name for m in frame.markers] == ["left", "right"]
    assert not np.allclose(before.positions, frame.positions)
    felt = world.obs["touch"][0, :2].numpy()  # the left finger's, in px / 10
    np.testing.assert_allclose(frame.markers[0].pixels[..., :2].transpose(2, 0, 1), 10 * felt, rtol=1e-6)
    centre = world.data.xpos[world.env.engine.scene.pads[0]]
    assert np.linalg.norm(frame.markers[0].places.mean(0) - centre) < 0.01  # on the pad, not in the air
    assert frame.numbers.normal > 1.0  # the grip
    world.env.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train", "cup"], "cup: no such task; there are peg"),
        (["train"], "give a task"),
        (["train", "peg"], "taxel train peg --role teacher"),
        (["train", "peg", "--method", "ppo", "--set", "ppo.gama=1"], "ppo has no 'gama'"),
        (["train", "peg", "--method", "ppo", "--set", "lr=1"], "give GROUP.KEY=VALUE"),
        (["train", "peg", "--method", "ppo", "--set", "ppo.epochs=many"], "'many' is not a whole number; it is 4 now"),
        (["train", "peg", "--method", "ppo", "--touch", "nose"], "touch is 'nose'"),
        (["train", "--resume", "nowhere"], "no run of `taxel train`"),
        (["eval", "nowhere"], "neither a run folder nor a checkpoint"),
        (["play", "cup"], "cup: no such task"),
    ],
)
def test_wrong_words_get_one_line(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command(words) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


@pytest.mark.skipif(torch.cuda.is_available(), reason="says what a machine without a GPU says")
def test_no_gpu_is_said(capsys):
    assert command(["train", "peg", "--method", "ppo", "--device", "cuda"]) == 2
    assert "torch sees no CUDA GPU here; give --device cpu" in capsys.readouterr().err


def test_a_missing_library_is_named_with_its_line(capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "rsl_rl", None)
    assert command(["train", "peg", "--method", "ppo"]) == 2
    assert "training needs rsl_rl" in (said := capsys.readouterr().err) and "pip install 'taxel[train]'" in said


def test_the_commands_end_to_end(tmp_path, capsys):
    """taxel train in two pieces, taxel eval: two worlds, a few steps."""
    run = str(tmp_path / "run")
    words = ["--worlds", "2", "--steps", "4", "--threads", "1", "--out", run]
    small = ["--set", "network.rnn_hidden=8", "--set", "options.threads=1"]
    assert command(["train", "peg", "--teacher", "scripted", "--iterations", "1", *words, *small]) == 0
    assert command(["train", "--resume", run, "--iterations", "2", "--json", str(tmp_path / "told.json")]) == 0
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["iteration"] == 2 and told["whole"] and told["last"]["phase"] == "ppo"
    config = json.loads((tmp_path / "run" / "config.json").read_text())["config"]
    assert config["method"] == "distill" and config["numbers"] == "quick" and config["seed"] == 0
    assert command(["train", "peg", "--teacher", "scripted", *words]) == 2
    assert "has a run already" in capsys.readouterr().err
