"""taxel ros: the simulation runs, and its tactile sensors are on ROS 2."""

from __future__ import annotations

import argparse
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from .._core import Error
from ..press.guided_press import check_limits
from ..report import Output, add_json, working
from .common import check_model

OBJECT = "sphere"


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "ros",
        help="run a model and publish its tactile sensors on ROS 2",
        description="Runs a model in real time and publishes its tactile sensors on ROS 2 (docs/guide/ros.md): "
        "TactileState, Image, WrenchStamped and PointCloud2 of each, /clock and /tf; services pause and reset it, "
        "parameters set the rates. No ROS is needed here. Ctrl-C ends it.",
    )
    parser.add_argument(
        "model",
        nargs="?",
        metavar="MODEL",
        help="an .xml with tactile sensors, or a name of `taxel sensors` that an object presses into",
    )
    parser.add_argument(
        "object",
        nargs="?",
        metavar="OBJECT",
        help=f"what presses, as of `taxel press` (default for a sensor: {OBJECT}; an .xml runs as it is without one)",
    )
    parser.add_argument("--force", type=float, default=5.0, metavar="N", help="of a press, at most (default: 5)")
    parser.add_argument("--period", type=float, default=2.0, metavar="S", help="from press to press (default: 2)")
    parser.add_argument("--model", dest="touch", choices=("pressure", "bristle"), help="what the pad is")
    parser.add_argument("--rate", type=float, default=100.0, metavar="HZ", help="of each sensor (default: 100)")
    parser.add_argument(
        "--speed", type=float, default=1.0, metavar="X", help="times real time (default: 1; 0: as fast as it goes)"
    )
    parser.add_argument("--duration", type=float, metavar="S", help="simulated seconds (default: until Ctrl-C)")
    parser.add_argument("--namespace", default="taxel", help="of the topics and services (default: taxel)")
    parser.add_argument("--domain", type=int, metavar="K", help="of DDS (default: ROS_DOMAIN_ID, or 0)")
    parser.add_argument("--distro", metavar="NAME", help="humble, jazzy, ...: be a node there (default: ROS_DISTRO)")
    parser.add_argument("--reliable", action="store_true", help="for subscribers that ask for reliable delivery")
    parser.add_argument("--bag", metavar="DIR", help="also record a rosbag2")
    parser.add_argument("--storage", choices=("mcap", "sqlite3"), default="mcap", help="of the bag (default: mcap)")
    parser.add_argument("--interfaces", metavar="DIR", help="write the ROS package tactile_msgs to DIR, and end")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    out = Output(options.json)
    if options.interfaces is not None:
        from ..ros.interfaces import write_interfaces

        folder = write_interfaces(options.interfaces)
        out.print(f"{folder}: build it in your workspace with colcon build --packages-select tactile_msgs")
        out.finish({"interfaces": folder})
        return 0
    if options.model is None:
        raise ValueError("no model: give an .xml with tactile sensors or a sensor's name, as in taxel ros myrmex")
    _check(options)
    from ..ros import Bridge
    from ..ros.pace import Ran, run

    model, data, step, reset, title = _scene(options)
    ran = Ran()
    with (
        _ends_in_order(),
        Bridge(
            model,
            data,
            namespace=options.namespace,
            rate=options.rate,
            reliable=options.reliable,
            on_reset=reset,
            bag=options.bag,
            storage=options.storage,
            domain=options.domain,
            distro=options.distro,
        ) as bridge,
    ):
        bridge.real_time_factor = options.speed
        out.print(_greeting(title, bridge))
        try:
            run(bridge, data, step, ran, options.duration)
        except KeyboardInterrupt:
            out.print("stopped")
        sent, dropped = bridge.sent, bridge.dropped
        recorded = bridge.recorded
    lost = f", {dropped} dropped for slow subscribers" if dropped else ""
    out.print(
        f"{ran.simulated:.2f} s simulated, {ran.factor:.2f} times real time; {sum(sent.values())} messages sent{lost}"
    )
    if options.bag is not None:
        out.print(f"bag: {options.bag}, {recorded} messages")
    out.finish(
        {
            "simulated_s": ran.simulated,
            "wall_s": ran.wall,
            "steps": ran.steps,
            "sent": sent,
            "dropped": dropped,
            "bag": options.bag,
            "recorded": recorded,
        }
    )
    return 0


@contextmanager
def _ends_in_order() -> Iterator[None]:
    """SIGTERM is a Ctrl-C, and the first of either is the last: a second must not cut off a bag that is closing."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread gets signals
        yield
        return
    signals = (signal.SIGINT, signal.SIGTERM)

    def stop(*_: Any) -> NoReturn:
        for number in signals:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = [signal.signal(number, stop) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)


def _check(options: argparse.Namespace) -> None:
    check_limits("--", force=options.force)
    if not 0 <= options.speed <= 1e3:
        raise ValueError(f"--speed is {options.speed:g}; give 0 (as fast as it goes) to 1000")
    if options.duration is not None and not 0 < options.duration <= 1e9:
        raise ValueError(f"--duration is {options.duration:g}; give a number of seconds above 0")
    if options.touch is not None:
        if options.model.endswith(".xml"):
            raise ValueError("--model is for sensors of the catalogue; an .xml says itself what its pad is")
        check_model(options.model, options.touch)


def _scene(options: argparse.Namespace) -> tuple[Any, Any, Callable[[], None], Callable[[], None] | None, str]:
    """Model, data, what a step is, what a reset is (None: MuJoCo's own), and a title."""
    if options.model.endswith(".xml") and options.object is None:
        import mujoco

        model = _file_model(options.model)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        return model, data, lambda: mujoco.mj_step(model, data), None, options.model
    from ..press import PressCycle

    keys = {"model": options.touch} if options.touch is not None else {}
    thing = options.object or OBJECT
    with working(f"ros: {options.model} + {thing}"):
        cycle = PressCycle(options.model, thing, force=options.force, period=options.period, **keys)
    return cycle.model, cycle.data, cycle.step, cycle.reset, f"{options.model} + {thing}"


def _file_model(path: str) -> Any:
    """The model of a file that has tactile sensors; Error with the file's name where it has none."""
    from ..mujoco import load_model, need_mujoco
    from ..mujoco.engine import load
    from ..mujoco.softening import has_taxel
    from ..ros.sources import sources_of

    mujoco = need_mujoco()
    if not Path(path).is_file():
        raise Error(f"there is no model file {path!r}")
    load()
    try:
        spec = mujoco.MjSpec.from_file(path)
    except ValueError as error:
        raise Error(f"{path}: {error}") from None
    if not has_taxel(spec):
        raise Error(
            f"{path}: 0 tactile sensors (none); a model to publish needs one: taxel.sensors.NAME().add_to(spec), or "
            "docs/guide/mujoco.md"
        )
    model = load_model(path)
    try:
        sources_of(model)
    except Error as error:
        raise Error(f"{path}: {error}") from None
    return model


def _greeting(title: str, bridge: Any) -> str:
    topics = "\n".join(f"  {outlet.name}" for outlet in bridge.node.outlets)
    services = "\n".join(f"  {service.name}" for service in bridge.node.services if "parameter" not in service.name)
    known = f"node {bridge.node.name}" if bridge.node.distro else "no node (ROS_DISTRO is not set, see --distro)"
    return (
        f"{title}: DDS domain {bridge.node.domain}, {known}\ntopics\n{topics}\nservices\n{services}\n"
        f"  {bridge.node.name}/set_parameters and the like\nCtrl-C ends it"
    )
