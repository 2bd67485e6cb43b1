"""taxel view: a simulation live in the browser."""

from __future__ import annotations

import argparse
import signal
import sys
from typing import Any

from .common import check_model

PORT = 8080
TASKS = ("peg", "bin", "book", "drawer")
"""Of taxel.tasks: a trained policy is shown at work."""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "view",
        help="a live web page: touch with your mouse",
        description="Serves a web page with a running simulation: the scene, taxels, contact surface, markers, the "
        "camera's image, plots, and a hand that you lead. Nothing is loaded from the network, and only this machine "
        "may connect; over SSH: ssh -L 8080:localhost:8080 MACHINE. Ctrl-C ends it.",
    )
    parser.add_argument("what", metavar="MODEL.xml|SENSOR|TASK", help="a model file, a name of `taxel sensors`, or peg")
    parser.add_argument(
        "object",
        nargs="?",
        help="what is pressed in, as in `taxel press` (default: sphere; also above the one sensor of a model file)",
    )
    parser.add_argument("--model", choices=("pressure", "bristle", "marker", "gel"), help="what the pad is")
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help=f"default: {PORT}; 0: any that is free")
    parser.add_argument("--record", metavar="FILE", help="record from the start; the page has a button for it as well")
    parser.add_argument("--paused", action="store_true", help="wait for the page's Run button")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if options.model is not None:
        check_model(options.what, options.model)
    from ..viewer.live.page import Page, check_port, make_world, need_viser, serve

    need_viser()
    check_port(options.port)
    task = options.what in TASKS
    world = policy_world(options) if task else make_world(options.what, options.object, options.model)
    if world.not_drawn:
        print(f"taxel: warning: {options.what}: {world.not_drawn}", file=sys.stderr)
    page = Page(world, port=options.port, paused=options.paused, record_to=options.record)
    print(f"{page.url}   ({world.title}; Ctrl-C ends it)", flush=True)
    signal.signal(signal.SIGTERM, _end)  # a service is ended so: what was recorded is kept
    recorded = serve(page)
    if recorded is not None:
        print(recorded.replace("`", "").replace("*", ""))
    return 0


def policy_world(options: argparse.Namespace) -> Any:
    """A trained policy at its task."""
    for name in ("object", "model"):
        if getattr(options, name) is not None:
            raise ValueError(f"taxel view {options.what}: a task has its own objects and pads; leave the {name} out")
    from ..learn.policy import need_rsl_rl
    from ..learn.policy.library import default_for

    path = default_for(options.what)
    need_rsl_rl()
    from ..learn.policy.checkpoint import load_policy
    from ..learn.policy.live_world import PolicyWorld

    return PolicyWorld(load_policy(path))


def _end(*_: Any) -> None:
    raise KeyboardInterrupt
