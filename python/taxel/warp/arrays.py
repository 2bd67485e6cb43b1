"""What the kernels read and write: constants of a scene, and what lives in each world."""

import warp as wp

from .types import vec5, vec6


@wp.struct
class Columns:
    """Constants of the columns of all skins (contact/columns.h), each in its geom's frame."""

    p: wp.array(dtype=wp.vec3)
    d: wp.array(dtype=wp.vec3)
    u: wp.array(dtype=wp.vec3)
    v: wp.array(dtype=wp.vec3)
    length: wp.array(dtype=float)
    modulus: wp.array(dtype=float)
    """in that of its skin"""
    slope: wp.array(dtype=wp.vec2)
    sag: wp.array(dtype=float)
    ridge: wp.array(dtype=wp.vec3)
    tight: wp.array(dtype=float)
    corners: wp.array(dtype=int)
    s: wp.array(dtype=wp.vec4)
    t: wp.array(dtype=wp.vec4)
    spread_s: wp.array(dtype=wp.vec4)
    spread_t: wp.array(dtype=wp.vec4)
    mean_ss: wp.array(dtype=float)
    mean_tt: wp.array(dtype=float)
    radius: wp.array(dtype=float)


@wp.struct
class Pairs:
    """Constants of the pairs of geoms, and of their columns: those of pair p are first[p] .. first[p + 1]."""

    skin: wp.array(dtype=int)
    """geom with the columns"""
    other: wp.array(dtype=int)
    sign: wp.array(dtype=float)
    """+1 where the other is geom 2: normals point from geom 1 to geom 2"""
    kind: wp.array(dtype=int)
    """of the other: MuJoCo's geom type"""
    mesh: wp.array(dtype=wp.uint64)
    closed: wp.array(dtype=int)
    """the mesh has an inside"""
    reach: wp.array(dtype=float)
    """radius of the skin about its middle"""
    middle: wp.array(dtype=wp.vec3)
    exposed: wp.array(dtype=wp.vec3)
    """where all columns look, of a pad; zero where they stand all round"""
    first: wp.array(dtype=int)
    pair: wp.array(dtype=int)
    """of each column of a pair"""
    column: wp.array(dtype=int)
    half: wp.array(dtype=float)
    """half the side of its cell, about, m"""
    skin_index: wp.array(dtype=int)
    law: wp.array2d(dtype=wp.vec4)
    """u0, u1, slope, offset"""
    layers: wp.array(dtype=int)
    core: wp.array(dtype=float)
    core_pressure: wp.array(dtype=float)
    length: wp.array(dtype=float)
    give: wp.array(dtype=float)
    """the most that the other gives way, m; 0: it is rigid"""
    past: wp.array(dtype=float)
    """how far it may overlap with the bone by that, m"""
    dissipation: wp.array(dtype=float)
    """s/m; of bristles the damping of one, N s/m"""
    friction: wp.array(dtype=vec5)
    """static, dynamic, Stribeck speed, shear ratio, breakaway"""
    shear_damping: wp.array(dtype=float)
    bristled: wp.array(dtype=int)
    """-1: columns; else the number of the pair among those of bristles. Their law is a force over the penetration,
    their length that of a probe, their columns have a tip p and a direction d"""
    paper: wp.array(dtype=int)
    """LuGre as printed"""
    along_axis: wp.array(dtype=int)
    """1: springs of bristles are pressed along themselves, 0: along the normal of what they meet"""
    lugre: wp.array(dtype=wp.vec3)
    """sigma0, sigma1, viscosity"""
    follows: wp.array(dtype=int)
    """1: a layer's stiffness follows the size of the contact"""
    layers_of: wp.array2d(dtype=wp.vec4)
    """of the skin and of the other: Poisson's ratio, m where it is softest (0: it does not follow), length (m),
    stiffness (Pa/m; 0: rigid)"""


@wp.struct
class Touch:
    """Of each world and column of a pair: what it does now, in the world's frame."""

    force: wp.array2d(dtype=float)
    """elastic, N; 0: nothing"""
    p: wp.array2d(dtype=wp.vec3)
    n: wp.array2d(dtype=wp.vec3)
    stiffness: wp.array2d(dtype=float)
    slope: wp.array2d(dtype=wp.vec3)
    gap: wp.array2d(dtype=float)
    """how far the other may still go before the layer is flat, m"""
    bound: wp.array2d(dtype=float)
    """most friction, N"""
    normal: wp.array2d(dtype=float)
    """share of what the solver gave, N; of the last solved step"""
    rubbing: wp.array2d(dtype=wp.vec3)
    """the same of friction, on geom 2"""
    covered: wp.array2d(dtype=vec6)
    """area in contact and its moments in the column's axes: 1, s, t, ss, st, tt; where the pair follows its size"""
    # Memory, moved on once a step.
    stretch: wp.array2d(dtype=wp.vec3)
    """of the other relative to this column since it stuck, in the skin's frame, m"""
    last_normal: wp.array2d(dtype=float)
    last_elastic: wp.array2d(dtype=float)


@wp.struct
class Patch:
    """Of each world and pair."""

    near: wp.array2d(dtype=int)
    deepest: wp.array2d(dtype=float)
    linear: wp.array2d(dtype=wp.vec3)
    """velocity of geom 2 relative to geom 1 at ``at``"""
    angular: wp.array2d(dtype=wp.vec3)
    at: wp.array2d(dtype=wp.vec3)
    normal: wp.array2d(dtype=wp.vec3)
    axis_u: wp.array2d(dtype=wp.vec3)
    axis_v: wp.array2d(dtype=wp.vec3)
    center: wp.array2d(dtype=wp.vec3)
    """of pressure"""
    box: wp.array2d(dtype=wp.vec4)
    """u0, v0, u1, v1 about the centre"""
    force: wp.array2d(dtype=float)
    wrench: wp.array2d(dtype=wp.vec3)
    torque: wp.array2d(dtype=wp.vec3)
    """elastic, about the centre"""
    stiffness: wp.array2d(dtype=float)
    stiff_center: wp.array2d(dtype=wp.vec2)
    stiff_moments: wp.array2d(dtype=wp.vec3)
    """uu, uv, vv of the stiffness about it"""
    load_moments: wp.array2d(dtype=wp.vec3)
    """the same of the force about the centre"""
    arm: wp.array2d(dtype=float)
    """sum of force x distance from the centre"""
    expected: wp.array2d(dtype=wp.vec2)
    """normal over elastic force of the last step, and the factor that keeps their sum"""
    worst: wp.array2d(dtype=int)
    """column nearest to its core; -1: none"""
    reach: wp.array2d(dtype=float)
    energy: wp.array2d(dtype=float)
    budget: wp.array2d(dtype=float)
    known: wp.array2d(dtype=int)
    """the pair has a budget from the last step"""
    held: wp.array2d(dtype=int)
    spread: wp.array2d(dtype=wp.vec3)
    """c0, c1, c2: what acts over what is elastic, c0 + c1 u + c2 v"""
    solved: wp.array2d(dtype=wp.vec3)
    """normal force that acted on geom 2, and its torque"""
    solved_torque: wp.array2d(dtype=wp.vec3)
    friction: wp.array2d(dtype=wp.vec3)
    """that acted on geom 2"""
    contacts: wp.array2d(dtype=int)
    """how many it asks for"""


@wp.struct
class Blocks:
    """Of each world, pair and block."""

    force: wp.array3d(dtype=float)
    p: wp.array3d(dtype=wp.vec3)
    slip: wp.array3d(dtype=wp.vec3)
    n: wp.array3d(dtype=wp.vec3)
    stiffness: wp.array3d(dtype=float)
    slope: wp.array3d(dtype=wp.vec3)
    elastic: wp.array3d(dtype=float)
    """sum of the columns' forces"""
    shear: wp.array3d(dtype=float)
    """stiffness of friction"""
    stretch: wp.array3d(dtype=wp.vec3)
    bound: wp.array3d(dtype=float)
    core: wp.array3d(dtype=int)
    """column nearest to its core; -1: none within reach"""
    normal_contact: wp.array3d(dtype=int)
    tangent_contact: wp.array3d(dtype=int)
    core_contact: wp.array3d(dtype=int)
    normal_force: wp.array3d(dtype=float)
    friction: wp.array3d(dtype=wp.vec3)


@wp.struct
class Worlds:
    """Of each world."""

    time: wp.array(dtype=float)
    started: wp.array(dtype=int)
    moved: wp.array(dtype=int)
    """1: a step has passed since the last call; -1: time went back; 0: the same step again"""
    step: wp.array(dtype=int)
    """number of the step, from time 0"""
    count: wp.array(dtype=int)
    base: wp.array(dtype=int)
    overflow: wp.array(dtype=int)
    modulus: wp.array2d(dtype=float)
    """factor, by skin"""
    friction: wp.array2d(dtype=float)
    """factor, by pair"""
