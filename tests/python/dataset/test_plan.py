"""Plans: what YAML may say, and what is said where it is wrong."""

import numpy as np
import pytest

import taxel
from taxel.dataset import EXAMPLE, read_plan
from taxel.dataset.card import _yaml
from taxel.dataset.plan import parse_plan
from taxel.dataset.random_numbers import NUMBERS, uniforms
from taxel.dataset.ranges import Range
from taxel.dataset.yaml_file import parse_yaml


def plan_of(text: str):
    return parse_plan(parse_yaml(text, "plan.yaml"))


WRONG = [
    ("force:", "forse:", "plan.yaml:22: load: there is no key 'forse'; did you mean 'force'?"),
    ("radius: [0.005", "radus: [0.005", "plan.yaml:8: sphere: there is no key 'radus'; did you mean 'radius'?"),
    ("sensor: myrmex", "sensor: myrmx", "plan.yaml:3: sensor is 'myrmx'; did you mean 'myrmex'?"),
    ("sensor: myrmex", "sensor: {name: myrmex, modlus: 3}", "plan.yaml:3: myrmex: there is no key 'modlus'; did you"),
    ("[press]", "[pres]", "plan.yaml:14: motions is 'pres'; did you mean 'press'?"),
    ("[press]", "[{slide: {distanc: 1}}]", "plan.yaml:14: slide: there is no key 'distanc'; did you mean 'distance'?"),
    ("[press]", "[{slide: {distance: 3}}]", "plan.yaml:14: distance is 3; give a number from 0 to 0.5"),
    ("samples: 10000", "samples: -3", "plan.yaml:5: samples is -3; give a whole number from 1 to"),
    ("samples: 10000", "samples: 10.5", "plan.yaml:5: samples is 10.5; give a whole number"),
    ("samples: 10000\n", "", "the plan has no 'samples'"),
    ("samples:", "sample:", "plan.yaml:5: the plan: there is no key 'sample'; did you mean 'samples'?"),
    ("yaw: [0, 360]", "yaw: [360, 0]", "plan.yaml:18: yaw is [360, 0]; the lower end comes first"),
    ("yaw: [0, 360]", "yaw: [0, 1, 2]", "plan.yaml:18: yaw is [0, 1, 2]; a range has two ends"),
    ("yaw: [0, 360]", "yaw: north", "plan.yaml:18: yaw is 'north'; give a number"),
    ("x: [-0.02", "x: [-0.2", "plan.yaml:16: x is -0.2 to 0.02; give -0.04 to 0.04 on the myrmex"),
    ("taxels, force", "taxels, shear", "plan.yaml:24: readings: model 'pressure' has no 'shear', bristle or gel has"),
    ("taxels, force", "taxels, taxels", "plan.yaml:24: readings: 'taxels' stands there twice"),
    ("model: pressure", "model: marker", "the catalogue knows myrmex as pressure or bristle or gel"),
    ("seed: 0", "seed: 0\nseed: 1", "plan.yaml:7: 'seed' stands there twice, first in line 6; leave one"),
    ("objects: ", "objects: [", "plan.yaml:8: not YAML:"),
    ("- sphere:", "- {sphere: , box: , x: ", "plan.yaml:"),
    ("{log: [0.2, 10]}", "{log: [0, 10]}", "plan.yaml:22: force is 0; give a number from 0.0001"),
    ("{log: [0.2, 10]}", "{loog: [1, 10]}", "plan.yaml:22: force: there is no key 'loog'; did you mean 'log'?"),
    ("{log: [0.2, 10]}", "{choice: []}", "plan.yaml:22: force: the list of choice is empty; give numbers"),
    ("{log: [0.2, 10]}", "{choice: 3}", "plan.yaml:22: force: choice is 3; give a list of numbers"),
    ("- sphere: {radius: [0.005, 0.03]}", "- ycb: []", "plan.yaml:8: ycb: the list is empty; give names, as [011_"),
    ("radius: [0.005, 0.03]", "radius: [5, 30]", "plan.yaml:8: radius is 5; give a number from 0.0001 to 2"),
    ("format: parquet", "format: hdf5", "plan.yaml:27: format is 'hdf5'; give parquet, webdataset"),
    ("force: {log: [0.2, 10]}", "force: 1\n  depth: 0.001", "load: give force (N) or depth (m), one of them"),
]


@pytest.mark.parametrize(("before", "after", "words"), WRONG)
def test_wrong_plans_say_line_and_way_out(before, after, words):
    assert before in EXAMPLE
    with pytest.raises(taxel.Error) as error:
        plan_of(EXAMPLE.replace(before, after, 1))
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_grasps_need_a_force():
    text = EXAMPLE.replace("[press]", "[grasp]").replace("force: {log: [0.2, 10]}", "depth: 0.001")
    with pytest.raises(taxel.Error, match="a grasp needs load: force"):
        plan_of(text)


def test_files_that_are_no_plans(tmp_path):
    with pytest.raises(taxel.Error, match="cannot be read"):
        read_plan(tmp_path / "none.yaml")
    (tmp_path / "image.yaml").write_bytes(b"\x89PNG\xff\xfe\x00")
    with pytest.raises(taxel.Error, match="UTF-8"):
        read_plan(tmp_path / "image.yaml")
    (tmp_path / "empty.yaml").write_text("# nothing\n")
    with pytest.raises(taxel.Error, match="--example"):
        read_plan(tmp_path / "empty.yaml")
    (tmp_path / "self.yaml").write_text("sensor: &a {name: *a}\n")
    with pytest.raises(taxel.Error, match="anchor"):
        read_plan(tmp_path / "self.yaml")


def test_numbers_without_a_point_are_numbers():
    """YAML 1.1 takes 5e4 for text."""
    plan = plan_of(EXAMPLE.replace("sensor: myrmex", "sensor: {name: myrmex, modulus: 5e4}"))
    assert plan.sensor().material["modulus"] == 5e4


def test_the_plan_of_a_card_is_the_same_plan():
    text = EXAMPLE.replace("[press]", "[grasp, {slide: {distance: {choice: [0.001, 0.002]}}, weight: 3}]")
    plan = plan_of(text.replace("sensor: myrmex", "sensor: {name: myrmex, modulus: 5e4, bits: 12, noise: [0, 5]}"))
    again = plan_of(_yaml(plan))
    assert again.digest({}) == plan.digest({}) and again.samples == plan.samples
    assert plan.digest({"a.stl": "1"}) != plan.digest({"a.stl": "2"})


def test_ranges():
    assert Range("uniform", (2.0, 4.0)).at(0.25) == 2.5
    assert Range("log", (0.1, 10.0)).at(0.5) == pytest.approx(1.0)
    assert Range("log", (0.1, 10.0)).at(1 - 1e-16) <= 10.0
    assert [Range("choice", (1.0, 2.0, 5.0)).at(u) for u in (0.0, 0.4, 0.99)] == [1.0, 2.0, 5.0]
    assert Range.fixed(3).at(0.7) == 3


def test_random_numbers_depend_on_seed_sample_and_attempt_alone():
    many = uniforms(7, 100, 50)
    assert many.shape == (50, NUMBERS) and (many >= 0).all() and (many < 1).all()
    np.testing.assert_array_equal(uniforms(7, 123, 1)[0], many[23])
    np.testing.assert_array_equal(uniforms(7, 140, 10), many[40:])
    for other in (uniforms(8, 123, 1), uniforms(7, 123, 1, attempt=1), uniforms(7, 124, 1)):
        assert not (other[0] == many[23]).any()
    # Numbers of two samples are as unlike as those of one; 3 / sqrt(12 n) is three deviations of the mean.
    wide = uniforms(7, 0, 4000)
    assert np.abs(wide.mean(axis=0) - 0.5).max() < 4 / np.sqrt(12 * 4000)
    assert abs(np.corrcoef(wide[:-1, 0], wide[1:, 0])[0, 1]) < 4 / np.sqrt(4000)
    assert uniforms(7, 10**12, 1).shape == (1, NUMBERS)
