"""Names in ROS 2: which are allowed, and what they become in DDS."""

from __future__ import annotations

import re

from .._core import Error

LONGEST = 240  # characters; DDS has room for 255, and services take a prefix and "Request"
_TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def check_name(name: str, what: str) -> str:
    """The name with one leading slash; an Error that names the part which ROS forbids."""
    if not isinstance(name, str):
        raise TypeError(f"{what} is {name!r}; give a text such as 'taxel/myrmex'")
    rule = "ROS allows letters, digits and _ in parts that begin with a letter or _, joined by single slashes"
    for part in name.removeprefix("/").split("/"):
        if not _TOKEN.fullmatch(part):
            wrong = f"{part!r} in it" if part else "an empty part in it" if name.strip("/") else "nothing in it"
            raise Error(f"{what} is {name!r}, with {wrong}; {rule}")
        if "__" in part:
            raise Error(f"{what} is {name!r}; ROS does not allow two underscores in a row")
    if len(name) > LONGEST:
        raise Error(f"{what} has {len(name)} characters; ROS has room for {LONGEST}")
    return "/" + name.removeprefix("/")


def token(name: str) -> str:
    """A name of a model as one part of a ROS name: what ROS does not know becomes an underscore."""
    text = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9_]", "_", name))
    return text if _TOKEN.fullmatch(text) else f"_{text}"


def tokens(names: list[str]) -> dict[str, str]:
    """``token`` of each; an Error where two become the same."""
    found: dict[str, str] = {}
    for name in names:
        short = token(name)
        twin = next((other for other, taken in found.items() if taken == short), None)
        if twin is not None:
            raise Error(f"the sensors {twin!r} and {name!r} are both {short!r} in ROS; rename one of them")
        found[name] = short
    return found


def topic_name(name: str) -> str:
    """/taxel/myrmex/state -> rt/taxel/myrmex/state"""
    return f"rt{name}"


def service_names(name: str) -> tuple[str, str]:
    """/taxel/reset -> rq/taxel/resetRequest, rr/taxel/resetReply"""
    return f"rq{name}Request", f"rr{name}Reply"
