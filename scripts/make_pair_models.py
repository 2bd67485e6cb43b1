"""Writes models/pairs/*.xml from the scenes of `taxel reproduce contact-pairs`.

    python scripts/make_pair_models.py

Every shape once soft on a rigid plane and once rigid on a soft box. The files are committed; run this again when the
scenes change.
"""

from __future__ import annotations

from pathlib import Path

from taxel.experiments.contact.pairs import SHAPES, Pair, scene, start_height

FOLDER = Path(__file__).resolve().parent.parent / "models" / "pairs"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in SHAPES:
        if name in ("plane", "cylinder lying"):
            continue
        for pair, what in (
            (Pair(name, "plane", "upper"), f"A soft {name} dropped on a rigid plane."),
            (Pair(name, "box", "lower"), f"A rigid {name} dropped on a soft box."),
        ):
            comment = f"  <!-- {what} Orange is soft. Written by scripts/make_pair_models.py. -->\n"
            first, second = ("soft", "") if pair.soft == "upper" else ("rigid", "soft_")
            path = FOLDER / f"{first}_{name.replace(' ', '_').lower()}_on_{second}{pair.lower}.xml"
            path.write_text(scene(pair, start_height(pair), comment))


if __name__ == "__main__":
    main()
