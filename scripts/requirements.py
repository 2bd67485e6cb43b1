"""Lists of pyproject.toml as pip reads them (``pip install -r``): ``build``, ``base``, an extra or a group.

    python3 scripts/requirements.py build base dev

The Makefile installs from these, so that a version stands in pyproject.toml alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

try:
    import tomllib
except ImportError:  # Python 3.10
    from pip._vendor import tomli as tomllib


def main() -> None:
    with (Path(__file__).resolve().parent.parent / "pyproject.toml").open("rb") as file:
        table = tomllib.load(file)
    lists = {**table["project"]["optional-dependencies"], **table["dependency-groups"]}
    lists["build"] = table["build-system"]["requires"]
    lists["base"] = table["project"]["dependencies"]
    for name in sys.argv[1:]:
        print(*lists[name], sep="\n")


if __name__ == "__main__":
    main()
