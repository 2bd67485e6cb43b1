"""taxel train TASK: a policy that feels, from a laptop's CPU to one GPU."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..report import Output, add_json
from .common import new_folder
from .train_settings import override

WORLDS = 64
"""On the CPU; a GPU takes thousands, the published runs 1,024 (teacher) and 256 (student)."""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "train",
        help="train a policy that feels",
        description="Trains a policy for a task (docs/guide/train.md): a teacher that knows all (--role teacher), "
        "a student with the teacher's critic (--method aacd, as published), or one that first learns from a teacher or "
        "the scripted expert on its own states (--method distill). Ctrl-C saves; --resume RUN goes on bit for bit.",
    )
    parser.add_argument("task", nargs="?", help="peg, drawer, ... (taxel.tasks); not with --resume")
    parser.add_argument("--role", choices=("student", "teacher"), help="default: student")
    parser.add_argument(
        "--method", choices=("aacd", "distill", "ppo"), help="default: aacd, or what --teacher asks for"
    )
    parser.add_argument(
        "--teacher",
        metavar="RUN|NAME|scripted",
        help="a teacher's run or checkpoint, one that comes with taxel, or the task's own expert",
    )
    parser.add_argument(
        "--start",
        metavar="RUN|NAME",
        help="begin with the weights of this policy: its role, networks, numbers, touch and task options, where no "
        "other are given (--method ppo, or distill with --teacher)",
    )
    parser.add_argument("--touch", metavar="NAME", help="what the fingers feel (default: taxel)")
    parser.add_argument("--worlds", type=int, metavar="N", help=f"default: {WORLDS}, on a GPU 4096")
    parser.add_argument("--iterations", type=int, metavar="N", help="rollouts and updates in all (default: 100)")
    parser.add_argument(
        "--distill-iterations", type=int, metavar="N", help="of these before PPO (--method distill; default: half)"
    )
    parser.add_argument(
        "--numbers",
        choices=("paper", "release", "quick"),
        help="network and PPO (default: by method; the teacher's with aacd)",
    )
    parser.add_argument("--steps", type=int, metavar="N", help="of a rollout in each world")
    parser.add_argument("--engine", choices=("cpu", "warp"), help="default: warp on a GPU, else cpu")
    parser.add_argument("--device", metavar="cpu|cuda", help="default: the GPU where there is one")
    parser.add_argument("--contact", metavar="KIND", help="of the pads: soft or native (default: soft)")
    parser.add_argument("--seed", type=int, metavar="N", help="default: 0")
    parser.add_argument("--stage", type=int, metavar="N", help="of the curriculum to begin with (default: 1)")
    parser.add_argument(
        "--threshold", type=float, metavar="RATE", help="success that begins the next stage (default: 0.8)"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="any other number: ppo.lr=3e-4, distill.keep=8, network.rnn_hidden=128, options.NAME=... of the task",
    )
    parser.add_argument("--minutes", type=float, metavar="N", help="end after so long, saved, to be resumed or played")
    parser.add_argument("--save-every", type=int, metavar="N", help="iterations (default: 10)")
    parser.add_argument("--threads", type=int, metavar="N", help="of torch on the CPU (default: torch's own)")
    parser.add_argument("--out", metavar="DIR", help="the run folder (default: out/train/TASK-...)")
    parser.add_argument("--resume", metavar="RUN", help="go on with this run, as it began; --iterations may be more")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..learn.policy import need_rsl_rl

    need_rsl_rl()
    from ..learn.policy.need import resolve_device, set_threads
    from ..learn.policy.run_folder import POLICY, RESUME

    out = Output(options.json)
    if options.minutes is not None and not options.minutes > 0:
        raise ValueError(f"--minutes {options.minutes:g}: give a time above 0, or leave it out")
    device = resolve_device(options.device)
    set_threads(options.threads)
    if options.resume is not None:
        return _train(resumed(options), Path(options.resume), device, out, options.minutes, resume=True)
    config = configure(options, device.type)
    with new_folder(options.out or f"out/train/{config.task}-{_who(config)}") as folder:
        for name in (RESUME, POLICY):
            if (folder / name).exists():
                raise ValueError(
                    f"--out {folder}: has a run already ({name}); go on with --resume {folder}, or give another folder"
                )
        return _train(config, folder, device, out, options.minutes, resume=False)


def _train(config: Any, folder: Path, device: Any, out: Output, minutes: float | None, *, resume: bool) -> int:
    from ..learn.policy.run_lock import RunLock
    from ..learn.policy.trainer import Trainer

    with RunLock(folder):
        env = make_task(config, device)
        try:
            trainer = Trainer(config, env, folder, tell=out.print, resume=resume)
            out.print(
                f"{config.task}: {_who(config)}, {config.method}, {config.worlds} worlds on {config.engine}, "
                f"run in {folder}"
            )
            whole = trainer.train(minutes)
        finally:
            env.close()
    last = trainer.curve[-1] if trainer.curve else {}
    again = "" if trainer.iteration >= config.iterations else f"; taxel train --resume {folder} goes on"
    out.print(f"saved after iteration {trainer.iteration}: {folder}{again}")
    out.finish({"run": str(folder), "iteration": trainer.iteration, "whole": whole, "last": last})
    return 0 if whole else 130


ON_RESUME = ("resume", "iterations", "minutes", "save_every", "device", "threads", "json")
"""Options that a run may be given when it goes on; all else is as it began."""


def resumed(options: argparse.Namespace) -> Any:
    """The configuration of a run that goes on; ValueError where it is asked to go on as another run."""
    from ..learn.policy.run_folder import read_config

    folder = Path(options.resume)
    config = read_config(folder)
    if options.task not in (None, config.task):
        raise ValueError(f"--resume {folder}: a run of {config.task}, not of {options.task}; leave the task out")
    for name, value in vars(options).items():
        if name not in (*ON_RESUME, "task", "command", "run") and value not in (None, []):
            shown = " ".join(map(str, value)) if isinstance(value, list) else value
            raise ValueError(
                f"--{name.replace('_', '-')} {shown}: a run goes on as it began; with --resume give "
                f"{', '.join('--' + n.replace('_', '-') for n in ON_RESUME[1:-1])} or --json, or train anew without it"
            )
    for name in ("iterations", "save_every"):
        if getattr(options, name) is not None:
            config = replace(config, **{name: getattr(options, name)})
    return config


def configure(options: argparse.Namespace, device: str) -> Any:
    """The configuration that the options ask for."""
    from ..learn.policy.config import Curriculum, Distill, TrainConfig, numbers

    if options.task is None:
        raise ValueError("taxel train: give a task (peg, drawer, ...), or --resume RUN")
    check_task(options.task)
    start = _start(options)
    role = options.role or ("student" if start is None else start.role)
    method = options.method or _method(options, role)
    which = options.numbers or (_numbers_of(method, options.teacher) if start is None else start.numbers)
    network, ppo = numbers(which, role)
    gpu = device == "cuda"
    if which == "quick" and not gpu:  # few worlds: whole episodes, fitted together with earlier ones
        ppo = replace(ppo, steps=256, sequence=64, minibatch=4096)
    if start is not None:
        network = start.network
        if method == "ppo":  # as after a distillation: a large first step would undo what was learned
            ppo = replace(ppo, lr=min(ppo.lr, Distill.ppo_lr))
    iterations = 100 if options.iterations is None else options.iterations
    asked = options.distill_iterations
    first = asked if asked is not None else max(1, iterations // 2) if method == "distill" else 0
    distill = Distill(iterations=first, keep=8, beta_iterations=max(1, min(20, first // 4)))
    if gpu:  # thousands of worlds: every rollout is many, and small minibatches would leave the GPU idle
        distill = replace(distill, keep=1, minibatch=16384)
    threshold = Curriculum.threshold if options.threshold is None else options.threshold
    stage = 1 if options.stage is None else options.stage
    groups: dict[str, Any] = {
        "network": network,
        "ppo": ppo,
        "distill": distill,
        "curriculum": Curriculum(threshold=threshold, first=stage, last=last_stage(options.task)),
        "options": {} if start is None else dict(start.options),
    }
    _refuse_unused(options, role, method)
    groups = override(groups, options.set, steps=options.steps)
    return TrainConfig(
        task=options.task,
        role=role,
        method=method,
        numbers=which,
        worlds=options.worlds if options.worlds is not None else 4096 if gpu else WORLDS,
        iterations=iterations,
        seed=options.seed or 0,
        engine=options.engine or ("warp" if gpu else "cpu"),
        touch="none" if role == "teacher" else options.touch or ("taxel" if start is None else start.touch),
        contact=options.contact or ("soft" if start is None else start.contact),
        teacher=options.teacher,
        start=options.start,
        save_every=10 if options.save_every is None else options.save_every,
        **groups,
    )


def _start(options: argparse.Namespace) -> Any:
    """The configuration of the policy that the run begins with, or None."""
    from ..learn.policy.checkpoint import load_policy

    return None if options.start is None else load_policy(options.start).config


def _method(options: argparse.Namespace, role: str) -> str:
    if options.teacher == "scripted" or (options.start is not None and options.teacher is not None):
        return "distill"
    return "ppo" if role == "teacher" or options.start is not None else "aacd"


def _numbers_of(method: str, teacher: str | None) -> str:
    """Of an AACD student those of its teacher, whose critic it takes over."""
    from ..learn.policy.checkpoint import load_policy

    if method == "aacd" and teacher not in (None, "scripted"):
        return str(load_policy(str(teacher)).config.numbers)
    return "quick" if method == "distill" else "paper"


def _refuse_unused(options: argparse.Namespace, role: str, method: str) -> None:
    """ValueError for what this run would not look at."""
    if role == "teacher" and options.touch not in (None, "none"):
        raise ValueError(
            f"--role teacher --touch {options.touch}: a teacher sees the state and feels nothing; leave it out"
        )
    if method != "distill":
        unused = [f"--set {s}" for s in options.set if s.startswith("distill.")]
        if options.distill_iterations is not None:
            unused.insert(0, f"--distill-iterations {options.distill_iterations}")
        if unused:
            raise ValueError(f"{unused[0]}: --method {method} does not distill; leave it out, or take --method distill")


def _who(config: Any) -> str:
    return "teacher" if config.role == "teacher" else f"student-{config.touch}"


def last_stage(name: str) -> int:
    """The last stage of a task's curriculum."""
    from ..tasks.registry import TASKS

    return max(TASKS[name].stages)


def check_task(name: str) -> None:
    """ValueError with the tasks that there are."""
    from ..tasks.registry import TASKS

    if name not in TASKS:
        raise ValueError(f"{name}: no such task; there are {', '.join(TASKS)}")


def make_task(
    config: Any, device: Any = None, *, worlds: int | None = None, seed: int | None = None, **more: Any
) -> Any:
    """The environment of a configuration."""
    from ..learn.policy.recall import with_recall
    from ..tasks.registry import make

    env = make(
        config.task,
        worlds=config.worlds if worlds is None else worlds,
        engine=config.engine,
        device=None if device is None else str(device),
        touch=config.touch,
        seed=config.seed if seed is None else seed,
        stage=config.curriculum.first,
        contact=config.contact,
        **{**config.options, **more},
    )
    return with_recall(env, config.network.recall)
