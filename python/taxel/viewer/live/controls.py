"""The right-hand panel: run, record, what is shown, its material, and the hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import taxel

from ... import sensors
from ...press.objects import OBJECTS, ycb_file
from .file_world import FileWorld, reach_of
from .press_world import Choice, PressWorld, described, material_of

if TYPE_CHECKING:
    from .page import Page

SPEEDS = ("0.05", "0.1", "0.25", "0.5", "1", "2")
YCB = ("011_banana", "013_apple", "025_mug", "037_scissors", "056_tennis_ball")
MOST_FORCE = 20.0  # N of the slider
LEAST_MODULUS, MOST_MODULUS = 1e3, 1e7  # Pa
NOTHING = "nothing"
MOST_ACTUATORS = 16


def on_change(handle: Any, work: Callable[[Any], Any]) -> None:
    """Calls ``work(value)`` when a visitor changes a widget; what the program itself sets would call back as well."""

    def changed(event: Any) -> None:
        if event.client is not None:
            work(event.target.value)

    handle.on_update(changed)


class Controls:
    """Widgets; every one of them asks the page, which asks the simulation's thread. Made once, changed with the world.

    Sliders of the hand: x, y and height in mm (0: the sensor's highest point), angles in degrees about the fixed axes
    x, y and z, in this order.
    """

    def __init__(self, page: Page) -> None:
        self.page, self.gui = page, page.server.gui
        self.gui.set_panel_label("taxel view")
        self.gui.main_panel.dock_right()
        self.gui.main_panel.set_width(300)
        self._dynamic: list[Any] = []
        self.status = self.gui.add_markdown("", order=0)
        self._running()
        self._showing()

    # --- Made once ---

    def _running(self) -> None:
        gui, page = self.gui, self.page
        self.pause = gui.add_button("Pause", hint="stop and go on", icon="player-pause", order=1)
        self.more = gui.add_button_group(" ", ("step", "reset"), hint="one step of the engine; the beginning", order=2)
        self.speed = gui.add_dropdown(
            "speed", SPEEDS, initial_value="1", hint="simulated seconds a second, at most", order=3
        )
        self.record = gui.add_button("Record", icon="player-record", color="red", order=4)
        self.pause.on_click(lambda _: page.toggle_pause())
        self.more.on_click(lambda event: page.step() if event.target.value == "step" else page.reset())
        on_change(self.speed, lambda value: page.set_speed(float(value)))
        self.record.on_click(lambda _: page.toggle_record())

    def _showing(self) -> None:
        gui, page = self.gui, self.page
        with gui.add_folder("Show", expand_by_default=False, order=90):
            for name, label in (
                ("taxels", "taxels"), ("contact", "contact surface"), ("markers", "markers"), ("force", "force"),
            ):  # fmt: skip
                box = gui.add_checkbox(label, initial_value=True)
                on_change(box, partial(page.show, name))
            opacity = gui.add_slider("object, opacity", 0.0, 1.0, 0.02, page.opacity)
            on_change(opacity, page.set_opacity)

    # --- For a world ---

    def build(self) -> None:
        """Widgets of the world that is shown now."""
        for handle in self._dynamic:
            handle.remove()
        self._dynamic = []
        self.hand: dict[str, Any] = {}
        self.force: Any = None
        self.mode: Any = None
        world = self.page.world
        if isinstance(world, PressWorld):
            self._scene(world.choice)
            self._material(world.choice)
        elif isinstance(world, FileWorld):
            self._file(world)
        if world.hand is not None:
            self._hand(self._reach())

    def _folder(self, label: str, order: float, **options: Any) -> Any:
        folder = self.gui.add_folder(label, order=order, **options)
        self._dynamic.append(folder)
        return folder

    def _scene(self, choice: Choice) -> None:
        gui, page = self.gui, self.page
        with self._folder("Scene", 20):
            sensor = gui.add_dropdown("sensor", tuple(sensors.catalogue()), initial_value=choice.sensor)
            model = gui.add_dropdown("model", described(choice.sensor).models, initial_value=choice.model)
            names = object_menu(choice.object)
            thing = gui.add_dropdown("object", names, initial_value=choice.object)
            other = gui.add_text("or", "", hint="an object of your own: box:0.02,0.02,0.01, part.stl:0.001, ycb:NAME")
        on_change(sensor, lambda value: page.choose(sensor=value))
        on_change(model, lambda value: page.choose(model=value))
        on_change(thing, lambda value: page.choose(object=value))
        # The text comes letter by letter: only what is an object is taken.
        on_change(other, lambda value: page.choose(object=value) if is_object(value) else None)

    def _material(self, choice: Choice) -> None:
        gui, page = self.gui, self.page
        modulus, friction = material_of(choice)
        with self._folder("Material of the pad", 30):
            stiff = gui.add_number(
                "modulus, kPa", float(f"{modulus / 1e3:.4g}"), min=LEAST_MODULUS / 1e3, max=MOST_MODULUS / 1e3,
                step=1.0, hint="of the layer; of a gel Young's",
            )  # fmt: skip
            rub = gui.add_slider("friction", 0.0, 1.5, 0.05, float(np.clip(friction, 0, 1.5)))
            back = gui.add_button("Catalogue's values", disabled=choice.modulus is None and choice.friction is None)

        def change(_: float) -> None:
            kilopascal = float(np.clip(stiff.value, LEAST_MODULUS / 1e3, MOST_MODULUS / 1e3))
            page.choose(later=True, modulus=1e3 * kilopascal, friction=float(rub.value))

        on_change(stiff, change)
        on_change(rub, change)
        back.on_click(lambda _: page.choose(modulus=None, friction=None))

    def _file(self, world: FileWorld) -> None:
        gui, page = self.gui, self.page
        with self._folder("Model", 20):
            if world.sensor_names:
                watched = gui.add_dropdown("sensor", tuple(world.sensor_names), initial_value=world.watched)
                on_change(watched, page.watch)
            held = NOTHING if world.hand is None else world.model.body(world.hand.body).name
            if bodies := world.free_bodies:
                holds = gui.add_dropdown("hold", (NOTHING, *bodies), initial_value=held or NOTHING)
                on_change(holds, page.hold)
        if 0 < world.model.nu <= MOST_ACTUATORS:
            with self._folder("Actuators", 40):
                for k in range(world.model.nu):
                    self._actuator(world, k)

    def _actuator(self, world: FileWorld, k: int) -> None:
        model = world.model
        low, high = model.actuator_ctrlrange[k] if model.actuator_ctrllimited[k] else (-1.0, 1.0)
        if not high > low:
            return
        name, value = model.actuator(k).name or f"actuator {k}", float(np.clip(world.data.ctrl[k], low, high))
        slider = self.gui.add_slider(name, float(low), float(high), float(high - low) / 200, value)
        on_change(slider, lambda value: self.page.set_control(k, float(value)))

    # --- The hand ---

    def _reach(self) -> np.ndarray:
        world = self.page.world
        return world.reach if isinstance(world, PressWorld) else reach_of(world)  # type: ignore[arg-type]

    def _hand(self, reach: np.ndarray) -> None:
        gui, page, world = self.gui, self.page, self.page.world
        assert world.hand is not None
        grip = world.hand.grip
        origin = self.origin
        low, high = 1e3 * (reach - origin)
        with self._folder("Hand", 10):
            self.mode = gui.add_dropdown(
                "", ("press down", "hold there"), initial_value="hold there" if grip.force is None else "press down",
                hint="press down: with a force, the height follows; hold there: the pose is kept",
            )  # fmt: skip
            self.force = gui.add_slider("force, N", 0.1, MOST_FORCE, 0.1, grip.force or 1.0)
            where = 1e3 * (grip.position - origin)
            for k, name in enumerate(("x, mm", "y, mm", "height, mm")):
                value = float(np.clip(where[k], low[k], high[k]))
                step = 0.05 if high[k] - low[k] < 200 else 1.0
                self.hand[name] = gui.add_slider(name, _floor(low[k]), _ceil(high[k]), step, round(value, 2))
            for name in ("roll, °", "pitch, °", "yaw, °"):
                self.hand[name] = gui.add_slider(name, -180.0, 180.0, 1.0, 0.0)
        on_change(self.mode, lambda value: page.set_mode(value == "press down"))
        on_change(self.force, lambda value: page.set_force(float(value)))
        for name, slider in self.hand.items():
            on_change(slider, partial(self._slid, name))

    @property
    def origin(self) -> np.ndarray:
        """Where the sliders are 0, in the world, m."""
        world = self.page.world
        return np.array([0.0, 0.0, world.top]) if isinstance(world, PressWorld) else np.zeros(3)

    def _slid(self, name: str, _: float) -> None:
        """A slider was moved: the pose of all of them; height means to hold."""
        values = [self.hand[key].value for key in self.hand]
        position = 1e-3 * np.array(values[:3]) + self.origin
        quaternion = to_quaternion(*np.radians(values[3:]))
        self.page.set_pose(position, quaternion, hold=name == "height, mm", source="sliders")

    def follow(self, position: np.ndarray, quaternion: np.ndarray, force: float | None) -> None:
        """Sets the sliders to a pose, without calling back."""
        if not self.hand:
            return
        values = [*1e3 * (position - self.origin), *np.degrees(to_angles(quaternion))]
        for slider, value in zip(self.hand.values(), values, strict=True):
            slider.value = round(float(np.clip(value, slider.min, slider.max)), 2)
        self.mode.value = "hold there" if force is None else "press down"
        if force is not None:
            self.force.value = float(np.clip(force, 0.1, MOST_FORCE))

    def told(self, paused: bool, recording: bool) -> None:
        """Labels of the two buttons that are switches."""
        self.pause.label = "Run" if paused else "Pause"
        self.pause.icon = "player-play" if paused else "player-pause"
        self.record.label = "Stop recording" if recording else "Record"


def object_menu(chosen: str) -> tuple[str, ...]:
    """Primitives, what is there of YCB, and what was asked for."""
    names = [*OBJECTS, "sphere:0.006", "box:0.01,0.01,0.01", "cylinder:0.004,0.02"]
    for name in YCB:
        try:
            ycb_file(name)
        except (ImportError, taxel.Error):
            continue
        names.append(f"ycb:{name}")
    return tuple(names if chosen in names else [chosen, *names])


def is_object(text: str) -> bool:
    from ...press.objects import parse_object

    try:
        parse_object(text)
    except (ValueError, ImportError, OSError):
        return False
    return True


def to_quaternion(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Turns about the fixed axes x, then y, then z (rad)."""
    import mujoco

    out = np.empty(4)
    mujoco.mju_euler2Quat(out, np.array([roll, pitch, yaw]), "XYZ")
    return out


def to_angles(quaternion: np.ndarray) -> tuple[float, float, float]:
    """The same angles of a quaternion; pitch from -90 to 90 degrees."""
    w, x, y, z = quaternion
    roll = math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = math.asin(float(np.clip(2 * (w * y - z * x), -1, 1)))
    yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return roll, pitch, yaw


def _floor(value: float) -> float:
    return math.floor(10 * value) / 10


def _ceil(value: float) -> float:
    return math.ceil(10 * value) / 10
