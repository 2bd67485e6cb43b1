"""Long work stops when Python says so, with what the signal handler raised, and everything can be used afterwards.

A timer's signal stands for Ctrl-C: its handler raises, as Python's own does for SIGINT. Without an answer the work here
would go on for a minute or more."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from conftest import DATA, cube

import taxel
from taxel.report import progress

FINE = 4e-4
PART = DATA / "dumbbell.obj"


class Stop(Exception):
    """What the handler raises."""


@contextmanager
def stopped(seconds: float = 0.15):
    def handler(*_):
        raise Stop

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with pytest.raises(Stop):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def dumbbell() -> tuple[np.ndarray, np.ndarray]:
    return taxel.read_mesh(PART)


def far(count: int) -> np.ndarray:
    return np.random.default_rng(4).uniform(-1, 1, (count, 3))


BALL = taxel.Body.sphere(0.006)
LONG = {
    "Body.mesh": lambda: taxel.Body.mesh(*dumbbell(), modulus=1e5, resolution=FINE),
    "Body.from_file": lambda: taxel.Body.from_file(PART, modulus=1e5, field="laplace", resolution=FINE),
    "mesh_interior": lambda: taxel.mesh_interior(*dumbbell(), edge_length=FINE),
    "fill_shape, lattice": lambda: taxel.fill_shape(taxel.Body.sphere(0.05), 2.5e-4),
    "fill_shape, poisson": lambda: taxel.fill_shape(dumbbell(), 2.5e-4, "poisson"),
    "fill_shape, carve": lambda: taxel.fill_shape(dumbbell(), 2e-4, "carve"),
    "sample_surface": lambda: taxel.sample_surface(*dumbbell(), radius=4.5e-5),
    "signed_distance": lambda: taxel.signed_distance(dumbbell(), far(3_000_000)),
    "MarkerDistance": lambda: taxel.MarkerDistance(dumbbell(), "trilinear", spacing=2e-4),
    "contact_batch": lambda: taxel.contact_batch(
        taxel.Body.sphere(0.03, modulus=1e5), taxel.pose(), BALL,
        np.tile(taxel.pose((0.01, 0.02, 0.022)), (300_000, 1, 1)), threads=2,
    ),
    "EipPress": lambda: taxel.EipPress(threads=2).run([taxel.Body.sphere(0.1)], [0] * 4, [taxel.pose((0.5,) * 3)] * 4),
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_long_work_stops(name):
    with stopped():
        LONG[name]()


def test_ctrl_c_in_the_last_moment_is_not_lost(monkeypatch):
    """The work is done and its progress is being put away, in Python, which then handles the signal."""

    @contextmanager
    def working(label, progress=None):
        yield
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(progress, "working", working)
    with pytest.raises(KeyboardInterrupt):
        taxel.Body.mesh(*cube(), modulus=1e5)
        for _ in range(1000):
            pass
    monkeypatch.undo()
    taxel.Body.mesh(*cube(), modulus=1e5)  # once, not twice


def test_a_stopped_gel_stands_at_a_whole_step(tilted):
    gel = taxel.Gel(taxel.Body.box((0.02, 0.024, 0.006)), cell=1e-3, threads=2)
    start, end = taxel.pose((0.001, -0.002, 0.0091)), tilted
    end[:3, 3] = (0.003, 0.001, 0.0085)
    gel.add(BALL, start, friction=0.5)
    with stopped():
        gel.advance(10_000_000, end)
    steps = round(gel.time / gel.dt)
    assert steps > 0 and gel.time == pytest.approx(steps * gel.dt)
    moved = gel._poses[0][:3, 3] - start[:3, 3]
    np.testing.assert_allclose(moved, (end - start)[:3, 3] * steps / 10_000_000, atol=1e-12)
    assert np.isfinite(gel.positions).all() and np.isfinite(gel.force(0)).all()
    gel.advance(5)  # the ball stays where the stop left it
    np.testing.assert_allclose(gel._poses[0][:3, 3] - start[:3, 3], moved, atol=1e-15)
    assert gel.time == pytest.approx((steps + 5) * gel.dt)


def test_a_stopped_series_stands_at_a_whole_step():
    series = taxel.EipPress(threads=1, chamfer=0.01).series(taxel.Body.sphere(0.03), taxel.pose((0.5, 0.5, 0.5)))
    with stopped(0.08):
        series.step(1_000_000)
    steps = series.steps
    assert steps > 0 and np.isfinite(series.positions).all()
    series.step(1)
    assert series.steps == steps + 1


def test_a_stopped_batch_has_moved_no_world():
    pad = taxel.gelsight_mini_markers(dome=False)
    field = taxel.MarkerField(pad.pad, pad.markers, BALL, radius=5e-4)
    deep, away = taxel.pose((0, 0, 0.0072)), taxel.pose((1e-3, 0, 0.0071))
    stop, whole = field.batch(2000, threads=2), field.batch(2000, threads=2)
    for batch in (stop, whole):
        batch.step(np.tile(deep, (2000, 1, 1, 1)))
    with stopped(0.12):
        while True:
            stop.step(np.tile(deep, (2000, 1, 1, 1)))  # the same again: changes nothing, whole or not at all
    X = np.tile(away, (2000, 1, 1, 1))
    np.testing.assert_array_equal(stop.step(X), whole.step(X))


SOFT = f"""<mujoco><option cone="elliptic"/><asset><mesh name="part" file="{PART}"/></asset>
  <extension><plugin plugin="taxel"><instance name="skin"><config key="modulus" value="1e5"/>
  <config key="resolution" value="{FINE}"/></instance></plugin></extension>
  <custom><tuple name="skin"><element objtype="geom" objname="part"/></tuple></custom>
  <worldbody><geom name="part" type="mesh" mesh="part" euler="10 20 30"/>
  <body pos="0 0 0.1"><freejoint/><geom name="ball" size="0.01"/></body></worldbody></mujoco>"""


def test_a_compile_stops_and_the_next_one_works(warned):
    import mujoco

    with stopped():
        taxel.load_model(SOFT)
    with stopped():  # not through our door: MuJoCo's own error comes first
        try:
            mujoco.MjModel.from_xml_string(SOFT)
        except ValueError as error:
            assert "taxel: interrupted" in str(error)
            time.sleep(0.01)
    model = taxel.load_model(SOFT.replace(str(FINE), "0.01"))
    with stopped():
        taxel.Reader(model, {"part": dict(modulus=1e5, resolution=FINE)})
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    assert taxel.touches(model, data) == []


def test_other_threads_are_left_alone():
    done = []
    worker = threading.Thread(target=lambda: done.append(taxel.mesh_interior(*dumbbell(), edge_length=8e-3)))
    with stopped(0.05):
        worker.start()
        taxel.mesh_interior(*dumbbell(), edge_length=FINE)
    worker.join()
    assert len(done[0][1]) > 100


def test_ctrl_c_ends_the_command(tmp_path):
    command = [sys.executable, "-m", "taxel.cli", "mesh", "--engine", "own", "--edge-length", "0.0007"]
    worker = subprocess.Popen(
        [*command, str(PART), str(tmp_path / "out.vtk")],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores it
    )
    while "_core" not in Path(f"/proc/{worker.pid}/maps").read_text():  # still loading, which ends otherwise
        time.sleep(0.05)
    time.sleep(2)
    os.kill(worker.pid, signal.SIGINT)
    said = worker.communicate(timeout=60)[1]
    assert worker.returncode == 130 or "KeyboardInterrupt" in said, (worker.returncode, said)
    assert not (tmp_path / "out.vtk").exists()


def test_progress_is_told_and_may_stop_the_work():
    seconds: list[float] = []

    def enough(spent: float) -> None:
        seconds.append(spent)
        if len(seconds) == 3:
            raise Stop

    with pytest.raises(Stop):
        taxel.Body.mesh(*dumbbell(), modulus=1e5, resolution=FINE, progress=enough)
    assert len(seconds) == 3 and seconds == sorted(seconds) and seconds[0] >= 0
    seconds.clear()
    taxel.mesh_interior(*dumbbell(), edge_length=8e-3, progress=False)
    with pytest.raises(TypeError, match="unknown option 'progress'"):
        taxel.Body.sphere(0.01, progress=None)  # nothing there takes long


class Terminal:
    """Stands for standard error."""

    def __init__(self, live: bool) -> None:
        self.live, self.text = live, ""

    def isatty(self) -> bool:
        return self.live

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None: ...


@pytest.mark.parametrize("live", [True, False])
def test_a_terminal_shows_a_line_and_nothing_else_does(monkeypatch, live):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal(live))
    with stopped():
        taxel.Body.mesh(*dumbbell(), modulus=1e5, resolution=FINE)
    assert ("Body.mesh ... 0 s" in terminal.text) == live and terminal.text.endswith("\r" if live else "")
    terminal.text = ""
    with progress.watching("press: pad + ball"):
        time.sleep(0.6)
        with progress.working("inner"):  # one line at a time
            taxel.mesh_interior(*dumbbell(), edge_length=8e-3)
    assert ("press: pad + ball ... 0 s" in terminal.text) == live and "inner" not in terminal.text
