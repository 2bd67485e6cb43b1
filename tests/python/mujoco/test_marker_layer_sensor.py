"""Marker sensors of mode "layer" in MuJoCo: memory in the saved state, forces, a domed gel, keys that do not fit."""

import mujoco
import numpy as np
import pytest

import taxel
from taxel.mujoco import compile_spec
from taxel.sensors import gelsight_mini

RADIUS, TOP = 0.006, 0.002
WORLD = (
    '<geom name="pad" type="box" size="0.010375 0.012625 0.002"/>'
    '<body name="ball" mocap="true" pos="0 0 0.1"><geom name="ball" type="sphere" size="0.006"/></body>'
    '<body name="cube" mocap="true" pos="1 0 0"><geom name="cube" type="box" size="0.003 0.004 0.003"/></body>'
    '<body name="floor" mocap="true" pos="0 0 -1"><geom name="floor" type="plane" size="1 1 1"/></body>'
    '<body name="slab" mocap="true" pos="0 0 -2"><geom name="slab" type="box" size="1 1 0.5"/></body>'
    '<body name="speck" mocap="true" pos="0 0 3"><geom name="speck" type="sphere" size="0.0003"/></body>'
)


def xml(**keys) -> str:
    keys = {"mode": "layer", "shape": "9 7", "pitch": "0.00184375", "output": "displacement wrench", **keys}
    config = "".join(f'<config key="{k}" value="{v}"/>' for k, v in keys.items())
    return (
        '<mujoco><extension><plugin plugin="taxel.markers"/></extension><worldbody>'
        f'{WORLD}</worldbody><sensor><plugin name="gel" plugin="taxel.markers" objtype="geom" objname="pad">{config}'
        "</plugin></sensor></mujoco>"
    )


def press(model, data, count: int = 12, aside: float = 3e-4) -> None:
    for s in np.linspace(0, 1, count):
        data.mocap_pos[0] = (aside * max(2 * s - 1, 0), 0, TOP + RADIUS + 1e-4 - 7e-4 * min(2 * s, 1))
        mujoco.mj_step(model, data)


def test_material_and_wrench_are_those_of_a_field():
    keys = {"friction": 0.9, "young": 1e5, "poisson": 0.4, "thickness": 0.003, "cell": 0.0008}
    model = taxel.load_model(xml(objects="ball", **keys))
    data, sensor = mujoco.MjData(model), taxel.MarkerSensor(model, "gel")
    mini = taxel.gelsight_mini_markers(dome=False)
    keys["pitch"] = keys.pop("cell")
    field = taxel.MarkerField(mini.pad, mini.markers, taxel.Body.sphere(RADIUS), mode="layer", **keys)
    for s in np.linspace(0, 1, 12):
        data.mocap_pos[0] = place = (2e-4 * s, 1e-4 * s, TOP + RADIUS + 1e-4 - 6e-4 * s)
        mujoco.mj_step(model, data)
        moved = field.step(taxel.pose(place))
    np.testing.assert_allclose(sensor(data).reshape(-1, 3), moved, atol=1e-9)
    np.testing.assert_allclose(sensor.wrench(data), field.wrench, atol=1e-9)
    assert field.wrench[2] < -0.1


def test_a_restored_state_has_the_same_future():
    model = taxel.load_model(xml(objects="ball cube"))
    data, sensor = mujoco.MjData(model), taxel.MarkerSensor(model, "gel")
    press(model, data, aside=1e-4)
    kind = mujoco.mjtState.mjSTATE_INTEGRATION
    state = np.empty(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, state, kind)
    other = mujoco.MjData(model)
    mujoco.mj_setState(model, other, state, kind)
    for d in (data, other):
        d.mocap_pos[0] = (2e-4, 1e-4, TOP + RADIUS - 6e-4)
        mujoco.mj_step(model, d)
    assert np.array_equal(sensor(data), sensor(other))
    assert np.abs(sensor(data)).max() > 0.5
    mujoco.mj_resetData(model, data)
    mujoco.mj_step(model, data)
    assert not sensor(data).any()


def test_two_geoms_press_at_once():
    """Each into a gel of its own: far apart that is the sum of the two."""
    model = taxel.load_model(xml(objects="ball cube"))
    found = []
    for ball, cube in ((True, False), (False, True), (True, True)):
        data, sensor = mujoco.MjData(model), taxel.MarkerSensor(model, "gel")
        for depth in np.linspace(-1e-4, 4e-4, 6):
            data.mocap_pos[0] = (0, -7e-3, (TOP if ball else 1) + RADIUS - depth)
            data.mocap_pos[1] = (0, 7e-3, (TOP if cube else 1) + 3e-3 - depth)
            mujoco.mj_step(model, data)
        found.append(np.concatenate([sensor(data).ravel(), sensor.wrench(data)]))
    np.testing.assert_allclose(found[0] + found[1], found[2], atol=1e-9)
    assert found[0][-4] < -0.1 and found[1][-4] < -0.1


def test_a_tilted_plane_presses_as_a_large_box():
    """Mode "layer" meets shapes along lines: neither a plane's nor a box's surface of 4 m2 has to be sampled."""
    model = taxel.load_model(xml(objects="floor slab"))
    floor, slab = (int(model.body(name).mocapid[0]) for name in ("floor", "slab"))
    tilt = taxel.pose(rpy=(np.pi + 0.02, -0.03, 0.4))[:3, :3]  # its normal points down, a little aslant
    found = []
    for which, inside in ((floor, 0.0), (slab, 0.5)):
        data, sensor = mujoco.MjData(model), taxel.MarkerSensor(model, "gel")
        for depth in (-2e-2, -1e-4, 1e-4, 3e-4):
            data.mocap_pos[which] = np.array([2e-3, 1e-3, TOP - depth]) - inside * tilt[:, 2]
            mujoco.mju_mat2Quat(data.mocap_quat[which], np.ascontiguousarray(tilt).ravel())
            mujoco.mj_step(model, data)
            if depth == -2e-2:
                assert not sensor(data).any()
        found.append(np.concatenate([sensor(data).ravel(), sensor.wrench(data)]))
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    assert found[0][-4] < -10 and np.abs(found[0][:-6]).max() > 0.1


def test_a_mini_of_the_catalogue_takes_the_mode():
    """The domed gel of the catalogue, by name of the mode; pressed in the middle it is near the flat gel."""
    sensor = gelsight_mini(model="marker", mode="layer", output="displacement wrench", objects="ball")
    spec = mujoco.MjSpec()
    name = sensor.add_to(spec)
    body = spec.worldbody.add_body(name="ball", mocap=True, pos=(0, 0, 0.1))
    body.add_geom(name="ball", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(RADIUS, 0, 0))
    model = compile_spec(spec)
    data, reading = mujoco.MjData(model), taxel.MarkerSensor(model, name)
    top = float(reading.markers.reshape(-1, 3)[:, 2].max())
    for depth in np.linspace(-1e-4, 5e-4, 7):
        data.mocap_pos[0] = (0, 0, top + RADIUS - depth)
        mujoco.mj_step(model, data)
    flat = taxel.gelsight_mini_markers(dome=False)
    keys = {**sensor.made_of.layer(), "friction": sensor.made_of.static_friction}
    field = taxel.MarkerField(flat.pad, flat.markers, taxel.Body.sphere(RADIUS), mode="layer", **keys)
    for depth in np.linspace(-1e-4, 5e-4, 7):
        field.step(taxel.pose((0, 0, TOP + RADIUS - depth)))
    assert reading.wrench(data)[2] == pytest.approx(field.wrench[2], rel=0.12)


@pytest.mark.parametrize(
    "keys, words",
    [
        ({"lambda_d": "100"}, "lambda_d belongs to another mode"),
        ({"poisson": "0.6"}, "poisson"),
        ({"thickness": "0"}, "thickness"),
        ({"cell": "1e-5"}, "pitch is 1e-05"),
        ({"point_radius": "1e-3"}, 'sensor .gel.: point_radius is of tracked points, and mode "layer" has none'),
        ({"point_seed": "3"}, "sensor .gel.: point_seed is of tracked points.*with cell"),
        (
            {"mode": "taxel", "objects": "floor"},
            'geom .floor. is a plane.*put a box in its place, or give mode="layer"',
        ),
        ({"mode": "taxel", "objects": "speck"}, "sensor .gel.: geom .speck.: .*spacing of 0.00075 m.*point_radius"),
        ({"mode": "taxel", "young": "1e5"}, "young"),
        ({"mode": "gel"}, "layer, taxel, paper or release"),
    ],
)
def test_keys_that_do_not_fit_are_named(keys, words):
    with pytest.raises(Exception, match=words):
        taxel.load_model(xml(**keys))
