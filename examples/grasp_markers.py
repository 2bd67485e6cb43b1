"""Two gel pads hold a peg in several worlds of MuJoCo: the markers of both tell how it sits in the hand.

    python examples/grasp_markers.py --out grasp_markers.png

The fingers close on pegs that are tilted and shifted, each world differently, and lift; then the peg is pushed down at
its end. The pads' markers follow the poses of plain mjData. Works without a GPU; with mujoco_warp the same two calls
(attach, step_world) take its arrays.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import mujoco
import numpy as np

import taxel

RADIUS, LENGTH, DEEP = 4e-3, 60e-3, 4e-4
SCENE = f"""
<mujoco>
  <option cone="elliptic" impratio="100" timestep="0.002"/>
  <worldbody>
    <body name="hand" pos="0 0 0.2" gravcomp="1">
      <joint name="lift" type="slide" axis="0 0 1" damping="5"/>
      <geom size="0.02" mass="0.5" contype="0" conaffinity="0"/>
      <body name="left" pos="0 0.014 0" gravcomp="1">
        <joint name="left" type="slide" axis="0 -1 0" range="0 0.014" damping="2"/>
        <geom name="left" type="box" size="0.0101 0.002 0.0126" mass="0.05" friction="1" solref="0.004 1"/>
      </body>
      <body name="right" pos="0 -0.014 0" gravcomp="1">
        <joint name="right" type="slide" axis="0 1 0" range="0 0.014" damping="2"/>
        <geom name="right" type="box" size="0.0101 0.002 0.0126" mass="0.05" friction="1" solref="0.004 1"/>
      </body>
    </body>
    <body name="peg" pos="0 0 0.2">
      <freejoint name="peg"/>
      <geom name="peg" type="cylinder" size="{RADIUS} {LENGTH / 2}" mass="0.03" friction="1"/>
    </body>
  </worldbody>
  <actuator>
    <position joint="lift" kp="2000" kv="80"/>
    <position joint="left" kp="3000" kv="40" forcerange="-8 8"/>
    <position joint="right" kp="3000" kv="40" forcerange="-8 8"/>
  </actuator>
</mujoco>
"""


def pad_offsets() -> np.ndarray:
    """The frames of the gels in those of the boxes: z looks inwards, rows of markers run along z of the hand. The gel
    stands out by DEEP, so that a peg on the box is so deep in the gel (box and gel are 4 mm thick)."""
    left = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]).T
    right = np.array([[-1, 0, 0], [0, 0, 1], [0, 1, 0]]).T
    return np.array([taxel.pose(DEEP * R[:, 2], R=R) for R in (left, right)])


def grasps(model: mujoco.MjModel, worlds: int, rng: np.random.Generator) -> list[mujoco.MjData]:
    """Hands around pegs that are tilted in the plane of the pads and shifted along and across."""
    datas = []
    for _ in range(worlds):
        d = mujoco.MjData(model)
        tilt, along, across = rng.uniform(-0.5, 0.5), *rng.uniform(-2e-3, 2e-3, 2)
        d.joint("peg").qpos[:3] += across, 0, along
        d.joint("peg").qpos[3:] = np.cos(tilt / 2), 0, np.sin(tilt / 2), 0
        d.ctrl[1:] = 0.0085
        datas.append(d)
    return datas


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("grasp_markers.png"))
    options = parser.parse_args()
    model, rng = mujoco.MjModel.from_xml_string(SCENE), np.random.default_rng(options.seed)
    datas = grasps(model, options.worlds, rng)

    mini = taxel.gelsight_mini_markers(dome=False)
    field = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.cylinder(RADIUS, LENGTH))
    batch = field.batch(options.worlds, 2, wrench=True)
    batch.attach(["left", "right"], ["peg"], model, pad_offsets=pad_offsets())
    # The same points in all worlds would tell a policy more than a gel does: turned about the axis of the peg.
    turns = rng.uniform(-np.pi, np.pi, options.worlds)
    batch.turn_points([taxel.pose(rpy=(0, 0, a)) for a in turns])

    names, pictures = ("closed", "lifted", "pushed at its lower end"), []
    for phase, steps in enumerate((150, 250, 150)):
        for _ in range(steps):
            for d in datas:
                d.qfrc_applied[:] = 0
                if phase == 0:  # the peg stands on a table of air until it is held
                    d.qfrc_applied[3:6] = 0, 0, 0.03 * 9.81
                d.ctrl[0] = 0.03 if phase else 0.0
                if phase == 2:
                    end = d.body("peg").xpos - LENGTH / 2 * d.body("peg").xmat.reshape(3, 3)[:, 2]
                    mujoco.mj_applyFT(
                        model, d, np.array([0.9, 0, 0.0]), np.zeros(3), end, model.body("peg").id, d.qfrc_applied
                    )
                mujoco.mj_step(model, d)
                mujoco.mj_kinematics(model, d)  # after a step poses are one step old
            pixels = batch.step_world(datas)
        pictures.append(pixels)
        moved = np.linalg.norm(pixels[..., :2], axis=-1).max(axis=2)
        for w in range(options.worlds):
            force = batch.wrench[w, :, 2]
            print(f"{names[phase]:24s} world {w}: markers move up to {moved[w, 0]:5.2f} and {moved[w, 1]:5.2f} px, "
                  f"gels carry {-force[0]:.2f} and {-force[1]:.2f} N")  # fmt: skip
    draw(mini.markers, pictures, names, options.out)
    print(options.out)


def draw(markers: np.ndarray, pictures: list[np.ndarray], names: tuple[str, ...], out: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    worlds = min(4, len(pictures[0]))
    figure, axes = plt.subplots(
        len(pictures), worlds, figsize=(3.2 * worlds, 2.6 * len(pictures)), squeeze=False, layout="constrained"
    )
    x, y = 1e3 * markers[:, 0], 1e3 * markers[:, 1]
    apart = 1.55 * np.ptp(x)
    for row, (pixels, name) in enumerate(zip(pictures, names, strict=True)):
        for w in range(worlds):
            ax = axes[row, w]
            for finger, colour in enumerate(("tab:blue", "tab:orange")):
                u = pixels[w, finger]
                ax.scatter(x + finger * apart, y, s=2, c="0.7")
                ax.quiver(
                    x + finger * apart,
                    y,
                    u[:, 0],
                    u[:, 1],
                    color=colour,
                    angles="xy",
                    scale=4,
                    scale_units="x",
                    width=4e-3,
                )
                ax.text(
                    finger * apart, y.max() + 1.5, ("left", "right")[finger], ha="center", va="bottom", color=colour
                )
            ax.set(
                aspect="equal",
                xticks=[],
                yticks=[],
                xlim=(x.min() - 2, x.max() + apart + 2),
                ylim=(y.min() - 2, y.max() + 5),
            )
            ax.set_title(f"world {w}" if row == 0 else "")
        axes[row, 0].set_ylabel(name)
    figure.suptitle("markers of both pads (arrows: 4 px a millimetre)")
    figure.savefig(out, dpi=110)


if __name__ == "__main__":
    main()
