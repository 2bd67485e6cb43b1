"""Where a pad or an object sits on a body of the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import _core


@dataclass(frozen=True)
class Mount:
    """A frame on a body.

    body  its name in the scene: "entity/body", as "robot/link_left_finger"; "world" for the ground
    pos   of the frame in the body's, m
    quat  w, x, y, z. Of a pad: z points out of the gel, rows of markers run along y
    """

    body: str
    pos: tuple[float, float, float] = (0.0, 0.0, 0.0)
    quat: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)


def body_of(mount: Mount | str, spec: Any, where: str) -> tuple[Mount, Any]:
    """The mount, from a name alone as well, and its body in the scene."""
    mount = Mount(mount) if isinstance(mount, str) else mount
    if not isinstance(mount, Mount):
        raise _core.Error(f"{where}: {mount!r} is no place; give a taxel.mjlab.Mount, or the name of a body")
    body = spec.worldbody if mount.body == "world" else spec.body(mount.body)
    if body is None:
        names = ", ".join(b.name for b in spec.bodies if b.name)
        raise _core.Error(f"{where}: the scene has no body {mount.body!r}; there are {names}")
    return mount, body


def add_site(mount: Mount | str, spec: Any, name: str, where: str) -> None:
    mount, body = body_of(mount, spec, where)
    body.add_site(name=name, pos=mount.pos, quat=mount.quat, size=[1e-3] * 3, group=5)
