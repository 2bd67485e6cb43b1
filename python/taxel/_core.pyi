"""Types and words of the C++ core; the public names are those of ``taxel``."""

from collections.abc import Callable
from os import PathLike
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str
compiler: str
"""Compiler of the core and its version."""
compiler_flags: str

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
PoseLike: TypeAlias = ArrayLike | tuple[ArrayLike, ArrayLike]
"""A 4x4 matrix, (R, p) or (p, quaternion wxyz)."""

class Error(ValueError):
    """Wrong input. The message names the element, the value, what is allowed and the way out."""

class BodyOptions(TypedDict, total=False):
    name: str
    """Used in messages."""
    field: Literal["distance", "backed", "laplace"]
    """Pressure field of a soft body. Default: "distance"."""
    thickness: float
    """Thickness of the layer, m; 0 takes it from the shape. A soft half space needs it."""
    exposed: ArrayLike
    """Backed field: outward direction of the exposed face. Default: (0, 0, 1)."""
    back_triangles: list[int]
    """Backed field on a mesh: the glued triangles."""
    skin_triangles: list[int]
    """Backed field on a mesh: the exposed triangles."""
    stiffening_start: float
    """Backed field: compression at which the layer starts to stiffen. Default: 0.8."""
    core_fraction: float
    """Laplace field: the core is where the depth exceeds this fraction of the greatest. Default: 0.5."""
    resolution: float
    """Facet size of a curved surface and edge length of the tetrahedra, m; 0: automatic."""
    dissipation: float
    """Hunt-Crossley, s/m."""
    static_friction: float
    dynamic_friction: float

class Body:
    """A body that can touch: shape, stiffness and everything a query needs, prepared once. Immutable.

    A copy is the body itself; threads may share it. A pickle holds the shape and the options; loading it prepares the
    same body again.

    modulus: hydroelastic modulus, Pa; 0 is rigid. Other options: see ``BodyOptions``. What is made of a mesh may take
    long: ``progress`` is as in ``mesh_interior``, and Ctrl-C stops it.
    """

    @staticmethod
    def sphere(radius: float, modulus: float = 0.0, **options: Unpack[BodyOptions]) -> Body: ...
    @staticmethod
    def box(size: ArrayLike, modulus: float = 0.0, **options: Unpack[BodyOptions]) -> Body:
        """Centred; ``size`` holds the full edge lengths."""

    @staticmethod
    def cylinder(radius: float, length: float, modulus: float = 0.0, **options: Unpack[BodyOptions]) -> Body:
        """Centred, axis along z; ``length`` is the full height."""

    @staticmethod
    def capsule(radius: float, length: float, modulus: float = 0.0, **options: Unpack[BodyOptions]) -> Body:
        """Centred, axis along z; ``length`` is that of the straight part."""

    @staticmethod
    def ellipsoid(semi_axes: ArrayLike, modulus: float = 0.0, **options: Unpack[BodyOptions]) -> Body: ...
    @staticmethod
    def half_space(modulus: float = 0.0, **options: Unpack[BodyOptions]) -> Body:
        """The points with z <= 0. Soft: p = modulus * depth / thickness, so ``thickness`` is needed."""

    @staticmethod
    def mesh(
        vertices: ArrayLike,
        triangles: ArrayLike,
        modulus: float = 0.0,
        *,
        progress: Progress = None,
        **options: Unpack[BodyOptions],
    ) -> Body:
        """A triangle mesh, counter-clockwise from outside. Soft: watertight; it is meshed into tetrahedra here."""

    @staticmethod
    def tets(
        vertices: ArrayLike,
        tets: ArrayLike,
        modulus: float = 0.0,
        *,
        progress: Progress = None,
        **options: Unpack[BodyOptions],
    ) -> Body:
        """Tetrahedra as given."""

    @staticmethod
    def from_file(
        path: str | bytes | PathLike[str],
        scale: float = 1.0,
        modulus: float = 0.0,
        *,
        progress: Progress = None,
        **options: Unpack[BodyOptions],
    ) -> Body:
        """.obj and .stl hold triangles, .vtk and .vtu tetrahedra. ``scale`` 0.001 reads millimetres."""

    @property
    def soft(self) -> bool: ...
    @property
    def name(self) -> str: ...
    @property
    def modulus(self) -> float: ...
    @property
    def field(self) -> str: ...
    @property
    def resolution(self) -> float: ...
    @property
    def dissipation(self) -> float: ...
    @property
    def static_friction(self) -> float: ...
    @property
    def dynamic_friction(self) -> float: ...
    @property
    def tet_mesh(self) -> tuple[Floats, Ints] | None:
        """(vertices, tets) that carry the field, or None where the field is analytic."""

    @property
    def vertex_pressures(self) -> Floats | None:
        """Pressure at the vertices of ``tet_mesh``, Pa."""

    def surface(self, half_space_size: float = 0.2) -> tuple[Floats, Ints]:
        """(vertices, triangles) for pictures."""

    def pressure_at(self, points: ArrayLike) -> Floats:
        """Pressure at points (N, 3) of the body's frame, Pa; 0 outside."""

class ContactSurface:
    """Where two bodies touch, in the world frame. The arrays below are read-only views, no copies.

    Face k owns the vertices face_start[k] .. face_start[k+1]-1, counter-clockwise about its normal, which points
    out of B into A. True when there is contact; ``len`` is the number of faces. Copies and pickles own their arrays.
    """

    vertices: Floats
    """(V, 3), m."""
    pressures: Floats
    """(V,), Pa."""
    face_start: Ints
    """(F + 1,)."""
    normals: Floats
    """(F, 3), unit, out of B into A."""
    areas: Floats
    """(F,), m2."""
    centroids: Floats
    """(F, 3), m."""
    face_pressures: Floats
    """(F,), mean over the face, Pa."""
    gradients_A: Floats
    """(F,), pressure gradient along the normal into A, Pa/m; infinity for a rigid body."""
    gradients_B: Floats
    num_faces: int
    area: float
    centroid: Floats
    center_of_pressure: Floats
    max_pressure: float
    normal_force: float
    force_on_A: Floats
    torque_on_A: Floats
    """About the world origin."""
    force_on_B: Floats
    torque_on_B: Floats
    def wrench_on_A(self, point: ArrayLike) -> tuple[Floats, Floats]:
        """(force, torque about ``point``)."""

    def wrench_on_B(self, point: ArrayLike) -> tuple[Floats, Floats]: ...
    def triangles(self) -> Ints:
        """(T, 3) indices into ``vertices``: each face as a fan, for pictures."""

    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...

def contact(
    A: Body,
    X_WA: PoseLike,
    B: Body,
    X_WB: PoseLike,
    *,
    faces: Literal["polygons", "triangles"] = "polygons",
    cull: bool = True,
    cull_angle: float = ...,
    resolution: float = 0.0,
    facets_across: int = ...,
    out: ContactSurface | None = None,
) -> ContactSurface:
    """Where A and B touch, and with what pressure.

    faces: polygons are fewest; triangles are cut round the centroid.
    cull: drop faces more than ``cull_angle`` (radians, 112.5 degrees by default) from the pressure gradient.
    resolution: facet size of curved primitives in this query, m; 0 is each body's own.
    facets_across: automatic refinement, facets across a patch.
    out: a surface to reuse; it is returned. Arrays taken from it before keep their values.
    """

def time_contact(
    A: Body, X_WA: PoseLike, B: Body, X_WB: PoseLike, repeats: int = 50, **options: Any
) -> tuple[float, int, float, float]:
    """(median ns per query, faces, normal force, area), one thread, timed in C++."""

def contact_batch(
    A: Body, X_WA: PoseLike, B: Body, X_WB: PoseLike, threads: int = 0, **options: Any
) -> dict[str, np.ndarray]: ...

class WatertightReport:
    open_edges: int
    overshared_edges: int
    flipped_edges: int
    degenerate_triangles: int
    components: int
    ok: bool
    def describe(self, name: str = "mesh") -> str:
        """What is wrong and where, in words."""

def check_watertight(vertices: ArrayLike, triangles: ArrayLike) -> WatertightReport: ...
def read_mesh(path: str | bytes | PathLike[str], scale: float = 1.0) -> tuple[Floats, Ints]:
    """(vertices, triangles) of an .obj or .stl, (vertices, tets) of a .vtk or .vtu."""

def write_tets(
    path: str | PathLike[str],
    vertices: ArrayLike,
    tets: ArrayLike,
    values: ArrayLike | None = None,
    value_name: str = "pressure",
) -> None: ...
def signed_distance(shape: Body | tuple[ArrayLike, ArrayLike], points: ArrayLike) -> Floats:
    """Distance of points (N, 3) to a body or a closed (vertices, triangles) surface, m; negative inside."""

def sample_surface(
    vertices: ArrayLike, triangles: ArrayLike, radius: float, seed: int = 0
) -> tuple[Floats, Floats, Ints]:
    """Poisson-disk samples: (points, normals, triangle numbers), no two nearer than ``radius``."""

Progress: TypeAlias = Callable[[float], object] | bool | None
"""What long work is shown by: a function of the seconds spent (what it raises stops the work); None or True: a line on
a terminal from two seconds on; False: nothing."""

def mesh_interior(
    vertices: ArrayLike, triangles: ArrayLike, edge_length: float = 0.0, progress: Progress = None
) -> tuple[Floats, Ints]:
    """(vertices, tets) inside a watertight surface; sharp edges and corners are kept. 0: automatic size."""

def refine_for_depth(vertices: ArrayLike, tets: ArrayLike, progress: Progress = None) -> tuple[Floats, Ints]:
    """Splits inner edges of tetrahedra from elsewhere until depth, linear on them, follows the true distance."""

def fill_lattice(shape: Body | tuple[ArrayLike, ArrayLike], spacing: float) -> tuple[Floats, float, float]:
    """(points, volume of one, volume of the solid); ``taxel._gel_fill`` wraps these."""

def fill_poisson(
    shape: Body | tuple[ArrayLike, ArrayLike], radius: float, seed: int
) -> tuple[Floats, float, float]: ...
def carve_voxels(
    shape: Body | tuple[ArrayLike, ArrayLike],
    voxel: float,
    views: int,
    pixels: int,
    pinhole: bool,
    distance: float,
    whole_voxels: bool,
    look_through_holes: bool,
) -> tuple[Floats, float, float]: ...
def sample_skin(shape: Body | tuple[ArrayLike, ArrayLike], spacing: float, seed: int) -> dict[str, Any]: ...
def points_facing(normals: ArrayLike, direction: ArrayLike, angle: float) -> Ints: ...
def layers_of(points: ArrayLike, outward: ArrayLike, count: int) -> Ints: ...
def layered_pad(
    size: ArrayLike, counts: tuple[int, int, int], axis: int, sign: int, center: ArrayLike
) -> dict[str, Any]: ...
def eip_pads(gap: float, center: ArrayLike) -> tuple[dict[str, Any], dict[str, Any]]: ...
def hardware_threads() -> int: ...
def combine_dissipation(*arrays: Floats) -> Floats: ...
def combine_friction(*arrays: Floats) -> Floats: ...
def series_gradient(*arrays: Floats) -> Floats: ...
def hunt_crossley_pressure(*arrays: Floats) -> Floats: ...
def regularized_coulomb(*arrays: Floats) -> Floats: ...
def stribeck_friction(*arrays: Floats) -> Floats: ...
def copy_surface(address: int) -> ContactSurface:
    """For the MuJoCo adapter: a copy of the surface at an address of its library."""

class Skin:
    """Taxels on a body; ``taxel.Skin`` wraps it."""

    layout: dict[str, Any]
    count: int
    num_samples: int
    sample_points: Floats
    def read(
        self, surfaces: list[tuple[ContactSurface, bool]], X_WG: Any = None, forces: bool = False
    ) -> dict[str, Any]: ...

class SignalChain:
    """From pressures to what a device says; ``taxel.SignalChain`` wraps it."""

    state_size: int
    def __init__(
        self,
        points: ArrayLike,
        normals: ArrayLike,
        axes: ArrayLike,
        areas: ArrayLike,
        rows: int,
        cols: int,
        wraps: bool,
        entries: list[tuple[str, str]],
        timestep: float,
        channel: int,
        signed_values: bool,
    ) -> None: ...
    def step(self, time: float, raw: Floats, state: Floats) -> Floats: ...

def make_skin(
    body: Body,
    entries: list[tuple[str, str]],
    where: str,
    weight: Callable[[float, float], float] | None,
    combine: Callable[[Floats, Floats], float] | None,
) -> Skin: ...

class BristlePad:
    def press(
        self,
        body: Body,
        X_WP: PoseLike | None,
        X_WB: PoseLike | None,
        velocity: ArrayLike,
        angular_velocity: ArrayLike,
        step: float,
    ) -> dict[str, Any]: ...
    def time(
        self,
        body: Body,
        X_WP: PoseLike | None,
        X_WB: PoseLike | None,
        velocity: ArrayLike,
        step: float,
        rounds: int,
        brute_force: bool,
    ) -> dict[str, Any]:
        """For benchmarks: seconds of a step, of its probes, and of the probes without the tree."""
    def reset(self) -> None: ...
    @property
    def layout(self) -> dict[str, Any]: ...

def make_bristle_pad(body: Body, entries: list[tuple[str, str]], where: str) -> BristlePad: ...
def description_keys() -> list[dict[str, Any]]:
    """The keys of a description: name, groups, range (or None), unit, allowed (for messages) and help."""

def make_layout(body: Body, entries: list[tuple[str, str]], where: str) -> dict[str, Any]: ...
def copy_layout(address: int) -> dict[str, Any]:
    """For the MuJoCo adapter: a copy of the layout at an address of its library."""

class LuGreParameters:
    """Friction of one bristle; ``taxel.LuGre`` wraps it."""

    def __init__(
        self,
        sigma0: float,
        sigma1: float,
        viscosity: float,
        static_friction: float,
        dynamic_friction: float,
        stribeck_speed: float,
        passive: bool,
    ) -> None: ...
    def run(self, velocity: Floats, load: Floats, dt: float, x: float, y: float) -> tuple[Floats, Floats]: ...
    def steady(self, speed: Floats, load: Floats) -> Floats: ...
    def active_above(self, load: float) -> float: ...

def bristle_stiffness(pressure: float, area: float, points: int, compression: float) -> float: ...
def bristle_damping(stiffness: float) -> float: ...
def bristle_stiffness_of_modulus(modulus: float, area: float, thickness: float) -> float: ...
def parse_sensor_xml(text: str, path: str) -> list[dict[str, Any]]: ...
def read_sensor_xml(path: str) -> list[dict[str, Any]]: ...
def bristle_step_advice(
    mass: float,
    points: int,
    stiffness: float,
    damping: float,
    sigma0: float,
    sigma1: float,
    viscosity: float,
    timestep: float,
) -> tuple[float, float, float, float, bool, str]:
    """(largest explicit step, good step, period, damping ratio, whether friction limits, the same in words)."""

class MarkerDistance:
    """``taxel.MarkerDistance`` extends it."""

    def __init__(self, shape: Any, kind: str, spacing: float, margin: float, origin: ArrayLike | None) -> None: ...
    def __call__(self, points: ArrayLike) -> Floats: ...

class MarkerField:
    """``taxel.MarkerField`` wraps it."""

    def step(self, X_PI: PoseLike, shift: PoseLike | None) -> Floats: ...
    def reset(self) -> None: ...
    def zero_tangential(self) -> None: ...
    def copy(self) -> MarkerField: ...
    def state(self) -> dict[str, Any]: ...
    def set_state(self, state: dict[str, Any]) -> None: ...
    @property
    def dilation(self) -> Floats: ...
    @property
    def shear(self) -> Floats: ...
    @property
    def points(self) -> Floats: ...
    @property
    def normals(self) -> Floats: ...

def make_marker_field(
    pad: Any,
    markers: ArrayLike,
    indenter: Any,
    points: ArrayLike | None,
    normals: ArrayLike | None,
    mode: str,
    radius: float,
    seed: int,
    values: dict[str, float],
) -> MarkerField: ...

class TaxelField:
    """Mode "taxel" of ``taxel.MarkerField``, which wraps it."""

    def step(self, X_PI: ArrayLike, shift: PoseLike | None, dt: float) -> Floats: ...
    def reset(self) -> None: ...
    def zero_tangential(self) -> None: ...
    def copy(self) -> TaxelField: ...
    def state(self) -> list[Any]: ...
    def set_state(self, objects: list[dict[str, Any]], late: ArrayLike) -> None: ...
    def set_marker_forces(self, on: bool) -> None: ...
    def parameters(self) -> dict[str, float]: ...
    def set_parameters(self, values: dict[str, float]) -> None: ...
    def points(self, object: int) -> Floats: ...
    def normals(self, object: int) -> Floats: ...
    def areas(self, object: int) -> Floats: ...
    def jacobian(self, path: ArrayLike) -> tuple[Floats, Floats]: ...
    def tape(self) -> TaxelTape: ...
    @property
    def dilation(self) -> Floats: ...
    @property
    def wrench(self) -> Floats: ...
    @property
    def contact_points(self) -> Floats: ...
    @property
    def contact_forces(self) -> Floats: ...
    @property
    def marker_forces(self) -> Floats: ...

class TaxelTape:
    def follow(self, path: ArrayLike, objects: int, markers: int) -> Floats: ...
    def backward(self, cotangents: ArrayLike, objects: int, markers: int) -> tuple[Floats, Floats]: ...

def make_taxel_field(
    pad: Any,
    markers: ArrayLike,
    indenters: list[Any],
    points: list[Any],
    normals: list[Any],
    areas: list[Any],
    radius: float,
    seed: int,
    substeps: int,
    values: dict[str, float],
) -> TaxelField: ...

class MarkerBatch:
    """``taxel.MarkerBatch`` on the CPU."""

    def step(
        self, X_PI: Floats, dt: float, shift: Floats | None, wrench: bool, forces: bool
    ) -> tuple[Floats, Floats | None, Floats | None]: ...
    def reset(self, mask: Any) -> None: ...
    def zero_tangential(self, mask: Any) -> None: ...
    def set_parameters(self, world: int, values: dict[str, float], taxel: bool) -> None: ...
    def tape(self, threads: int) -> MarkerBatchTape: ...

class MarkerBatchTape:
    def follow(self, X_PI: Floats) -> Floats: ...
    def backward(self, cotangents: Floats) -> tuple[Floats, Floats]: ...

def make_marker_batch(fields: list[Any], taxel: bool, worlds: int, fingers: int, threads: int) -> MarkerBatch: ...

class AttachedPoses: ...

def attach_poses(
    count: int, pads: list[int], pad_offsets: Floats, objects: list[int], object_offsets: Floats
) -> AttachedPoses: ...

class CudaMarkers:
    """``taxel.MarkerBatch`` on a GPU; arrays are addresses."""

    def step(
        self,
        attached: AttachedPoses | None,
        X_PI: int,
        position: int,
        rotation: int,
        shift: int,
        dt: float,
        displacement: int,
        wrench: int,
        forces: int,
        stream: int,
    ) -> None: ...
    def reset(self, mask: int, keep_normal: bool, stream: int) -> None: ...
    def set_parameters(self, rows: int, stream: int) -> None: ...
    def get_state(self, state: int, stream: int) -> None: ...
    def set_state(self, state: int, stream: int) -> None: ...
    def vjp(
        self,
        X_PI: int,
        state_before: int,
        displacement: int,
        wrench: int,
        stretch_after: int,
        pose_gradient: int,
        pose_before_gradient: int,
        stretch_gradient: int,
        parameter_gradient: int,
        stream: int,
    ) -> None: ...
    @property
    def state_size(self) -> int: ...
    @property
    def points(self) -> int: ...
    @property
    def first_parameters(self) -> list[float]: ...

def make_cuda_markers(fields: list[Any], taxel: bool, worlds: int, fingers: int) -> CudaMarkers: ...

class CudaMemory:
    def __init__(self, bytes: int) -> None: ...
    @property
    def address(self) -> int: ...

def cuda_clear(address: int, bytes: int, stream: int) -> None: ...
def cuda_copy(to: int, source: int, bytes: int, stream: int, wait: bool) -> None: ...
def cuda_view(address: int, shape: list[int], dtype: str, owner: Any) -> Any: ...
def read_dlpack(array: Any) -> tuple[int, list[int], int, int, list[int]]: ...
def why_no_cuda() -> str:
    """Empty where a GPU can be used."""

class Fots:
    """``taxel.Fots`` wraps it."""

    def step(self, X_PI: PoseLike, shift: ArrayLike | None) -> Floats: ...
    def reset(self) -> None: ...
    @property
    def markers(self) -> Floats: ...

def make_fots(
    markers: ArrayLike,
    object: Any,
    variant: str,
    pixel: float,
    center: ArrayLike | None,
    image_origin: ArrayLike,
    whole_pixels: bool,
    values: dict[str, float],
) -> Fots: ...

class TacSl:
    """``taxel.TacSL`` wraps it."""

    def read(
        self,
        X_WP: PoseLike,
        X_WI: PoseLike,
        pad_v: ArrayLike,
        pad_w: ArrayLike,
        object_v: ArrayLike,
        object_w: ArrayLike,
    ) -> tuple[Floats, Floats, Floats, Floats]: ...
    @property
    def points(self) -> Floats: ...

def make_tacsl(points: ArrayLike, object: Any, kn: float, kt: float, mu: float, unit_shear: bool) -> TacSl: ...

class FotsBatch:
    """``taxel.FotsBatch`` on the CPU."""

    def step(self, X_PI: Floats, shift: Floats | None) -> Floats: ...
    def reset(self, mask: Any) -> None: ...
    def set_parameters(self, world: int, values: dict[str, float]) -> None: ...

def make_fots_batch(fots: Fots, worlds: int, fingers: int, threads: int) -> FotsBatch: ...

class TacSlBatch:
    """``taxel.TacSLBatch`` on the CPU."""

    def __init__(self, tacsl: TacSl, worlds: int, fingers: int, threads: int) -> None: ...
    def step(self, X_PI: Floats, velocity: Floats | None, dt: float) -> tuple[Floats, Floats, Floats]:
        """(depth, normal, shear)."""
    def reset(self, mask: Any) -> None: ...
    def set_parameters(self, world: int, values: dict[str, float]) -> None: ...

class CudaBaselines:
    """``taxel.FotsBatch`` and ``taxel.TacSLBatch`` on a GPU; arrays are addresses."""

    def __init__(self, model: Fots | TacSl, worlds: int, fingers: int) -> None: ...
    def step_fots(
        self,
        attached: AttachedPoses | None,
        X_PI: int,
        position: int,
        rotation: int,
        shift: int,
        displacement: int,
        stream: int,
    ) -> None: ...
    def step_tacsl(
        self,
        attached: AttachedPoses | None,
        X_PI: int,
        position: int,
        rotation: int,
        velocity: int,
        dt: float,
        depth: int,
        normal: int,
        shear: int,
        stream: int,
    ) -> None: ...
    def reset(self, mask: int, stream: int) -> None: ...
    def set_parameters(self, rows: int, stream: int) -> None: ...
    @property
    def first_parameters(self) -> list[float]: ...

Pixels: TypeAlias = NDArray[np.float32]

def press_skin(
    penetration: Pixels, pixel: float, skin: str, decay_length: float, windows: list[int], contact_share: float
) -> Pixels: ...
def ball_press(
    ball_radius: float, contact_radius: float, decay_length: float, radii: Floats
) -> tuple[Floats, Floats, float]:
    """(height, slope, depth): the gel about a ball at distances from its axis, and how deep the ball is."""

def look_up_colours(table: Pixels, samples: Pixels) -> Pixels:
    """(N, 3) at samples (N, 4): nx, ny, x, y."""

class PhotometricFit:
    def __init__(self, nodes: int) -> None: ...
    def add(self, samples: Pixels) -> None:
        """Samples (N, 8): nx, ny, x, y, red, green, blue, weight."""
    def coverage(self) -> Floats: ...
    def solve(self, smoothing: float, ridge: float) -> Pixels: ...

def shadow_share(height: Pixels, pixel: float, azimuth: float, slope: float, softness: float) -> Pixels: ...

class TactileCamera:
    def __init__(self, background: Pixels, pixel: float, table: Pixels, lights: list[list[float]]) -> None: ...
    def render(self, height: Pixels, shadows: bool) -> Pixels: ...

def draw_markers(image: Pixels, places: Floats, radius: float, brightness: float) -> Pixels: ...
def to_bytes(values: Pixels) -> NDArray[np.uint8]: ...
def to_grey(image: Pixels) -> Pixels: ...
def depth_image(
    height: Pixels,
    pixel: float,
    rows: int,
    cols: int,
    distance: float,
    half_height: float,
    half_width: float,
    near: float,
) -> Pixels: ...

class GreyBatch:
    """``taxel.image.ImageBatch`` on the CPU."""

    def render(self, X_PI: Floats, bytes: bool, depth: bool) -> tuple[NDArray[Any], Pixels | None]: ...

def make_grey_batch(
    camera: TactileCamera,
    object: Any,
    worlds: int,
    fingers: int,
    threads: int,
    center: ArrayLike,
    right: list[float],
    down: list[float],
    max_depth: float,
    membrane: bool,
    decay_length: float,
    sweeps: int,
) -> GreyBatch: ...

class CudaImages:
    """``taxel.image.ImageBatch`` on a GPU; arrays are addresses."""

    def render(
        self,
        attached: AttachedPoses | None,
        X_PI: int,
        position: int,
        rotation: int,
        grey: int,
        bytes: int,
        depth: int,
        stream: int,
    ) -> None: ...

def make_cuda_images(
    camera: TactileCamera,
    object: Any,
    worlds: int,
    fingers: int,
    center: ArrayLike,
    right: list[float],
    down: list[float],
    max_depth: float,
    membrane: bool,
    decay_length: float,
    sweeps: int,
) -> CudaImages: ...
