"""taxel press with markers: motions push markers the right way, pictures are made, wrong input is one clear line."""

import json

import numpy as np
import pytest

import taxel
from taxel.cli import main
from taxel.cli.press_markers import summary
from taxel.image import synthetic_camera
from taxel.press import press_markers
from taxel.press.height_maps import Grid, mesh_heights, underside
from taxel.press.objects import parse_object
from taxel.press.size_note import size_note

BALL = "sphere:0.005"


def test_a_straight_press_dilates():
    result = press_markers("gelsight_mini", BALL, depth=8e-4, mode="paper")
    (frame,) = result.frames
    assert frame.motion == "press" and frame.displacement.shape == (9, 7, 3)
    away = np.sum(frame.displacement[..., :2] * result.markers[..., :2], axis=-1)
    assert (away >= -1e-9).all() and np.linalg.norm(frame.mean) < 0.02 * frame.lengths.max()
    assert frame.penetration.max() == pytest.approx(8e-4, rel=1e-3)
    # Where a ball of 5 mm meets the dome: smaller than on a plane (pi (2 R h - h^2)), not by much.
    assert 0.6 < frame.area / (np.pi * (2 * 5e-3 * 8e-4 - 8e-4**2)) < 1.0


def test_motions_push_the_markers_their_way():
    slide = press_markers("gelsight_mini", BALL, slide=6e-4, slide_angle=90).frames
    change = slide[1].displacement - slide[0].displacement
    assert slide[0].wrench[2] < -0.5 and 0.1 < slide[1].wrench[1] <= -0.501 * slide[1].wrench[2]
    assert change[..., 1].mean() > 5 * abs(change[..., 0].mean()) > 0 and slide[1].direction == pytest.approx(90, abs=5)
    twist = press_markers("gelsight_mini", "box:0.008,0.008,0.02", twist=10, friction=2.0).frames
    field = press_markers("gelsight_mini", "box:0.008,0.008,0.02").markers
    change = twist[1].displacement - twist[0].displacement
    turn = field[..., 0] * change[..., 1] - field[..., 1] * change[..., 0]
    assert turn.mean() > 0 and np.linalg.norm(change[..., :2].reshape(-1, 2).mean(axis=0)) < 0.2 * abs(change).max()
    roll = press_markers("gelsight_mini", BALL, roll=10).frames
    assert [frame.motion for frame in roll] == ["press", "roll 10°"]
    # Its middle went along x by R sin 10 degrees, as deep as before.
    where = roll[1].penetration * 1.0
    x = Grid(320, 240, 6.5e-5).x
    assert (where.sum(axis=0) @ x) / where.sum() == pytest.approx(5e-3 * np.sin(np.radians(10)), rel=0.1)


def test_a_force_is_a_depth():
    light, heavy = (press_markers("gelsight_mini", BALL, force=force) for force in (0.5, 1.0))
    assert 1e-4 < light.depth < heavy.depth < 3e-3 and heavy.force == 1.0


def test_a_contact_much_smaller_than_the_pitch():
    """A speck of 0.3 mm, half sunk in: Hertz, and what is said of it."""
    hertz = 4 / 3 * 1.5e5 / (1 - 0.48**2) * 3e-4**2
    layer = press_markers("gelsight_mini", "sphere:0.0003", depth=3e-4, mode="layer")
    assert -layer.frames[0].wrench[2] == pytest.approx(hertz, rel=0.2)
    assert "markers are 1.8 mm apart" in summary(layer) and "cells inside" in summary(layer)
    springs = press_markers("gelsight_mini", "sphere:0.0003", depth=3e-4)
    said = summary(springs)
    assert springs.frames[0].inside > 20 and springs.contact == pytest.approx(3e-4, rel=0.1)
    assert "what they show hangs on where it lies between them" in said and "--mode layer for all" in said
    assert springs.size.layer_force == pytest.approx(hertz, rel=0.15) and "too soft there" in said
    none = summary(press_markers("gelsight_mini", "sphere:0.005", depth=1e-7, point_radius=7.5e-4))
    assert "no tracked point is inside the gel" in none and "apart" not in none
    # Where the usual points do, they stay.
    assert "apart" not in summary(press_markers("gelsight_mini", BALL, depth=5e-4))


@pytest.mark.parametrize("offset", [(0.0, 0.0), (8e-3, 3e-3)])
def test_pins_of_a_tactip_in_mode_layer(offset):
    """On top and on the slope of the dome: the force of the material under the overlap, by the rule."""
    layer = press_markers("tactip", BALL, depth=1e-3, mode="layer", offset=offset)
    springs = press_markers("tactip", BALL, depth=1e-3, offset=offset)
    assert -layer.frames[0].wrench[2] == pytest.approx(springs.size.layer_force, rel=0.2)
    assert summary(layer).startswith("tactip + sphere: 127 markers, mode layer")
    moved = layer.frames[0].displacement * layer.pixel
    assert 1e-5 < np.abs(moved).max() < 1e-3 and np.isfinite(moved).all()
    assert "--contact auto for all" in size_note(
        taxel.sensors.tactip(), np.random.default_rng(1).uniform(-1e-3, 1e-3, (200, 2)), np.full(200, 2e-8)
    ).text(1.0)


def test_undersides():
    grid = Grid(41, 31, 1e-4)
    ball = parse_object("sphere:0.003")
    z = underside(ball, np.eye(3), np.array([0, 0, 0.004]), grid, np.full((41, 31), 0.0015))
    x, y = np.meshgrid(grid.x, grid.y)
    wanted = 0.004 - np.sqrt(9e-6 - x**2 - y**2)
    assert np.isfinite(z).any() and np.isnan(z[wanted > 0.0015]).all()
    np.testing.assert_allclose(z[np.isfinite(z)], wanted[np.isfinite(z)], atol=2e-9)
    vertices, triangles = taxel.Body.box((0.002, 0.003, 0.001)).surface()
    top = mesh_heights(vertices, triangles, grid)
    covered = (np.abs(x) < 0.99e-3) & (np.abs(y) < 1.49e-3)
    np.testing.assert_allclose(top[covered], 5e-4)
    assert np.isnan(top[(np.abs(x) > 1.05e-3) | (np.abs(y) > 1.55e-3)]).all()


def test_the_command(tmp_path, capsys):
    file = tmp_path / "press.json"
    assert main(["press", "gelsight_mini", BALL, "--slide", "0.5,30", "--out", str(tmp_path), "--json", str(file)]) == 0
    said = capsys.readouterr().out
    assert "slide 0.5 mm at 30°" in said and "9 x 7 markers" in said
    numbers = json.loads(file.read_text())
    assert numbers["model"] == "marker" and numbers["frames"][0]["motion"] == "press"
    assert np.shape(numbers["frames"][1]["displacement_px"]) == (9, 7, 3)
    assert numbers["frames"][1]["direction_deg"] == pytest.approx(30, abs=6)
    for picture in numbers["pictures"]:
        assert (tmp_path / picture.rpartition("/")[2]).stat().st_size > 50_000
    camera = tmp_path / "camera.npz"
    synthetic_camera().save(camera)
    assert (
        main(["press", "gelsight_mini", BALL, "--model", "marker", "--camera", str(camera), "--out", str(tmp_path)])
        == 0
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gelsight_mini", BALL, "--slide", "far"], "--slide is 'far'; give millimetres"),
        (["gelsight_mini", BALL, "--slide", "1,2,3"], "--slide is '1,2,3'"),
        (["gelsight_mini", BALL, "--slide", "-1"], "give a length of 0 or more"),
        (
            ["gelsight_mini", BALL, "--slide", "15"],
            "beside the gel of gelsight_mini (20.75 x 25.25 mm); give at most 10.4",
        ),
        (["gelsight_mini", BALL, "--twist", "400"], "twist is 400 degrees; give at most 180"),
        (["gelsight_mini", BALL, "--roll", "90"], "roll is 90 degrees; give at most 60"),
        (["gelsight_mini", BALL, "--twist", "1", "--model", "pressure"], "--twist is for markers"),
        (["gelsight_mini", BALL, "--mode", "paper"], "--mode is for markers; add --model marker"),
        (["gelsight_mini", BALL, "--model", "marker", "--soft", "1e5"], "--soft is for pressures"),
        (["gelsight_mini", BALL, "--model", "marker", "--depth", "0.0039"], "is 0.004 m thick; give at most 0.0036"),
        (["gelsight_mini", BALL, "--model", "marker", "--force", "1e5"], "goes right through"),
        (["gelsight_mini", BALL, "--model", "marker", "--offset", "0.02", "0"], "is beside the gel"),
        (["myrmex", BALL, "--slide", "1"], "the catalogue knows no markers on this sensor"),
        (["gelsight_mini", "egg", "--slide", "1"], "object 'egg': not known"),
        (["nothing", BALL, "--slide", "1"], "there is no sensor 'nothing'"),
        (["models/x.xml", BALL, "--slide", "1"], "sensors of the catalogue"),
        (
            ["gelsight_mini", BALL, "--model", "marker", "--mode", "layer", "--contact", "0.001"],
            "--contact is for models with one stiffness, and mode layer knows every size of contact; leave it out",
        ),
        (
            ["tactip", BALL, "--model", "marker", "--mode", "release", "--contact", "0.001"],
            "mode release is as published",
        ),
        (
            ["gelsight_mini", BALL, "--model", "marker", "--mode", "layer", "--seed", "3"],
            "--seed is 3, of random points",
        ),
        (
            ["gelsight_mini", "sphere:0.0003", "--model", "marker", "--mode", "paper"],
            "sphere is 0.6 mm large, and mode paper tracks points 0.75 mm apart, as published; take mode layer",
        ),
    ],
)
def test_wrong_input_is_one_clear_line(words, message, tmp_path, capsys):
    assert main(["press", *words, "--out", str(tmp_path)]) != 0
    said = capsys.readouterr().err
    assert message in said and "Traceback" not in said
