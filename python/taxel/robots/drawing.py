"""Pieces of MJCF that add up to a model: a gripper, an object, a table.

    scene = table() + SchunkPG70().drawing() + spray_bottle().drawing()
    model = scene.model()                      # an MjModel, ready to step
    scene.save("scene.xml")                    # the same as a file, meshes beside it

A drawing is text and meshes: it can be read, changed and compared. ``add_to`` puts it into an ``MjSpec`` of your own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..mujoco import compile_spec, complete, load, need_mujoco
from .surfaces import Surface, obj_text

SECTIONS = ("visual", "custom", "default", "asset", "worldbody", "contact", "tendon", "equality", "actuator", "sensor")
MESH_FOLDER = "meshes"


@dataclass
class Drawing:
    sections: dict[str, list[str]] = field(default_factory=dict)
    """Lines of MJCF by section; ``instances`` are those of the plugin, ``statistic`` is attributes."""
    meshes: dict[str, Surface] = field(default_factory=dict)
    """Closed surfaces by name; the file is meshes/NAME.obj."""
    timestep: float = 0.002

    def add(self, section: str, text: str) -> Drawing:
        """Appends lines to a section, and returns itself."""
        known = ("instances", "statistic", *SECTIONS)
        if section not in known:
            raise _core.Error(f"drawing: there is no section {section!r}; sections are {', '.join(known)}")
        self.sections.setdefault(section, []).extend(line.rstrip() for line in text.strip("\n").splitlines())
        return self

    def add_mesh(self, name: str, surface: Surface) -> Drawing:
        """A mesh asset of that name."""
        self.meshes[name] = surface
        return self.add("asset", f'<mesh name="{name}" file="{MESH_FOLDER}/{name}.obj"/>')

    def couple(self, equality: str, first: str, second: str, comment: str) -> Drawing:
        """Two slides that move alike, and their sum as the tendon ``opening``."""
        self.add(
            "tendon",
            f"""
<!-- {comment} -->
<fixed name="opening">
  <joint joint="{first}" coef="1"/>
  <joint joint="{second}" coef="1"/>
</fixed>""",
        )
        return self.add(
            "equality",
            f'<joint name="{equality}" joint1="{first}" joint2="{second}" solref="0.004 1" '
            'solimp="0.99 0.999 0.0001"/>',
        )

    def __add__(self, other: Drawing) -> Drawing:
        out = Drawing({}, {**self.meshes, **other.meshes}, min(self.timestep, other.timestep))
        for part in (self, other):
            for section, lines in part.sections.items():
                have = out.sections.setdefault(section, [])
                have.extend(line for line in lines if section != "asset" or line not in have)
        return out

    # --- What can be made of it ---

    def mjcf(self, name: str = "scene", comment: str = "") -> str:
        """The whole model as MJCF text."""
        lines = [f'<mujoco model="{name}">']
        if comment:
            first, *rest = comment.strip().splitlines()
            lines += [f"  <!-- {first}", *(f"       {line}" for line in rest)]
            lines[-1] += " -->"
        lines.append(f'  <option cone="elliptic" timestep="{self.timestep:g}" integrator="discrete"/>')
        if instances := self.sections.get("instances"):
            lines += ["  <extension>", '    <plugin plugin="taxel">', *(f"      {line}" for line in instances)]
            lines += ["    </plugin>", "  </extension>"]
        if attributes := self.sections.get("statistic"):
            lines.append(f"  <statistic {' '.join(attributes)}/>")
        for section in SECTIONS:
            if body := self.sections.get(section):
                lines += [f"  <{section}>", *(f"    {line}" for line in body), f"  </{section}>"]
        return "\n".join([*lines, "</mujoco>"]) + "\n"

    def files(self) -> dict[str, str]:
        """Text of the mesh files by their path beside the model."""
        made_by = "drawn by taxel.robots (scripts/make_grasp_models.py); metres"
        return {
            f"{MESH_FOLDER}/{name}.obj": obj_text(surface, f"{name}, {made_by}")
            for name, surface in self.meshes.items()
        }

    def save(self, path: str | Path, name: str | None = None, comment: str = "") -> list[Path]:
        """Writes the model and its meshes; returns the files."""
        path = Path(path)
        written = [path]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.mjcf(name or path.stem.replace("_", " "), comment))
        for file, text in self.files().items():
            written.append(path.parent / file)
            written[-1].parent.mkdir(parents=True, exist_ok=True)
            written[-1].write_text(text)
        return written

    def spec(self) -> Any:
        """An ``MjSpec``, to change it further."""
        mujoco = need_mujoco()
        load()
        spec = mujoco.MjSpec.from_string(self.mjcf())
        for mesh in spec.meshes:  # inside the model, so that it can be attached without its files
            vertices, triangles = self.meshes[mesh.name]
            mesh.file, mesh.uservert, mesh.userface = "", np.round(vertices, 7).ravel(), triangles.ravel()
        return spec

    def model(self) -> Any:
        """An ``MjModel`` with the plugin in it."""
        return compile_spec(self.spec())

    def add_to(self, spec: Any, body: str, prefix: str, *, to: Any = None, pos: Any = None, quat: Any = None) -> None:
        """Attaches one body of the drawing, with all that belongs to it, to an ``MjSpec``.

        body    the body of the drawing
        prefix  in front of every name: of bodies, joints, actuators, sensors; "hand_"
        to      the body (or its name) of ``spec`` that carries it; the world when left out
        """
        if not prefix:
            raise _core.Error('add_to: prefix is empty; MuJoCo needs one to tell names apart, for example "hand_"')
        child = self.spec()
        if child.body(body) is None:
            names = ", ".join(repr(b.name) for b in child.bodies if b.name != "world")
            raise _core.Error(f"add_to: there is no body {body!r} in the drawing; there are {names}")
        parent = spec.worldbody if to is None else spec.body(to) if isinstance(to, str) else to
        if parent is None:
            raise _core.Error(f"add_to: there is no body {to!r} in the model")
        frame = parent.add_frame(
            pos=[0, 0, 0] if pos is None else list(pos), quat=[1, 0, 0, 0] if quat is None else list(quat)
        )
        for option in ("timestep", "integrator", "cone"):  # those of the model count
            setattr(child.option, option, getattr(spec.option, option))
        frame.attach_body(child.body(body), prefix, "")
        complete(spec)


def indent(text: str, by: int) -> str:
    return "\n".join(" " * by + line if line else line for line in text.strip("\n").splitlines())
