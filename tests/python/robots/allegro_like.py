"""A small hand with the names and joints of MuJoCo Menagerie's Allegro hand, of our own boxes and capsules: that model
is in no package, so this one stands for it."""

FINGERS = {"ff": 0.045, "mf": 0.0, "rf": -0.045}
LINKS = (("base", 0.0, 0.0164), ("proximal", 0.0164, 0.054), ("medial", 0.054, 0.0384), ("distal", 0.0384, 0.0267))


def allegro_like(prefix: str = "", at: str = "0 0 0.1", mesh: bool = False) -> str:
    """MJCF; fingers along z, the palmar side is x. ``mesh``: the medial link of the first finger is a mesh."""
    bodies = "".join(_finger(prefix, name, f"0 {y} 0", "", mesh and name == "ff") for name, y in FINGERS.items())
    # The thumb stands aside and is turned by a quarter about z: its palmar side is y.
    bodies += _finger(prefix, "th", "-0.01 -0.08 -0.06", 'euler="0 0 90"', False)
    cube = " ".join(f"{x} {y} {z}" for x in (-0.01, 0.01) for y in (-0.0098, 0.0098) for z in (0, 0.0384))
    return f"""<mujoco>
  <option cone="elliptic" gravity="0 0 0"/>
  <asset><mesh name="{prefix}link" vertex="{cube}"/></asset>
  <worldbody>
    <body name="{prefix}palm" pos="{at}">
      <geom type="box" size="0.0204 0.0565 0.0475" pos="-0.0093 0 -0.0475"/>
      <geom type="sphere" size="0.03" contype="0" conaffinity="0"/>
      {bodies}
    </body>
    <body name="floor"><geom name="floor" type="box" size="0.01 0.01 0.01" pos="1 0 0"/></body>
  </worldbody>
  <contact><exclude body1="{prefix}palm" body2="{prefix}ff_proximal"/></contact>
</mujoco>"""


def _finger(prefix: str, finger: str, pos: str, turn: str, mesh: bool) -> str:
    text, close = "", ""
    for k, (link, offset, length) in enumerate(LINKS):
        joint = 'axis="0 0 1" range="-27 27"' if k == 0 else 'axis="0 1 0" range="-11 92"'
        place = f'pos="{pos}" {turn}' if k == 0 else f'pos="0 0 {offset}"'
        geom = f'<geom type="box" size="0.0098 0.0098 {0.5 * length}" pos="0 0 {0.5 * length}"/>'
        if mesh and link == "medial":
            geom = f'<geom type="mesh" mesh="{prefix}link"/>'
        text += f'<body name="{prefix}{finger}_{link}" {place}><joint {joint} limited="true" damping="0.1"/>{geom}'
        close += "</body>"
    capsule = '<geom type="capsule" size="0.012 0.008" pos="0 0 0.01"/>'
    return f'{text}<body name="{prefix}{finger}_tip" pos="0 0 0.0267">{capsule}</body>{close}'
