"""Topics, writers and readers of DDS that carry bytes and announce no description of their types.

cyclonedds sends a description (XTypes) with each endpoint; a node of ROS 2 up to Jazzy sends none, and later ones
describe a request without its header. Two descriptions that differ keep a service from being found, and Cyclone DDS
0.10 as a peer crashes over those of cyclonedds 11. Where one side has none, the name of the type decides: ROS 2's way.
So the description that cyclonedds makes is used here, to check what comes in, but not sent. That takes functions of the
C library which cyclonedds does not wrap; hence the exact version.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import threading
from typing import Any

from cyclonedds.core import DDSException, Entity
from cyclonedds.internal import dds_c_t, load_cyclonedds
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

from .._core import Error

MADE_FOR = "11.0.1"
if (_found := importlib.metadata.version("cyclonedds")) != MADE_FOR:
    raise ImportError(f"taxel.ros needs cyclonedds {MADE_FOR}, and {_found} is here; pip install 'taxel[ros]'")

_DESCRIBED = 1 << 6  # flag of a topic descriptor: it has a description of the type
_IN_THIS_PROCESS = 1
_DATA = 2  # a sample, as against a key
TAKEN = 32  # samples at once


class _Bytes(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_uint32))


class _Descriptor(ctypes.Structure):
    """dds_topic_descriptor_t"""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("align", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("keys_count", ctypes.c_uint32),
        ("type_name", ctypes.c_char_p),
        ("keys", ctypes.c_void_p),
        ("ops_count", ctypes.c_uint32),
        ("ops", ctypes.c_void_p),
        ("meta", ctypes.c_char_p),
        ("type_information", _Bytes),
        ("type_mapping", _Bytes),
        ("representation", ctypes.c_uint32),
    )


class _Block(ctypes.Structure):
    """struct iovec"""

    _fields_ = (("data", ctypes.c_char_p), ("size", ctypes.c_size_t))


def _declared() -> ctypes.CDLL:
    library = load_cyclonedds()
    entity, pointer, number, size = ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_size_t
    descriptor = ctypes.POINTER(_Descriptor)
    for name, result, arguments in (
        ("dds_get_typeinfo", entity, [entity, ctypes.POINTER(pointer)]),
        ("dds_free_typeinfo", entity, [pointer]),
        (
            "dds_create_topic_descriptor",
            entity,
            [ctypes.c_int, entity, pointer, ctypes.c_int64, ctypes.POINTER(descriptor)],
        ),
        ("dds_delete_topic_descriptor", None, [descriptor]),
        ("dds_create_topic", entity, [entity, descriptor, ctypes.c_char_p, pointer, pointer]),
        ("dds_get_entity_sertype", entity, [entity, ctypes.POINTER(pointer)]),
        ("ddsi_serdata_from_ser_iov", pointer, [pointer, ctypes.c_int, size, ctypes.POINTER(_Block), size]),
        ("dds_writecdr", entity, [entity, pointer]),
        ("dds_takecdr", entity, [entity, ctypes.POINTER(pointer), number, pointer, number]),
        ("ddsi_serdata_size", number, [pointer]),
        ("ddsi_serdata_to_ser", None, [pointer, size, size, pointer]),
        ("ddsi_serdata_unref", None, [pointer]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_dds = _declared()


def _checked(code: int, doing: str) -> int:
    if code < 0:
        raise DDSException(code, f"while {doing}")
    return code


_descriptors: dict[type, tuple[_Descriptor, Any]] = {}  # by message; with the C library's own, which it points into
_describing = threading.Lock()


def _described(participant: Any, kind: type) -> tuple[_Descriptor, Topic | None]:
    """The descriptor of a message without its description; and the topic it came from, where it was made just now.

    Each message is described once in a process. Cyclone DDS frees the types of a described topic in a thread of its
    own, and one that shares some of them and is made meanwhile reads freed memory: so the topic must stay while others
    are made, and the fewer there are the better.
    """
    with _describing:
        if kind in _descriptors:
            return _descriptors[kind][0], None
        name = kind.__name__
        topic = Topic(participant, f"taxel_{name}", kind)  # nobody reads or writes it, so nobody hears of it
        info, found = ctypes.c_void_p(), ctypes.POINTER(_Descriptor)()
        _checked(_dds.dds_get_typeinfo(topic._ref, ctypes.byref(info)), f"describing {name}")
        try:
            code = _dds.dds_create_topic_descriptor(_IN_THIS_PROCESS, participant._ref, info, 0, ctypes.byref(found))
            _checked(code, f"describing {name}")
        finally:
            _dds.dds_free_typeinfo(info)
        plain = _Descriptor.from_buffer_copy(found.contents)
        plain.flags &= ~_DESCRIBED
        plain.type_information = plain.type_mapping = _Bytes(None, 0)
        _descriptors[kind] = plain, found  # never deleted
        return plain, topic


class PlainTopic(Topic):
    """A topic of which only the type's name is announced."""

    def __init__(self, participant: Any, name: str, kind: type) -> None:
        try:
            plain, described = _described(participant, kind)
            ref = _dds.dds_create_topic(participant._ref, ctypes.byref(plain), name.encode(), None, None)
            Entity.__init__(self, _checked(ref, f"making the topic {name}"))
        except DDSException as error:
            raise Error(f"DDS does not make the topic {name} of {kind.__name__} ({error}); start it again") from None
        self.data_type = kind
        self._keepalive_entities = [participant, described]


class PlainWriter(DataWriter):
    """Writes messages that are CDR already (``messages.serialise``)."""

    def __init__(self, publisher: Any, topic: PlainTopic, qos: Any) -> None:
        super().__init__(publisher, topic, qos)
        self._type = ctypes.c_void_p()
        _checked(_dds.dds_get_entity_sertype(self._ref, ctypes.byref(self._type)), "making a writer")

    def write_bytes(self, cdr: bytes) -> None:
        cdr = cdr.ljust(-(-len(cdr) // 4) * 4, b"\0")
        sample = _dds.ddsi_serdata_from_ser_iov(self._type, _DATA, 1, ctypes.byref(_Block(cdr, len(cdr))), len(cdr))
        if not sample:
            raise ValueError(f"these {len(cdr)} bytes are no {self.data_type.__name__}")
        _checked(_dds.dds_writecdr(self._ref, sample), "writing")


class PlainReader(DataReader):
    """Takes messages as CDR; what does not fit the type never comes so far."""

    def __init__(self, subscriber: Any, topic: PlainTopic, qos: Any) -> None:
        super().__init__(subscriber, topic, qos)
        self._room = (ctypes.c_void_p * TAKEN)(), (dds_c_t.sample_info * TAKEN)()

    def take_bytes(self) -> list[tuple[bytes, int]]:
        """Messages that came in, each with the handle of its writer."""
        samples, about = self._room
        count = _checked(_dds.dds_takecdr(self._ref, samples, TAKEN, about, 0), "reading")
        found = []
        for sample, info in zip(samples[:count], about[:count], strict=True):
            if info.valid_data:  # else: the writer has gone
                size = _dds.ddsi_serdata_size(sample)
                cdr = ctypes.create_string_buffer(size)
                _dds.ddsi_serdata_to_ser(sample, 0, size, cdr)
                found.append((cdr.raw, info.publication_handle))
            _dds.ddsi_serdata_unref(sample)
        return found
