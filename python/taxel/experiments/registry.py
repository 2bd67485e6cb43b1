"""The table of experiments: what ``taxel reproduce`` offers, and where each of them lives.

An experiment is a module with ``run(out, folder, quick, **options)``: it prints through ``out`` (a
``taxel.report.Output``), puts pictures into ``folder`` and returns its numbers, of which ``rows`` is a list; a row that
missed its limit has ``within`` False. Import of this table imports none of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class Option:
    """An option of the command that only some experiments have: an argument of their ``run``."""

    help: str
    argument: dict[str, Any]
    """What argparse is told of it."""


OPTIONS = {
    "data": Option("presses made before, instead of new ones", {"metavar": "FILE"}),
    "device": Option("where to press and train", {"choices": ("cpu", "cuda")}),
    "runs": Option("how many runs, instead of 20,000", {"type": int, "metavar": "N"}),
    "shard": Option("only the I-th of N parts of the runs", {"metavar": "I/N"}),
    "record": Option(
        "write the run to FILE: .mcap (Foxglove), .h5, or a folder (LeRobot dataset)", {"metavar": "FILE"}
    ),
    "as-published": Option(
        "with the authors' pressure field and rays instead of ours", {"choices": ("distance", "laplace")}
    ),
    "policies": Option(
        "a folder with runs or checkpoints of students, instead of those that come with taxel", {"metavar": "DIR"}
    ),
    "jobs": Option("processes (default: one a core)", {"type": int, "metavar": "J"}),
}


@dataclass(frozen=True)
class Experiment:
    name: str
    """As ``taxel reproduce`` takes it."""
    place: str
    """Its module, below taxel.experiments."""
    help: str
    options: tuple[str, ...] = ()
    """Names in ``OPTIONS``."""
    draws: bool = True
    """Whether it ends with a picture: then matplotlib is asked for before the work, not after it."""

    def load(self) -> ModuleType:
        return import_module(f"{__package__}.{self.place}")


EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "contact-rest",
            "contact.rest",
            "a block at rest in MuJoCo: depth and force against the closed form",
            draws=False,
        ),
        Experiment(
            "contact-incline",
            "contact.incline",
            "friction that holds on 10 degrees, and slides right on 20",
            draws=False,
        ),
        Experiment("contact-drag", "contact.drag", "a cube and a ball dragged at constant speed", draws=False),
        Experiment(
            "contact-transients",
            "contact.transients",
            "braking, landing, spinning, dropping against converged runs, over the time step",
        ),
        Experiment("contact-stick", "contact.stick", "push and return, the work of a loop, torsion of a disc"),
        Experiment(
            "contact-grasp", "contact.grasp", "two soft fingers, off centre, too weak, on 30 joints; a tower of boxes"
        ),
        Experiment(
            "batch-contact",
            "batch.contact",
            "soft contact in mujoco_warp beside the plugin: rest, slope, slide, grasp",
        ),
        Experiment(
            "batch-drops",
            "batch.drops",
            "1,000 random drops in mujoco_warp: no NaN, no fall-through, no energy",
            draws=False,
        ),
        Experiment(
            "skin-load",
            "skin.load",
            "sum of the taxels over the true load: masses, steps, grids, samples; at rest and pushed",
        ),
        Experiment(
            "skin-slip", "skin.slip", "shear and slip taxel by taxel: a slope, and a ball whose rim slides first"
        ),
        Experiment(
            "lugre-curve",
            "bristle.lugre_curve",
            "friction of a bristle: curve, break-away, loops, stick-slip against an independent solver",
        ),
        Experiment("barometer", "skin.barometer", "the 5 x 5 barometer array, scanned by a 2 mm probe at 0.35 N"),
        Experiment("tradeoff", "skin.tradeoff", "samples, facets and rate of a tactile sensor: error against cost"),
        Experiment(
            "orientation",
            "skin.orientation",
            "the yaw of an object from one tactile image: network, PCA and Hough (Table I)",
            ("as-published",),
        ),
        Experiment(
            "fingertip", "skin.fingertip", "the curved fingertip pressed by a box and rolled: the reading follows"
        ),
        Experiment("figures", "skin.figures", "point contacts, contact surfaces and sensor images of the primitives"),
        Experiment(
            "weights",
            "bristle.weights",
            "0.1, 1 and 10 kg on an array of bristles: does it feel their weight? (OpenGRASP, Table 3)",
        ),
        Experiment(
            "incline",
            "bristle.incline",
            "a cube on bristles tilted by 10 degrees, for 20 minutes (OpenGRASP, section 5.1.2)",
        ),
        Experiment(
            "bristle-press",
            "bristle.press",
            "a pressure field and bristles under the same press: force and centre over depth",
        ),
        Experiment(
            "grasp",
            "gripper.grasp",
            "sphere, box, cylinder and spray bottle in the Schunk PG70: images, and how safe the grasp is (Fig. 10)",
            ("record",),
        ),
        Experiment(
            "pick-cycle",
            "gripper.pick_cycle",
            "approach, grasp by feel, lift, move, lower, release a cube (OpenGRASP, section 5.2.2)",
            ("record",),
        ),
        Experiment(
            "fingertips",
            "gripper.fingertips",
            "an index finger and a thumb with curved tactile pads hold a cylinder (OpenGRASP, Fig. 13)",
            ("record",),
        ),
        Experiment(
            "robots",
            "robot.robots",
            "Shadow hand, Panda, Robotiq, G1 and Go1 with skins: force balance, slip, cost beside native contact",
        ),
        Experiment(
            "gel-pick",
            "gel.pick",
            "a tuna can found in a picture, grasped by gel pads, lifted, placed, released (EIP, Figs. 8 and 9)",
            ("record",),
        ),
        Experiment(
            "tactile-image",
            "image.tactile_image",
            "images of held-out ball presses against the photos: ours and Taxim's (GelSight, GelSight Mini)",
        ),
        Experiment(
            "marker-motions",
            "marker.motions",
            "dilation, shear, twist and roll: marker models against an elastic layer (HydroShear, Table I)",
        ),
        Experiment(
            "marker-layer",
            "marker.layer_bars",
            "marker mode layer against the slow elastic layer: fields, forces, what sticks, Mindlin's radius",
        ),
        Experiment(
            "marker-shapes",
            "marker.shapes",
            "torus, cross, star and a four-legged animal on a GelSight Mini (HydroShear, Fig. 11)",
        ),
        Experiment(
            "marker-speed",
            "marker.speed",
            "marker models: time of a step on a core, on threads, on a GPU (HydroShear, Table X)",
        ),
        Experiment(
            "rollout-markers",
            "marker.rollout",
            "one rollout of the peg seen by every tactile input (HydroShear, Figs. 12 to 15)",
        ),
        Experiment(
            "touch-abroad",
            "policy.abroad",
            "students of the peg at home and in a world they have never seen: another gel, camera and pads",
            ("policies",),
        ),
        Experiment("gel-torus", "gel.torus", "a torus between two elastic pads, layer by layer (EIP, Fig. 3)"),
        Experiment(
            "gel-grid",
            "gel.grid",
            "a spoon pressed at several grid sizes: what a finer grid shows, and why (EIP, Fig. 5)",
        ),
        Experiment(
            "gel-gear",
            "gel.gear",
            "a gear pressed over time: chamfer distance, network input, where it stops (EIP, Fig. 6)",
        ),
        Experiment(
            "gel-stiffness",
            "gel.stiffness",
            "Young's modulus at equal displacement: what is physics, what is dynamics (EIP, Fig. 7)",
        ),
        Experiment(
            "gel-recognition",
            "gel.recognition",
            "ten objects told by 1 to 10 touches of an elastic pad: ResNet-32 (EIP, Table I)",
            ("data", "device"),
        ),
        Experiment(
            "gel-reconstruction",
            "gel.reconstruction",
            "the mesh of an object from one view and 0 to 10 touches of elastic pads (EIP, Table II)",
            ("data", "device"),
        ),
        Experiment(
            "gel-press",
            "gel.press",
            "the gel of particles against finite elements and closed forms: presses, patches, vibration, flight",
        ),
        Experiment(
            "gel-motions",
            "gel.motions",
            "dilation, shear, twist and roll: the gel of particles beside the elastic layer and marker models",
        ),
        Experiment(
            "one-material",
            "material.one_material",
            "four pads pressed and dragged by pressure field, bristles, markers and particles, beside the exact layer",
        ),
        Experiment("fields", "surface.fields", "Laplace and distance fields side by side for box, sphere and L"),
        Experiment("turning", "surface.turning", "force of round bodies against how they are turned", draws=False),
        Experiment("diagonal", "surface.diagonal", "a probe dragged across the pad's diagonal"),
        Experiment(
            "drake",
            "surface.drake",
            "random pairs of all primitives against Drake, which must converge to us",
            draws=False,
        ),
        Experiment(
            "contact-drake", "contact.drake", "ball on plate, rolling sphere and free cylinder stepped beside Drake"
        ),
        Experiment(
            "contact-pairs",
            "contact.pairs",
            "every soft shape dropped on every rigid and every soft one: force against m g",
        ),
        Experiment("contact-random", "contact.random_drops", "a thousand random drops: NaN, fall-through, energy gain"),
        Experiment(
            "contact-impacts",
            "contact.impacts",
            "twenty thousand hits and squeezes of every skin: energy gain, cores passed, NaN, crashes",
            ("runs", "shard", "jobs"),
            draws=False,  # it does where it can; a run of a day does not end for that
        ),
    )
}


def with_option(option: str) -> list[str]:
    """Names of the experiments that have it."""
    return [e.name for e in EXPERIMENTS.values() if option in e.options]
