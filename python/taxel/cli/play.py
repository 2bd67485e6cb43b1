"""taxel play TASK: a trained policy at work, as a film."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from .. import _core
from ..report import Output, add_json
from ..report.progress import Progress
from .common import new_folder
from .train import make_task


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "play",
        help="a film of a trained policy",
        description="Plays episodes with a trained policy and writes a film (GIF): the scene, what both fingers feel, "
        "and what the critic expects. Without --policy, one that comes with taxel plays (docs/guide/train.md).",
    )
    parser.add_argument(
        "task", metavar="TASK|RUN|CHECKPOINT|NAME", help="peg, drawer, ..., or the policy of --policy itself"
    )
    parser.add_argument("--policy", metavar="RUN|CHECKPOINT|NAME", help="default: the one that comes with taxel")
    parser.add_argument("--episodes", type=int, default=1, metavar="N", help="one film each (default: 1)")
    parser.add_argument("--every", type=int, default=4, metavar="N", help="steps between two pictures (default: 4)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="default: 0")
    parser.add_argument("--out", default="out/play", metavar="DIR", help="default: out/play")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from ..learn.policy import need_rsl_rl

    need_rsl_rl()
    out = Output(options.json)
    for name in ("episodes", "every"):
        if getattr(options, name) < 1:
            raise ValueError(f"--{name} {getattr(options, name)}: give at least 1")
    if options.seed < 0:
        raise ValueError(f"--seed {options.seed}: give at least 0")
    policy = _policy(options.task, options.policy)
    with new_folder(options.out) as folder:
        films, successes = _films(options, policy, folder, out)
    out.finish({"task": policy.config.task, "policy": str(policy.path), "films": films, "successes": successes})
    return 0


def _policy(task: str, wanted: str | None) -> Any:
    """Who plays: of ``taxel play TASK [--policy RUN]`` or ``taxel play RUN``; ValueError with what there is."""
    from ..learn.policy.checkpoint import load_policy
    from ..learn.policy.library import default_for, shipped
    from ..tasks.registry import TASKS

    if task in TASKS:
        policy = load_policy(wanted or default_for(task))
        if policy.config.task != task:
            raise ValueError(f"--policy {wanted}: of {policy.config.task}, not of {task}; taxel play {wanted}")
        return policy
    if wanted is not None or not (Path(task).exists() or task in shipped()):
        raise ValueError(
            f"{task}: no such task; there are {', '.join(TASKS)}"
            + (
                ""
                if wanted is not None
                else f"; nor a run, a checkpoint or one of {', '.join(shipped()) or 'no policies'}"
            )
        )
    policy = load_policy(task)
    if policy.config.task not in TASKS:
        raise ValueError(f"{task}: of {policy.config.task}, which is no task of taxel; there are {', '.join(TASKS)}")
    return policy


def _films(options: argparse.Namespace, policy: Any, folder: Path, out: Output) -> tuple[list[Path], int]:
    """Plays and writes; the films, and how many episodes were solved."""
    from ..learn.policy.film import SceneCamera, draw, play
    from ..viewer.gif import write_gif

    config = replace(policy.config, engine="cpu")
    env = make_task(config, "cpu", worlds=1, seed=options.seed)
    env.stage = config.curriculum.last
    films, successes = [], 0
    camera = None
    try:
        camera = SceneCamera(env)
    except _core.Error as error:
        out.print(f"the film has no scene: {error}")
    try:
        for k in range(options.episodes):
            show = Progress(f"{config.task}, episode {k + 1}", int(env.max_episode_length), "steps")
            frames, good = play(env, policy, every=options.every, camera=camera, progress=show)
            show.done()
            successes += good
            words = f"{config.role}, touch {config.touch}, contact {config.contact}, no noise"
            pictures = draw(frames, config.task, words, good)
            path = folder / (f"{config.task}.gif" if options.episodes == 1 else f"{config.task}-{k + 1}.gif")
            films.append(write_gif(path, pictures + 8 * pictures[-1:], fps=60.0 / options.every))
            out.print(f"episode {k + 1}: {'success' if good else 'failed'}; film: {path}")
    finally:
        if camera is not None:
            camera.close()
        env.close()
    return films, successes
