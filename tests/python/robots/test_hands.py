"""Hands covered in one call: the Shadow hand of gymnasium-robotics, a hand with the Allegro's names.

- side       which way fingers bend, from their joints
- Shadow     every colliding geom of the hand is covered or named; what lies in the hand weighs what it weighs
- Allegro    every link feels a press from its palmar side, in the middle of its image, and none from its back
- modules    uSkin on the phalanges, backs on the links
- wrong      no hand, two hands, a wrong prefix, sensors that are too long, wrong numbers
"""

import importlib.util
from pathlib import Path

import mujoco
import numpy as np
import pytest
from robots.allegro_like import allegro_like

import taxel
from taxel.robots import cover_allegro, cover_hand, cover_shadow
from taxel.robots.palmar import flexion_sign, nearest_face

GYM = importlib.util.find_spec("gymnasium_robotics")
needs_shadow = pytest.mark.skipif(GYM is None, reason="gymnasium-robotics is not installed (make fixtures)")


def shadow_spec() -> mujoco.MjSpec:
    folder = Path(next(iter(GYM.submodule_search_locations)))
    spec = mujoco.MjSpec.from_file(str(folder / "envs" / "assets" / "hand" / "manipulate_egg.xml"))
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    return spec


def allegro_spec(**options) -> mujoco.MjSpec:
    return mujoco.MjSpec.from_string(allegro_like(**options))


# --- side ---


def test_flexion_joints_are_lopsided():
    assert flexion_sign(0.0, 1.57) == 1 and flexion_sign(-1.57, 0.0) == -1 and flexion_sign(-0.196, 1.61) == 1
    assert flexion_sign(-0.47, 0.47) == 0 and flexion_sign(0.0, 0.3) == 0 and flexion_sign(-1.0, 1.1) == 0


def test_the_face_of_a_box_that_looks_somewhere():
    R = taxel.pose(rpy=(0.2, -0.1, np.pi / 2))[:3, :3]  # x of the box looks along y
    assert nearest_face(R, np.array([0.1, 0.9, 0.1]))[0] == "+x"
    face, normal = nearest_face(R, np.array([0.9, 0.1, 0.1]))
    assert face == "-y" and normal.tolist() == [0, -1, 0]


# --- Shadow ---


@needs_shadow
def test_shadow_hand_is_covered_and_weighs_what_it_holds():
    spec = shadow_spec()
    hand = [b for b in spec.bodies if b.name.startswith("robot0:") and b.name[7:] not in ("forearm", "wrist")]
    colliding = {g.name for b in hand for g in b.geoms if g.contype or g.conaffinity}
    cover = cover_shadow(spec)
    assert set(cover.sensors.values()) | set(cover.left_out) == colliding
    assert set(cover.left_out) == {"robot0:V_thbase", "robot0:V_thhub"}  # cubes of 2 mm
    assert len(cover.sensors) == 18 and {"palm", "palm_2", "ffdistal", "thproximal"} < set(cover.sensors)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=1200)
    total = np.zeros(3)
    for sensor in cover.open(model).values():
        felt = sensor.read(data)
        assert felt.missed < 1e-3 and felt.shear.shape == (2, *sensor.shape)
        total += sensor.pose(data)[:3, :3] @ felt.force
    weight = 9.81 * model.body("object").mass[0]
    assert total[2] == pytest.approx(-weight, rel=0.02) and np.abs(total[:2]).max() < 0.02 * weight


@needs_shadow
def test_shadow_palm_looks_to_where_the_fingers_bend():
    spec = shadow_spec()
    cover = cover_shadow(spec, palm=True, pitch=8e-3, output="pressure")
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    palm = taxel.Sensor(model, "palm")
    up = palm.pose(data)[:3, :3] @ palm.layout.normals[0]
    assert up[2] > 0.9  # in this model the hand lies on its back
    assert cover_shadow(shadow_spec(), palm=False).sensors.keys() == cover.sensors.keys() - {"palm", "palm_2"}


# --- Allegro ---


def poked(spec: mujoco.MjSpec, sensor: str, side: float) -> taxel.Reading:
    """The reading of a sensor when a ball presses 0.5 mm into its link, from outside along its palmar direction."""
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    felt = taxel.Sensor(model, sensor)
    X = felt.pose(data)
    out = X[:3, :3] @ felt.layout.normals.mean(axis=0)
    out = out / np.linalg.norm(out)
    middle = X[:3, :3] @ felt.layout.points.mean(axis=0) + X[:3, 3]
    back = middle - (0.0 if side > 0 else 2 * 0.0098) * out
    data.joint("ball").qpos[:3] = back + side * (0.004 - 0.0005) * out
    mujoco.mj_step(model, data, nstep=2)
    return felt.read(data)


def with_ball(spec: mujoco.MjSpec) -> mujoco.MjSpec:
    body = spec.worldbody.add_body(name="ball", pos=(0, 0, 1))
    body.add_freejoint(name="ball")
    body.add_geom(name="ball", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(0.004, 0, 0), mass=1.0)
    return spec


def test_every_link_of_an_allegro_feels_its_palmar_side():
    spec = with_ball(allegro_spec(mesh=True))
    cover = cover_allegro(spec)
    assert len(cover.sensors) == 21 and not cover.left_out
    assert {"palm", "ff_base", "ff_medial", "th_tip", "rf_distal"} < set(cover.sensors)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for name, way in (
        ("palm", 0),
        ("ff_base", 0),
        ("ff_medial", 0),
        ("mf_proximal", 0),
        ("rf_distal", 0),
        ("th_distal", 1),
    ):
        sensor = taxel.Sensor(model, name)
        normal = sensor.pose(data)[:3, :3] @ sensor.layout.normals[0]
        assert normal[way] > 0.99, name
        front = poked(spec, name, 1.0)
        assert front.load > 0.05 and front.missed < 0.02 * front.load, name
    assert poked(spec, "mf_proximal", -1.0).values.max() == 0


def test_uskin_modules_on_the_phalanges():
    spec = with_ball(allegro_spec())
    cover = cover_allegro(spec, sensor=taxel.sensors.uskin())
    modules = {name for name in cover.sensors if name.endswith("_module")}
    fingers = ("ff", "mf", "rf", "th")
    # Those that are 27 mm long, as a module is: not the base (16 mm), not the distal link (26.7 mm), not the tip.
    assert modules == {f"{finger}_{link}_module" for finger in fingers for link in ("proximal", "medial")}
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for name in ("ff_proximal_module", "mf_medial_module", "th_proximal_module"):
        link = model.body(name).parentid[0]
        out = data.geom(name).xmat.reshape(3, 3)[:, 2]
        behind = data.geom(name).xpos - 0.0015 * out
        assert (behind - data.xpos[link]) @ out == pytest.approx(0.0098, abs=1e-9)  # its back lies on the link
        assert out[0 if name[:2] != "th" else 1] > 0.99
    assert model.sensor("palm").dim[0] > 100  # the palm keeps its layer
    pairs = {(pair.bodyname1, pair.bodyname2) for pair in spec.excludes}
    assert {("palm", "ff_proximal"), ("palm", "ff_proximal_module")} <= pairs  # what the model keeps apart
    assert taxel.Sensor(model, "mf_medial_module").unit == "N"
    assert poked(spec, "mf_medial_module", 1.0).load > 0.05


def test_a_module_that_fits_nowhere_is_refused():
    with pytest.raises(taxel.Error, match=r"cover_allegro: myrmex is 80 mm long and fits on no link"):
        cover_allegro(allegro_spec(), sensor=taxel.sensors.myrmex())


def test_two_hands_are_told_apart():
    spec = allegro_spec(prefix="left_")
    other = allegro_spec(prefix="right_", at="0.5 0 0.1")
    spec.attach(other, frame=spec.worldbody.add_frame(pos=(0.5, 0, 0)), prefix="b/")
    with pytest.raises(taxel.Error, match=r"2 hands; cover each by itself: prefix= one of 'left_', 'b/right_'"):
        cover_allegro(spec)
    with pytest.raises(taxel.Error, match="no links of a hand begin with 'up_'; prefixes in the model: 'left_'"):
        cover_allegro(spec, prefix="up_")
    first = cover_allegro(spec, prefix="left_")
    second = cover_allegro(spec, prefix="b/right_")
    assert "left_ff_tip" in first.sensors and "b/right_ff_tip" in second.sensors
    assert len(taxel.sensor_names(spec.compile())) == 42


def test_models_without_a_hand_are_refused():
    bodies = "".join(f"<body name='{name}'><geom size='1'/></body>" for name in ("teeth", "palm", "cuff"))
    teeth = f"<mujoco><worldbody>{bodies}</worldbody></mujoco>"
    for cover in (cover_shadow, cover_allegro):
        with pytest.raises(taxel.Error, match="no links with the names of"):
            cover(mujoco.MjSpec.from_string(teeth))


@pytest.mark.parametrize(
    "wrong",
    [
        {"pitch": 0},
        {"thickness": -1},
        {"modulus": float("inf")},
        {"pitch": True},
        {"pitch": "a"},
        {"modulus": "x"},
        {"thickness": None},
    ],
)
def test_wrong_numbers_are_refused(wrong):
    with pytest.raises(taxel.Error, match=f"cover_allegro: {next(iter(wrong))} is"):
        cover_allegro(allegro_spec(), **wrong)


def test_a_wrong_key_is_refused_by_the_sensor():
    with pytest.raises(taxel.Error, match="no key 'outputt'"):
        cover_allegro(allegro_spec(), outputt="pressure")


def test_links_of_other_names_and_a_stiff_finger():
    """A finger without joints has no palmar side: its boxes are left out, and said so."""
    spec = mujoco.MjSpec.from_string(
        """<mujoco><option cone="elliptic"/><worldbody><body name="claw_one">
        <geom name="a" type="box" size="0.01 0.01 0.02"/><geom name="b" type="sphere" size="0.01" pos="0 0 0.03"/>
        <geom name="c" type="box" size="0.01 0.001 0.02"/></body></worldbody></mujoco>"""
    )
    cover = cover_hand(spec, r"(?P<part>claw_(?P<finger>one))")
    assert cover.sensors == {"claw_one": "b"}
    assert "which side is palmar" in cover.left_out["a"] and "no room" in cover.left_out["c"]
    spec.compile()


def test_links_hold_by_their_edges_and_sides():
    """Boxes of fingers are soft all round: a press from the side is carried, with friction."""
    spec = with_ball(allegro_spec())
    cover_allegro(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    link = data.body("mf_proximal").xpos + (0, 0.0098 + 0.004 - 0.0005, 0.027)
    data.joint("ball").qpos[:3], data.joint("ball").qvel[2] = link, 0.02
    mujoco.mj_step(model, data, nstep=2)
    push = taxel.wrench(model, data, "mf_proximal_geom", "ball")[:3]
    assert push[1] < -0.05 and push[2] > 0.02 and abs(push[0]) < 0.02


def test_what_is_no_spec_no_sensor_or_no_pattern_is_refused():
    model = allegro_spec().compile()
    for wrong in (model, "hand.xml", None):
        with pytest.raises(taxel.Error, match=f"spec is {type(wrong).__name__}; give a mujoco.MjSpec"):
            cover_shadow(wrong)
    with pytest.raises(taxel.Error, match="sensor is 'uskin'; give one of the catalogue"):
        cover_allegro(allegro_spec(), sensor="uskin")
    with pytest.raises(taxel.Error, match="no regular expression"):
        cover_hand(allegro_spec(), "(")
    with pytest.raises(taxel.Error, match="it needs the groups"):
        cover_hand(allegro_spec(), "palm")


def test_a_hand_is_covered_once():
    spec = allegro_spec()
    cover_allegro(spec)
    with pytest.raises(taxel.Error, match="palm_geom of palm is soft already; cover a hand once"):
        cover_allegro(spec)


def test_a_round_cone_is_set_with_a_warning_that_points_here():
    spec = mujoco.MjSpec.from_string(allegro_like().replace('cone="elliptic"', ""))
    with pytest.warns(UserWarning, match="elliptic") as caught:
        cover_allegro(spec)
    assert caught[0].filename == __file__


def test_meshes_that_are_open_are_left_out():
    spec = mujoco.MjSpec.from_string(
        """<mujoco><option cone="elliptic"/><asset>
        <mesh name="tent" vertex="0 0 0 0.02 0 0 0 0.02 0 0 0 0.02 0.02 0.02 0.02"
        face="0 2 1 0 1 3 0 3 2 1 2 4" inertia="shell"/></asset><worldbody><body name="rh_ffdistal">
        <joint axis="1 0 0" range="0 90" limited="true"/><geom name="tent" type="mesh" mesh="tent"/>
        <geom name="ball" size="0.01" pos="0 0 0.03"/></body></worldbody></mujoco>"""
    )
    cover = cover_shadow(spec)
    assert cover.sensors == {"ffdistal": "ball"} and "not closed" in cover.left_out["tent"]


def test_flat_round_geoms_have_no_room_for_skin():
    spec = mujoco.MjSpec.from_string(
        """<mujoco><option cone="elliptic"/><worldbody><body name="rh_ffdistal">
        <joint axis="1 0 0" range="0 90" limited="true"/><geom name="ball" size="0.01" pos="0 0 0.03"/>
        <geom name="lens" type="ellipsoid" size="0.01 0.0015 0.02"/>
        <geom name="disc" type="cylinder" size="0.01 0.0015"/></body></worldbody></mujoco>"""
    )
    cover = cover_shadow(spec)
    assert cover.sensors == {"ffdistal": "ball"}
    assert all(cover.left_out[name].startswith("3 mm thick, no room for 2 mm") for name in ("lens", "disc"))
    spec.compile()


def test_a_hand_without_a_place_for_skin_is_refused():
    spec = mujoco.MjSpec.from_string(
        """<mujoco><option cone="elliptic"/><worldbody><body name="rh_ffdistal">
        <joint axis="1 0 0" range="0 90" limited="true"/><geom name="needle" type="capsule" size="0.001 0.02"/>
        </body></worldbody></mujoco>"""
    )
    with pytest.raises(
        taxel.Error, match=r"cover_shadow: no geom of the 1 links .*needle: 2 mm thick, no room for 2 mm"
    ):
        cover_shadow(spec)


def test_meshes_whose_parts_touch_along_an_edge_are_covered():
    """Reduced meshes of robots have edges that four triangles share; they have an inside, and columns need no more."""
    spec = mujoco.MjSpec.from_string(
        """<mujoco><option cone="elliptic"/><asset><mesh name="wedges" vertex="0 0 -0.02 0 0 0.02 0.04 0 -0.015
        0.035 0.03 0.01 -0.04 0 0.015 -0.035 -0.03 -0.01" face="0 1 3 0 3 2 0 2 1 1 2 3 0 1 5 0 5 4 0 4 1 1 4 5"/>
        </asset><worldbody><body name="rh_ffdistal"><joint axis="1 0 0" range="0 90" limited="true" pos="0 0 -0.05"/>
        <geom name="wedges" type="mesh" mesh="wedges"/></body></worldbody></mujoco>"""
    )
    cover = cover_shadow(spec, thickness=0.001)
    assert cover.sensors == {"ffdistal": "wedges"} and not cover.left_out
    assert list(cover.open(spec.compile())) == ["ffdistal"]
