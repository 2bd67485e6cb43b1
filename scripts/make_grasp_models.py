"""Writes models/schunk_pg70.xml, finger_and_thumb.xml, spray_bottle.xml and their meshes from taxel.robots.

    python scripts/make_grasp_models.py

The files are committed; run this again when the drawings change (a test compares them).
"""

from __future__ import annotations

from pathlib import Path

from taxel.robots import Drawing, FingerAndThumb, SchunkPG70, objects, stage

FOLDER = Path(__file__).resolve().parent.parent / "models"


def scenes() -> dict[str, tuple[Drawing, str]]:
    """Name of the file: the drawing, and the comment on top of it."""
    gripper, cube = SchunkPG70(), objects.box()
    above = gripper.tip + 0.002
    from_above = (
        stage.table() + stage.on_wrist(gripper.drawing(mount='euler="180 0 0"'), (0, 0, above)) + cube.drawing()
    )

    wide, bottle = SchunkPG70(opening=0.065), objects.spray_bottle()
    height = 0.05 + bottle.height
    aside = stage.on_wrist(wide.drawing(mount='euler="-90 0 0"'), (0, -wide.grasp_point[2], height))
    from_aside = stage.table() + stage.pedestal(0.05, 0.024) + aside + bottle.drawing(pos=(0, 0, height))

    rod = objects.cylinder(0.011, 0.09, 0.04)
    hand = stage.on_wrist(FingerAndThumb().drawing(), (0, 0, 0.105))
    pinch = stage.table() + stage.pedestal(0.05, 0.014) + hand + rod.drawing(pos=(0, 0, 0.095))
    return {
        "schunk_pg70": (
            from_above,
            """
The Schunk PG70 with a Weiss 14 x 6 array on either finger, above a cube of 100 g.
ctrl = grip, wrist_x, wrist_z: the speed of the opening in m/s (-0.008 closes and then presses with 8 N), and
where the wrist goes in m. Sensors left and right: normal force of every taxel in N, its shear, its slip.
taxel.robots.ForceGrip closes it by feel.
Drawn by scripts/make_grasp_models.py; sources of the numbers: taxel.robots.schunk_pg70.""",
        ),
        "spray_bottle": (
            from_aside,
            """
The same gripper from the side, round the waist of a spray bottle of 160 g on a post.
ctrl as in schunk_pg70.xml; -0.006 presses with 6 N. Drawn by scripts/make_grasp_models.py.""",
        ),
        "finger_and_thumb": (
            pinch,
            """
An index finger and a thumb with curved tactile pads, a point a vertex, round a rod of 40 g on a post.
ctrl = pinch, wrist_x, wrist_z: -0.0075 closes and then presses with 1.5 N.
Drawn by scripts/make_grasp_models.py; sources of the numbers: taxel.robots.finger_pads.""",
        ),
    }


def main() -> None:
    for name, (drawing, comment) in scenes().items():
        drawing.save(FOLDER / f"{name}.xml", comment=comment)


if __name__ == "__main__":
    main()
