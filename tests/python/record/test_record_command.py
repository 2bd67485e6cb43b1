"""--record and taxel replay: the numbers of a run are the same with and without, and what is drawn shows it."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import command
from record_rows import CHANNELS, EPISODE, write

import taxel.record as record
from taxel.press import press, press_gel, press_markers


def test_a_press_is_recorded_and_not_changed(tmp_path):
    plain = press("myrmex", "sphere:0.015", force=3.0, offset=(0.002, -0.003))
    with record.Tape(tmp_path / "press.mcap") as tape:
        result = press("myrmex", "sphere:0.015", force=3.0, offset=(0.002, -0.003), record=tape)
    np.testing.assert_array_equal(plain.image, result.image)
    assert plain.steps == result.steps and plain.depth == result.depth
    found = record.read(tmp_path / "press.mcap")
    assert tape.stopped is None and tape.rows == len(found.time) == result.steps // 5 + 1
    np.testing.assert_allclose(np.diff(found.time), 0.01, atol=1e-9)
    assert not found.values["touch"][0].any()
    np.testing.assert_allclose(found.values["touch"][-1], result.image, rtol=1e-3, atol=1.0)
    assert found.values["depth"][-1] == pytest.approx(result.depth, rel=1e-6)
    force, torque = found.values["wrench"][-1, :3], found.values["wrench"][-1, 3:]
    assert force[2] == pytest.approx(-3.0, rel=1e-4)
    # No friction: the force goes through the centre of pressure.
    np.testing.assert_allclose(torque, np.cross(found.values["center"][-1], force), atol=2e-4)
    assert np.all(np.diff(found.values["object"][:, 2]) <= 1e-9)


def test_a_press_to_a_depth_is_one_episode(tmp_path):
    with record.Tape(tmp_path / "press.h5") as tape:
        result = press("weiss", "box:0.01,0.01,0.01", depth=2e-4, record=tape)
    found = record.read(tmp_path / "press.h5")
    assert set(found.episode) == {0} and found.values["depth"][-1] == pytest.approx(2e-4, rel=1e-3)
    assert found.values["touch"].shape[1:] == result.image.shape == (14, 6)


def test_markers_and_the_gel_are_recorded(tmp_path):
    plain = press_markers("gelsight_mini", "sphere:0.005", depth=4e-4, slide=2e-4)
    with record.Tape(tmp_path / "markers.mcap") as tape:
        result = press_markers("gelsight_mini", "sphere:0.005", depth=4e-4, slide=2e-4, record=tape)
    np.testing.assert_array_equal(plain.frames[-1].displacement, result.frames[-1].displacement)
    found = record.read(tmp_path / "markers.mcap")
    assert found.values["camera"].shape[1:] == (320, 240, 3) and found.values["markers"].shape[1:] == (9, 7, 3)
    assert (
        np.abs(found.values["markers"][-1] - result.frames[-1].displacement).max()
        < 0.1 * np.abs(result.frames[-1].displacement).max()
    )
    moved = np.abs(found.values["camera"][-1].astype(int) - found.values["camera"][0]).mean(axis=-1)
    assert moved[130:190, 90:150].mean() > 5 * moved[:40].mean()  # the ball in the middle is seen
    plain = press_gel("weiss", "sphere:0.01", depth=3e-4)
    with record.Tape(tmp_path / "gel") as tape:  # rows at equal steps, as LeRobot wants them
        result = press_gel("weiss", "sphere:0.01", depth=3e-4, record=tape)
    found = record.read(tmp_path / "gel")
    assert result.force[2] == pytest.approx(plain.force[2], rel=5e-3)
    assert found.values["wrench"][-1, 2] == pytest.approx(-result.force[2], rel=1e-6)
    np.testing.assert_allclose(found.values["displacement"][-1], result.displacement, atol=1e-9)
    assert found.values["depth"][0] < 0 < found.values["depth"][-1]


def test_the_commands(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["press", "myrmex", "sphere", "--size", "120", "--record"]
    assert command([*words, "run", "--json", "a.json"]) == 0
    told = json.loads(Path("a.json").read_text())["recording"]
    assert told == {"file": "run", "rows": len(record.read("run").time), "complete": True}
    assert "recording: run, " in capsys.readouterr().out
    assert command([*words, "run"]) == 2
    assert "it is there already; remove it, or give another name" in capsys.readouterr().err
    assert command(["reproduce", "contact-rest", "--record", "x.mcap"]) == 2
    assert "--record: contact-rest has no such option, only grasp, pick-cycle" in capsys.readouterr().err
    assert command(["replay", "run", "--copy", "run.mcap", "--json", "b.json"]) == 0
    told = json.loads(Path("b.json").read_text())
    assert told["channels"]["touch"]["shape"] == [16, 16] and told["copied_rows"] == told["rows"] and told["complete"]
    assert command(["replay", "run.mcap", "--episode", "3"]) == 2
    assert "no rows of episode 3" in capsys.readouterr().err
    assert command(["replay", "nothing.mcap"]) == 2
    capsys.readouterr()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert command(["replay", "run.mcap", "--out", "none"]) == 0
    said = capsys.readouterr().out
    assert "touch" in said and "no pictures: they need matplotlib" in said and not Path("none").exists()


def test_a_replay_draws_what_was_recorded(tmp_path):
    from PIL import Image

    with record.open(tmp_path / "run.h5", CHANNELS, task="first") as recorder:
        write(recorder, 0, EPISODE + 20)
    assert command(["replay", str(tmp_path / "run.h5"), "--out", str(tmp_path)]) == 0
    film = Image.open(tmp_path / "run.gif")
    assert film.n_frames > 30
    frames = []
    for k in (0, film.n_frames - 1):
        film.seek(k)
        frames.append(np.asarray(film.convert("RGB")).astype(int))
    assert np.abs(frames[0] - frames[1]).mean() > 1
    still = np.asarray(Image.open(tmp_path / "run.png").convert("RGB"))
    assert still.shape[1] > 700 and still.std() > 10
    command(["replay", str(tmp_path / "run.h5"), "--episode", "1", "--out", str(tmp_path)])
    assert Image.open(tmp_path / "run.gif").n_frames == 20


@pytest.mark.filterwarnings("error")
def test_odd_numbers_are_drawn(tmp_path):
    """NaN, infinity, nothing but zeros, one row, a single taxel, shapes that are neither pictures nor curves."""
    channels = {
        "f": record.Scalar("N"),
        "t": record.Array((3, 4), "Pa"),
        "one": record.Array((1, 1), "counts"),
        "many": record.Array((500,)),
        "deep": record.Array((2, 3, 4, 5)),
        "same": record.Array((3,), "N", np.zeros((3, 3))),
        "dot": record.Markers((1,), np.zeros((1, 3)), 1e-4),
        "eye": record.Image(1, 1),
    }
    for k, value in enumerate((np.nan, np.inf, 0.0)):
        path = tmp_path / f"{k}.mcap"
        with record.open(path, channels) as recorder:
            for time in range(1, k + 2):
                row = {name: np.full(c.shape, value) for name, c in channels.items()}
                recorder.write(1e9 + time, {**row, "eye": np.zeros((1, 1, 3), np.uint8)})
        assert command(["replay", str(path), "--out", str(tmp_path), "--json", str(tmp_path / "a.json")]) == 0
    assert json.loads((tmp_path / "a.json").read_text())["channels"]["t"]["max"] == 0.0


def test_a_long_recording_is_drawn_from_few_frames(tmp_path):
    from taxel.viewer.replay import MOST_FRAMES, collect

    with record.open(tmp_path / "run.mcap", {"x": record.Array((2, 3))}) as recorder:
        for k in range(5000):
            recorder.write(0.001 * k, {"x": np.full((2, 3), k)})
    replay = collect(record.source(tmp_path / "run.mcap"))
    steps = np.diff([time for time, _ in replay.frames])
    assert len(replay.time) == 5000 and MOST_FRAMES / 2 <= len(replay.frames) <= MOST_FRAMES
    np.testing.assert_allclose(steps, steps[0])
    assert (replay.spans["x"].low, replay.spans["x"].high) == (0, 4999)


def test_an_experiment_is_recorded(tmp_path):
    from taxel.experiments.gripper import pick_cycle
    from taxel.report import Output

    with record.Tape(tmp_path / "run.mcap") as tape:
        numbers = pick_cycle.run(Output(None), tmp_path, quick=True, record=tape)
    found = record.read(tmp_path / "run.mcap")
    assert all(row["within"] for row in numbers["rows"] if "real-time" not in row["what"])
    np.testing.assert_allclose(np.diff(found.time), 0.04, atol=1e-9)
    held = found.values["left/force"][:, 0].min()
    assert held == pytest.approx(-8.0, rel=0.02) and found.values["object"][:, 2].max() > 0.07


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["--record", ""], "recording: the name is empty"),
        (["--record", "/proc/foo.mcap"], "recording /proc/foo.mcap: no file can be made in /proc"),
        (["--json", "/proc/x.json"], "--json /proc/x.json: cannot be written"),
        (["--out", "/proc"], "--out /proc: not a folder that pictures can go to"),
    ],
)
def test_files_that_cannot_be_made_are_refused_before_the_press(tmp_path, monkeypatch, words, answer, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("taxel.cli.press.press", lambda *_, **__: pytest.fail("it pressed"))
    assert command(["press", "myrmex", "sphere", *words]) == 2
    said = capsys.readouterr().err
    assert answer in said and said.count("\n") == 1
