"""The grasp experiments in their quick form: all rows within their limits; films and what happens without OpenGL."""

import numpy as np
import pytest

import taxel
from taxel.experiments import EXPERIMENTS
from taxel.report import Output


@pytest.mark.parametrize("name", ["grasp", "pick_cycle", "fingertips"])
def test_quick_experiments_are_within(name, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    numbers = EXPERIMENTS[name.replace("_", "-")].load().run(Output(None), tmp_path, quick=True)
    assert [row for row in numbers["rows"] if not row["within"]] == []
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


def frames(count: int, height: int = 60, width: int = 80) -> list[np.ndarray]:
    out = []
    for k in range(count):
        frame = np.full((height, width, 3), 240, np.uint8)
        frame[10:20, k % (width - 10) : k % (width - 10) + 10] = (200, 60, 30)
        out.append(frame)
    return out


def test_a_film_has_its_frames_and_its_time(tmp_path):
    Image = pytest.importorskip("PIL.Image")
    from taxel.viewer.gif import write_gif

    path = write_gif(tmp_path / "film.gif", frames(30), fps=20)
    with Image.open(path) as film:
        assert film.n_frames == 30 and film.size == (80, 60)
        assert film.info["duration"] == 50 and film.info["loop"] == 0
        pixel = np.asarray(film.convert("RGB"))[15, 3]
    assert np.abs(pixel.astype(int) - (200, 60, 30)).max() < 12


def test_a_film_is_made_small_enough(tmp_path):
    Image = pytest.importorskip("PIL.Image")
    from taxel.viewer.gif import write_gif

    rng = np.random.default_rng(0)
    noisy = [rng.integers(0, 255, (90, 120, 3), dtype=np.uint8) for _ in range(48)]
    path = write_gif(tmp_path / "film.gif", noisy, fps=20, largest=150_000)
    assert path.stat().st_size <= 150_000
    with Image.open(path) as film:
        assert film.n_frames * film.info["duration"] == pytest.approx(48 * 50, rel=0.1)  # as long as before


def test_wrong_films_say_so(tmp_path):
    pytest.importorskip("PIL.Image")
    from taxel.viewer.gif import write_gif

    for given, words in (
        (([],), "no frames"),
        (([np.zeros((4, 4), np.uint8)],), "give \\(height, width, 3\\)"),
        (([np.zeros((4, 4, 3), np.uint8), np.zeros((5, 4, 3), np.uint8)],), "all alike"),
        ((frames(2), 0.0), "fps is 0.0"),
    ):
        with pytest.raises(taxel.Error, match=words):
            write_gif(tmp_path / "film.gif", *given)


def test_without_opengl_there_is_a_message_and_no_film(monkeypatch, capsys):
    import mujoco

    from taxel.experiments.shared.film import Film
    from taxel.viewer import offscreen

    def none(_):
        raise ImportError("no EGL here")

    monkeypatch.setattr(offscreen, "_context", none)
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    with pytest.raises(taxel.Error, match="no OpenGL to draw the scene with \\(no EGL here\\); install it"):
        offscreen.Offscreen(model, 64, 64)
    film = Film(Output(None), model, 10)
    assert "no pictures of the scene: there is no OpenGL" in capsys.readouterr().out
    data = mujoco.MjData(model)
    assert not film.due(data)
    film.shoot(data, None, None)
    film.close()
    assert film.frames == []
