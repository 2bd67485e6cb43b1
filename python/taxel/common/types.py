"""Types that signatures name; those of the core too (python/src/core.pat)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Pixels: TypeAlias = NDArray[np.float32]
PoseLike: TypeAlias = ArrayLike | tuple[ArrayLike, ArrayLike]
"""A 4x4 matrix, (R, p) or (p, quaternion wxyz)."""
Progress: TypeAlias = Callable[[float], object] | bool | None
"""What long work is shown by: a function of the seconds spent (what it raises stops the work); None or True: a line on
a terminal from two seconds on; False: nothing."""


class BodyOptions(TypedDict, total=False):
    """Options of a ``taxel.Body``, beside its shape and modulus."""

    name: str
    """Used in messages."""
    field: Literal["distance", "backed", "laplace", "columns"]
    """Pressure field of a soft body. Default: "distance"."""
    thickness: float
    """Thickness of the layer, m; 0 takes it from the shape. A soft half space needs it."""
    bone: Literal["thickness", "middle"]
    """Columns on a mesh, sphere, capsule or ellipsoid end a thickness below the skin (default), or in the body's
    middle: the pressure then rises by the modulus over the thickness, as that of a distance field does."""
    exposed: ArrayLike
    """Backed field: outward direction of the exposed face. Default: (0, 0, 1)."""
    back_triangles: list[int]
    """Backed field on a mesh: the glued triangles."""
    skin_triangles: list[int]
    """Backed field on a mesh: the exposed triangles."""
    stiffening_start: float
    """A layer: compression at which it starts to stiffen. Default: 0.8."""
    law: ArrayLike
    """A layer: pairs of compression and pressure in moduli, instead of the stiffening; it is flat where they end."""
    layer_poisson: float
    """A layer: Poisson's ratio; its stiffness follows the size of each contact. Default: -1, one stiffness."""
    core_fraction: float
    """Laplace field: the core is where the depth exceeds this fraction of the greatest. Default: 0.5."""
    resolution: float
    """Facet size of a curved surface, edge length of the tetrahedra, spacing of columns, m; 0: automatic."""
    column_cell: ArrayLike
    """Columns on a flat skin, instead of a resolution: a corner of one of them and its two sides, (3, 3), m."""
    dissipation: float
    """Hunt-Crossley, s/m."""
    static_friction: float
    dynamic_friction: float
