"""uSkin, AnySkin, FlexiTac and TacTip: what they read against loads that are known.

- load        every taxel's force, summed, is the load
- shear       a block pushed sideways by a known force: the two tangential axes sum to it, with its sign
- dipoles     the field of one against the textbook, of a lattice against that of a magnetised block, of a press and a
              slide against what one would draw
- places      127 pins at 2.4 mm, the rim of the uSkin, 8 bit codes
"""

import mujoco
import numpy as np
import pytest

import taxel
from taxel.press import press
from taxel.sensors import Magnetometers, dipole_field
from taxel.sensors._tactip import RADIUS, SPACING, TOP, pin_places
from taxel.sensors.magnetometers import MU0


@pytest.mark.parametrize(
    ("name", "thing", "force", "offset"),
    [
        ("uskin", "sphere:0.01", 3.0, (0.0031, -0.0017)),
        ("uskin", "sphere:0.004", 0.7, (0.0115, 0.012)),  # in the corner, beyond the outer taxels
        ("anyskin", "sphere:0.006", 2.0, (0.003, 0.002)),
        ("flexitac", "cylinder:0.01,0.03", 5.0, (0.007, 0.001)),
        ("tactip", "sphere:0.012", 2.0, (0.004, -0.003)),
        ("tactip", "box:0.06,0.06,0.01", 4.0, (0.0, 0.0)),
    ],
)
def test_the_taxels_sum_to_the_load(name, thing, force, offset):
    described = taxel.sensors.catalogue()[name]()
    result = press(described, thing, force=force, offset=offset)
    assert result.force == pytest.approx(force, rel=1e-5)
    assert result.taxel_force == pytest.approx(force, rel=1e-5)
    if described.unit == "N" and name == "uskin":
        assert result.image.sum() == pytest.approx(force, rel=1e-5)
    assert result.depth < 0.6 * described.layer_thickness if described.layer_thickness else result.depth < 0.004


def pushed(name: str, push: tuple[float, float], weight: float = 3.0) -> tuple[taxel.sensors.TactileSensor, object]:
    """The sensor and its reading under a block of a weight (N) that is pushed along x and y, and holds."""
    described = taxel.sensors.catalogue()[name]()
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    described.add_to(spec)
    body = spec.worldbody.add_body(name="block", pos=(0.002, -0.001, described.bounds[1, 2] + 0.005))
    body.add_freejoint()
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.006, 0.006, 0.005), mass=weight / 9.81, friction=(1.0, 0.005, 1e-4)
    )
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=150)
    # At the height of the contact: pushed at its middle the block would tilt, and lean on its edge.
    data.xfrc_applied[model.body("block").id] = (*push, 0, 0.005 * push[1], -0.005 * push[0], 0)
    mujoco.mj_step(model, data, nstep=1000)
    assert np.abs(data.qvel[:3]).max() < 1e-6
    return described, taxel.Sensor(model, name).read(data)


def test_three_axes_of_the_uskin_follow_a_known_shear():
    described, felt = pushed("uskin", (0.6, -0.35))
    assert felt.values.sum() == pytest.approx(3.0, rel=1e-6)
    np.testing.assert_allclose(felt.shear.reshape(2, -1).sum(axis=1), (0.6, -0.35), rtol=1e-5)
    image = described.image(felt.values)
    assert image.shape == (4, 4) and (image[:, 0] == 0).all()  # the block lies at +x, a little low
    assert image[0].sum() > 3 * image[3].sum() > 0


def test_shear_of_the_anyskin_moves_its_field():
    described, felt = pushed("anyskin", (0.8, 0.0))
    chips = Magnetometers(described)
    still = chips.change(felt.values, np.zeros_like(felt.shear))
    moved = chips.read(felt)
    assert np.abs(moved - still).max() > 20  # uT
    np.testing.assert_allclose(
        chips.change(felt.values, -felt.shear) - still, still - moved, atol=0.25 * np.abs(moved - still).max()
    )


# --- dipoles ---


def test_one_dipole_is_the_textbook_s():
    m, r = 0.02, 0.013
    along, across = dipole_field([(0, 0, r), (r, 0, 0)], (0, 0, 0), (0, 0, m))
    np.testing.assert_allclose(along, (0, 0, MU0 * m / (2 * np.pi * r**3)), rtol=1e-12)
    np.testing.assert_allclose(across, (0, 0, -MU0 * m / (4 * np.pi * r**3)), rtol=1e-12)
    # Turned and moved as one, the field turns along.
    R = taxel.pose(rpy=(0.3, -0.7, 1.1))[:3, :3]
    place, moment, point = np.array([0.01, -0.02, 0.004]), np.array([0.1, 0.3, -0.2]), np.array([0.03, 0.01, 0.02])
    once = dipole_field(point, place, moment)[0]
    np.testing.assert_allclose(dipole_field(R @ point, R @ place, R @ moment)[0], R @ once, rtol=1e-12)
    with pytest.raises(taxel.Error, match="point 1 lies on a dipole"):
        dipole_field([(0, 0, 1), (0, 0, 0)], (0, 0, 0), (0, 0, 1))


def block_on_axis(remanence: float, length: float, width: float, depth: float, away: float) -> float:
    """Field of a block magnetised through its depth, on its axis at a distance from its face: closed form."""

    def part(z: float) -> float:
        return np.arctan(length * width / (2 * z * np.sqrt(4 * z * z + length**2 + width**2)))

    return remanence / np.pi * (part(away) - part(away + depth))


@pytest.mark.parametrize("away", [1.0e-3, 2.5e-3, 8e-3])
def test_a_lattice_of_dipoles_is_a_magnetised_block(away):
    skin = taxel.sensors.anyskin()
    exact = 1e6 * block_on_axis(0.119, 20e-3, 20e-3, 2e-3, away)
    errors = [
        abs(Magnetometers(skin, chips=[(0, 0, -1e-3 - away)], finer=n, layers=n).at_rest[0, 2] - exact) for n in (2, 4)
    ]
    assert errors[1] < 2e-3 * abs(exact)
    rest = Magnetometers(skin, chips=[(0, 0, -1e-3 - away)]).at_rest
    np.testing.assert_allclose(rest[0, :2], 0, atol=1e-6 * abs(exact))


def test_a_uniform_press_is_a_thinner_block():
    """All of the skin down by a third: the same moment in two thirds of the height, so 3/2 of the remanence."""
    skin = taxel.sensors.anyskin()
    chips = Magnetometers(skin, chips=[(0, 0, -2e-3)], layers=6)
    pressure = np.full((10, 10), 5e5 / 3)
    change = chips.change(pressure, np.zeros((2, 10, 10)))[0, 2]
    thin = 1e6 * block_on_axis(1.5 * 0.119, 20e-3, 20e-3, 2e-3 * 2 / 3, 1e-3)
    exact = thin - 1e6 * block_on_axis(0.119, 20e-3, 20e-3, 2e-3, 1e-3)
    assert change == pytest.approx(exact, rel=0.03)


def test_symmetric_presses_give_mirrored_fields():
    chips = Magnetometers(taxel.sensors.anyskin())
    pressure = np.zeros((10, 10))
    pressure[3:6, 6:9] = 1e5
    here = chips.change(pressure, np.zeros((2, 10, 10)))
    there = chips.change(pressure[:, ::-1], np.zeros((2, 10, 10)))
    order = [0, 2, 1, 3, 4]  # left and right change places
    np.testing.assert_allclose(there[order] * (-1, 1, 1), here, atol=1e-6 * np.abs(here).max())
    assert np.abs(chips.change(np.zeros((10, 10)), np.zeros((2, 10, 10)))).max() == 0
    assert np.abs(here[2]).max() > 3 * np.abs(here[1]).max()  # the chip that is nearer feels more


def test_a_press_is_capped_at_the_plate():
    chips = Magnetometers(taxel.sensors.anyskin())
    flat = chips.deformed(np.full((10, 10), 1e9), np.zeros((2, 10, 10)))
    assert flat[..., 2].min() > -1e-3 and flat[..., 2].max() < -0.8e-3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"remanance": 1}, "no key 'remanance'; did you mean 'remanence'"),
        ({"chips": [(0, 0, 0.01)]}, "in the skin or above it"),
        ({"chips": [(0, 0)]}, "chips has the shape"),
        ({"remanence": -1}, "remanence is -1"),
        ({"shear_modulus": float("nan")}, "shear_modulus is nan"),
        ({"direction": (0, 0, 0)}, "direction is"),
        ({"finer": 0}, "finer is 0"),
        ({"layers": 1.5}, "layers is 1.5"),
    ],
)
def test_wrong_magnetometers_are_refused(change, words):
    with pytest.raises(taxel.Error, match=words):
        Magnetometers(taxel.sensors.anyskin(), **change)


def test_skins_that_cannot_be_magnetic_are_refused():
    keys = {"chips": [(0, 0, -0.1)], "remanence": 0.1, "shear_modulus": 1e5}
    with pytest.raises(taxel.Error, match="weiss: the sensor is not magnetic; anyskin is"):
        Magnetometers(taxel.sensors.weiss())
    assert Magnetometers(taxel.sensors.weiss(), **keys).at_rest.shape == (1, 3)
    with pytest.raises(taxel.Error, match="a box with a pressure field and a grid"):
        Magnetometers(taxel.sensors.digit(), **keys)
    with pytest.raises(taxel.Error, match="pressures in Pa, not N"):
        Magnetometers(taxel.sensors.anyskin(aggregate="force"))
    with pytest.raises(taxel.Error, match="pitch, center and face"):
        Magnetometers(taxel.sensors.anyskin(pitch=1e-3))
    chips = Magnetometers(taxel.sensors.anyskin())
    with pytest.raises(taxel.Error, match=r"pressure has the shape \(4, 4\)"):
        chips.change(np.zeros((4, 4)), np.zeros((2, 10, 10)))
    plain = press("pad", "sphere", force=1)
    with pytest.raises(TypeError, match="reading is of type Press; give what"):
        chips.read(plain)


def test_a_reading_without_shear_is_refused():
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    taxel.sensors.anyskin(output="pressure").add_to(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with pytest.raises(taxel.Error, match="no shear"):
        Magnetometers(taxel.sensors.anyskin()).read(taxel.Sensor(model, "anyskin").read(data))


# --- places and numbers ---


def test_the_tactip_has_127_pins_on_its_dome():
    pins = pin_places()
    assert len(pins) == 127 and len(np.unique(pins, axis=0)) == 127
    middle = np.array([0, 0, TOP - RADIUS])
    np.testing.assert_allclose(np.linalg.norm(pins - middle, axis=1), RADIUS, atol=1e-7)
    gaps = np.linalg.norm(pins[:, None] - pins[None], axis=2) + np.eye(127)
    assert gaps.min() > 0.85 * SPACING and gaps.min(axis=1).max() < 1.01 * SPACING
    vertices, triangles = taxel.sensors.tactip().geom.mesh_arrays()
    assert np.abs(taxel.signed_distance((vertices, triangles), pins)).max() < 1e-4  # its facets


def test_pins_of_the_tactip_move_as_markers():
    tip = taxel.sensors.tactip(model="marker", modulus=1e5, friction=1.0)
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    name = tip.add_to(spec)
    ball = spec.worldbody.add_body(name="ball", mocap=True, pos=(0, 0, TOP + 0.0121))
    ball.add_geom(name="ball", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(0.012, 0, 0))
    model = spec.compile()
    data = mujoco.MjData(model)
    sensor = taxel.MarkerSensor(model, name)
    assert sensor.shape == (127,)
    for k in range(30):
        data.mocap_pos[0] = (4e-5 * max(0, k - 20), 0, TOP + 0.0121 - 8e-5 * min(k, 20))
        mujoco.mj_step(model, data)
    px = sensor(data)
    inner, outer = (
        np.linalg.norm(sensor.markers[:, :2], axis=1) < 3e-3,
        np.linalg.norm(sensor.markers[:, :2], axis=1) > 11e-3,
    )
    assert px[inner, 0].mean() > 1.0  # dragged along x, px of 0.1 mm
    assert np.abs(px[outer]).max() < 0.5 * np.abs(px[inner]).max()


def test_the_flexitac_sends_bytes():
    result = press(taxel.sensors.flexitac(electronics=True), "sphere:0.01", force=3)
    assert result.image.shape == (12, 32) and (result.no_load == 0).all()
    assert 20 < result.image.max() <= 255 and result.image.max() == round(result.image.max())
    assert result.taxel_force == pytest.approx(3, rel=1e-4)


@pytest.mark.parametrize("name", ["uskin", "anyskin", "flexitac"])
def test_as_bristles_they_carry_the_same_load(name):
    grid = {"points": None, "normals": None, "shape": (4, 4)} if name == "uskin" else {}
    result = press(
        taxel.sensors.catalogue()[name](**grid, model="bristle"), "box:0.008,0.008,0.008", force=2, offset=(1e-3, 0)
    )
    assert result.taxel_force == pytest.approx(2, rel=1e-3)


def test_markers_and_pressure_of_the_tactip_carry_one_force():
    """Both take their stiffness from the same modulus: at one depth of one ball they agree to a tenth."""
    by_pressure = press("tactip", "sphere:0.012", force=2.0)
    tip = taxel.sensors.tactip(model="marker", output="displacement wrench")
    spec = mujoco.MjSpec()
    name = tip.add_to(spec)
    ball = spec.worldbody.add_body(name="ball", mocap=True, pos=(0, 0, TOP + 0.012 - by_pressure.depth))
    ball.add_geom(name="ball", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(0.012, 0, 0))
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    assert -taxel.MarkerSensor(model, name).wrench(data)[2] == pytest.approx(2.0, rel=0.12)


def test_magnetometers_of_what_is_no_sensor():
    for wrong in (None, "anyskin"):
        with pytest.raises(TypeError, match=f"Magnetometers: sensor is {wrong!r}.*; give one of the catalogue"):
            taxel.sensors.Magnetometers(wrong)
    with pytest.raises(TypeError, match=r"Magnetometers: reading is None; give what taxel\.Sensor\.read"):
        taxel.sensors.Magnetometers(taxel.sensors.anyskin()).read(None)
