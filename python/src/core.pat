# What nanobind cannot know when it writes _core.pyi: that an object is an array, and the arguments of functions that
# read theirs themselves. Words come from the bindings (\doc). A name that is not here gets the signature of the C++.

_core\.__prefix__$:
    from os import PathLike
    from typing import Any, Literal
    from numpy.typing import ArrayLike
    from typing_extensions import Unpack
    from .common.types import BodyOptions, Floats, Ints, Pixels, PoseLike, Progress
    __version__: str

_core\.(compiler|compiler_flags|mujoco_version)$:
    \1: str

_core\.Error$:
    class Error(ValueError):
        """Wrong input. The message names the element, the value, what is allowed and the way out."""

_core\.Body\.sphere$:
    @staticmethod
    def sphere(radius: float, modulus: float = 0.0, **options: Unpack[BodyOptions]) -> Body:
        \doc

_core\.Body\.box$:
    @staticmethod
    def box(size: ArrayLike, modulus: float = 0.0, **options: Unpack[BodyOptions]) -> Body:
        \doc

_core\.Body\.cylinder$:
    @staticmethod
    def cylinder(radius: float, length: float, modulus: float = 0.0, **options: Unpack[BodyOptions]) -> Body:
        \doc

_core\.Body\.capsule$:
    @staticmethod
    def capsule(radius: float, length: float, modulus: float = 0.0, **options: Unpack[BodyOptions]) -> Body:
        \doc

_core\.Body\.ellipsoid$:
    @staticmethod
    def ellipsoid(semi_axes: ArrayLike, modulus: float = 0.0, **options: Unpack[BodyOptions]) -> Body:
        \doc

_core\.Body\.half_space$:
    @staticmethod
    def half_space(modulus: float = 0.0, **options: Unpack[BodyOptions]) -> Body:
        \doc

_core\.Body\.mesh$:
    @staticmethod
    def mesh(vertices: ArrayLike, triangles: ArrayLike, modulus: float = 0.0, *, progress: Progress = None, **options: Unpack[BodyOptions]) -> Body:
        \doc

_core\.Body\.tets$:
    @staticmethod
    def tets(vertices: ArrayLike, tets: ArrayLike, modulus: float = 0.0, *, progress: Progress = None, **options: Unpack[BodyOptions]) -> Body:
        \doc

_core\.Body\.from_file$:
    @staticmethod
    def from_file(path: str | bytes | PathLike[str], scale: float = 1.0, modulus: float = 0.0, *, progress: Progress = None, **options: Unpack[BodyOptions]) -> Body:
        \doc

_core\.Body\.tet_mesh$:
    @property
    def tet_mesh(self) -> tuple[Floats, Ints] | None:
        \doc

_core\.Body\.vertex_pressures$:
    @property
    def vertex_pressures(self) -> Floats | None:
        \doc

_core\.Body\.surface$:
    def surface(self, half_space_size: float = 0.2) -> tuple[Floats, Ints]:
        \doc

_core\.Body\.pressure_at$:
    def pressure_at(self, points: ArrayLike) -> Floats:
        \doc

_core\.ContactSurface\.(face_start)$:
    @property
    def \1(self) -> Ints:
        \doc

_core\.ContactSurface\.(vertices|pressures|normals|areas|centroids|face_pressures|gradients_A|gradients_B|centroid|center_of_pressure|force_on_A|torque_on_A|force_on_B|torque_on_B)$:
    @property
    def \1(self) -> Floats:
        \doc

_core\.ContactSurface\.(wrench_on_A|wrench_on_B)$:
    def \1(self, point: ArrayLike) -> tuple[Floats, Floats]:
        \doc

_core\.ContactSurface\.triangles$:
    def triangles(self) -> Ints:
        \doc

_core\.contact$:
    def contact(A: Body, X_WA: PoseLike, B: Body, X_WB: PoseLike, *, faces: Literal["polygons", "triangles"] = "polygons", cull: bool = True, cull_angle: float = ..., resolution: float = 0.0, facets_across: int = ..., out: ContactSurface | None = None) -> ContactSurface:
        \doc

_core\.check_watertight$:
    def check_watertight(vertices: ArrayLike, triangles: ArrayLike) -> WatertightReport:
        \doc

_core\.read_mesh$:
    def read_mesh(path: str | bytes | PathLike[str], scale: float = 1.0) -> tuple[Floats, Ints]:
        \doc

_core\.signed_distance$:
    def signed_distance(shape: Body | tuple[ArrayLike, ArrayLike], points: ArrayLike) -> Floats:
        \doc

_core\.sample_surface$:
    def sample_surface(vertices: ArrayLike, triangles: ArrayLike, radius: float, seed: int = 0) -> tuple[Floats, Floats, Ints]:
        \doc

_core\.mesh_interior$:
    def mesh_interior(vertices: ArrayLike, triangles: ArrayLike, edge_length: float = 0.0, progress: Progress = None) -> tuple[Floats, Ints]:
        \doc

_core\.refine_for_depth$:
    def refine_for_depth(vertices: ArrayLike, tets: ArrayLike, progress: Progress = None) -> tuple[Floats, Ints]:
        \doc

# Arrays of what Python wraps.

_core\.Skin\.(sample_points)$:
    @property
    def \1(self) -> Floats: ...

_core\.MarkerField\.(dilation|shear|points|normals)$:
    @property
    def \1(self) -> Floats: ...

_core\.Fots\.(markers)$:
    @property
    def \1(self) -> Floats: ...

_core\.TacSl\.(points)$:
    @property
    def \1(self) -> Floats: ...

_core\.TaxelField\.(dilation|wrench|contact_points|contact_forces|marker_forces)$:
    @property
    def \1(self) -> Floats: ...

_core\.GelSolver\.(positions|velocities|deformations|momentum|skin_positions|skin_forces|poses|hand)$:
    @property
    def \1(self) -> Floats: ...

_core\.GelPads\.(loads|hand_loads|poses|hands)$:
    @property
    def \1(self) -> Floats: ...

_core\.EipPress\.(positions)$:
    @property
    def \1(self) -> Floats: ...

_core\.EipPress\.(layers)$:
    @property
    def \1(self) -> Ints: ...

_core\.(combine_dissipation|combine_friction|series_gradient|hunt_crossley_pressure|regularized_coulomb|stribeck_friction)$:
    def \1(*arrays: Floats) -> Floats: ...

_core\.SignalChain\.step$:
    def step(self, time: float, raw: Floats, state: Floats) -> Floats: ...

_core\.MarkerDistance\.__call__$:
    def __call__(self, points: ArrayLike) -> Floats: ...

_core\.(MarkerField|Fots)\.step$:
    def step(self, X_PI: PoseLike, shift: PoseLike | None) -> Floats: ...

_core\.TaxelField\.step$:
    def step(self, X_PI: PoseLike, shift: PoseLike | None, dt: float) -> Floats: ...

_core\.TaxelField\.(points|normals|areas)$:
    def \1(self, object: int, /) -> Floats: ...

_core\.TaxelTape\.follow$:
    def follow(self, path: ArrayLike, objects: int, markers: int) -> Floats: ...

_core\.gravity_of_field$:
    def gravity_of_field(field: object, mode: str, weight: Floats, center: Floats, opposed: bool, springs: tuple[float, float] | None) -> Floats: ...

_core\.MarkerBatch\.gravity_shift$:
    def gravity_shift(self, weight: Floats, center: Floats, opposed: bool, springs: tuple[float, float] | None) -> Floats: ...

_core\.MarkerBatch\.rollout$:
    def rollout(self, path: Floats, threads: int) -> tuple[Floats, MarkerRollout]: ...

_core\.FotsBatch\.step$:
    def step(self, X_PI: Floats, shift: Floats | None) -> Floats: ...

_core\.cuda_view$:
    def cuda_view(address: int, shape: Sequence[int], dtype: str, owner: Any) -> Any: ...

_core\.press_skin$:
    def press_skin(penetration: Pixels, pixel: float, skin: str, decay_length: float, windows: Sequence[int], contact_share: float) -> Pixels: ...

_core\.look_up_colours$:
    def look_up_colours(table: Pixels, samples: Pixels, /) -> Pixels: ...

_core\.TactileCamera\.render$:
    def render(self, height: Pixels, shadows: bool) -> Pixels: ...

_core\.EipPress\.layer_image$:
    def layer_image(self, pad: int, layer: int, /) -> Floats: ...

_core\.points_facing$:
    def points_facing(normals: ArrayLike, direction: ArrayLike, angle: float) -> Ints: ...

_core\.layers_of$:
    def layers_of(points: ArrayLike, outward: ArrayLike, count: int) -> Ints: ...

_core\.ContactGradient\.(wrench_on_A|by)$:
    @property
    def \1(self) -> Floats:
        \doc

_core\.ContactGradient\.has$:
    @property
    def has(self) -> list[bool]:
        \doc

_core\.ContactGradient\.taxels$:
    def taxels(self, skin: Skin) -> tuple[Floats, Floats]:
        \doc

_core\.contact_gradient$:
    def contact_gradient(A: Body, X_WA: PoseLike, B: Body, X_WB: PoseLike, *, faces: Literal["polygons", "triangles"] = "polygons", cull: bool = True, cull_angle: float = ..., resolution: float = 0.0, facets_across: int = ...) -> ContactGradient:
        \doc
