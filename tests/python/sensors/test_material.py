"""One material: the rules against the exact layer and closed forms, what the models take, what is overridden."""

import math

import numpy as np
import pytest

import taxel
from taxel.sensors import Shape, TactileSensor, catalogue, contact_radius, derived, effective_modulus, effective_shear

pytest.importorskip("scipy")
from taxel.reference.elastic_layer import ElasticLayer, LayerGrid
from taxel.reference.layer_solvers import solve_normal, solve_tangential


def layer_modulus(poisson: float, size: float, kind: str) -> float:
    """F H / (E V) of a ball or a punch on the frictionless layer, H = E = 1, off the grid's middle."""
    width = 2 * (1.6 * size + 3.0)
    n = min(2 * math.ceil(width / min(size / 14, 0.25) / 2), 300)
    grid = LayerGrid(ElasticLayer(1.0, 1.0, poisson), (n, n + 6), width / n)
    x, y = np.meshgrid(grid.x - 0.3 * grid.cell, grid.y + 0.1 * grid.cell, indexing="ij")
    away = (x * x + y * y) / size**2
    overlap = 0.01 * (1 - away) if kind == "ball" else np.where(away < 1, 0.01, -np.inf)
    pressure = solve_normal(grid.normal, overlap, np.zeros_like(overlap), 1e-3)
    return float(pressure.sum() / np.maximum(overlap, 0)[np.isfinite(overlap)].sum())


@pytest.mark.parametrize("poisson", [0.0, 0.25, 0.42, 0.485, 0.499])
@pytest.mark.parametrize("size", [0.15, 0.6, 1.2, 3.0])
def test_the_rule_is_the_exact_layer(poisson, size):
    """Ratios and sizes between those of the fit."""
    ball, punch = (layer_modulus(poisson, size, kind) for kind in ("ball", "punch"))
    assert effective_modulus(size, poisson) == pytest.approx(math.sqrt(ball * punch), rel=0.09)


@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.49])
def test_limits_of_the_rule(poisson):
    """A half space under a small body (punch 2 a E* d, ball 4/3 E* sqrt(R d) d), confined under a wide one."""
    small = effective_modulus(1e-3, poisson) * 1e-3 * (1 - poisson**2)
    assert 0.60 < small < 0.66  # 0.600 of a ball, 0.637 of a punch
    confined = ElasticLayer(1.0, 1.0, poisson).confined_modulus
    assert effective_modulus(1e4, poisson) == pytest.approx(confined, rel=1e-3)
    assert effective_shear(1e4, poisson) == pytest.approx(1, rel=1e-3)


@pytest.mark.parametrize(("poisson", "size"), [(0.1, 0.3), (0.1, 2.0), (0.48, 0.6), (0.48, 1.3)])
def test_the_shear_rule_is_the_exact_layer(poisson, size):
    width = 2 * (1.2 * size + 2.5)
    n = 2 * math.ceil(width / max(size / 12, width / 160) / 2)
    layer = ElasticLayer(1.0, 1.0, poisson)
    grid = LayerGrid(layer, (n, n), width / n)
    x, y = np.meshgrid(grid.x, grid.y, indexing="ij")
    inside = x * x + y * y < size**2
    moved = np.stack([np.full(grid.shape, 0.01), np.zeros(grid.shape)])
    traction = solve_tangential(grid.tangential, moved, np.where(inside, 1e3, 0.0), np.zeros_like(moved), 1e-5)
    stiffness = traction[0].sum() / inside.sum() / 0.01 / layer.shear_modulus
    assert effective_shear(size, poisson) == pytest.approx(stiffness, rel=0.07)


def test_the_default_is_the_softest_size():
    foam, gel = taxel.Material(3e4, 0.0, 0.018), taxel.Material(1.5e5, 0.48, 4e-3)
    assert foam.modulus() == 3e4 and math.isinf(foam.size()) and foam.shear_ratio() == pytest.approx(0.5)
    assert 0.7 < gel.size() < 1.3
    assert all(gel.modulus(c) >= gel.modulus() for c in (0.5e-3, 2e-3, 3.5e-3, 5e-3, 20e-3))
    assert gel.size_error(gel.size() * gel.thickness) == pytest.approx(0, abs=1e-5)
    assert gel.size_error(1e-3) == pytest.approx(gel.modulus() / gel.modulus(1e-3) - 1)
    again = taxel.Material.of_modulus(gel.modulus(), 0.48, 4e-3)
    assert again.young == pytest.approx(1.5e5, rel=1e-5)


def test_size_of_a_contact():
    rng = np.random.default_rng(0)
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    places = rng.uniform(-1, 1, (40000, 2))
    disc = places[(places**2).sum(axis=1) < 1]
    assert contact_radius(3e-3 * disc + 0.7, np.ones(len(disc))) == pytest.approx(3e-3, rel=0.01)
    strip = (places * (1e-3, 3e-3)) @ turn.T  # twice the area over the perimeter: 1.5 mm
    assert contact_radius(strip, np.ones(len(strip))) == pytest.approx(1.5e-3, rel=0.05)
    assert contact_radius(np.zeros((0, 2)), np.zeros(0)) == 0


@pytest.mark.parametrize("name", list(catalogue()))
def test_every_sensor_has_a_material_with_sources(name):
    sensor = catalogue()[name]()
    made = sensor.made_of
    words = " ".join(made.source)
    assert all(word in words for word in ("young", "poisson", "friction", "damping"))
    rows = {(d.model, d.key): d for d in derived(sensor)}
    overridden = {key for key, d in rows.items() if d.overridden}
    expected = {
        "anyskin": {("pressure", "modulus"), ("bristle", "stiffness")},
        "shadow_fingertip": {("pressure", "modulus")},
    }
    assert overridden == expected.get(name, set())
    assert {d.model for d in rows.values()} == set(sensor.models)


def test_published_stiffnesses_are_what_they_were():
    moduli = {name: make().material["modulus"] for name, make in catalogue().items()}
    for name, published in (
        ("myrmex", 3e4),
        ("weiss", 2.36e4),
        ("shadow_fingertip", 5e4),
        ("barometer", 1e6),
        ("pad", 1e5),
    ):
        assert moduli[name] == pytest.approx(published, rel=2e-5)
    assert catalogue()["myrmex"]().material["dissipation"] == 20 and catalogue()["weiss"]().material["dissipation"] == 1


def test_models_follow_the_material():
    mini = taxel.sensors.gelsight_mini
    stiff, plain = mini(young=3e5), mini()
    for a, b in zip(derived(stiff), derived(plain), strict=True):
        assert not a.overridden
        if a.key in ("modulus", "stiffness", "normal_stiffness", "young"):
            assert a.used == pytest.approx(2 * b.used, rel=1e-5)
        if a.model == "marker" and a.key != "friction":
            assert a.used == pytest.approx(2 * b.used, rel=1e-5)
    assert mini(young=3e5, model="gel").gel["young"] == 3e5 == mini(young=3e5).replace(model="gel").gel["young"]
    assert mini(poisson=0.3, model="marker").markers["normal_stiffness"] < plain.marker_keys["normal_stiffness"]
    small = taxel.sensors.weiss(contact=1e-3)
    assert small.material["modulus"] > 3 * 2.36e4 and small.gel_keys["young"] == 2.36e4
    bristles = taxel.sensors.weiss(contact=1e-3, model="bristle").material["stiffness"]
    assert bristles == pytest.approx(small.material["modulus"] * (3.4e-3) ** 2 / 6e-3)
    # A calibrated modulus is that of the material, whose other models follow.
    harder = taxel.sensors.weiss(modulus=4.72e4)
    assert harder.made_of.young == pytest.approx(4.72e4) and harder.replace(model="gel").gel["young"] == pytest.approx(
        4.72e4
    )


def test_a_gel_and_the_other_models_are_of_one_material():
    mini = taxel.sensors.gelsight_mini
    for gel in (mini(model="gel", young=1e5, poisson=0.4), mini(model="gel").replace(young=1e5, poisson=0.4)):
        soft = mini(young=1e5, poisson=0.4)
        assert gel.made_of == soft.made_of and gel.gel["young"] == gel.gel_keys["young"] == 1e5
        assert gel.material == soft.material and gel.with_markers().markers == soft.with_markers().markers
    # Markers in use and those of the catalogue may have two modes.
    layer = mini(model="marker", mode="layer").replace(young=1e5)
    assert layer.markers["young"] == 1e5
    assert layer.marker_keys["normal_stiffness"] == mini(young=1e5).marker_keys["normal_stiffness"]


def test_friction_is_of_every_model():
    mini = taxel.sensors.gelsight_mini
    for keys in ({}, {"mode": "layer"}):
        assert mini(model="marker", **keys).markers["friction"] == 0.8
        assert mini(model="marker", friction=1.2, **keys).markers["friction"] == 1.2
        assert mini(friction=1.2).replace(model="marker", **keys).markers["friction"] == 1.2
    rough = mini(friction=1.2)
    assert (
        rough.made_of.friction == 1.2 == rough.with_gel().gel["friction"] == rough.with_bristles().material["friction"]
    )
    assert mini(model="gel", friction=1.2).material["friction"] == 1.2
    weiss = taxel.sensors.weiss(friction=[0.5, 0.4])
    assert weiss.made_of.friction == (0.5, 0.4) and weiss.with_gel().gel["friction"] == 0.5
    # Published modes keep theirs, unless one is given with them.
    assert "friction" not in mini(model="marker", mode="release").markers
    assert mini(model="marker", mode="paper", friction=0.3).markers["friction"] == 0.3


def test_thickness_is_of_every_model():
    thin, plain = taxel.sensors.gelsight_mini(thickness=2e-3), taxel.sensors.gelsight_mini()
    assert thin.made_of.thickness == 2e-3 == thin.replace(model="marker", mode="layer").markers["thickness"]
    marked = taxel.sensors.gelsight_mini(model="marker", thickness=2e-3).markers
    assert marked["normal_stiffness"] == pytest.approx(2 * plain.marker_keys["normal_stiffness"], rel=1e-5)
    assert "thickness" not in marked
    small = taxel.sensors.gelsight_mini(thickness=2e-3, contact=1e-3)
    assert small.material["modulus"] == small.made_of.modulus() == plain.made_of.modulus(2e-3)


def test_numbers_of_a_mode_go_with_it():
    """The pins' lambdas and scales are of mode "taxel"; mode "layer" refuses them, "paper" has its own."""
    tactip = taxel.sensors.tactip
    of_taxel = {"lambda_d", "lambda_s", "dilate_scale", "shear_scale", "normal_stiffness", "shear_stiffness"}
    plain = tactip(model="marker")
    assert of_taxel < plain.markers.keys()
    for mode in ("layer", "paper", "release"):
        other = tactip(model="marker", mode=mode)
        assert not of_taxel & other.markers.keys()
        back = other.replace(mode="taxel").markers
        assert {key: back[key] for key in of_taxel} == {key: plain.markers[key] for key in of_taxel}
    assert tactip(model="marker", mode="paper", lambda_d=2e4).markers["lambda_d"] == 2e4
    mujoco = pytest.importorskip("mujoco")
    spec = mujoco.MjSpec()
    name = tactip(model="marker", mode="layer").add_to(spec)
    ball = spec.worldbody.add_body(mocap=True, pos=(0, 0, 0.1))
    ball.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(5e-3, 0, 0))
    assert taxel.MarkerSensor(taxel.mujoco.compile_spec(spec), name).shape == (127,)


def test_materials_of_the_same_numbers_are_equal():
    frictions = ((0.5, 0.4), [0.5, 0.4], np.array([0.5, 0.4]))
    some = [taxel.Material(1e5, 0.3, 1e-3, friction=f, source={"young": str(k)}) for k, f in enumerate(frictions)]
    assert len(set(some)) == 1 and some[0] == some[2]
    plain = taxel.Material(100000, 0.3, 1e-3, friction=0.5)
    for same in (np.array(0.5), (0.5,), np.float64(0.5)):
        other = taxel.Material(np.float32(1e5), 0.3, 1e-3, friction=same)
        assert other == plain and hash(other) == hash(plain) and repr(other) == repr(plain)
    assert plain != some[0] and plain != taxel.Material(1e5, 0.3, 1e-3) and plain != "silicone"


CHANGES = (
    {"young": 1e5}, {"poisson": 0.3}, {"friction": 1.2}, {"friction": (0.5, 0.4)}, {"friction": "0.5 0.4"},
    {"contact": 1e-3}, {"modulus": 7e4}, {"modulus": "7e4"}, {"young": 2e5, "modulus": 7e4},
)  # fmt: skip


@pytest.mark.parametrize("name", taxel.sensors.catalogue())
def test_what_is_said_of_one_model_is_true_of_all(name):
    """Whether a change comes with a model, before it or after it: the same numbers everywhere."""
    factory = taxel.sensors.catalogue()[name]
    for model in factory().models:
        for changes in CHANGES:
            first, *others = (
                factory(model=model, **changes), factory(**changes).replace(model=model),
                factory(model=model).replace(**changes),
            )  # fmt: skip
            for other in others:
                assert other.made_of.size() == first.made_of.size() and other.made_of.friction == first.made_of.friction
                assert other.made_of.young == pytest.approx(first.made_of.young, rel=1e-5)
                for group in ("material", "markers", "marker_keys", "gel", "gel_keys"):
                    a, b = (getattr(sensor, group) for sensor in (first, other))
                    assert a.keys() == b.keys()
                    numbers = [key for key, value in a.items() if isinstance(value, float | tuple)]
                    assert {k: b[k] for k in numbers} == {k: pytest.approx(a[k], rel=1e-5) for k in numbers}
            for group in (first.markers, first.gel):
                assert isinstance(group.get("friction", 0.0), float)


def test_overrides_stay_and_are_seen():
    pad = taxel.sensors.pad(young=5e4, modulus=3e5)
    assert pad.made_of.young == 5e4 and pad.material["modulus"] == 3e5
    assert [d.key for d in derived(pad) if d.overridden and d.model == "pressure"] == ["modulus"]
    assert pad.replace(young=6e4).material["modulus"] == 3e5
    marked = taxel.sensors.gelsight_mini(model="marker", normal_stiffness=1e8)
    assert marked.replace(young=1e5).markers["normal_stiffness"] == 1e8
    assert "normal_stiffness" not in taxel.sensors.gelsight_mini(model="marker", mode="paper").markers


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: taxel.Material(-1, 0.3, 1e-3), "young is -1; give a number above 0, Pa"),
        (lambda: taxel.Material(1e5, 0.5, 1e-3), "poisson is 0.5; give 0 .foam. to 0.4999"),
        (lambda: taxel.Material(1e5, 0.3, float("nan")), "thickness is nan"),
        (lambda: taxel.Material(1e5, 0.3, 1e-3, friction=(0.2, 0.4)), "the static one comes first"),
        (lambda: taxel.Material(1e5, 0.3, 1e-3).modulus(0.0), "contact is 0.0; give a radius above 0, m"),
        (lambda: taxel.Material(1e5, 0.3, 1e-3).shear_stiffness(0), "contact is 0; give a radius above 0, m"),
        (lambda: taxel.Material(1e5, 0.3, 1e-3).shear_stiffness(-1e-3), "contact is -0.001; give a radius"),
        (lambda: taxel.Material(1e5, 0.3, 1e-3).markers("nope"), "mode is 'nope'; markers have layer, taxel"),
        (lambda: taxel.sensors.myrmex(modulus=0), "myrmex: modulus is 0; give a number above 0, Pa"),
        (lambda: taxel.sensors.weiss(modulus=-5), "weiss: modulus is -5"),
        (lambda: taxel.sensors.gelsight_mini(modulus=float("nan")), "gelsight_mini: modulus is nan"),
        (lambda: taxel.sensors.gelsight_mini(thickness=0), "gelsight_mini: thickness is 0; give a number above 0, m"),
        (lambda: taxel.sensors.myrmex(friction=-1), "myrmex: friction is -1; give a finite coefficient of 0 or more"),
        (lambda: taxel.sensors.weiss(young="soft"), "young is 'soft'"),
        (lambda: taxel.sensors.weiss(modulus="soft"), "weiss: modulus is 'soft'; give a number above 0, Pa"),
        (lambda: taxel.sensors.weiss(modulus=None), "weiss: modulus is None, and a pressure field needs one"),
        (lambda: taxel.sensors.weiss(friction="slippery"), "weiss: friction is 'slippery'; give a finite coefficient"),
        (lambda: taxel.sensors.weiss(friction=(0.2, 0.4)), "weiss: friction is .0.2, 0.4.; the static one comes first"),
        (lambda: taxel.sensors.weiss(friction=[[1, 1], [1, 1]]), "weiss: friction is"),
        (lambda: taxel.sensors.weiss(model="gel", thickness=1e-3), "a gel of particles is as thick as its geom .0.006"),
        (lambda: taxel.sensors.weiss(model="gel").replace(thickness=1e-3), "is as thick as its geom"),
        (lambda: taxel.sensors.weiss(thickness=1e-3).replace(model="gel"), "is as thick as its geom"),
        (lambda: taxel.sensors.pad(thickness="thin"), "pad: size is .0.04, 0.04. and thickness thin"),
        (lambda: taxel.sensors.pad(size=0.04), "pad: size is 0.04"),
        (lambda: taxel.sensors.pad(shape="ab"), "pad: shape is 'ab'; give two whole numbers"),
        (lambda: taxel.Material(1e5, 0.3, 0), "Material: thickness is 0; give a number above 0, m"),
        (
            lambda: taxel.Material(1e5, 0.3, 1e-3, friction=-1),
            "Material: friction is -1; give a finite coefficient of 0",
        ),
        (lambda: taxel.Material(1e5, 0.3, 1e-3, friction=[1, 1, 1]), "friction is .1, 1, 1.; give one coefficient"),
        (lambda: taxel.Material(1e5, 0.3, 1e-3, source=[1]), "source is .1.; give a mapping"),
        (lambda: taxel.Material.of_modulus(0, 0.3, 1e-3), "modulus is 0; give a number above 0, Pa"),
        (lambda: taxel.Material.of_modulus(1e5, 0.3, 1e-3, frction=1), "did you mean 'friction'"),
        (lambda: taxel.Material(1e5, 0.3, 1e-3).markers("layer", contact=0), "contact is 0; give a radius above 0, m"),
        (lambda: taxel.Material(1e5, 0.3, 1e-3).size_error(1e-3, modulus=float("nan")), "modulus is nan"),
        (lambda: taxel.sensors.contact_radius([[1, 2]], [1, 2]), "points have the shape .1, 2. and weights .2,."),
        (lambda: taxel.sensors.contact_radius([[1, float("nan")]], [1]), "points and weights are finite"),
        (lambda: taxel.sensors.weiss(contact=-1e-3), "contact is -0.001"),
        (
            lambda: TactileSensor("x", "x", Shape.box(0.01, 0.01, 0.01), {"modulus": 1e5}, {"shape": (2, 2)}).replace(
                young=1.0
            ),
            "x: young is of a taxel.Material, and this sensor has none",
        ),
    ],
)
def test_wrong_materials_are_named(make, words):
    with pytest.raises(taxel.Error, match=words):
        make()
