"""The folder of a run: config.json, policy.pt (what plays), resume.pt (what goes on), curve.json, success.png.

Both .pt files hold tensors and plain values alone: they are read without running code from them.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import torch

from .config import TrainConfig

FORMAT = 1
POLICY, RESUME, CURVE, CONFIG, PICTURE = "policy.pt", "resume.pt", "curve.json", "config.json", "success.png"


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """A file to write to, which takes the place of ``path`` at the end: whole or not at all, and nothing is left."""
    half = path.with_name(path.name + ".new")
    try:
        yield half
        os.replace(half, path)
    except BaseException as error:  # Ctrl-C as well
        with suppress(OSError):
            half.unlink()
        if isinstance(error, OSError | RuntimeError):  # torch tells some of what goes wrong with a file by the latter
            why = getattr(error, "strerror", None) or " ".join(str(error).split())
            raise OSError(f"{path}: cannot be written ({why})") from None
        raise


def save_torch(path: Path, what: dict[str, Any]) -> None:
    """A run that is ended while it writes keeps its old file; OSError with the file and the reason."""
    with _whole(path) as half, half.open("wb") as file:  # given a name instead, torch does not tell the reason
        torch.save(what, file)


def load_torch(path: str | Path, device: Any = "cpu") -> dict[str, Any]:
    """What ``save_torch`` wrote; ValueError with the file's name where it is something else."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file")
    try:
        loaded = torch.load(path, map_location=device, weights_only=True)
    except PermissionError:
        raise ValueError(f"{path}: cannot be read (no right to)") from None
    except Exception as error:
        why = " ".join(str(error).split()).split(". ")[0][:120]
        raise ValueError(f"{path}: not a checkpoint of taxel train, or cut short ({why})") from None
    if not isinstance(loaded, dict) or "format" not in loaded:
        raise ValueError(f"{path}: a file of torch, but not a checkpoint of taxel train")
    if loaded["format"] != FORMAT:
        raise ValueError(
            f"{path}: a checkpoint of layout {loaded['format']!r}; this taxel reads layout {FORMAT}. "
            "Use the taxel that wrote it, or train anew"
        )
    return loaded


def policy_file(run: str | Path) -> Path:
    """The checkpoint of a run folder, of a file, or of the name of a policy that comes with taxel."""
    from .library import shipped

    path = Path(run)
    if path.is_dir():
        if not (path / POLICY).is_file():
            raise ValueError(f"{run}: a folder without {POLICY}; give a run of `taxel train`, or a checkpoint")
        return path / POLICY
    if path.is_file():
        return path
    known = shipped()
    if str(run) in known:
        return known[str(run)]
    names = ", ".join(known) or "none yet"
    raise ValueError(f"{run}: neither a run folder nor a checkpoint; policies that come with taxel: {names}")


def write_json(path: Path, value: Any) -> None:
    with _whole(path) as half:
        half.write_text(json.dumps(value, indent=1) + "\n")


def read_config(folder: Path) -> TrainConfig:
    """The configuration of a run; ValueError with the folder's name where it is none, or cannot be read."""
    if folder.is_file():
        raise ValueError(f"{folder}: a file; give the run's folder, {folder.parent}")
    if not (folder / CONFIG).is_file():
        what = "has no" if folder.is_dir() else "is not there, so has no"
        raise ValueError(f"{folder}: no run of `taxel train` (it {what} {CONFIG})")
    try:
        return TrainConfig.from_dict(json.loads((folder / CONFIG).read_text())["config"])
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{folder / CONFIG}: not the configuration of a run that this taxel reads ({error})") from None


def saved_state(folder: Path) -> dict[str, Any] | None:
    """What a run goes on from; None where it was ended before its first save, so that it goes on from its beginning."""
    if (folder / RESUME).is_file():
        loaded = load_torch(folder / RESUME)
        if "rollout" not in loaded or "dagger" not in loaded:
            raise ValueError(f"{folder / RESUME}: a policy, not the state to go on from; give a run as it was written")
        return loaded
    if (folder / POLICY).is_file():
        raise ValueError(
            f"{folder}: has {POLICY} but no {RESUME}, so it plays but cannot go on; train anew in another folder"
        )
    return None


def revision() -> str | None:
    """The git revision that taxel runs from, with "+" where files differ from it; None where it is not a checkout."""
    place = Path(__file__).resolve().parent
    asked = []
    for words in (
        ("rev-parse", "HEAD"),
        ("status", "--porcelain", "--untracked-files=no", "--", str(place.parents[1])),
    ):
        try:
            answer = subprocess.run(["git", "-C", str(place), *words], capture_output=True, text=True, timeout=10)
        except (OSError, subprocess.SubprocessError):
            return None
        if answer.returncode:
            return None
        asked.append(answer.stdout.strip())
    return asked[0] + ("+" if asked[1] else "")


def draw_curve(path: Path, rows: list[dict[str, Any]], title: str) -> bool:
    """Success over environment steps and over time; False where matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    told = [r for r in rows if r.get("success") is not None]
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    for axes, key, label, scale in zip(
        figure.subplots(1, 2, sharey=True),
        ("env_steps", "seconds"),
        ("environment steps, thousands", "time, minutes"),
        (1e3, 60.0),
        strict=True,
    ):
        for phase, colour in (("distill", "#c26a00"), ("ppo", "#1f5fa8")):
            part = [r for r in told if r["phase"] == phase]
            axes.plot([r[key] / scale for r in part], [r["success"] for r in part], ".-", color=colour, label=phase)
        last = None
        for row in rows:
            if last is not None and row["stage"] != last:
                axes.axvline(row[key] / scale, color="0.6", lw=0.8, ls="--")
            last = row["stage"]
        axes.set_xlabel(label)
        axes.set_ylim(-0.02, 1.02)
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("success while training (with noise)")
    if told:
        figure.axes[0].legend(frameon=False, loc="lower right")
    figure.suptitle(title, fontsize=10)
    with _whole(path) as half:
        figure.savefig(half, dpi=120, format="png")
    return True
