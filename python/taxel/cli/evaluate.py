"""taxel eval RUN: how good a trained policy is, without noise, per disturbance."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from ..report import Output, add_json
from ..report.progress import Progress
from .train import check_task, make_task

EPISODES = 1000


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "eval",
        help="success of a trained policy",
        description="Plays whole episodes with a policy without noise and prints success with its 95 % interval "
        "(Wilson), mean steps to success and peak force, for each set of disturbances (docs/guide/train.md).",
    )
    parser.add_argument(
        "policy", metavar="RUN|CHECKPOINT|NAME", help="a run folder, a file, or a policy of taxel's own"
    )
    parser.add_argument("--episodes", type=int, default=EPISODES, metavar="N", help=f"default: {EPISODES:,}")
    parser.add_argument(
        "--disturbance", metavar="NAME", action="append", help="only this one (default: all of the task)"
    )
    parser.add_argument("--noise", action="store_true", help="with the noise of training")
    parser.add_argument("--expert", action="store_true", help="the task's scripted expert instead, in the same task")
    parser.add_argument("--touch", metavar="NAME", help="another touch than it was trained with, of the same shape")
    parser.add_argument("--contact", metavar="KIND", help="another contact of the pads than it was trained with")
    parser.add_argument("--stage", type=int, metavar="N", help="of the curriculum (default: the last)")
    parser.add_argument("--worlds", type=int, metavar="N", help="at a time (default: as trained)")
    parser.add_argument("--engine", choices=("cpu", "warp"), help="default: warp on a GPU, else cpu")
    parser.add_argument("--device", metavar="cpu|cuda", help="default: the GPU where there is one")
    parser.add_argument(
        "--seed", type=int, default=1_000_003, metavar="N", help="default: 1000003, not of any training"
    )
    parser.add_argument("--threads", type=int, metavar="N", help="of torch on the CPU (default: torch's own)")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..learn.policy import need_rsl_rl

    need_rsl_rl()
    import torch

    from ..learn.policy.checkpoint import load_policy
    from ..learn.policy.disturbances import DISTURBANCES
    from ..learn.policy.evaluate import evaluate
    from ..learn.policy.need import resolve_device, set_threads

    out = Output(options.json)
    for name in ("episodes", "worlds"):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise ValueError(f"--{name} {value}: give at least 1")
    if options.seed < 0:
        raise ValueError(f"--seed {options.seed}: give at least 0")
    set_threads(options.threads)
    device = resolve_device(options.device)
    policy = load_policy(options.policy, device)
    check_task(policy.config.task)
    config = replace(
        policy.config,
        engine=options.engine or ("warp" if device.type == "cuda" else "cpu"),
        touch=options.touch or policy.config.touch,
        contact=options.contact or policy.config.contact,
    )
    known = DISTURBANCES.get(config.task, {"published": {}})
    names = options.disturbance or list(known)
    for name in names:
        if name not in known:
            raise ValueError(f"--disturbance {name}: {config.task} has {', '.join(known)}")
    who = "scripted expert" if options.expert else f"{policy.config.role}, touch {config.touch}"
    out.print(f"{config.task}: {who}, contact {config.contact}, engine {config.engine}")
    worlds = min(options.worlds or config.worlds, options.episodes)
    wide, scores = max(map(len, names)), {}
    torch.manual_seed(options.seed)
    for name in names:
        env = make_task(config, device, worlds=worlds, seed=options.seed, **known[name])
        env.stage = options.stage if options.stage is not None else config.curriculum.last
        show = Progress(f"{config.task}, {name}", options.episodes, "episodes")
        try:
            score = evaluate(
                env, None if options.expert else policy, options.episodes, noise=options.noise, progress=show
            )
        finally:
            env.close()
        show.done()
        scores[name] = score.numbers()
        out.print(f"  {name:{wide}}  {score.words()}")
    out.finish({"policy": str(options.policy), "task": config.task, "touch": config.touch, "scores": scores})
    return 0
