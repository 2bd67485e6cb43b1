"""Where soft meshes are kept between runs."""

import os
from pathlib import Path

from .._core import Error


def mesh_cache(folder: str | os.PathLike | bool | None = None, *, megabytes: float | None = None) -> Path | None:
    """The folder in which meshed soft bodies are kept between runs, None when they are not.

    ``folder``: another one for this process and those it starts; ``False`` keeps nothing, ``True`` goes back to the
    default. ``megabytes``: the most it may hold (500); what was not used for longest goes first. It holds for bodies
    and models made from then on, and never changes a result. The same through the environment: ``TAXEL_CACHE`` (a
    folder, or ``off``) and ``TAXEL_CACHE_MB``.
    """
    if megabytes is not None:
        if not 0 <= megabytes <= 1e9:
            raise Error(f"mesh_cache: megabytes is {megabytes}; give 0 to 1e9")
        os.environ["TAXEL_CACHE_MB"] = repr(float(megabytes))
    if folder is False:
        os.environ["TAXEL_CACHE"] = "off"
    elif folder is True:
        os.environ.pop("TAXEL_CACHE", None)
    elif folder is not None:
        path = Path(folder).expanduser().absolute()
        if path.exists() and not path.is_dir():
            raise Error(f"mesh_cache: '{path}' is a file; give a folder, or False to keep nothing")
        os.environ["TAXEL_CACHE"] = str(path)
    given, xdg, home = (os.environ.get(name, "") for name in ("TAXEL_CACHE", "XDG_CACHE_HOME", "HOME"))
    if given:
        return None if given == "off" else Path(given)
    if xdg.startswith("/"):
        return Path(xdg) / "taxel"
    return Path(home) / ".cache" / "taxel" if home else None
