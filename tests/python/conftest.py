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


# --- failures ---


class ToldAtOnce:
    """A failure is told when it happens: a run that is cut off has no summary."""

    def __init__(self, reporter) -> None:
        self.reporter = reporter

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report) -> None:
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            words = crash.message if crash else str(report.longrepr)
            self.reporter.write(f"\n{report.nodeid}, {report.when}: {words[:2000]}\n", red=True)


def pytest_sessionstart(session):
    session.config.pluginmanager.register(ToldAtOnce(session.config.pluginmanager.get_plugin("terminalreporter")))


# --- skips ---


def pytest_addoption(parser):
    parser.addoption("--listed-skips", action="store_true", help="fail where skips.txt does not have a skip")


def unlisted(reasons: list[str], listed: str) -> list[str]:
    """What a list has against these reasons: lines with a number and a part of a reason, comments, empty lines."""
    lines = [line.split(maxsplit=1) for line in listed.splitlines() if line.strip() and not line.startswith("#")]
    left = {part.strip(): int(number) for number, part in lines}
    wrong = []
    for reason in reasons:
        part = next((part for part in left if part in reason), None)
        if part is None:
            wrong.append(f"skipped for a reason that tests/python/skips.txt does not have: {reason}")
        elif left[part] == 0:
            wrong.append(f"skipped more often than tests/python/skips.txt has it: {reason}")
        else:
            left[part] -= 1
    return wrong


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    if not session.config.getoption("--listed-skips"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.stats.get("skipped", [])
    reasons = [r.longrepr[2] if isinstance(r.longrepr, tuple) else str(r.longrepr) for r in reports]
    new = unlisted(reasons, (Path(__file__).parent / "skips.txt").read_text())
    for line in new:
        reporter.write_line(line, red=True)
    if new and session.exitstatus == 0:
        session.exitstatus = 1
