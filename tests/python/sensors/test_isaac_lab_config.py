"""Isaac Lab's sensor configurations: what is read, where its points lie, and that nothing is read past."""

import dataclasses
import json

import numpy as np
import pytest

import taxel
from taxel.sensors import read_isaac_lab

RENDER = {
    "base_data_path": "omniverse://somewhere/TacSL",
    "sensor_data_dir_name": "gs_mini_data",
    "background_path": "bg.jpg",
    "calib_path": "polycalib.npz",
    "real_background": "real_bg.npy",
    "image_height": 240,
    "image_width": 320,
    "num_bins": 120,
    "mm_per_pixel": 0.065,
}
CONFIG = {
    "class_type": "isaaclab_contrib.sensors.tacsl_sensor.visuotactile_sensor:VisuoTactileSensor",
    "prim_path": "{ENV_REGEX_NS}/Robot/elastomer_left/tactile_sensor",
    "update_period": 0.04,
    "debug_vis": False,
    "render_cfg": RENDER,
    "enable_camera_tactile": True,
    "enable_force_field": True,
    "tactile_array_size": (20, 25),
    "tactile_margin": 0.003,
    "contact_object_prim_path_expr": "{ENV_REGEX_NS}/contact_object",
    "normal_contact_stiffness": 1.5,
    "friction_coefficient": 1.25,
    "tangential_stiffness": 0.2,
    "camera_cfg": {
        "prim_path": "{ENV_REGEX_NS}/Robot/elastomer_left/cam",
        "height": 240,
        "width": 320,
        "data_types": ["distance_to_image_plane"],
        "spawn": None,
    },
    "visualizer_cfg": {"prim_path": "/Visuals/TactileSensor"},
    "trimesh_vis_tactile_points": False,
    "visualize_sdf_closest_pts": False,
}
DUMPED = """
scene:
  num_envs: 16
  tactile_left:
    class_type: isaaclab_contrib.sensors.tacsl_sensor.visuotactile_sensor:VisuoTactileSensor
    prim_path: '{ENV_REGEX_NS}/Robot/elastomer_left/tactile_sensor'
    update_period: 0.04
    tactile_array_size: !!python/tuple
    - 20
    - 25
    tactile_margin: 0.003
    normal_contact_stiffness: 1.5
    friction_coefficient: 1.25
    tangential_stiffness: 0.2
    enable_camera_tactile: false
    render_cfg:
      sensor_data_dir_name: gs_mini_data
      image_height: 240
      image_width: 320
      mm_per_pixel: 0.065
    visualizer_cfg:
      markers: !!python/object/apply:builtins.slice
      - null
      - null
      - null
"""


def changed(**changes):
    return {**CONFIG, **changes}


def test_everything_of_a_configuration_is_read():
    config = read_isaac_lab(CONFIG)
    assert config.name == "elastomer_left" == config.sensor.name
    assert config.shape == (20, 25) == config.sensor.shape and config.sensor.count == 500
    assert config.parameters == {
        "normal_contact_stiffness": 1.5,
        "tangential_stiffness": 0.2,
        "friction_coefficient": 1.25,
    }
    assert config.image == {"height": 240, "width": 320, "pixel": pytest.approx(6.5e-5)} and config.force_field
    assert config.sensor.chain["rate"] == pytest.approx(25)
    # Each key is in one of the two places.
    aside = {key.split(".")[0] for key in config.aside}
    assert set(CONFIG) - aside <= {
        "update_period",
        "enable_camera_tactile",
        "enable_force_field",
        "tactile_array_size",
        "tactile_margin",
        "normal_contact_stiffness",
        "friction_coefficient",
        "tangential_stiffness",
    }
    assert config.aside["render_cfg.num_bins"] == 120 and config.aside["camera_cfg.spawn"] is None


def test_points_lie_as_isaac_lab_lays_them():
    """One pitch, the smaller of both axes with a free row around; x outermost; on the surface of the gel."""
    config = read_isaac_lab(CONFIG)
    width, height = 20.75e-3, 25.25e-3
    pitch = min((width - 6e-3) / 21, (height - 6e-3) / 26)
    grid = config.points.reshape(20, 25, 3)
    np.testing.assert_allclose(np.diff(grid[:, 0, 0]), pitch, rtol=1e-5)
    np.testing.assert_allclose(np.diff(grid[0, :, 1]), pitch, rtol=1e-5)
    np.testing.assert_allclose(grid.mean(axis=(0, 1))[:2], 0, atol=1e-8)
    vertices, triangles = taxel.sensors.gelsight_mini().geom.mesh_arrays()
    assert np.abs(taxel.signed_distance((vertices, triangles), config.points)).max() < 1e-8
    assert grid[10, 12, 2] > grid[0, 0, 2] + 3e-4  # it is a dome


def test_the_sensor_and_the_force_field_work():
    config = read_isaac_lab(CONFIG)
    forces = config.tacsl(taxel.Body.sphere(0.006)).read(np.eye(4), taxel.pose((0, 0, 0.004 + 0.006 - 5e-4)))
    assert forces.penetration_depth.max() == pytest.approx(5e-4, rel=0.05)
    assert forces.tactile_normal_force.max() == pytest.approx(1.5 * forces.penetration_depth.max(), rel=0.01)
    from taxel.press import press

    assert press(config.sensor, "sphere:0.006", force=1).taxel_force == pytest.approx(1, rel=1e-3)


def test_files_sections_and_config_objects(tmp_path):
    pytest.importorskip("yaml")
    path = tmp_path / "env.yaml"
    path.write_text(DUMPED)
    config = read_isaac_lab(path, section="scene.tactile_left")
    np.testing.assert_array_equal(config.points, read_isaac_lab(CONFIG).points)
    assert config.image is None and config.sensor.chain["rate"] == pytest.approx(25)
    with pytest.raises(taxel.Error, match=r"whole environment; say where its sensor is: section='scene.NAME'"):
        read_isaac_lab(path)
    with pytest.raises(taxel.Error, match="no section 'tactile_right'; there are: num_envs, tactile_left"):
        read_isaac_lab(path, section="scene.tactile_right")
    (tmp_path / "cfg.json").write_text(json.dumps(changed(tactile_array_size=[4, 5])))
    assert read_isaac_lab(tmp_path / "cfg.json").shape == (4, 5)

    class Cfg:
        def to_dict(self):
            return changed(camera_cfg=dataclasses.MISSING)

    assert read_isaac_lab(Cfg()).image is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tactile_marginn": 1}, "no key 'tactile_marginn'; did you mean 'tactile_margin'"),
        ({"render_cfg": {**RENDER, "gamma": 1}}, "render_cfg: there is no key 'gamma'"),
        ({"camera_cfg": {**CONFIG["camera_cfg"], "heigth": 240}}, "no key 'heigth'; did you mean 'height'"),
        ({"tactile_array_size": dataclasses.MISSING}, "tactile_array_size is missing"),
        ({"tactile_margin": None}, "tactile_margin is missing"),
        ({"tactile_array_size": 20}, "give two whole numbers"),
        ({"tactile_array_size": (20, 2.5)}, "give two whole numbers"),
        ({"tactile_margin": 3}, "leaves no room on 20.75 x 25.25 mm; it is in metres"),
        ({"tactile_margin": -1}, "tactile_margin is -1"),
        ({"friction_coefficient": "high"}, "friction_coefficient is 'high'"),
        ({"enable_force_field": "yes"}, "enable_force_field is 'yes'"),
        ({"render_cfg": {**RENDER, "sensor_data_dir_name": "gelsight_r15_data"}}, "gelsight_r15_data.*give the gel"),
        ({"render_cfg": 3}, "render_cfg is 3"),
        ({"camera_cfg": {**CONFIG["camera_cfg"], "height": 480}}, "height 480 and render_cfg image_height 240"),
        ({"camera_cfg": {**CONFIG["camera_cfg"], "data_types": ["rgb"]}}, "data_types 'rgb'"),
    ],
)
def test_what_is_wrong_is_refused(changes, words):
    with pytest.raises(taxel.Error, match=words):
        read_isaac_lab(changed(**changes))


def test_another_gel_carries_the_points():
    other = changed(render_cfg={**RENDER, "sensor_data_dir_name": "gelsight_r15_data"}, tactile_array_size=(6, 8))
    config = read_isaac_lab(other, gel=taxel.sensors.pad(size=(0.02, 0.03), thickness=0.004))
    assert config.points.shape == (48, 3) and (config.points[:, 2] == 0.002).all()
    assert config.sensor.count == 48 and "shape" not in config.sensor.taxels


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("cfg.json", "{", "no JSON"),
        ("cfg.yaml", "a: [1", "cfg.yaml: while parsing"),
        ("cfg.toml", "", "give a .yaml, .yml or .json file"),
        ("cfg.yml", "- 1\n- 2\n", "must be a mapping"),
    ],
)
def test_wrong_files_are_refused(tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    with pytest.raises(taxel.Error, match=words):
        read_isaac_lab(tmp_path / name)
    with pytest.raises(taxel.Error, match="there is no file"):
        read_isaac_lab(tmp_path / "nowhere.yaml")
    with pytest.raises(taxel.Error, match="config is int"):
        read_isaac_lab(3)
