"""Our rows among the contacts of mujoco_warp, and what the solver made of them."""

import warp as wp

from .arrays import Blocks, Columns, Pairs, Patch, Touch, Worlds
from .blocks import exit_stiffness
from .bristles import Glide
from .motion import tangential, velocity
from .patch import share_of
from .rows import Tangent, affine_row, core_row, implicitness, normal_row, tangent_row
from .types import vec5

CONSTRAINT = wp.constant(1)
"""mujoco_warp's ContactType.CONSTRAINT."""
KEPT = wp.constant(1.0e-20)
"""N: an adhesion that does nothing but keep a row which mujoco_warp would leave out, that of a core not yet reached."""


@wp.struct
class Contacts:
    """mujoco_warp's Data.contact."""

    dist: wp.array(dtype=float)
    pos: wp.array(dtype=wp.vec3)
    frame: wp.array(dtype=wp.mat33)
    includemargin: wp.array(dtype=float)
    friction: wp.array(dtype=vec5)
    solref: wp.array(dtype=wp.vec2)
    solreffriction: wp.array(dtype=wp.vec2)
    solimp: wp.array(dtype=vec5)
    dim: wp.array(dtype=int)
    geom: wp.array(dtype=wp.vec2i)
    flex: wp.array(dtype=wp.vec2i)
    elem: wp.array(dtype=wp.vec2i)
    vert: wp.array(dtype=wp.vec2i)
    efc_address: wp.array2d(dtype=int)
    worldid: wp.array(dtype=int)
    type: wp.array(dtype=int)
    geomcollisionid: wp.array(dtype=int)
    adhesion: wp.array(dtype=float)
    surfacevel: wp.array(dtype=wp.vec3)


@wp.kernel(enable_backward=False)
def take_out(
    pair_of: wp.array2d(dtype=int),
    geom_xmat: wp.array2d(dtype=wp.mat33),
    nacon: wp.array(dtype=int),
    pairs: Pairs,
    patch: Patch,
    contacts: Contacts,
):
    """The engine's own contacts of soft pairs make no rows, but on the sides and the back of a pad, where it has no
    columns: there it is hard."""
    i = wp.tid()
    if i >= nacon[0]:
        return
    g = contacts.geom[i]
    if g[0] < 0 or g[1] < 0:
        return
    pair = pair_of[g[0], g[1]]
    if pair < 0:
        return
    w = contacts.worldid[i]
    if patch.contacts[w, pair] == 0:
        exposed = geom_xmat[w, pairs.skin[pair]] * pairs.exposed[pair]
        out = pairs.sign[pair] * contacts.frame[i][0]
        if wp.length(exposed) > 0.5 and wp.dot(exposed, out) < 0.5:
            return
    contacts.type[i] = contacts.type[i] & ~CONSTRAINT


@wp.func
def frame_of(n: wp.vec3) -> wp.mat33:
    """Rows: n and two axes across it."""
    a = wp.vec3(0.0, 1.0, 0.0)
    if wp.abs(n[1]) > 0.5:
        a = wp.vec3(0.0, 0.0, 1.0)
    t1 = wp.normalize(a - wp.dot(a, n) * n)
    return wp.matrix_from_rows(n, t1, wp.cross(n, t1))


@wp.func
def put(contacts: Contacts, at: int, w: int, g1: int, g2: int, number: int, p: wp.vec3, imp: float, ref: wp.vec2):
    contacts.pos[at] = p
    contacts.includemargin[at] = 0.0
    contacts.solref[at] = ref
    contacts.solreffriction[at] = wp.vec2(0.0, 0.0)
    contacts.solimp[at] = vec5(imp, imp, 0.001, 0.5, 1.0)
    contacts.friction[at] = vec5(1.0, 1.0, 1.0, 1.0, 1.0)
    contacts.geom[at] = wp.vec2i(g1, g2)
    if contacts.flex.shape[0] > at:  # without a flex in the model these have no room
        contacts.flex[at] = wp.vec2i(-1, -1)
        contacts.elem[at] = wp.vec2i(-1, -1)
        contacts.vert[at] = wp.vec2i(-1, -1)
    contacts.worldid[at] = w
    contacts.type[at] = CONSTRAINT
    contacts.geomcollisionid[at] = number
    contacts.adhesion[at] = 0.0
    contacts.surfacevel[at] = wp.vec3(0.0, 0.0, 0.0)
    for k in range(contacts.efc_address.shape[1]):
        contacts.efc_address[at, k] = -1


@wp.func
def way_out(
    cols: Columns, pairs: Pairs, touch: Touch, geom_xmat: wp.array2d(dtype=wp.mat33), w: int, i: int
) -> wp.vec3:
    """Of a core: a bristle is flat along itself, whatever it has met."""
    pair = pairs.pair[i]
    if pairs.bristled[pair] >= 0:
        return pairs.sign[pair] * (geom_xmat[w, pairs.skin[pair]] * cols.d[pairs.column[i]])
    return touch.n[w, i]


@wp.func
def put_core(
    contacts: Contacts, touch: Touch, h: float, i: int, n: wp.vec3, at: int, w: int, g1: int, g2: int, number: int
):
    """The row of a core, in front of column i."""
    row = core_row(h, touch.gap[w, i])
    put(contacts, at, w, g1, g2, number, touch.p[w, i], row.imp, row.ref)
    contacts.frame[at] = frame_of(n)
    contacts.dist[at] = row.dist
    contacts.dim[at] = 1
    contacts.adhesion[at] = KEPT


@wp.func
def put_tangent(
    contacts: Contacts,
    tangent: Tangent,
    at: int,
    w: int,
    g1: int,
    g2: int,
    number: int,
    p: wp.vec3,
    t1: wp.vec3,
    t2: wp.vec3,
):
    put(contacts, at, w, g1, g2, number, p, tangent.imp, tangent.ref)
    contacts.frame[at] = wp.matrix_from_rows(wp.vec3(0.0, 0.0, 0.0), t1, t2)
    contacts.dist[at] = tangent.dist
    contacts.dim[at] = 3
    e = tangent.coefficient
    contacts.friction[at] = vec5(e, e * tangent.ratio, e, e, e)
    contacts.solreffriction[at] = tangent.ref_friction
    contacts.surfacevel[at] = wp.vec3(tangent.bias[0], tangent.bias[1], 0.0)


@wp.struct
class Placed:
    """A tangential row, where it acts and along which axes."""

    row: Tangent
    p: wp.vec3
    t1: wp.vec3
    t2: wp.vec3


@wp.func
def spring_friction(
    patch: Patch,
    blocks: Blocks,
    w: int,
    pair: int,
    b: int,
    h: float,
    mass: float,
    impratio: float,
    stiffness: float,
    damping: float,
    s: wp.vec3,
) -> Placed:
    """A stretched spring with a bound; where it slides, the torque of a spinning patch is kept."""
    out = Placed()
    F = frame_of(blocks.n[w, pair, b])
    out.p = blocks.p[w, pair, b]
    out.t1 = F[1]
    out.t2 = F[2]
    v = velocity(patch, w, pair, out.p)
    bound = blocks.bound[w, pair, b]
    stretch = wp.vec2(wp.dot(s, out.t1), wp.dot(s, out.t2))
    speed = wp.vec2(wp.dot(v, out.t1), wp.dot(v, out.t2))
    g = wp.max(damping, h * stiffness)
    if wp.length(stiffness * stretch + g * speed) > bound:
        out.p = blocks.slip[w, pair, b]
        v = velocity(patch, w, pair, out.p)
        speed = wp.vec2(wp.dot(v, out.t1), wp.dot(v, out.t2))
    out.row = tangent_row(h, mass, impratio, stiffness, damping, bound, stretch, speed)
    return out


@wp.func
def bristle_friction(
    patch: Patch,
    blocks: Blocks,
    glide: Glide,
    w: int,
    pair: int,
    k: int,
    b: int,
    h: float,
    mass: float,
    impratio: float,
) -> Placed:
    """mujoco/bristle_touch.cc, friction_rows.cc: affine in the velocity within the bound, a sliding spring beyond."""
    n = blocks.n[w, pair, b]
    p = blocks.p[w, pair, b]
    v = velocity(patch, w, pair, p)
    force = glide.force[w, k, b]
    damping = glide.damping[w, k, b]
    bound = blocks.bound[w, pair, b]
    if wp.length(force) >= bound:
        stiffness = wp.clamp(glide.stiffness[w, k, b], 1.0e-3 * damping / h, damping / h)
        s = (force - damping * tangential(v, n)) / stiffness
        return spring_friction(patch, blocks, w, pair, b, h, mass, impratio, stiffness, damping, s)
    out = Placed()
    along = tangential(glide.along[w, k, b], n)
    rises = glide.along_damping[w, k, b]
    if wp.length(along) > 0.5 and rises < 0.999 * damping:
        out.t1 = wp.normalize(along)
        out.t2 = wp.cross(n, out.t1)
    else:  # axes that do not turn with the noise of a body at rest
        F = frame_of(n)
        out.t1 = F[1]
        out.t2 = F[2]
    out.p = p + glide.sliding[w, k, b] * (blocks.slip[w, pair, b] - p)
    out.row = affine_row(
        h, mass, impratio, wp.vec2(rises, damping), bound,
        wp.vec2(wp.dot(force, out.t1), wp.dot(force, out.t2)), wp.vec2(wp.dot(v, out.t1), wp.dot(v, out.t2)),
    )  # fmt: skip
    return out


@wp.kernel(enable_backward=False)
def emit(
    num_blocks: int,
    naconmax: int,
    timestep: wp.array(dtype=float),
    impratio_invsqrt: wp.array(dtype=float),
    geom_bodyid: wp.array(dtype=int),
    body_invweight0: wp.array2d(dtype=wp.vec2),
    nacon: wp.array(dtype=int),
    geom_xmat: wp.array2d(dtype=wp.mat33),
    cols: Columns,
    pairs: Pairs,
    worlds: Worlds,
    patch: Patch,
    touch: Touch,
    blocks: Blocks,
    glide: Glide,
    contacts: Contacts,
):
    w, pair = wp.tid()
    wanted = patch.contacts[w, pair]
    if wanted == 0:
        return
    at = nacon[0] + worlds.base[w]
    for earlier in range(pair):
        at += patch.contacts[w, earlier]
    if at + wanted > naconmax:
        wp.atomic_add(worlds.overflow, 0, 1)
        # The places are counted all the same, and must not hold what another step left there.
        for place in range(at, naconmax):
            contacts.type[place] = 0
            contacts.worldid[place] = w
        return
    g1 = pairs.skin[pair]
    g2 = pairs.other[pair]
    if pairs.sign[pair] < 0.0:
        g1 = pairs.other[pair]
        g2 = pairs.skin[pair]
    h = timestep[w % timestep.shape[0]]
    number = int(0)
    if patch.force[w, pair] <= 0.0:
        for b in range(num_blocks):
            i = blocks.core[w, pair, b]
            if i >= 0:
                put_core(contacts, touch, h, i, way_out(cols, pairs, touch, geom_xmat, w, i), at, w, g1, g2, number)
                blocks.core_contact[w, pair, b] = at
                at += 1
                number += 1
        return
    impratio = impratio_invsqrt[w % impratio_invsqrt.shape[0]]
    impratio = 1.0 / (impratio * impratio)
    i = w % body_invweight0.shape[0]
    mass = body_invweight0[i, geom_bodyid[g1]][0] + body_invweight0[i, geom_bodyid[g2]][0]
    mass = wp.max(mass, 1.0e-15)
    theta = implicitness(h, patch.stiffness[w, pair], mass)
    steeper = 2.0 * theta - 1.0
    bristled = pairs.bristled[pair]
    for b in range(num_blocks):
        f = blocks.force[w, pair, b]
        if f > 0.0:
            p = blocks.p[w, pair, b]
            n = blocks.n[w, pair, b]
            v = velocity(patch, w, pair, p)
            own = blocks.stiffness[w, pair, b]
            k = own + steeper * wp.min(exit_stiffness(patch, blocks, w, pair, b), 3.0 * own)
            loss = pairs.dissipation[pair] * f
            if bristled >= 0:
                loss = glide.normal_damping[w, bristled, b]
            row = normal_row(
                h, mass, f, k, loss, theta,
                k / own * wp.dot(blocks.slope[w, pair, b], v), wp.dot(n, v),
            )  # fmt: skip
            put(contacts, at, w, g1, g2, number, p, row.imp, row.ref)
            F = frame_of(n)
            contacts.frame[at] = F
            contacts.dist[at] = row.dist
            contacts.dim[at] = 1
            blocks.normal_contact[w, pair, b] = at
            at += 1
            number += 1
            shear = blocks.shear[w, pair, b]
            if blocks.bound[w, pair, b] > 0.0 and shear > 0.0:
                placed = Placed()
                if bristled >= 0:
                    placed = bristle_friction(patch, blocks, glide, w, pair, bristled, b, h, mass, impratio)
                else:
                    placed = spring_friction(
                        patch, blocks, w, pair, b, h, mass, impratio, shear, pairs.shear_damping[pair] * shear,
                        blocks.stretch[w, pair, b],
                    )  # fmt: skip
                put_tangent(contacts, placed.row, at, w, g1, g2, number, placed.p, placed.t1, placed.t2)
                blocks.tangent_contact[w, pair, b] = at
                at += 1
                number += 1
            if blocks.core[w, pair, b] >= 0:
                i_core = blocks.core[w, pair, b]
                n_core = way_out(cols, pairs, touch, geom_xmat, w, i_core)
                put_core(contacts, touch, h, i_core, n_core, at, w, g1, g2, number)
                blocks.core_contact[w, pair, b] = at
                at += 1
                number += 1


@wp.kernel(enable_backward=False)
def close(nworld: int, worlds: Worlds, nacon: wp.array(dtype=int)):
    nacon[0] = nacon[0] + worlds.base[nworld - 1] + worlds.count[nworld - 1]


@wp.func
def row_of(contacts: Contacts, contact: int, worlds: Worlds) -> int:
    """The first row of a contact whose rows are all there; what did not fit into njmax is counted."""
    if contact < 0:
        return -1
    row = contacts.efc_address[contact, 0]
    last = contacts.efc_address[contact, contacts.dim[contact] - 1]
    if row < 0 or last < 0:
        if contacts.dist[contact] < 0.0:
            wp.atomic_add(worlds.overflow, 0, 1)
        return -1
    return row


@wp.kernel(enable_backward=False)
def read_rows(
    num_blocks: int,
    efc_force: wp.array2d(dtype=float),
    geom_xmat: wp.array2d(dtype=wp.mat33),
    cols: Columns,
    pairs: Pairs,
    worlds: Worlds,
    patch: Patch,
    touch: Touch,
    blocks: Blocks,
    contacts: Contacts,
):
    """After the solver: what each block held, and how what acts lies over the elastic pressure of the columns."""
    w, pair = wp.tid()
    if patch.contacts[w, pair] == 0:
        return
    c = patch.center[w, pair]
    if patch.force[w, pair] <= 0.0:
        c = touch.p[w, patch.worst[w, pair]]
        patch.center[w, pair] = c
    normal = wp.vec3(0.0, 0.0, 0.0)
    torque = wp.vec3(0.0, 0.0, 0.0)
    friction = wp.vec3(0.0, 0.0, 0.0)
    for b in range(num_blocks):
        held = float(0.0)
        rub = wp.vec3(0.0, 0.0, 0.0)
        n = blocks.n[w, pair, b]
        row = row_of(contacts, blocks.normal_contact[w, pair, b], worlds)
        if row >= 0:
            held = efc_force[w, row]
            normal += held * n
            torque += wp.cross(blocks.p[w, pair, b] - c, held * n)
        row = row_of(contacts, blocks.tangent_contact[w, pair, b], worlds)
        if row >= 0:
            F = contacts.frame[blocks.tangent_contact[w, pair, b]]
            rub = efc_force[w, row + 1] * F[1] + efc_force[w, row + 2] * F[2]
            friction += rub
        row = row_of(contacts, blocks.core_contact[w, pair, b], worlds)
        if row >= 0:
            f = efc_force[w, row]
            i = blocks.core[w, pair, b]
            if f > 0.0:
                out = way_out(cols, pairs, touch, geom_xmat, w, i)
                normal += f * out
                torque += wp.cross(touch.p[w, i] - c, f * out)
                if patch.force[w, pair] > 0.0:
                    held += f * wp.max(0.0, wp.dot(n, out))
        blocks.normal_force[w, pair, b] = held
        blocks.friction[w, pair, b] = rub
    patch.solved[w, pair] = normal
    patch.solved_torque[w, pair] = torque
    patch.friction[w, pair] = friction
    if patch.force[w, pair] <= 0.0:
        return
    # A factor that varies linearly over the contact and gives the normal force and the two tilting torques.
    m = patch.normal[w, pair]
    along = wp.dot(normal, m) / wp.length(patch.wrench[w, pair])
    L = patch.load_moments[w, pair]
    det = L[0] * L[2] - L[1] * L[1]
    tilt_u = float(0.0)
    tilt_v = float(0.0)
    if det > 1.0e-6 * L[0] * L[2]:
        more = torque - along * patch.torque[w, pair]
        mu = -wp.dot(more, patch.axis_v[w, pair])
        mv = wp.dot(more, patch.axis_u[w, pair])
        tilt_u = (L[2] * mu - L[1] * mv) / det
        tilt_v = (L[0] * mv - L[1] * mu) / det
        box = patch.box[w, pair]
        least = along + wp.min(tilt_u * box[0], tilt_u * box[2]) + wp.min(tilt_v * box[1], tilt_v * box[3])
        if least < 0.1 * along:
            tilt_u = 0.0
            tilt_v = 0.0
    patch.spread[w, pair] = wp.vec3(wp.max(along, 0.0), tilt_u, tilt_v)


@wp.kernel(enable_backward=False)
def share_rows(side: int, pairs: Pairs, patch: Patch, touch: Touch, blocks: Blocks):
    """What the blocks held goes to their columns by pressure: friction remembers it, and taxels feel it."""
    w, i = wp.tid()
    f = touch.force[w, i]
    if f <= 0.0:
        return
    pair = pairs.pair[i]
    normal = float(0.0)
    rub = wp.vec3(0.0, 0.0, 0.0)
    for b in range(side * side):
        part = f * share_of(pairs, patch, touch, w, pair, i, side, b)[0]
        if part > 0.0:
            part = part / blocks.elastic[w, pair, b]
            normal += part * blocks.normal_force[w, pair, b]
            rub += part * blocks.friction[w, pair, b]
    touch.normal[w, i] = normal
    touch.rubbing[w, i] = rub
