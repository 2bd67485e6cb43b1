"""taxel view: a simulation live in the browser."""

from __future__ import annotations

import argparse
import signal
import sys
from typing import Any

from .common import check_model

PORT = 8080


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "view",
        help="a live web page: touch with your mouse",
        description="Serves a web page with a running simulation: the scene, taxels, contact surface, markers, the "
        "camera's image, plots, and a hand that you lead. Nothing is loaded from the network, and only this machine "
        "may connect; over SSH: ssh -L 8080:localhost:8080 MACHINE. Ctrl-C ends it.",
    )
    parser.add_argument("what", metavar="MODEL.xml|SENSOR", help="a model file, or a name of `taxel sensors`")
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
    if options.what == "peg":
        raise ValueError(
            "taxel view peg: there is no trained policy for the peg in this taxel yet; give a sensor "
            "(taxel view myrmex) or a model file"
        )
    if options.model is not None:
        check_model(options.what, options.model)
    from ..viewer.live.page import Page, check_port, make_world, need_viser, serve

    need_viser()
    check_port(options.port)
    world = make_world(options.what, options.object, options.model)
    if world.not_drawn:
        print(f"taxel: warning: {options.what}: {world.not_drawn}", file=sys.stderr)
    page = Page(world, port=options.port, paused=options.paused, record_to=options.record)
    print(f"{page.url}   ({world.title}; Ctrl-C ends it)", flush=True)
    signal.signal(signal.SIGTERM, _end)  # a service is ended so: what was recorded is kept
    recorded = serve(page)
    if recorded is not None:
        print(recorded.replace("`", "").replace("*", ""))
    return 0


def _end(*_: Any) -> None:
    raise KeyboardInterrupt
