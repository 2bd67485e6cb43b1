"""A MuJoCo model with tactile sensors on ROS 2: topics, services, parameters, a bag."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from .._core import Error
from ..common.alone import Uncopied, alone
from . import encode, messages
from . import service_types as srv
from .bag import Bag
from .names import check_name, tokens
from .node import CLOCK_QOS, RELIABLE_QOS, SENSOR_QOS, TF_QOS, Node, Outlet
from .parameters import Number, Parameters
from .sources import Source, sources_of

TOPICS = {
    "state": messages.TactileState,
    "image": messages.Image,
    "wrench": messages.WrenchStamped,
    "points": messages.PointCloud2,
}
"""What each sensor publishes, by the last part of the topic's name."""
WORLD = "world"  # the frame of the model's world
RATE = (1e-3, 1e5)  # Hz
FASTEST = 1e3  # times real time


class _Feed:
    """One sensor and its topics."""

    def __init__(self, source: Source, token: str, outlets: dict[str, Outlet], rate: float) -> None:
        self.source, self.frame, self.outlets, self.rate = source, token, outlets, rate
        self.paused = False
        self.due = -math.inf  # simulated time of its next messages, s

    def advance(self, time: float) -> bool:
        """Whether its messages are due."""
        if self.paused or time < self.due - 1e-9:
            return False
        step = 1.0 / self.rate
        # From the time it was due, so that a rate that is no multiple of the time step holds on average.
        self.due = self.due + step if self.due + step > time else time + step
        return True


class Bridge(Uncopied):
    """Publishes the tactile sensors of a model and answers services.

        with taxel.ros.Bridge(model, data) as bridge:
            while True:
                if not bridge.paused:
                    mujoco.mj_step(model, data)
                bridge.publish()

    ``publish`` sends what is due at ``data.time`` and answers the calls that came in since; nothing happens in other
    threads, so that a service never meets a half-done step. Call it while paused, too. One thread at a time.

    sensors     names (default: all of the model); those of tactile and of marker sensors
    namespace   of all topics but /clock and /tf: ``/taxel/myrmex/state``. It is the node's name as well
    rate        messages of each sensor per second of simulated time, Hz
    topics      which of "state", "image", "wrench", "points" there are; a sensor whose taxels lie in no rows has no
                image, one that measures displacements only no wrench
    images      further images, by topic: a function of ``data`` that returns an array (uint8 or floats), at ``rate``
    reliable    False: ROS 2's quality of service for sensors (best effort, the last 5). True: the default of ROS 2 (the
                last 10), for subscribers that ask for it
    on_reset    called instead of ``mj_resetData`` when the service ``reset`` is
    bag         a folder for a rosbag2 of all that is published, or a ``Bag``
    domain, distro   see ``Node``

    A topic without subscribers costs nothing, unless there is a bag.
    """

    def __init__(
        self,
        model: Any,
        data: Any,
        *,
        sensors: Sequence[str] | None = None,
        namespace: str = "taxel",
        rate: float = 100.0,
        topics: Sequence[str] = tuple(TOPICS),
        images: Mapping[str, Callable[[Any], Any]] | None = None,
        reliable: bool = False,
        on_reset: Callable[[], None] | None = None,
        bag: str | os.PathLike | Bag | None = None,
        storage: str = "mcap",
        domain: int | None = None,
        distro: str | None = None,
    ) -> None:
        self._model, self._data, self._on_reset = model, data, on_reset
        self.paused = self._closed = False
        self.real_time_factor = 1.0
        self._before, self._shift = -math.inf, 0  # last time published, s; what bags add to it, ns
        self._rate = _check_rate("rate", rate)
        self._root = check_name(namespace, "namespace")
        for topic in topics:
            if topic not in TOPICS:
                raise Error(f"topics has {topic!r}; give some of {', '.join(map(repr, TOPICS))}")
        found = sources_of(model, list(sensors) if sensors is not None else None)
        for source in found:
            source.pose(data)  # an Error where the data is of another model
        names = tokens([source.name for source in found])
        extra = {check_name(f"{self._root}/{name}", "an image's topic"): make for name, make in (images or {}).items()}
        self._bag: Bag | None = None
        self._own_bag = not isinstance(bag, Bag)
        self.node = Node(self._root, domain=domain, distro=distro)
        try:
            qos = RELIABLE_QOS if reliable else SENSOR_QOS
            self._clock = self.node.advertise("/clock", messages.Clock, CLOCK_QOS)
            self._tf = self.node.advertise("/tf", messages.TFMessage, TF_QOS)
            self._images = [(self.node.advertise(name, messages.Image, qos), make) for name, make in extra.items()]
            self._images_due = _Feed(found[0], "", {}, rate)
            self._feeds = [self._feed(source, names[source.name], topics, qos) for source in found]
            self._serve()
            self.node.announce()
            if bag is not None:  # last, so that what is wrong elsewhere leaves no folder behind
                self._record(bag if isinstance(bag, Bag) else Bag(bag, storage), reliable)
        except BaseException:
            self.close()
            raise

    def _feed(self, source: Source, token: str, topics: Sequence[str], qos: Any) -> _Feed:
        lacks = {"image": len(source.shape) != 2, "wrench": not source.has_wrench}
        outlets = {
            topic: self.node.advertise(f"{self._root}/{token}/{topic}", TOPICS[topic], qos)
            for topic in topics
            if not lacks.get(topic)
        }
        return _Feed(source, token, outlets, self._rate)

    def _record(self, bag: Bag, reliable: bool) -> None:
        self._bag = bag
        for outlet in self.node.outlets:
            bag.add(outlet.name, outlet.kind, reliable=reliable or outlet is self._tf)

    # --- Topics ---

    def publish(self) -> int:
        """Sends what is due and answers services; how many messages were sent or recorded."""
        if self._closed:
            raise Error("the bridge is closed; make another")
        with alone(id(self), "Bridge"):
            return self._publish()

    def _publish(self) -> int:
        self.node.spin()
        time = float(self._data.time)
        if time < self._before:  # the simulation was reset: ROS sees the jump, a bag goes on
            self._shift += round(1e9 * self._before)
            for feed in (*self._feeds, self._images_due):
                feed.due = -math.inf
        elif time == self._before:
            return 0
        self._before = time
        self._now = round(1e9 * time)
        count = self._send(self._clock, lambda: messages.Clock(messages.Time.of(self._now)))
        poses = []
        for feed in self._feeds:
            if feed.advance(time):
                count += self._send_feed(feed)
                poses.append(feed)
        if poses:
            count += self._send(self._tf, lambda: messages.TFMessage([self._transform(feed) for feed in poses]))
        if self._images and self._images_due.advance(time):
            for outlet, make in self._images:
                count += self._send(outlet, partial(self._make_image, make))
        return count

    def _send(self, outlet: Outlet, make: Callable[[], Any]) -> int:
        wanted = outlet.wanted
        if not wanted and self._bag is None:
            return 0
        cdr = messages.serialise(make())
        if wanted:
            outlet.write(cdr)
        if self._bag is not None:
            self._bag.write_bytes(outlet.name, cdr, self._now + self._shift)
        return 1

    def _send_feed(self, feed: _Feed) -> int:
        if self._bag is None and not any(outlet.wanted for outlet in feed.outlets.values()):
            return 0
        source, head = feed.source, self._header(feed.frame)
        channels = source.channels(self._data)
        makers: dict[str, Callable[[], Any]] = {
            "state": lambda: encode.tactile_state(head, source.name, channels),
            "image": lambda: encode.image(head, source.image(channels)),
            "wrench": lambda: encode.wrench(head, source.wrench(self._data)),
            "points": lambda: encode.cloud(head, source.points, source.shape, channels),
        }
        return sum(self._send(outlet, makers[topic]) for topic, outlet in feed.outlets.items())

    def _make_image(self, make: Callable[[Any], Any]) -> messages.Image:
        return encode.image(self._header(WORLD), make(self._data))

    def _header(self, frame: str) -> messages.Header:
        return encode.header(self._now, frame)

    def _transform(self, feed: _Feed) -> messages.TransformStamped:
        return encode.transform(self._header(WORLD), feed.frame, feed.source.pose(self._data))

    # --- Services ---

    def _serve(self) -> None:
        node, root = self.node, self._root
        node.serve(f"{root}/set_pause", srv.SetBool, self._answer_pause)
        node.serve(f"{root}/reset", srv.Trigger, self._answer_reset)
        for feed in self._feeds:
            at = f"{root}/{feed.frame}"
            node.serve(f"{at}/set_pause", srv.SetBool, partial(self._answer_sensor_pause, feed))
            node.serve(f"{at}/get_state", srv.GetTactileState, partial(self._answer_state, feed))
        numbers = [
            Number(
                "rate", "messages of every sensor per simulated second, Hz", *RATE, self._get_rate, self._set_all_rates
            )
        ]
        for feed in self._feeds:
            numbers.append(
                Number(
                    f"{feed.frame}.rate",
                    "messages of this sensor per simulated second, Hz",
                    *RATE,
                    partial(getattr, feed, "rate"),
                    partial(_set_rate, feed),
                )
            )
        text = "simulated seconds per second; 0: as fast as it goes"
        numbers.append(Number("real_time_factor", text, 0.0, FASTEST, self._get_factor, self._set_factor))
        Parameters(node, numbers)

    def _answer_pause(self, call: Any) -> Any:
        was, self.paused = self.paused, bool(call.data)
        state = "paused" if self.paused else "running"
        return srv.SetBoolResponse(success=True, message=f"{state}, as it was" if was == self.paused else state)

    def _answer_reset(self, call: Any) -> Any:
        try:
            self.reset()
        except ValueError as error:
            return srv.TriggerResponse(success=False, message=str(error))
        return srv.TriggerResponse(success=True, message=f"at {self._data.time:g} s")

    def _answer_sensor_pause(self, feed: _Feed, call: Any) -> Any:
        feed.paused = bool(call.data)
        feed.source.pause(self._data, feed.paused)
        return srv.SetBoolResponse(success=True, message="paused" if feed.paused else "running")

    def _answer_state(self, feed: _Feed, call: Any) -> Any:
        head = encode.header(round(1e9 * float(self._data.time)), feed.frame)
        try:
            channels = feed.source.channels(self._data, now=True)
        except ValueError:  # the type has no place for words
            return srv.GetTactileStateResponse(tactile_state=messages.TactileState(head), success=False)
        return srv.GetTactileStateResponse(
            tactile_state=encode.tactile_state(head, feed.source.name, channels), success=True
        )

    def reset(self) -> None:
        """Back to the start: ``on_reset``, or ``mj_resetData``."""
        if self._on_reset is not None:
            self._on_reset()
            return
        import mujoco

        mujoco.mj_resetData(self._model, self._data)
        mujoco.mj_forward(self._model, self._data)

    def _get_rate(self) -> float:
        return self._rate

    def _set_all_rates(self, value: float) -> None:
        self._rate = value
        for feed in (*self._feeds, self._images_due):
            _set_rate(feed, value)

    def _get_factor(self) -> float:
        return self.real_time_factor

    def _set_factor(self, value: float) -> None:
        self.real_time_factor = value

    # --- The end ---

    @property
    def sent(self) -> dict[str, int]:
        """Messages sent so far, by topic."""
        return {outlet.name: outlet.sent for outlet in self.node.outlets}

    @property
    def recorded(self) -> int:
        """Messages in the bag so far."""
        return self._bag.count if self._bag is not None else 0

    @property
    def dropped(self) -> int:
        """Messages that a reliable subscriber was too slow for."""
        return sum(outlet.dropped for outlet in self.node.outlets)

    def _close_bag(self) -> None:
        if self._bag is not None and self._own_bag:
            self._bag.close()

    def close(self) -> None:
        """Leaves ROS and finishes the bag."""
        self._closed = True
        self.node.close()
        self._close_bag()

    def __enter__(self) -> Bridge:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _check_rate(name: str, value: float) -> float:
    low, high = RATE
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise Error(f"{name} is {value!r}; give {low:g} to {high:g} Hz")
    return float(value)


def _set_rate(feed: _Feed, value: float) -> None:
    feed.rate, feed.due = value, -math.inf
