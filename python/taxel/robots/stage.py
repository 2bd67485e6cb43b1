"""What stands round a robot: light, a table, and a wrist that carries it."""

from __future__ import annotations

from .drawing import Drawing, indent

LOOK = """
<headlight ambient="0.38 0.38 0.39" diffuse="0.30 0.30 0.30" specular="0.05 0.05 0.05"/>
<rgba haze="0.93 0.94 0.955 1"/>
<global offwidth="1600" offheight="1200" fovy="28"/>
<quality shadowsize="4096" offsamples="8"/>
<map haze="0.25" shadowclip="1"/>"""


def light() -> Drawing:
    """A bright backdrop and two lamps, for whatever stands within half a metre of the origin."""
    out = Drawing().add("statistic", 'extent="1" center="0 0 0.1"').add("visual", LOOK)
    out.add(
        "asset",
        """
<texture name="backdrop" type="skybox" builtin="gradient" rgb1="0.99 0.99 1" rgb2="0.93 0.94 0.955" width="64"
         height="384"/>""",
    )
    return out.add(
        "worldbody",
        """
<light pos="0.1 0.15 1" dir="-0.1 -0.15 -1" directional="true" diffuse="0.40 0.39 0.37" specular="0.2 0.2 0.2"/>
<light pos="-0.6 -0.5 0.6" dir="0.6 0.5 -0.6" directional="true" diffuse="0.24 0.25 0.27" specular="0 0 0"
       castshadow="false"/>
<light pos="0.5 0.6 0.6" dir="-0.5 -0.6 -0.6" directional="true" diffuse="0.15 0.15 0.15" specular="0.1 0.1 0.1"
       castshadow="false"/>""",
    )


def table(height: float = 0.0) -> Drawing:
    """A wide table top; the name of its geom is table."""
    out = light()
    out.add("asset", '<material name="table" rgba="0.79 0.80 0.81 1" specular="0.05" shininess="0.05"/>')
    return out.add(
        "worldbody",
        f'<geom name="table" type="plane" size="0.9 0.9 0.05" pos="0 0 {height:g}" material="table" '
        'friction="0.5 0.005 0.0001"/>',
    )


def pedestal(height: float, radius: float = 0.03, at: tuple[float, float] = (0.0, 0.0)) -> Drawing:
    """A round post for an object to stand on, its top at ``height``."""
    out = Drawing().add("asset", '<material name="post" rgba="0.80 0.79 0.76 1" specular="0.1" shininess="0.1"/>')
    return out.add(
        "worldbody",
        f'<geom name="pedestal" type="cylinder" size="{radius:g} {0.5 * height:g}" '
        f'pos="{at[0]:g} {at[1]:g} {0.5 * height:g}" material="post" friction="0.5 0.005 0.0001"/>',
    )


def on_wrist(robot: Drawing, at: tuple[float, float, float], travel: float = 0.3) -> Drawing:
    """Hangs the bodies of a drawing on a wrist that slides along x and z: servos wrist_x and wrist_z, in m from ``at``.

    The arm behind it is not drawn: 6 kg of armature stand for its inertia, gravity is compensated.
    """
    out = Drawing({k: list(v) for k, v in robot.sections.items()}, dict(robot.meshes), robot.timestep)
    inside = "\n".join(out.sections.pop("worldbody"))
    slide = f'type="slide" range="{-travel:g} {travel:g}" armature="6"'
    out.add(
        "worldbody",
        f"""
<body name="wrist" pos="{at[0]:g} {at[1]:g} {at[2]:g}" gravcomp="1">
  <joint name="wrist_x" {slide} axis="1 0 0"/>
  <joint name="wrist_z" {slide} axis="0 0 1"/>
  <inertial pos="0 0 0" mass="0.5" diaginertia="0.001 0.001 0.001"/>
{indent(inside, 2)}
</body>""",
    )
    servo = f'kp="30000" kv="900" ctrlrange="{-travel:g} {travel:g}"'
    return out.add(
        "actuator",
        f"""
<position name="wrist_x" joint="wrist_x" {servo}/>
<position name="wrist_z" joint="wrist_z" {servo}/>""",
    )
