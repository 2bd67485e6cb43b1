"""Soft feet on height fields: the force of the same plane, of the same mesh, in every coupling."""

import mujoco
import numpy as np
import pytest

import taxel

TILT = (0.17, -0.11)  # slopes along x and y


def terrain(heights: np.ndarray, size=(0.4, 0.3), base=0.05):
    """(asset, geom) of a height field whose surface has these heights (rows along y), m."""
    lo, hi = heights.min(), heights.max()
    rows, cols = heights.shape
    data = " ".join(f"{x:.17g}" for x in ((heights[::-1] - lo) / (hi - lo)).ravel())  # MJCF lists the far row first
    asset = f'<hfield name="hills" nrow="{rows}" ncol="{cols}" size="{size[0]} {size[1]} {hi - lo:.17g} {base}"'
    return f'{asset} elevation="{data}"/>', f'<geom name="ground" type="hfield" hfield="hills" pos="0 0 {lo:.17g}"/>'


def grid(rows, cols, size=(0.4, 0.3)):
    return np.meshgrid(np.linspace(-size[0], size[0], cols), np.linspace(-size[1], size[1], rows))


def mesh_of(heights, size=(0.4, 0.3)):
    """The same triangles as a rigid mesh of ours."""
    rows, cols = heights.shape
    x, y = grid(rows, cols, size)
    vertices = np.stack([x, y, heights], axis=-1).reshape(-1, 3)
    at = np.arange(rows * cols).reshape(rows, cols)
    p00, p01, p10, p11 = at[:-1, :-1], at[:-1, 1:], at[1:, :-1], at[1:, 1:]
    triangles = np.concatenate(
        [np.stack([p00, p11, p10], -1).reshape(-1, 3), np.stack([p00, p01, p11], -1).reshape(-1, 3)]
    )
    return taxel.Body.mesh(vertices, triangles)


FEET = {
    "sphere": ('type="sphere" size="0.03"', lambda **k: taxel.Body.sphere(0.03, **k)),
    "capsule": ('type="capsule" size="0.02 0.03"', lambda **k: taxel.Body.capsule(0.02, 0.06, **k)),
    "box": ('type="box" size="0.03 0.02 0.015"', lambda **k: taxel.Body.box((0.06, 0.04, 0.03), **k)),
}


def model_of(heights, foot, pos, quat, extra="", pose="", **keys):
    asset, geom = terrain(heights)
    xml = f"""<mujoco><option cone="elliptic"/><asset>{asset}</asset><worldbody>
      {geom.replace("/>", pose + "/>")}
      <body name="foot" pos="{" ".join(map(str, pos))}" quat="{" ".join(map(str, quat))}"><freejoint/>
        <geom name="foot" {FEET[foot][0]} mass="0.4"/></body>{extra}</worldbody></mujoco>"""
    spec = mujoco.MjSpec.from_string(xml)
    taxel.soften(spec, "foot", **keys)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.mark.parametrize("foot", FEET)
def test_a_tilted_field_is_the_tilted_plane(foot):
    x, y = grid(9, 14)
    heights = TILT[0] * x + TILT[1] * y
    normal = np.array([-TILT[0], -TILT[1], 1]) / np.sqrt(1 + TILT[0] ** 2 + TILT[1] ** 2)
    quat = (0.95, 0.1, -0.05, 0.28)
    made = FEET[foot][1](modulus=1e5)
    # As deep as 2 mm of its size, away from the middle.
    X = taxel.pose((0, 0, 0), quat=quat)
    reach = -(np.asarray(made.surface()[0]) @ X[:3, :3].T @ normal).min()
    X[:3, 3] = np.array([0.11, -0.07, TILT[0] * 0.11 + TILT[1] * -0.07]) + (reach - 0.002) * normal
    turned = np.linalg.qr(np.column_stack([normal, [1, 0, 0], [0, 1, 0]]))[0]
    R = np.column_stack([turned[:, 1], np.cross(normal, turned[:, 1]), normal])
    half_space = taxel.contact(made, X, taxel.Body.half_space(), taxel.pose((0, 0, 0), R=R))
    flat = taxel.contact(made, X, mesh_of(heights), taxel.pose())
    model, data = model_of(heights, foot, X[:3, 3], quat, modulus=1e5, dissipation=0)
    (touch,) = taxel.Reader(model, scale="none")(data)
    assert touch.name1 == "ground"
    force = np.asarray(half_space.force_on_A)
    assert np.linalg.norm(force) > 0.1
    assert touch.force == pytest.approx(np.asarray(flat.force_on_A), rel=1e-5, abs=1e-5)
    assert touch.force == pytest.approx(force, rel=0.01, abs=0.01 * np.linalg.norm(force))


@pytest.mark.parametrize("foot", FEET)
def test_hills_are_the_mesh_of_their_triangles(foot):
    x, y = grid(41, 57)
    heights = 0.03 * np.sin(17 * x + 0.4) * np.cos(13 * y) + 0.01 * np.sin(50 * x * y)
    quat = (0.9, -0.2, 0.3, 0.1)
    asset_pose = ' quat="0.98 0.05 -0.03 0.1"'
    model, data = model_of(heights, foot, (0.06, 0.05, 0.05), quat, pose=asset_pose, modulus=1e5)
    ground = data.geom("ground")
    X_WG = taxel.pose(ground.xpos, R=ground.xmat.reshape(3, 3))
    X_WF = taxel.pose(data.geom("foot").xpos, R=data.geom("foot").xmat.reshape(3, 3))
    made, mesh = FEET[foot][1](modulus=1e5), mesh_of(heights - heights.min())
    deepest = 0.0
    for k, down in enumerate(np.linspace(0, 0.05, 6)):
        data.qpos[2] = 0.05 - down
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        X = X_WF.copy()
        X[2, 3] -= down
        expected = taxel.contact(made, X, mesh, X_WG)
        touches = taxel.Reader(model, scale="none")(data)
        force = touches[0].force if touches else np.zeros(3)
        assert force == pytest.approx(np.asarray(expected.force_on_A), rel=1e-4, abs=1e-4), k
        deepest = max(deepest, np.linalg.norm(force))
    assert deepest > 1


@pytest.mark.parametrize(("coupling", "step"), [("rows", 2e-3), ("explicit", 2e-4), ("sense", 2e-3)])
def test_a_foot_rests_on_hills(coupling, step):
    x, y = grid(61, 81)
    heights = 0.004 * np.cos(30 * x) * np.cos(25 * y)
    model, data = model_of(
        heights, "sphere", (0.01, 0.2, 0.033), (1, 0, 0, 0), modulus=2e5, friction=0.9, dissipation=5, coupling=coupling
    )
    model.opt.timestep = step
    data.qpos[:3] = (np.pi / 30, 0, 0.027)  # over the bottom of a hollow
    mujoco.mj_step(model, data, round(1.0 / step))
    assert np.abs(data.qvel[:3]).max() < 0.02
    assert taxel.wrench(model, data, "foot")[:3] == pytest.approx([0, 0, 0.4 * 9.81], abs=0.05)


def test_heights_may_change_and_fields_may_be_large():
    rng = np.random.default_rng(3)
    heights = 0.02 * rng.random((500, 500))
    model, data = model_of(heights, "box", (0.1, 0.02, 0.03), (1, 0, 0, 0), modulus=1e5, friction=0.8)
    mujoco.mj_step(model, data, 200)
    assert data.geom("foot").xpos[2] > 0.02
    model.hfield_data[:] = 0.5
    model.hfield_data[0] = 0
    mujoco.mj_step(model, data, 400)
    assert taxel.wrench(model, data, "foot")[2] == pytest.approx(0.4 * 9.81, rel=1e-3)
    assert data.geom("foot").xpos[2] == pytest.approx(
        data.geom("ground").xpos[2] + 0.5 * np.ptp(heights) + 0.0145, abs=6e-4
    )


def test_sides_and_base_push_outwards():
    heights = 0.02 * np.ones((5, 6))
    heights[0, 0] = 0
    for pos, axis, sign in [
        ((0.428, 0.02, 0), 0, 1),
        ((-0.428, 0.02, -0.01), 0, -1),
        ((0.1, 0.328, 0), 1, 1),
        ((0.1, -0.328, 0), 1, -1),
        ((0.1, 0.02, -0.078), 2, -1),
    ]:
        model, data = model_of(heights, "sphere", pos, (1, 0, 0, 0), modulus=1e5)
        (touch,) = taxel.Reader(model, scale="none")(data)
        force = touch.wrench_on("foot")[:3]
        assert sign * force[axis] > 0.5
        assert np.delete(force, axis) == pytest.approx([0, 0], abs=0.02)


def test_what_cannot_be_is_told():
    x, _ = grid(5, 6)
    asset, geom = terrain(0.1 * x)
    xml = f"""<mujoco><option cone="elliptic"/><asset>{asset}</asset><worldbody>{geom}
      <body pos="0 0 0.2"><freejoint/><geom name="foot" size="0.03"/></body></worldbody></mujoco>"""
    for name, keys, words in [
        ("ground", dict(modulus=1e5), "cannot be soft"),
        ("foot", dict(stiffness=100, depth=0.005, shape=(4, 6)), "bristles do not see height fields"),
    ]:
        spec = mujoco.MjSpec.from_string(xml)
        taxel.soften(spec, name, **keys)
        with pytest.raises(ValueError, match=words):
            spec.compile()
