"""``taxel view`` in Debian's Chromium, without a screen: what a visitor sees and does. And what the command refuses."""

import errno
import math
import os
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest
from chromium import Chromium, Tab, executable
from conftest import command

pytest.importorskip("viser")

import taxel
from taxel.viewer.live.page import EYE, FIELD, Page, make_world
from taxel.viewer.live.scene import GIZMO

needs_browser = pytest.mark.skipif(executable() is None, reason="Chromium is not installed (apt install chromium)")


@pytest.fixture
def page():
    made = Page(make_world("myrmex", "sphere"), port=0, frames=10)  # software draws them
    made.start()
    yield made
    made.close()


@pytest.fixture(scope="module")
def browser():
    with Chromium((1000, 680)) as made:
        yield made


def canvas(tab: Tab) -> tuple[float, float, float, float]:
    """x, y, width and height of the 3-D scene, px."""
    script = "(() => { const r = document.querySelector('canvas[data-engine]').getBoundingClientRect();"
    return tuple(tab.wait_for(f"{script} return [r.x, r.y, r.width, r.height]; }})()"))


def on_screen(page: Page, tab: Tab, point: np.ndarray) -> tuple[float, float]:
    """Pixel of a point of the world, from where a visitor first looks."""
    x, y, width, height = canvas(tab)
    look = -EYE / np.linalg.norm(EYE)
    right = np.cross(look, (0, 0, 1)) / np.linalg.norm(np.cross(look, (0, 0, 1)))
    away = point - (page.scene.middle + EYE * page.scene.size)
    scale = 0.5 * height / math.tan(0.5 * FIELD) / (away @ look)
    return x + 0.5 * width + scale * (away @ right), y + 0.5 * height - scale * (away @ np.cross(right, look))


def hot(picture: np.ndarray) -> np.ndarray:
    """Where the colours of a pressed taxel are: much red, little blue."""
    r, g, b = (picture[..., k].astype(int) for k in range(3))
    return (r > 120) & (r > b + 60) & (g > 25)


def force_of(tab: Tab) -> float:
    """What the page says, N."""
    return float(tab.wait_for(r"(document.body.innerText.match(/([\d.]+) N in/) || [])[1]"))


def wait_for_force(tab: Tab, low: float, high: float) -> None:
    tab.wait_for(
        r"(() => { const m = document.body.innerText.match(/([\d.]+) N in/);"
        f" return m && Number(m[1]) >= {low} && Number(m[1]) <= {high}; }})()",
        60,
    )


def lift_by_mouse(page: Page, tab: Tab) -> None:
    """Drags the tip of the gizmo's upright arrow upwards; where software draws slowly, with more patience each time."""
    for hover in (0.4, 1.0, 2.0, 4.0):
        tip = page.scene.gizmo.position + np.array([0, 0, 0.95 * GIZMO * page.scene.size])
        x, y = on_screen(page, tab, tip)
        tab.drag((x, y), (x, y - 70), hover=hover)
        end = time.monotonic() + 3
        while time.monotonic() < end:
            if page.world.hand.grip.force is None and page.world.hand.grip.position[2] > page.world.top:
                return
            time.sleep(0.1)


@needs_browser
def test_a_visitor_lifts_the_ball_and_the_reading_goes(page, browser):
    tab = browser.tab(page.url)
    wait_for_force(tab, 4.9, 5.1)
    tab.run(
        "document.querySelectorAll('[class*=Notification-closeButton]').forEach(b => b.click())"
    )  # no GPU: it says so
    time.sleep(1.0)
    pressed = tab.screenshot()
    x, y, width, height = (round(v) for v in canvas(tab))
    scene = np.s_[y + height // 3 : y + 3 * height // 4, x + 10 : x + width - 10]
    assert pressed[scene].reshape(-1, 3).std(axis=0).min() > 15  # something is drawn
    left = np.s_[: y + height, : x - 5]
    touched = hot(pressed[left]).sum()
    lift_by_mouse(page, tab)
    wait_for_force(tab, 0.0, 0.0)
    assert "hold there" in tab.run("[...document.querySelectorAll('input')].map(i => i.value).join(' ')")
    time.sleep(1.0)
    lifted = tab.screenshot()
    assert hot(lifted[left]).sum() < 0.6 * touched  # the tactile picture is dark; the bar of colours stays
    where = np.abs(lifted[scene].astype(int) - pressed[scene]).sum(axis=2) > 60
    assert 0.002 < where.mean() < 0.5  # the ball went, the pad did not
    assert {url.split("/")[2] for url in tab.requests} == {f"localhost:{page.port}"}  # nothing from elsewhere
    assert tab.errors == []
    tab.close()


@needs_browser
def test_visitors_come_and_go_and_a_broken_simulation_is_told(page, browser):
    first, second = browser.tab(page.url), browser.tab(page.url)
    wait_for_force(first, 4.9, 5.1)
    wait_for_force(second, 4.9, 5.1)
    second.click_button("Pause")
    first.wait_for("[...document.querySelectorAll('button')].some(b => b.innerText.trim() === 'Run')")
    assert page.simulation.paused
    second.close()
    first.click_button("Run")
    seen = page.simulation.count
    first.wait_for("[...document.querySelectorAll('button')].some(b => b.innerText.trim() === 'Pause')")

    def break_down():
        page.world.data.qpos[0] = np.nan

    page.simulation.ask(break_down)
    first.wait_for("document.body.innerText.includes('broke down')")
    assert page.simulation.count > seen and page.simulation.paused
    first.click_button("reset")
    first.wait_for("!document.body.innerText.includes('broke down')")
    first.click_button("Run")
    wait_for_force(first, 4.9, 5.1)
    page.choose(sensor="barometer", object="sphere:0.005")  # as the page's menus do
    first.wait_for("document.body.innerText.includes('5 x 5')")
    page.choose(object="ycb:no_such_thing")
    first.wait_for("document.body.innerText.includes('not shown')")
    assert page.world.choice.object == "sphere:0.005"
    first.close()


def test_every_widget_reaches_the_simulation(page):
    """The calls behind the widgets, on a page that nobody looks at."""

    def done() -> None:
        asked = []
        page.simulation.ask(lambda: asked.append(1))
        end = time.monotonic() + 20
        while not asked:
            assert time.monotonic() < end
            time.sleep(0.01)

    page.set_pose(np.array([0.01, 0.0, 0.02]), np.array([1.0, 0, 0, 0]), hold=True, source="sliders")
    done()
    assert page.world.hand.grip.force is None and page.controls.mode.value == "hold there"
    assert page.scene.pose_of_gizmo(page.scene.gizmo)[0] == pytest.approx((0.01, 0.0, 0.02))
    page.set_force(3.0)
    done()
    assert page.world.hand.grip.force == 3.0 and page.controls.mode.value == "press down"
    page.set_mode(False)
    page.set_speed(0.5)
    page.show("contact", False)
    page.set_opacity(0.9)
    done()
    assert page.world.hand.grip.force is None and page.simulation.speed == 0.5
    page.choose(later=True, modulus=6e4, friction=0.5)
    time.sleep(0.8)
    done()
    assert page.world.modulus == 6e4 and page.world.friction == 0.5
    page.choose(model="bristle")
    done()
    assert page.world.choice == page.world.choice.change(model="bristle") and page.world.modulus == 3e4


def test_the_record_button_writes_what_happened(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page.toggle_record()
    time.sleep(0.5)
    page.toggle_record()
    end = time.monotonic() + 20
    while not (files := [f for f in tmp_path.iterdir() if f.stat().st_size > 500]):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert len(files) == 1 and files[0].name.startswith("taxel_")


def test_a_full_disk_costs_the_recording_alone(page):
    class Full:
        def __call__(self, *_):
            raise OSError(errno.ENOSPC, "No space left on device")

        def close(self):
            raise AssertionError("it is gone already")

    page.simulation.ask(lambda: page._tape(Full(), "run.npz"))
    end = time.monotonic() + 20
    while "recording stopped" not in page.controls.status.content:
        assert time.monotonic() < end
        time.sleep(0.05)
    seen = page.simulation.count
    while page.simulation.count < seen + 3:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert "No space left" in page.controls.status.content and not page.simulation.paused


# --- What the command refuses ---


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nosuch"], "the catalogue has"),
        (["nosuch.xml"], "there is no model file"),
        (["myrmex", "ball"], "object 'ball': not known"),
        (["myrmex", "--model", "marker"], "known as pressure or bristle or gel only"),
        (["models/myrmex.xml", "--model", "gel"], "says itself"),
        (["myrmex", "--port", "70000"], "give 1024 to 65535"),
    ],
)
def test_wrong_words_get_one_line(words, said, capsys):
    assert command(["view", *words, *([] if "--port" in words else ["--port", "0"])]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_without_viser_the_command_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "viser", None)
    assert command(["view", "myrmex"]) == 2
    assert "pip install 'taxel[view]'" in capsys.readouterr().err


def test_a_recording_that_cannot_be_written_is_told_at_once(tmp_path, capsys):
    assert command(["view", "barometer", "--port", "0", "--record", str(tmp_path / "nowhere" / "run.npz")]) == 2
    assert "nowhere" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["run.foo", "nowhere/run.npz"])
def test_nothing_is_served_where_the_recording_cannot_be_written(tmp_path, capsys, monkeypatch, name):
    viser = pytest.importorskip("viser")
    monkeypatch.setattr(viser, "ViserServer", None)  # calling it would be another error
    assert command(["view", "barometer", "--port", "0", "--record", str(tmp_path / name)]) == 2
    told = capsys.readouterr()
    assert name in told.err and told.err.count("\n") == 1 and not told.out
    assert "foo" not in name or ".npz, .mcap or .h5" in told.err


@pytest.mark.parametrize("name", ["run.npz", "run.mcap"])
def test_a_paused_page_says_that_nothing_was_recorded(tmp_path, name):
    page = Page(make_world("barometer"), port=0, paused=True, record_to=tmp_path / name)
    page.start()
    assert "nothing recorded" in page.close() and not list(tmp_path.iterdir())


def test_a_recording_is_not_begun_where_the_port_is_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(Page, "_serve", lambda self, *_: (_ for _ in ()).throw(taxel.Error("taken")))
    with pytest.raises(taxel.Error, match="taken"):
        Page(make_world("barometer"), port=0, record_to=tmp_path / "run.npz")
    assert not list(tmp_path.iterdir())


def test_a_taken_port_is_told(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert command(["view", "barometer", "--port", str(port)]) == 2
        assert f"--port {port} is taken" in capsys.readouterr().err


def test_a_killed_service_keeps_its_recording(tmp_path):
    words = [sys.executable, "-m", "taxel.cli", "view", "barometer", "--port", "0", "--record", "run.npz"]
    process = subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    assert process.stdout is not None
    lines = iter(process.stdout.readline, "")
    assert any("http://localhost:" in line and "Ctrl-C" in line for line in lines)
    time.sleep(2.0)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    assert "recorded: run.npz" in process.stdout.read()
    kept = np.load(tmp_path / "run.npz")
    assert np.diff(kept["time"]) == pytest.approx(0.04)  # whatever the pace
    assert len(kept["time"]) > 3 and kept["barometer/touch"].shape[1:] == (5, 5)
