"""What ``taxel doctor`` looks at, one function each. None may end the command: what goes wrong is what it reports."""

from __future__ import annotations

import ctypes
import enum
import importlib.metadata
import importlib.util
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import taxel
from taxel import _core

from ..mujoco.engine import BUILT_FOR, need_mujoco
from .info import cpu_name

PATIENCE = 60
"""Seconds for what is tried in a process of its own."""
USES = {
    "plot": "pictures of presses and experiments",
    "demo": "the demo's banana and other YCB objects, SciPy",
    "mesh": "fine tetrahedral meshes (taxel mesh)",
    "gym": "the Gymnasium task",
    "learn": "networks that learn from touch",
    "train": "policies that feel (taxel train, eval, play)",
    "warp": "soft contact of many worlds inside mujoco_warp",
}
LEFT_OUT = ("dev", "docs", "cuda")
"""Extras for who works on taxel; and that of the CUDA library, which has a check of its own."""


class State(enum.Enum):
    GOOD = "good"
    ABSENT = "absent"
    """Not there, and taxel does without."""
    BROKEN = "broken"
    """taxel needs it."""


@dataclass(frozen=True)
class Check:
    name: str
    state: State
    found: str
    advice: str = ""


def look() -> Iterator[Check]:
    """All of them, in the order to read them."""
    needed: tuple[tuple[str, Callable[[], Check]], ...] = (("taxel", own), ("MuJoCo", engine), ("plugin", plugin))
    for name, check in needed:
        yield _guarded(name, check, State.BROKEN)
    for name, check in (("EGL", egl), ("GPU", gpu), ("CUDA library", cuda_library), ("torch", torch)):
        yield _guarded(name, check, State.ABSENT)
    yield from extras()


def _guarded(name: str, check: Callable[[], Check], otherwise: State) -> Check:
    try:
        return check()
    except Exception as error:
        words = " ".join(str(error).split()) or type(error).__name__
        advice = "" if "run: pip" in words else "pip install --force-reinstall taxel"
        return Check(name, otherwise, f"{type(error).__name__}: {words}", advice)


def own() -> Check:
    where = Path(taxel.__file__).parent
    threads = _core.hardware_threads()
    found = (
        f"{taxel.__version__} in {where}, Python {platform.python_version()}, NumPy {np.__version__}; {threads} "
        f"thread{'s' if threads != 1 else ''} of {cpu_name()}"
    )
    return Check("taxel", State.GOOD, found)


def engine() -> Check:
    try:
        import mujoco
    except ImportError as error:
        return Check("MuJoCo", State.BROKEN, f"cannot be imported ({error})", f"pip install mujoco=={BUILT_FOR}")
    if mujoco.__version__ != BUILT_FOR:
        found = f"{mujoco.__version__}; this taxel's plugin is made for {BUILT_FOR} and no other"
        return Check("MuJoCo", State.BROKEN, found, f"pip install mujoco=={BUILT_FOR}")
    return Check("MuJoCo", State.GOOD, mujoco.__version__)


def plugin() -> Check:
    """The plugin at work: a ball at rest on a sensor weighs what it weighs."""
    mujoco = need_mujoco()
    taxel.load()
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    sensor = taxel.sensors.myrmex()
    sensor.add_to(spec)
    ball = spec.worldbody.add_body(pos=[0, 0, 0.0295])  # nearly at rest
    ball.add_freejoint()
    ball.add_geom(size=[0.02, 0, 0], mass=0.2)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=400)
    read = float(taxel.Sensor(model, "myrmex")(data).sum()) * 25e-6  # taxels of 5 mm
    weight = 0.2 * 9.81
    found = f"a ball of {weight:.3f} N on a Myrmex reads {read:.3f} N"
    if abs(read - weight) > 0.01 * weight:
        return Check("plugin", State.BROKEN, f"loads, but {found}", "pip install --force-reinstall taxel")
    return Check("plugin", State.GOOD, f"loads; {found}")


def _tried(code: str, **environment: str) -> tuple[bool, str]:
    """Whether a few lines run in a process of their own, and the last line they print; a crash is an answer, too."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return False, f"no answer within {PATIENCE} s"
    said = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    return done.returncode == 0, said[-1] if said else f"ended with {done.returncode}"


def egl() -> Check:
    """MuJoCo's own pictures without a screen."""
    code = (
        "import mujoco; context = mujoco.GLContext(64, 64); context.make_current(); from OpenGL import GL; "
        "print(GL.glGetString(GL.GL_RENDERER).decode()); context.free()"
    )
    good, said = _tried(code, MUJOCO_GL="egl")
    if good:
        return Check("EGL", State.GOOD, f"draws without a screen (MUJOCO_GL=egl), by {said}")
    advice = "apt install libegl1 libgl1-mesa-dri, or the GPU's driver; only films and MuJoCo's own pictures need it"
    return Check("EGL", State.ABSENT, f"MuJoCo cannot draw without a screen ({said})", advice)


def gpu() -> Check:
    """What the driver says, whatever was installed on top of it."""
    advice = "nothing to do on a machine without an NVIDIA GPU; else install its driver until nvidia-smi lists it"
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return Check("GPU", State.ABSENT, "no NVIDIA driver (libcuda.so.1); everything runs on the processor", advice)
    count, version = ctypes.c_int(), ctypes.c_int()
    if (code := driver.cuInit(0)) or driver.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        return Check("GPU", State.ABSENT, f"the NVIDIA driver sees no GPU (code {code})", advice)
    driver.cuDriverGetVersion(ctypes.byref(version))
    name = ctypes.create_string_buffer(256)
    driver.cuDeviceGetName(name, len(name), 0)
    found = (
        f"{count.value} x {name.value.decode()}, driver for CUDA {version.value // 1000}.{version.value % 1000 // 10}"
    )
    return Check("GPU", State.GOOD, found)


def cuda_library() -> Check:
    why = _core.why_no_cuda()
    if not why:
        return Check("CUDA library", State.GOOD, "libtaxel_cuda.so loads and sees a GPU")
    if why.startswith("no GPU"):
        return Check("CUDA library", State.ABSENT, f"libtaxel_cuda.so is there; {why.partition(';')[0]}")
    advice = "pip install 'taxel[cuda]', where there is a GPU"
    if "No such file" in why:
        return Check("CUDA library", State.ABSENT, "libtaxel_cuda.so is not installed", advice)
    if "another version" in why:
        advice = f"pip install taxel-cuda=={taxel.__version__}"
    return Check("CUDA library", State.ABSENT, why.partition(";")[0], advice)


def torch() -> Check:
    if importlib.util.find_spec("torch") is None:
        return Check("torch", State.ABSENT, "not installed", "pip install 'taxel[learn]', for networks")
    code = (
        "import torch; print(torch.__version__, '-' if not torch.cuda.is_available() else torch.cuda.get_device_name())"
    )
    good, said = _tried(code)
    if not good:
        return Check("torch", State.ABSENT, f"is installed and does not work ({said})", "pip install 'taxel[learn]'")
    version, _, device = said.partition(" ")
    return Check("torch", State.GOOD, f"{version}, " + ("on the processor" if device == "-" else f"on {device}"))


def extras() -> Iterator[Check]:
    """What pip knows of our extras: which of their packages are there."""
    try:
        wanted = importlib.metadata.requires("taxel") or []
    except importlib.metadata.PackageNotFoundError:
        yield Check("extras", State.ABSENT, "unknown: this taxel was not installed by pip", "pip install taxel")
        return
    for extra, requirements in _by_extra(wanted).items():
        lines = [_installed(requirement) for requirement in requirements]
        missing = [line for line, good in lines if not good]
        use = f" ({USES[extra]})" if extra in USES else ""
        if missing:
            found = f"{', '.join(missing)}{use}"
            yield Check(f"taxel[{extra}]", State.ABSENT, found, f"pip install 'taxel[{extra}]'")
        else:
            yield Check(f"taxel[{extra}]", State.GOOD, ", ".join(line for line, _ in lines) + use)


def _by_extra(wanted: list[str]) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for requirement in wanted:
        what, _, marker = requirement.partition(";")
        extra = re.search(r"extra\s*==\s*['\"]([\w.-]+)['\"]", marker)
        if extra and extra[1] not in LEFT_OUT:
            out.setdefault(extra[1], []).append(what.strip())
    return out


def _installed(requirement: str) -> tuple[str, bool]:
    """A package and its version, and whether it serves; a lower bound is left to pip."""
    name = re.split(r"[\s<>=!~\[(]", requirement, maxsplit=1)[0]
    pin = re.search(r"==\s*([\w.+!-]+)", requirement)
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return f"{name} not installed", False
    if pin and version.split("+")[0] != pin[1]:
        return f"{name} {version}, where {pin[1]} is needed", False
    return f"{name} {version}", True
