import os
from pathlib import Path

os.environ["TAXEL_CACHE"] = "off"  # the tests leave the user's folder alone

import numpy as np
import pytest

import taxel

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"


@pytest.fixture
def data() -> Path:
    return DATA


@pytest.fixture
def tilted() -> np.ndarray:
    """A pose with nothing round in it."""
    return taxel.pose((0.31, -0.22, 0.17), quat=(0.83, -0.21, 0.44, 0.27))


@pytest.fixture
def warned(monkeypatch, tmp_path) -> list[str]:
    """What MuJoCo and the plugin warn of; without the fixture it goes into a log in the folder where MuJoCo runs."""
    import mujoco  # the tests of contact queries need none

    monkeypatch.chdir(tmp_path)
    lines: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lines.append)
    yield lines
    mujoco.set_mju_user_warning(before)


def cube(size: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return size * (corners - 0.5), np.array(triangles)


def command(words: list[str]) -> int:
    """What ``taxel`` answers to these words."""
    from taxel.cli import main  # where it is asked for

    return main(words)
