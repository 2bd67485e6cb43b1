"""Trained policies that come with taxel: files of ``taxel/learn/checkpoints``, by name."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "checkpoints"


def shipped() -> dict[str, Path]:
    """Name -> file, "peg-taxel" say."""
    return {p.stem: p for p in sorted(FOLDER.glob("*.pt"))}


def default_for(task: str) -> Path:
    """The best student of a task; ValueError where there is none."""
    found = [p for name, p in shipped().items() if name == task or name.startswith(f"{task}-")]
    named = [p for p in found if p.stem in (task, f"{task}-taxel")]
    if not found:
        have = ", ".join(shipped()) or "none yet"
        raise ValueError(
            f"{task}: no trained policy for it comes with taxel (there are: {have}); train one with "
            f"`taxel train {task} --method distill --teacher scripted` and give its run as --policy RUN"
        )
    return (named or found)[0]
