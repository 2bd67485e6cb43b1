"""The page: a viser server, the simulation behind it, and what its widgets ask for."""

from __future__ import annotations

import contextlib
import io
import math
import socket
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

import taxel

from .controls import NOTHING, Controls
from .file_world import FileWorld
from .frame import Frame
from .panels import Panels
from .press_world import Choice, PressWorld
from .recording import Sink, default_path, open_sink, record
from .scene import OBJECT_OPACITY, Scene
from .simulation import Simulation
from .world import World

HOST, PORT = "localhost", 8080
SETTLE = 0.4  # s without a change of a material's slider, until the world is made anew
STATUS = 0.5  # s between two lines of status
EYE = np.array([0.62, -1.15, 0.95])  # from the middle of the scene, in its size
FIELD = math.radians(48.0)  # of view


def need_viser() -> Any:
    try:
        import viser
    except ImportError:
        raise ImportError("the live page needs viser; run: pip install 'taxel[view]'") from None
    return viser


def make_world(what: str, thing: str | None = None, model: str | None = None) -> World:
    """A sensor's name and an object, or an MJCF file."""
    if what.endswith(".xml"):
        if model is not None:
            raise taxel.Error(f"--model {model} is for sensors of the catalogue; {what} says itself what its pads are")
        return FileWorld(what, thing)
    return PressWorld(Choice(what, thing or "sphere", model or "pressure"))


class Page:
    """Serves until ``close``. Visitors come and go; they all see and lead the same simulation.

        page = Page(make_world("myrmex", "sphere"), port=8080)
        page.start()
        ...
        page.close()

    Widgets call back on threads of the server; all that touches the world goes to the simulation's own thread.
    """

    def __init__(
        self, world: World, *, port: int = PORT, paused: bool = False, record_to: str | Path | None = None,
        frames: float = 30.0,
    ) -> None:  # fmt: skip
        viser = need_viser()
        self._show = {"taxels": True, "contact": True, "markers": True, "force": True}
        self.opacity = OBJECT_OPACITY
        self._sink: Sink | None = None
        self._sink_path = ""
        self._message, self._next_status = "", 0.0
        self._timer: threading.Timer | None = None
        self._wanted: dict[str, Any] = {}
        self._dragging = self._broken = False
        check_port(port)
        # What cannot be recorded is told before anything is served.
        sink = None if record_to is None else open_sink(record_to, world.title)
        try:
            self.server = self._serve(viser, port)
        except Exception:
            if sink is not None:
                sink.abandon()
            raise
        self.port = int(self.server.get_port())
        self.simulation = Simulation(world, self._on_frame, self._on_error, paused=paused, frames=frames)
        if sink is not None:
            self._tape(sink, str(record_to))
        self._dress()
        self.panels = Panels(self.server)
        self.controls = Controls(self)
        self.scene = Scene(self.server, world, self._show, self.opacity)
        self._present()
        self.server.on_client_connect(lambda _: self.simulation.ask(lambda: None))
        self.server.on_client_disconnect(self._left)
        if world.not_drawn:
            self.say(world.not_drawn)

    @staticmethod
    def _serve(viser: Any, port: int) -> Any:
        with contextlib.redirect_stdout(io.StringIO()):  # its banner; the command prints a line of its own
            server = viser.ViserServer(host=HOST, port=port, label="taxel view", verbose=False)
        if port and int(server.get_port()) != port:  # someone was quicker
            server.stop()
            raise port_taken(port)
        return server

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def world(self) -> World:
        return self.simulation.world

    def start(self) -> None:
        self.simulation.start()

    def close(self) -> str | None:
        """Ends simulation, recording and server. What became of the recording, in words."""
        self.simulation.stop()
        if self._timer is not None:
            self._timer.cancel()
        recorded = self._sink is not None
        try:
            self._close_recording()
        finally:
            self.server.stop()
        return self._message if recorded else None

    def _dress(self) -> None:
        server = self.server
        # The share button would tunnel through somebody's server.
        server.gui.configure_theme(dark_mode=True, show_logo=False, show_share_button=False, brand_color=(222, 122, 22))
        server.scene.set_up_direction("+z")
        server.scene.configure_environment_map(None)
        server.scene.configure_default_lights(False)
        server.scene.add_light_ambient("/light/all", intensity=1.1)
        server.scene.add_light_directional("/light/key", intensity=1.3, position=(0.5, -0.6, 1.0))
        server.scene.add_light_directional(
            "/light/rim", color=(170, 200, 255), intensity=0.6, position=(-0.8, 0.5, 0.4)
        )
        server.scene.set_background_image(backdrop(), format="jpeg")

    def _present(self, move_eyes: bool = True) -> None:
        """Widgets, gizmo and view of a new world; ``move_eyes``: also of those who look already."""
        size, middle = self.scene.size, self.scene.middle
        camera = self.server.initial_camera
        camera.look_at, camera.position = middle, middle + EYE * size
        camera.near, camera.far, camera.fov = 0.01 * size, 100.0 * size, FIELD
        for client in self.server.get_clients().values() if move_eyes else ():
            client.camera.position, client.camera.look_at = middle + EYE * size, middle
        self.panels.clear()
        self.controls.build()
        self.controls.told(self.simulation.paused, self._sink is not None)
        self._hand_out()

    def _hand_out(self) -> None:
        hand = self.world.hand
        if hand is None:
            self.scene.drop_gizmo()
            return
        self.scene.add_gizmo(hand.grip.position, hand.grip.quaternion, self._dragged)
        self.controls.follow(hand.grip.position, hand.grip.quaternion, hand.grip.force)

    # --- The simulation's thread ---

    def _on_frame(self, frame: Frame) -> None:
        now = time.perf_counter()
        if self.server.get_clients():
            paused = self.simulation.paused
            self.scene.update(frame, whole=paused)
            world = self.world
            shape = world.sensor.shape if isinstance(world, PressWorld) else None
            self.panels.update(frame, now, world.watched, shape, whole=paused)
            self._follow_hand(frame)
        else:
            self.panels.history.add(frame)
        if now >= self._next_status:
            self._next_status = now + STATUS
            self._tell(frame.time)

    def _follow_hand(self, frame: Frame) -> None:
        """While it presses, gizmo and slider of the height go with the object."""
        hand = self.world.hand
        if hand is None or hand.grip.force is None or frame.held is None or self._dragging or self.scene.gizmo is None:
            return
        height = float(frame.held[0][2])
        hand.grip.position = np.array([*hand.grip.position[:2], height])
        self.scene.move_gizmo(hand.grip.position)
        if (slider := self.controls.hand.get("height, mm")) is not None:
            value = 1e3 * (height - self.controls.origin[2])
            slider.value = round(float(np.clip(value, slider.min, slider.max)), 1)

    def _tell(self, at: float) -> None:
        sim = self.simulation
        state = "paused" if sim.paused else f"{sim.pace:.2g} x real time"
        lines = [f"**{self.world.title}**", f"{at:.2f} s · {state} · {sim.rate:.0f} frames/s"]
        if self._sink is not None:
            lines.append(f"recording to `{self._sink_path}`")
        if self._message:
            lines.append(self._message)
        self.controls.status.content = "  \n".join(lines)

    def _on_error(self, text: str) -> None:
        self._broken = True
        self.say(f"**stopped:** {text}. *reset* starts anew")
        self.controls.told(True, self._sink is not None)

    def say(self, text: str) -> None:
        """A line under the status; empty removes it."""
        self._message, self._next_status = text, 0.0
        self._tell(float(self.world.data.time))

    # --- What widgets ask for ---

    def toggle_pause(self) -> None:
        self.simulation.paused = not self.simulation.paused
        self.controls.told(self.simulation.paused, self._sink is not None)
        self.simulation.ask(lambda: None)

    def step(self) -> None:
        self.simulation.step_once()
        self.controls.told(True, self._sink is not None)

    def reset(self) -> None:
        def after() -> None:
            self.say("")
            self.panels.clear()
            hand = self.world.hand
            if self._broken and isinstance(self.world, PressWorld):
                self.world.hand.grip.force = self.world.first_load  # what broke it might do so again
            self._broken = False
            if hand is not None and self.scene.gizmo is not None:
                self.scene.move_gizmo(hand.grip.position, hand.grip.quaternion)
                self.controls.follow(hand.grip.position, hand.grip.quaternion, hand.grip.force)

        self.simulation.reset()
        self.simulation.ask(after)

    def set_speed(self, speed: float) -> None:
        self.simulation.speed = speed

    def show(self, name: str, visible: bool) -> None:
        self._show[name] = visible
        self.simulation.ask(lambda: None)

    def set_opacity(self, opacity: float) -> None:
        self.opacity = opacity
        self.scene.set_opacity(opacity)

    def watch(self, name: str) -> None:
        def work() -> None:
            self.world.watched = name
            self.panels.clear()

        self.simulation.ask(work)

    def set_control(self, actuator: int, value: float) -> None:
        def work() -> None:
            self.world.data.ctrl[actuator] = value

        self.simulation.ask(work)

    def hold(self, name: str) -> None:
        def work() -> None:
            world = self.world
            assert isinstance(world, FileWorld)
            world.hold(None if name == NOTHING else name)
            self.controls.build()
            self._hand_out()

        self.simulation.ask(work)

    def set_mode(self, press: bool) -> None:
        def work() -> None:
            hand = self.world.hand
            if hand is not None:
                hand.grip.force = float(self.controls.force.value) if press else None

        self.simulation.ask(work)

    def set_force(self, force: float) -> None:
        def work() -> None:
            hand = self.world.hand
            if hand is not None:
                hand.grip.force = force
                self.controls.follow(hand.grip.position, hand.grip.quaternion, force)

        self.simulation.ask(work)

    def set_pose(self, position: np.ndarray, quaternion: np.ndarray, *, hold: bool, source: str) -> None:
        def work() -> None:
            hand = self.world.hand
            if hand is None:
                return
            if hold:
                hand.grip.force = None
            hand.grip.position, hand.grip.quaternion = np.array(position), np.array(quaternion)
            if source == "sliders":
                self.scene.move_gizmo(position, quaternion)
                self.controls.mode.value = "hold there" if hand.grip.force is None else "press down"
            else:
                self.controls.follow(position, quaternion, hand.grip.force)

        self.simulation.ask(work)

    def _dragged(self, event: Any) -> None:
        """The gizmo was moved. A drag of the height means to hold; aside and turned it goes on pressing."""
        self._dragging = event.phase != "end"
        position, quaternion = self.scene.pose_of_gizmo(event.target)
        hand = self.world.hand
        if event.phase == "start" or hand is None:
            return
        lifted = abs(position[2] - hand.grip.position[2]) > 2e-4
        self.set_pose(position, quaternion, hold=lifted, source="gizmo")

    def _left(self, _: Any) -> None:
        """A visitor went, maybe in the middle of a drag."""
        self._dragging = False

    def choose(self, *, later: bool = False, **changes: Any) -> None:
        """Another sensor, object, model or material; ``later``: once no further change has come for a while."""
        if self._timer is not None:
            self._timer.cancel()
        self._wanted |= changes
        if later:
            self._timer = threading.Timer(SETTLE, self.choose)
            self._timer.daemon = True
            self._timer.start()
            return
        wanted, self._wanted = self._wanted, {}
        self.simulation.ask(lambda: self._rebuild(wanted))

    def _rebuild(self, changes: dict[str, Any]) -> None:
        old = self.world
        assert isinstance(old, PressWorld)
        self.say("preparing ...")
        try:
            world = PressWorld(old.choice.change(**changes))
        except (ValueError, ImportError, OSError) as error:
            self.controls.build()  # widgets back to what is shown
            self._hand_out()
            self.say(f"**not shown:** {error}")
            return
        if self._sink is not None:
            self._close_recording()
        same = world.choice.sensor == old.choice.sensor
        if same and old.hand.grip.force is not None:
            world.hand.grip.force = old.hand.grip.force
        self._change_to(world, move_eyes=not same)

    def _change_to(self, world: World, move_eyes: bool) -> None:
        with self.server.atomic():
            self.scene.clear()
            self.simulation.show(world)
            self.scene = Scene(self.server, world, self._show, self.opacity)
        self._present(move_eyes)
        self.say("")

    # --- Recording ---

    def toggle_record(self) -> None:
        def work() -> None:
            if self._sink is not None:
                self._close_recording()
            else:
                try:
                    self._open(default_path())
                except (OSError, ValueError, ImportError) as error:
                    self.say(f"**not recorded:** {error}")
            self.controls.told(self.simulation.paused, self._sink is not None)

        self.simulation.ask(work)

    def _open(self, path: str | Path) -> None:
        self._tape(open_sink(path, self.world.title), path)
        self.say("")

    def _tape(self, sink: Sink, path: str | Path) -> None:
        self._sink, self._sink_path = sink, str(path)
        self.simulation.on_sample = self._record

    def _names(self) -> dict[int, str]:
        return {g: self.world.model.geom(g).name or f"geom{g}" for g in self.world.moving}

    def _record(self, frame: Frame) -> None:
        assert self._sink is not None
        try:
            record(self._sink, frame, self._names())
        except (OSError, ValueError) as error:  # a full disk costs the recording, not the simulation
            self._sink = self.simulation.on_sample = None
            self.say(f"**recording stopped:** {error}")
            self.controls.told(self.simulation.paused, False)

    def _close_recording(self) -> None:
        sink, self._sink = self._sink, None
        self.simulation.on_sample = None
        if sink is None:
            return
        try:
            written = sink.close()
        except (OSError, ValueError) as error:
            self.say(f"**recording lost its end:** {error}")
            return
        path = self._sink_path
        self.say(f"recorded: `{path}`" if written else f"nothing recorded: no time passed; there is no `{path}`")


def backdrop() -> np.ndarray:
    """The picture behind the scene: dark, a little lighter below, as in our still pictures."""
    top, bottom = np.array([14, 17, 23]), np.array([34, 40, 52])
    share = np.linspace(0, 1, 64)[:, None, None]
    return np.broadcast_to((1 - share) * top + share * bottom, (64, 64, 3)).astype(np.uint8)


def check_port(port: int) -> None:
    """An Error where nothing can listen on this port. viser itself would quietly take another one."""
    if not 0 <= port <= 65535:
        raise taxel.Error(f"--port is {port}; give 1024 to 65535, or 0 for any that is free")
    if port == 0:
        return
    with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError:
            raise taxel.Error(f"--port {port} is for the system's own services; give 1024 to 65535") from None
        except OSError:
            raise port_taken(port) from None


def port_taken(port: int) -> taxel.Error:
    return taxel.Error(f"--port {port} is taken by another program; give another, or 0 for any that is free")


def serve(page: Page) -> str | None:
    """Serves until Ctrl-C. What became of a recording, in words."""
    page.start()
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            time.sleep(3600)
    return page.close()
