"""Columns laid by taxels: in a model by itself, in Python by ``columns_by_taxels``; the catalogue gives no spacing."""

import pickle

import mujoco
import numpy as np
import pytest

import taxel

PAD = (0.08, 0.06, 0.018)


def flat_faces(body, layout):
    """Faces of a flat press over the whole pad: one a column."""
    plate = taxel.Body.box((0.2, 0.2, 0.02))
    surface = taxel.contact(body, taxel.pose(), plate, taxel.pose((0, 0, 0.5 * PAD[2] + 0.01 - 0.001)))
    found = np.floor((surface.centroids[:, :2] / layout["pitch"]) - 1e-9).astype(int)
    return np.unique(found, axis=0, return_counts=True)[1], surface


def test_each_taxel_has_as_many_columns():
    plain = taxel.Body.box(PAD, modulus=3e4, field="columns")
    layout = {"shape": (6, 10), "pitch": np.array([0.008, 0.01])}
    laid = taxel.columns_by_taxels(plain, shape=layout["shape"])
    counts, surface = flat_faces(laid, layout)
    assert len(counts) == 60 and (counts == 4 * 5).all()
    assert surface.normal_force == pytest.approx(3e4 * PAD[0] * PAD[1] * 0.001 / PAD[2], rel=1e-9)
    assert len(set(flat_faces(plain, layout)[0])) > 1
    image = taxel.Skin(laid, shape=layout["shape"]).read(surface, taxel.pose()).values
    assert image == pytest.approx(np.full((6, 10), 3e4 * 0.001 / PAD[2]), rel=1e-9)


def test_a_pickled_body_keeps_its_columns():
    laid = taxel.columns_by_taxels(taxel.Body.box(PAD, modulus=3e4, field="columns"), shape=(6, 10))
    again = pickle.loads(pickle.dumps(laid))
    ball = taxel.Body.sphere(0.02)
    X = taxel.pose((0.003, -0.007, 0.009 + 0.02 - 0.002))
    assert (
        taxel.contact(again, taxel.pose(), ball, X).vertices == taxel.contact(laid, taxel.pose(), ball, X).vertices
    ).all()


def test_the_catalogue_gives_no_spacing():
    """The taxels of the domed gels do: a column a taxel, as with the spacing that stood there before."""
    for sensor, spacing in ((taxel.sensors.gelsight_mini(), 25.25e-3 / 34), (taxel.sensors.digit(), 19e-3 / 25)):
        assert sensor.material["field"] == "columns" and "resolution" not in sensor.material
        ball, X = taxel.Body.sphere(0.008), taxel.pose((0.0012, 0.0021, sensor.bounds[1, 2] + 0.008 - 0.0007))
        found = taxel.contact(sensor.body(), taxel.pose(), ball, X)
        before = taxel.contact(sensor.replace(resolution=spacing).body(), taxel.pose(), ball, X)
        assert found.num_faces == before.num_faces
        assert found.normal_force == pytest.approx(before.normal_force, rel=1e-9)
        assert found.center_of_pressure == pytest.approx(before.center_of_pressure, abs=1e-9)


def press(sensor):
    spec = mujoco.MjSpec()
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    sensor.add_to(spec)
    body = spec.worldbody.add_body(pos=[0.0012, 0.0021, sensor.bounds[1, 2] + 0.008 - 0.0007])
    body.add_geom(name="ball", size=[0.008, 0, 0])
    body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return taxel.touches(model, data)[0].surface


@pytest.mark.parametrize("name", ["gelsight_mini", "digit", "myrmex"])
def test_a_model_lays_them_as_the_body_does(name):
    """Meshes are turned into their axes of inertia by MuJoCo; the columns follow the taxels all the same."""
    sensor = getattr(taxel.sensors, name)(field="columns")
    ball, X = taxel.Body.sphere(0.008), taxel.pose((0.0012, 0.0021, sensor.bounds[1, 2] + 0.008 - 0.0007))
    alone, inside = taxel.contact(sensor.body(), taxel.pose(), ball, X), press(sensor)
    assert inside.num_faces == alone.num_faces
    assert inside.normal_force == pytest.approx(alone.normal_force, rel=1e-5)  # vertices of meshes are floats
    coarser = press(sensor.replace(resolution=2e-3))
    assert coarser.num_faces != inside.num_faces


def test_two_sensors_on_a_pad_and_a_reader():
    """Of several sensors that with the most taxels counts; a reader lays them, too."""
    text = """<mujoco><option cone="elliptic"/>
      <extension><plugin plugin="taxel"><instance name="soft"><config key="modulus" value="3e4"/>
        <config key="field" value="columns"/></instance></plugin></extension>
      <custom><tuple name="soft"><element objtype="geom" objname="pad"/></tuple></custom>
      <worldbody><geom name="pad" type="box" size="0.04 0.03 0.009"/>
        <body pos="0 0 0.0175"><joint type="slide" axis="0 0 1"/>
          <geom name="plate" type="box" size="0.05 0.05 0.009"/></body></worldbody>
      {sensors}</mujoco>"""
    sensor = '<plugin name="{}" plugin="taxel" objtype="geom" objname="pad"><config key="shape" value="{}"/></plugin>'
    taxel.load()
    faces = {}
    for shapes in (("3 4", "6 10"), ("6 10",), ("3 4",)):
        sensors = "".join(sensor.format(f"s{i}", shape) for i, shape in enumerate(shapes))
        model = mujoco.MjModel.from_xml_string(text.format(sensors=f"<sensor>{sensors}</sensor>"))
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        faces[shapes] = taxel.touches(model, data)[0].surface.num_faces
    assert faces["3 4", "6 10"] == faces[("6 10",)] == 40 * 30
    assert faces[("3 4",)] != 40 * 30


def test_wrong_words():
    pad = taxel.Body.box(PAD, modulus=3e4, field="columns")
    with pytest.raises(taxel.Error, match="columns_by_taxels: there is no layout"):
        taxel.columns_by_taxels(pad)
    with pytest.raises(taxel.Error, match="pich"):
        taxel.columns_by_taxels(pad, shape=(4, 4), pich=0.01)
    with pytest.raises(TypeError, match=r"give a taxel\.Body"):
        taxel.columns_by_taxels("pad", shape=(4, 4))
    with pytest.raises(taxel.Error, match="column_cell has 4 numbers; give nine"):
        taxel.Body.box(PAD, modulus=3e4, field="columns", column_cell=[0, 0, 0, 1])
