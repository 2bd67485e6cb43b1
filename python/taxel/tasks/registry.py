"""Tasks by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from .. import _core
from .bin import Bin
from .book import Book
from .cpu_engine import CpuEngine
from .drawer import Drawer
from .options import is_number, switch
from .peg import Peg
from .scene import RATE
from .task import Task
from .touch import NAMES as TOUCHES
from .touch import Touch
from .vec_env import TaskEnv

TASKS: dict[str, type[Task]] = {"peg": Peg, "bin": Bin, "book": Book, "drawer": Drawer}
ENGINES, CONTACTS = ("cpu", "warp"), ("soft", "native")


def _one_of(what: str, value: Any, known: Any) -> None:
    if not isinstance(value, str) or value not in known:
        raise _core.Error(f"tasks: {what} is {value!r}; there are {', '.join(map(repr, known))}")


def _whole(what: str, value: Any, least: int | None, words: str = "") -> int:
    fits = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not fits or (least is not None and value < least):
        wanted = "a whole number" if least is None else f"a whole number of {least} or more"
        raise _core.Error(f"tasks: {what} is {value!r}; give {wanted}{words}")
    return int(value)


def _number(what: str, value: Any) -> float:
    if not is_number(value) or value < 0:
        raise _core.Error(f"tasks: {what} is {value!r}; give a number of 0 or more")
    return float(value)


def make(
    task: str, worlds: int = 64, engine: str = "cpu", device: Any = None, touch: str = "taxel", seed: int | None = 0,
    stage: int = 1, contact: str = "soft", *, substeps: int = 2, threads: int = 0, touch_noise: float = 0.1,
    touch_options: dict[str, Any] | None = None, touch_camera: dict[str, Any] | None = None,
    published_fots: bool = False, synchronous: bool = False, randomise: bool = True, **options: Any,
) -> TaskEnv:  # fmt: skip
    """A task in many worlds, as an rsl-rl VecEnv: ``env = taxel.tasks.make("peg", worlds=64, touch="taxel")``.

    task         "peg", "bin", "book", "drawer" (docs/guide/tasks.md)
    engine       "cpu": MuJoCo with taxel's plugin on ``threads`` threads (0: all); "warp": mujoco_warp
    device       of engine "warp" and of all tensors, a name or a torch.device: "cuda" where there is a GPU, else "cpu"
    touch        what the fingers feel: none, taxel, layer, hydroshear, hydroshear_paper, fots, fots_contact,
                 tacsl_shear, tacsl_grey, pressure; ``touch_noise`` px; ``touch_options`` numbers of the model, a
                 pair (low, high) for gels that differ between worlds;
                 ``touch_camera`` how it is seen: gain, offset (px), lost (share), unit (px), lag (frames)
    seed         of all that is drawn; None: one is drawn, and ``env.seed`` tells it
    stage        of the curriculum
    contact      "soft": gel columns with stick memory; "native": MuJoCo's own contact with impratio 100
    substeps     of the physics in a step of 1/60 s
    published_fots, synchronous   the release's behaviour: FOTS with its half turn; all worlds reset together
    randomise    joint damping and friction of each episode
    options      of the task
    """
    _one_of("task", task, TASKS)
    _one_of("engine", engine, ENGINES)
    _one_of("touch", touch, TOUCHES)
    _one_of("contact", contact, CONTACTS)
    worlds, substeps = _whole("worlds", worlds, 1), _whole("substeps", substeps, 1)
    threads = _whole("threads", threads, 0, ", 0 for all")
    seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else _whole("seed", seed, None)
    touch_noise = _number("touch_noise", touch_noise)
    published_fots = switch("tasks: published_fots", published_fots)
    synchronous, randomise = switch("tasks: synchronous", synchronous), switch("tasks: randomise", randomise)
    if published_fots and touch not in ("fots", "fots_contact"):
        raise _core.Error(f"tasks: published_fots is of touch 'fots' and 'fots_contact', not {touch!r}; leave it out")
    if not isinstance(touch_options, dict | None):
        raise _core.Error(f"tasks: touch_options is {touch_options!r}; give a dict, as in {{'friction': 0.8}}")
    if touch == "pressure" and contact == "native":
        raise _core.Error("tasks: touch 'pressure' reads the soft pads; use contact='soft'")
    where = _device(engine, device)
    made = TASKS[task](contact, options)
    scene = made.build(substeps, touch == "pressure")
    runs = _engine(engine, scene, worlds, where, threads, touch == "pressure")
    feels = Touch(
        touch, made.touch_body() if touch != "none" else None, worlds, runs.device, RATE, noise=touch_noise,
        published=published_fots, gravity=made.gravity_shift, threads=threads, parameters=touch_options,
        camera=touch_camera, dtype=runs.dtype, seed=seed,
    )  # fmt: skip
    config = {
        "task": task, "worlds": worlds, "engine": engine, "touch": touch, "seed": seed, "contact": contact,
        "substeps": substeps, "touch_noise": touch_noise, "touch_options": dict(touch_options or {}),
        "touch_camera": dict(touch_camera or {}), "published_fots": published_fots,
        "synchronous": synchronous, "randomise": randomise, **made.options,
    }  # fmt: skip
    return TaskEnv(
        made, runs, feels, seed=seed, stage=stage, substeps=substeps, synchronous=synchronous, randomise=randomise,
        config=config,
    )  # fmt: skip


def _device(engine: str, device: Any) -> str:
    """ "cpu" or "cuda"."""
    try:
        kind = None if device is None else torch.device(device).type
        place = None if device is None else torch.device(device).index
    except (RuntimeError, TypeError):
        kind, place = "", None
    if kind not in (None, "cpu", "cuda"):
        raise _core.Error(f"tasks: device is {device!r}; there are 'cpu' and 'cuda'")
    if engine == "cpu" and kind == "cuda":
        raise _core.Error(f"tasks: device is {str(device)!r}; engine 'cpu' has the CPU only, engine 'warp' takes a GPU")
    if kind == "cuda" and not torch.cuda.is_available():
        raise _core.Error(f"tasks: device is {str(device)!r}, but torch finds no GPU; use device='cpu' or leave it out")
    if place:
        raise _core.Error(
            f"tasks: device is {str(device)!r}; the first GPU is used: choose it with CUDA_VISIBLE_DEVICES={place}"
        )
    if kind is None:
        kind = "cuda" if engine == "warp" and torch.cuda.is_available() else "cpu"
    return kind


def _engine(name: str, scene: Any, worlds: int, device: str, threads: int, skin: bool) -> Any:
    if name == "cpu":
        return CpuEngine(scene, worlds, threads, skin)
    from .warp_engine import WarpEngine

    return WarpEngine(scene, worlds, device, skin)
