"""A participant in DDS that looks like a node of ROS 2: publishers, services, and who is there."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable
from typing import Any

from cyclonedds.core import DDSException
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.pub import Publisher
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import Subscriber
from cyclonedds.util import duration

from .._core import Error
from . import messages
from .names import service_names, topic_name
from .service_types import Call, ServiceType
from .wire import PlainReader, PlainTopic, PlainWriter

_PLAIN = (Policy.Durability.Volatile, Policy.DataRepresentation(use_cdrv0_representation=True))
# A reader that does not keep up costs us messages, never time.
_RELIABLE = Policy.Reliability.Reliable(max_blocking_time=duration(milliseconds=0))
SENSOR_QOS = Qos(Policy.Reliability.BestEffort, Policy.History.KeepLast(5), *_PLAIN)
"""ROS 2's ``SensorDataQoS``."""
RELIABLE_QOS = Qos(_RELIABLE, Policy.History.KeepLast(10), *_PLAIN)
"""ROS 2's default for topics."""
CLOCK_QOS = Qos(Policy.Reliability.BestEffort, Policy.History.KeepLast(1), *_PLAIN)
TF_QOS = Qos(_RELIABLE, Policy.History.KeepLast(100), *_PLAIN)
_SERVICE_POLICIES = (
    Policy.Reliability.Reliable(max_blocking_time=duration(milliseconds=100)),
    Policy.History.KeepLast(10),
    *_PLAIN,
)
_LATCHED = Qos(
    _RELIABLE,
    Policy.History.KeepLast(1),
    Policy.Durability.TransientLocal,
    Policy.DataRepresentation(use_cdrv0_representation=True),
)
LOOPBACK = (
    "<CycloneDDS><Domain><General><AllowMulticast>false</AllowMulticast><Interfaces>"
    '<NetworkInterface address="127.0.0.1"/></Interfaces></General><Discovery><ParticipantIndex>auto'
    '</ParticipantIndex><MaxAutoParticipantIndex>32</MaxAutoParticipantIndex><Peers><Peer address="127.0.0.1"/>'
    "</Peers></Discovery></Domain></CycloneDDS>"
)
"""What Cyclone DDS is told where ROS is told to stay on this machine."""
WAIT_FOR_CLIENT = 1.0  # s; a reply that is written before its reader is known would be lost
LARGEST_DOMAIN = 232
LONG_GIDS = ("foxy", "galactic", "humble")
"""Releases whose message of who is there has 24 bytes for an endpoint; later ones have 16."""
DISTROS = (*LONG_GIDS, "iron", "jazzy", "kilted", "lyrical", "rolling")


def domain_number(domain: int | None) -> int:
    """The domain given, or that of ROS_DOMAIN_ID, or 0."""
    text = os.environ.get("ROS_DOMAIN_ID") or "0"
    what = "domain" if domain is not None else "ROS_DOMAIN_ID"
    given = domain if domain is not None else int(text) if text.isdigit() else text
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= LARGEST_DOMAIN:
        raise Error(f"{what} is {given!r}; give a whole number from 0 to {LARGEST_DOMAIN}")
    return given


def distro_name(distro: str | None) -> str | None:
    """The release given, or that of ROS_DISTRO, or None. What a release that is not known reads cannot be told."""
    what, given = ("distro", distro) if distro is not None else ("ROS_DISTRO", os.environ.get("ROS_DISTRO") or None)
    if given is None:
        return None
    name = given.lower() if isinstance(given, str) else given
    if name not in DISTROS:
        more = "" if distro is not None else ", or unset it: topics and services need no release"
        raise Error(f"{what} is {given!r}; give one of {', '.join(DISTROS)}{more}")
    return name


def _stays_here() -> bool:
    """Whether ROS is told to talk on this machine only."""
    return (
        os.environ.get("ROS_LOCALHOST_ONLY") == "1"
        or os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "").upper() == "LOCALHOST"
    )


class Outlet:
    """One topic that is published."""

    def __init__(self, name: str, kind: type, writer: PlainWriter) -> None:
        self.name, self.kind = name, kind
        self._writer: PlainWriter | None = writer
        self.sent = self.dropped = 0

    @property
    def wanted(self) -> bool:
        """Whether anybody listens."""
        return self._writer is not None and self._writer.get_publication_matched_status().current_count > 0

    def write(self, cdr: bytes) -> None:
        """Sends a message of its kind, as ``messages.serialise`` gives it."""
        assert self._writer is not None  # until close
        try:
            self._writer.write_bytes(cdr)
            self.sent += 1
        except DDSException as error:
            if error.code != DDSException.DDS_RETCODE_TIMEOUT:
                raise
            self.dropped += 1  # a reliable reader is behind, or died a moment ago

    def close(self) -> None:
        self._writer = None


class Service:
    """One service; ``spin`` answers what has come in."""

    def __init__(self, name: str, kind: ServiceType, answer: Callable[[Any], Any], node: Node) -> None:
        self.name, self.kind, self._answer = name, kind, answer
        request, reply = service_names(name)
        # The same words at both ends let a client of rmw_cyclonedds see that they are one service.
        mark = Policy.Userdata(f"serviceid={secrets.token_hex(8)};".encode())
        qos = Qos(*_SERVICE_POLICIES, mark)
        self._reader = PlainReader(node.subscriber, PlainTopic(node.participant, request, kind.Request), qos)
        self._writer = PlainWriter(node.publisher, PlainTopic(node.participant, reply, kind.Response), qos)
        self._waiting: list[tuple[float, Any, bytes]] = []  # (since when, participant of the client, reply)

    def spin(self) -> int:
        """Answers; how many calls came in."""
        calls = self._reader.take_bytes()
        for cdr, handle in calls:
            client = self._reader.get_matched_publication_data(handle)
            self._waiting.append((time.monotonic(), client and client.participant_key, self.reply_to(cdr)))
        if self._waiting:
            self._send()
        return len(calls)

    def reply_to(self, cdr: bytes) -> bytes:
        """The answer to a request. One that cannot be read gets the reply that says no."""
        try:
            call = self.kind.Request.deserialize(cdr)  # type: ignore[attr-defined]
        except ValueError:  # text that is no UTF-8
            call, reply = Call.deserialize(cdr), self.kind.Response()
            if hasattr(reply, "message"):
                reply.message = "this request cannot be read: its text is not UTF-8"
        else:
            reply = self._answer(call)
        reply.guid, reply.seq = call.guid, call.seq
        return messages.serialise(reply)

    def _send(self) -> None:
        listening = {
            data.participant_key
            for handle in self._writer.get_matched_subscriptions()
            if (data := self._writer.get_matched_subscription_data(handle)) is not None
        }
        later = []
        for since, client, reply in self._waiting:
            if client is not None and client not in listening and time.monotonic() - since < WAIT_FOR_CLIENT:
                later.append((since, client, reply))
                continue
            try:
                self._writer.write_bytes(reply)
            except DDSException as error:
                if error.code != DDSException.DDS_RETCODE_TIMEOUT:
                    raise  # else: the client does not read; its call fails there
        self._waiting = later


class Node:
    """A node of ROS 2 without ROS.

    domain    as ROS_DOMAIN_ID, which is taken where none is given
    distro    ``"humble"``, ``"jazzy"``, ...: also tell the other nodes that this one is there, for ``ros2 node list``
              and ``ros2 param``. The message for it differs between releases, and a wrong one would disturb them, so it
              is sent only where this or ROS_DISTRO says which. Topics and services are found without it.
    """

    def __init__(self, name: str, *, domain: int | None = None, distro: str | None = None) -> None:
        self.name, self.domain = name, domain_number(domain)
        self.distro = distro_name(distro)
        self._own_domain = None
        try:
            if _stays_here() and not os.environ.get("CYCLONEDDS_URI"):
                self._own_domain = _local_domain(self.domain)
            self.participant = DomainParticipant(self.domain)
        except DDSException:  # Cyclone DDS has said why, on standard error
            raise Error(
                f"DDS does not start in domain {self.domain}: is a network interface up, and is CYCLONEDDS_URI right "
                "where it is set? On this machine alone: ROS_LOCALHOST_ONLY=1"
            ) from None
        self.publisher, self.subscriber = Publisher(self.participant), Subscriber(self.participant)
        self.outlets: list[Outlet] = []
        self.services: list[Service] = []
        self._announcer: PlainWriter | None = None

    def advertise(self, name: str, kind: type, qos: Qos = SENSOR_QOS) -> Outlet:
        writer = PlainWriter(self.publisher, PlainTopic(self.participant, topic_name(name), kind), qos)
        self.outlets.append(Outlet(name, kind, writer))
        return self.outlets[-1]

    def serve(self, name: str, kind: ServiceType, answer: Callable[[Any], Any]) -> Service:
        self.services.append(Service(name, kind, answer, self))
        return self.services[-1]

    def spin(self) -> int:
        """Answers calls that have come in; how many."""
        return sum(service.spin() for service in self.services)

    def announce(self) -> None:
        """Says who is there, once all topics and services are."""
        if self.distro is None:
            return
        old = self.distro in LONG_GIDS
        gid, entities, info = (
            (messages.Gid24, messages.NodeEntities24, messages.ParticipantEntities24)
            if old
            else (messages.Gid16, messages.NodeEntities16, messages.ParticipantEntities16)
        )
        topic = PlainTopic(self.participant, "ros_discovery_info", info)
        self._announcer = PlainWriter(self.publisher, topic, _LATCHED)

        def gid_of(entity: Any) -> Any:
            return gid(entity.get_guid().bytes.ljust(24 if old else 16, b"\0"))

        writers = [o._writer for o in self.outlets] + [s._writer for s in self.services]
        namespace, _, name = self.name.rpartition("/")
        node = entities(
            namespace or "/", name, [gid_of(s._reader) for s in self.services], [gid_of(w) for w in writers]
        )
        self._announcer.write_bytes(messages.serialise(info(gid_of(self.participant), [node])))

    def close(self) -> None:
        """Leaves; others see it at once."""
        for outlet in self.outlets:
            outlet.close()
        self.services, self._announcer = [], None
        self.publisher = self.subscriber = self.participant = None


_domains: dict[int, Domain] = {}


def _local_domain(number: int) -> Domain:
    """A domain is set up once in a process."""
    if number not in _domains:
        _domains[number] = Domain(number, LOOPBACK)
    return _domains[number]
