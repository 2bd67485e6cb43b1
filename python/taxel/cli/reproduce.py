"""taxel reproduce EXPERIMENT: one table or figure."""

from __future__ import annotations

import argparse
from importlib import import_module
from inspect import signature
from typing import Any

from ..report import Output, add_json, out_folder

EXPERIMENTS = {
    "contact-rest": "a block at rest in MuJoCo: depth and force against the closed form",
    "contact-incline": "friction that holds on 10 degrees, and slides right on 20",
    "contact-drag": "a cube and a ball dragged at constant speed",
    "contact-transients": "braking, landing, spinning, dropping against converged runs, over the time step",
    "contact-stick": "push and return, the work of a loop, torsion of a disc",
    "contact-grasp": "two soft fingers, off centre, too weak, on 30 joints; a tower of boxes",
    "skin-load": "sum of the taxels over the true load: masses, steps, grids, samples; at rest and pushed",
    "skin-slip": "shear and slip taxel by taxel: a slope, and a ball whose rim slides first",
    "lugre-curve": "friction of a bristle: curve, break-away, loops, stick-slip against an independent solver",
    "barometer": "the 5 x 5 barometer array, scanned by a 2 mm probe at 0.35 N",
    "tradeoff": "samples, facets and rate of a tactile sensor: error against cost",
    "orientation": "the yaw of an object from one tactile image: network, PCA and Hough (Table I)",
    "fingertip": "the curved fingertip pressed by a box and rolled: the reading follows",
    "figures": "point contacts, contact surfaces and sensor images of the primitives",
    "weights": "0.1, 1 and 10 kg on an array of bristles: does it feel their weight? (OpenGRASP, Table 3)",
    "incline": "a cube on bristles tilted by 10 degrees, for 20 minutes (OpenGRASP, section 5.1.2)",
    "bristle-press": "a pressure field and bristles under the same press: force and centre over depth",
    "grasp": "sphere, box, cylinder and spray bottle in the Schunk PG70: images, and how safe the grasp is (Fig. 10)",
    "pick-cycle": "approach, grasp by feel, lift, move, lower, release a cube (OpenGRASP, section 5.2.2)",
    "fingertips": "an index finger and a thumb with curved tactile pads hold a cylinder (OpenGRASP, Fig. 13)",
    "robots": "Shadow hand, Panda, Robotiq, G1 and Go1 with skins: force balance, slip, cost beside native contact",
    "gel-pick": "a tuna can found in a picture, grasped by gel pads, lifted, placed, released (EIP, Figs. 8 and 9)",
    "tactile-image": "images of held-out ball presses against the photos: ours and Taxim's (GelSight, GelSight Mini)",
    "marker-motions": "dilation, shear, twist and roll: marker models against an elastic layer (HydroShear, Table I)",
    "marker-shapes": "torus, cross, star and a four-legged animal on a GelSight Mini (HydroShear, Fig. 11)",
    "marker-speed": "marker models: time of a step on a core, on threads, on a GPU (HydroShear, Table X)",
    "gel-torus": "a torus between two elastic pads, layer by layer (EIP, Fig. 3)",
    "gel-grid": "a spoon pressed at several grid sizes: what a finer grid shows, and why (EIP, Fig. 5)",
    "gel-gear": "a gear pressed over time: chamfer distance, network input, where it stops (EIP, Fig. 6)",
    "gel-stiffness": "Young's modulus at equal displacement: what is physics, what is dynamics (EIP, Fig. 7)",
    "gel-recognition": "ten objects told by 1 to 10 touches of an elastic pad: ResNet-32 (EIP, Table I)",
    "gel-reconstruction": "the mesh of an object from one view and 0 to 10 touches of elastic pads (EIP, Table II)",
    "gel-press": "the gel of particles against finite elements and closed forms: presses, patches, vibration, flight",
    "gel-motions": "dilation, shear, twist and roll: the gel of particles beside the elastic layer and marker models",
    "fields": "Laplace and distance fields side by side for box, sphere and L",
    "turning": "force of round bodies against how they are turned",
    "diagonal": "a probe dragged across the pad's diagonal",
    "drake": "random pairs of all primitives against Drake, which must converge to us",
    "contact-drake": "ball on plate, rolling sphere and free cylinder stepped beside Drake",
    "contact-pairs": "every soft shape dropped on every rigid and every soft one: force against m g",
    "contact-random": "a thousand random drops: NaN, fall-through, energy gain",
    "contact-impacts": "twenty thousand hits and squeezes of every skin: energy gain, cores passed, NaN, crashes",
}

OPTIONS = ("data", "device", "runs", "shard", "jobs")
"""Those that only some experiments have: arguments of their ``run``."""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "reproduce",
        help="one table or figure",
        description="\n".join(f"{name:12} {what}" for name, what in EXPERIMENTS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("experiment", choices=sorted(EXPERIMENTS), metavar="EXPERIMENT")
    parser.add_argument("--quick", action="store_true", help="fewer points and pixels, same meshes")
    parser.add_argument(
        "--out", default="out/reproduce", metavar="DIR", help="where pictures go (default: out/reproduce)"
    )
    parser.add_argument(
        "--data", metavar="FILE", help="gel-recognition, gel-reconstruction: presses made before, instead of new ones"
    )
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), help="gel-recognition, gel-reconstruction: where to press and train"
    )
    parser.add_argument("--runs", type=int, metavar="N", help="contact-impacts: how many runs, instead of 20,000")
    parser.add_argument("--shard", metavar="I/N", help="contact-impacts: only the I-th of N parts of the runs")
    parser.add_argument("--jobs", type=int, metavar="J", help="contact-impacts: processes (default: one a core)")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    out = Output(options.json)
    module = import_module("taxel.experiments." + options.experiment.replace("-", "_"))
    more = {name: getattr(options, name) for name in OPTIONS if getattr(options, name) is not None}
    known = signature(module.run).parameters
    for name in more:
        if name not in known:
            raise ValueError(f"--{name}: {options.experiment} has no such option; leave it out")
    numbers = module.run(out, out_folder(options.out), options.quick, **more)
    out.finish(numbers)
    return 0 if all(row.get("within", True) for row in numbers["rows"]) else 1
