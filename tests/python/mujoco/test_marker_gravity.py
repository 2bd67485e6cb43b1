"""The gravity pass of marker sensors in MuJoCo: keys ``gravity`` and ``gravity_shift``.

- the motion is that of taxel.MarkerField.gravity_shift by mass, centre of mass and share, in every mode; a tilted pad
- the authors' fixed way; objects that something else holds, a world without gravity, weights that change
- several geoms of one body sag as one; nothing of it is remembered; wrong keys
"""

import mujoco
import numpy as np
import pytest

import taxel

MODES = ("layer", "taxel", "paper", "release")
GRID = {"shape": (9, 7), "pitch": 0.00184375}
G = np.array([0.3, -9.6, -1.5])
SHARE = 0.5


def world(objects: str, pad_angle: float = 20.0) -> str:
    return f"""<mujoco><option gravity="{G[0]} {G[1]} {G[2]}"/><worldbody>
      <geom name="pad" type="box" size="0.010375 0.012625 0.002" euler="0 {pad_angle} 0"/>{objects}
      </worldbody></mujoco>"""


# Its centre of mass lies beside the middle, so it also twists.
HELD = """<body name="held" mocap="true" pos="0 0 0.1"><geom name="ball" size="0.006" mass="0.02"/>
  <geom name="top" type="box" size="0.001 0.001 0.001" pos="0.002 0.001 0.004" mass="0.01" contype="0"
        conaffinity="0"/></body>"""


def opened(bodies: str, **keys):
    spec = mujoco.MjSpec.from_string(world(bodies))
    taxel.add_markers(spec, "pad", name="gel", **GRID, **keys)
    model = spec.compile()
    data = mujoco.MjData(model)
    return model, data, taxel.MarkerSensor(model, "gel")


def press(model, data, sensor, body: int = 0):
    """Poses of the body in the pad's frame on a way into the gel; what the sensor reads there."""
    mujoco.mj_kinematics(model, data)
    X_WP = sensor.pose(data)
    poses, pixels = [], []
    for depth, aside in ((-3e-4, 0), (0, 0), (2e-4, 0), (4e-4, 0), (6e-4, 1e-4)):
        data.mocap_pos[body] = X_WP[:3, 3] + X_WP[:3, :3] @ (1e-3 + aside, -2e-3, 8e-3 - depth)
        mujoco.mj_step(model, data)
        X_WI = np.eye(4)
        X_WI[:3, :3], X_WI[:3, 3] = data.xmat[1 + body].reshape(3, 3), data.xpos[1 + body]
        poses.append(np.linalg.inv(X_WP) @ X_WI)
        pixels.append(sensor(data).reshape(-1, 3))
    return X_WP, poses, pixels


def load(X_WP, X_PI, share=SHARE):
    """Of HELD: weight and centre in the pad's frame."""
    center = (0.02 * np.zeros(3) + 0.01 * np.array([0.002, 0.001, 0.004])) / 0.03
    return share * 0.03 * X_WP[:3, :3].T @ G, X_PI[:3, :3] @ center + X_PI[:3, 3]


def field_of(mode: str, **parameters):
    mini = taxel.gelsight_mini_markers(dome=False)
    pad = taxel.MarkerDistance(mini.pad, "nearest") if mode == "release" else mini.pad
    return taxel.MarkerField(pad, mini.markers, taxel.Body.sphere(6e-3), mode=mode, **parameters)


@pytest.mark.parametrize("mode", MODES)
def test_the_weight_moves_the_object_on_the_gel(mode):
    keys = {"mode": mode, "objects": "ball"} | ({"distance": "nearest"} if mode == "release" else {})
    model, data, sensor = opened(HELD, gravity=SHARE, **keys)
    X_WP, poses, pixels = press(model, data, sensor)
    field = field_of(mode)
    for X, seen in zip(poses, pixels, strict=True):
        plain = field.step(X)
        shift = field.gravity_shift(*load(X_WP, X), opposed=True)
        np.testing.assert_allclose(seen, field.step(X, shift), atol=2e-4 * max(np.abs(plain).max(), 0.1))
    assert np.abs(shift - np.eye(4)).max() > 2e-4 and np.abs(seen - plain).max() > 0.02 * np.abs(plain).max()
    still, quiet, same = opened(HELD, **keys)
    press(still, quiet, same)
    np.testing.assert_array_equal(data.plugin_state, quiet.plugin_state)  # nothing of it is remembered
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_GRAVITY
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(sensor(data), same.read(quiet).displacement, atol=1e-6)


def test_a_heavier_object_sags_further():
    model, data, sensor = opened(HELD, gravity=SHARE, mode="layer", objects="ball")
    press(model, data, sensor)
    mujoco.mj_forward(model, data)
    light = sensor(data)
    model.body_mass[1] *= 2
    mujoco.mj_forward(model, data)
    assert np.abs(sensor(data) - light).max() > 0.05


def test_the_authors_fixed_way():
    model, data, sensor = opened(HELD, gravity_shift=2.5e-4, mode="paper", objects="ball")
    X_WP, poses, pixels = press(model, data, sensor)
    field, along = field_of("paper"), 2.5e-4 * X_WP[:3, :3].T @ G / np.linalg.norm(G)
    for X, seen in zip(poses, pixels, strict=True):
        np.testing.assert_allclose(seen, field.step(X, along), atol=1e-9)


def test_only_what_hangs_on_the_gel_sags():
    """A link of a robot is held by something else."""
    held = '<body pos="0.001 0 0.0074">{}<geom name="ball" size="0.006"/></body>'
    link, free = held.format('<joint type="slide"/>'), held.format("<freejoint/>")
    for bodies, moves in ((link, False), (free, True)):
        read = []
        for share in (0.0, 1.0):
            model, data, sensor = opened(bodies, gravity=share, mode="layer", objects="ball")
            mujoco.mj_forward(model, data)
            read.append(sensor.read(data).displacement)
        assert np.abs(read[0]).max() > 0.1, "it touches"
        assert (np.abs(read[1] - read[0]).max() > 0.01) == moves


def test_geoms_of_one_body_sag_as_one():
    """A dumbbell: the shift is that of both patches together, as of a field with two objects."""
    ball = '<geom name="{}" size="0.005" pos="{} 0 {}" mass="0.05"/>'
    dumbbell = f'<body mocap="true">{ball.format("a", -0.004, 0.0002)}{ball.format("b", 0.004, 0)}</body>'
    model, data, sensor = opened(dumbbell, gravity=1.0, mode="taxel", objects=["a", "b"])
    mini, sphere = taxel.gelsight_mini_markers(dome=False), taxel.Body.sphere(5e-3)
    field = taxel.MarkerField(mini.pad, mini.markers, [sphere, sphere], mode="taxel")
    mujoco.mj_kinematics(model, data)
    X_WP = sensor.pose(data)
    mujoco.mju_mat2Quat(data.mocap_quat[0], X_WP[:3, :3].ravel())
    for z in (7.2e-3, 6.9e-3, 6.6e-3, 6.4e-3):
        data.mocap_pos[0] = X_WP[:3, :3] @ (0, 0, z)
        mujoco.mj_step(model, data)
        X = [taxel.pose((-4e-3, 0, z + 2e-4)), taxel.pose((4e-3, 0, z))]
        field.step(X)
        shift = field.gravity_shift(0.1 * X_WP[:3, :3].T @ G, (0, 0, z + 1e-4))
        wanted = field.step(X, shift)
        np.testing.assert_allclose(sensor(data).reshape(-1, 3), wanted, atol=1e-5)
    alone = [field.copy().step(X, taxel.pose(p)) for p in (shift[:3, 3], (0, 0, 0))]
    assert np.abs(alone[0] - wanted).max() > 0.1 and np.abs(alone[1] - wanted).max() > 0.1


def test_wrong_keys():
    for keys, words in (
        ({"gravity": 1.5}, "gravity"),
        ({"gravity": -0.1}, "part of an object's weight"),
        ({"gravity": 0.5, "gravity_shift": 1e-4}, "keep one"),
        ({"gravity_shift": 250}, "motion along gravity in m"),
    ):
        with pytest.raises(ValueError, match=words):
            opened(HELD, objects="ball", **keys)
