"""Robots of others with skins (docs/guide/robots.md): where packages are found and what is said without them; the
measures, on scenes that we know; our own scene in any case, the robots where they are installed."""

import sys
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from conftest import ROOT

import taxel
from taxel.experiments import robots
from taxel.experiments.robot.fingers import fingers
from taxel.experiments.robot.packages import PACKAGES, Package, missing
from taxel.experiments.robot.trial import RobotScene, force_on, run_scene
from taxel.report import Output
from taxel.viewer.offscreen import View

ABSENT = Package("taxel_no_such_robot", "no-such-robot", "1.2.3", "assets")


def installed(folder, monkeypatch, name="taxel_some_robot", models="assets/hands"):
    """A package whose import fails."""
    root = folder / name
    (root / models).mkdir(parents=True)
    (root / "__init__.py").write_text("raise ImportError('this pulls in half the world')\n")
    (root / models / "hand.xml").write_text("<mujoco/>")
    monkeypatch.syspath_prepend(str(folder))
    return root


# --- Packages ---


def test_a_package_is_found_without_importing_it(tmp_path, monkeypatch):
    root = installed(tmp_path, monkeypatch)
    package = Package("taxel_some_robot", "some-robot", "2.0", "assets")
    assert package.folder() == root / "assets"
    assert package.file("hands/hand.xml") == root / "assets/hands/hand.xml"
    assert "taxel_some_robot" not in sys.modules
    assert missing([package, ABSENT]) == [ABSENT]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.distribution)
def test_the_tests_install_the_release_that_is_named(package):
    assert f'"{package.distribution}=={package.release}"' in (ROOT / "pyproject.toml").read_text()


def test_a_missing_package_says_how_to_get_it():
    assert ABSENT.folder() is None
    assert ABSENT.command == "pip install --no-deps no-such-robot==1.2.3"
    with pytest.raises(ImportError, match="no-such-robot is not installed; run: pip install --no-deps no-such-robot=="):
        ABSENT.file("hand.xml")


def test_another_release_is_told_from_a_missing_one(tmp_path, monkeypatch):
    installed(tmp_path, monkeypatch, models="elsewhere")
    moved = Package("taxel_some_robot", "some-robot", "2.0", "assets")
    with pytest.raises(taxel.Error, match=r"without its folder assets; .*pip install --no-deps some-robot==2\.0"):
        moved.folder()
    there = replace(moved, models="elsewhere")
    with pytest.raises(taxel.Error, match=r"no file foot\.xml in .*some-robot==2\.0"):
        there.file("foot.xml")


def test_scenes_without_their_package_are_left_out_by_name(tmp_path, capsys):
    lost = replace(fingers(), name="lost", title="a lost robot", needs=(ABSENT,))
    numbers = robots.run(Output(None), tmp_path, True, [lost, replace(lost, title="another")])
    said = capsys.readouterr().out
    assert "no-such-robot is not installed, so these are left out: a lost robot; another" in said
    assert said.count(ABSENT.command) == 1
    assert numbers["rows"] == []
    assert numbers["skipped"] == [{"name": "lost", "install": ABSENT.command}] * 2


def test_every_scene_says_what_it_needs():
    scenes = robots.scenes()
    assert len({scene.name for scene in scenes}) == len(scenes)
    assert {package for scene in scenes for package in scene.needs} == set(PACKAGES)
    assert [scene.name for scene in scenes if not scene.needs] == ["fingers"]
    assert all(package.release[0].isdigit() for package in PACKAGES)


# --- Measures ---

TILTED = """
<mujoco>
  <option cone="elliptic" timestep="0.002" gravity="{gravity}"/>
  <worldbody>
    <geom name="soft" type="box" pos="-0.03 0.01 -0.01" size="0.025 0.04 0.01" friction="2 0 0"/>
    <geom name="hard" type="box" pos="0.035 0.01 -0.01" size="0.025 0.04 0.01" friction="2 0 0"/>
    <body name="object" pos="0.004 0.003 0.02" gravcomp="{lightened}">
      <freejoint/>
      <geom name="object" type="box" size="0.05 0.03 0.02" mass="0.2" friction="2 0 0"/>
      <body name="lid" pos="0 0 0.03"><geom type="sphere" size="0.01" mass="0.05"/></body>
    </body>
  </worldbody>
</mujoco>
"""
WEIGHT = 0.25 * 9.81


def plank(lightened=0.0, pilot=lambda data, t: None) -> RobotScene:
    """A block half on a skin and half on something rigid, on a slope of 10 degrees."""

    def build(soft):
        a = np.radians(10)
        gravity = f"{9.81 * np.sin(a)} 0 {-9.81 * np.cos(a)}"
        spec = mujoco.MjSpec.from_string(TILTED.format(gravity=gravity, lightened=lightened))
        if soft:
            taxel.soften(spec, "soft", modulus=5e5, field="backed")
            taxel.add_sensor(spec, "soft", name="touch", shape=(5, 3))
        return spec

    return RobotScene(
        name="plank",
        title="plank",
        skin="20 mm",
        needs=(),
        build=build,
        start=lambda model, data: pilot,
        subject="object",
        hold=(0.6, 1.0),
        view=View((0, 0, 0), 0.4, 120, -20),
    )


@pytest.mark.parametrize("soft", [False, True])
def test_all_contacts_together_carry_the_weight(soft):
    numbers = run_scene(plank(), soft).numbers
    assert numbers["weight_N"] == pytest.approx(WEIGHT, rel=1e-9)
    assert numbers["carried_N"] == pytest.approx(WEIGHT, rel=2e-3)
    assert numbers["balance"] < 3e-3
    assert not numbers["exploded"] and numbers["stopped_at_s"] is None
    if soft:
        assert 0.1 * WEIGHT < numbers["by_skins_N"] < 0.9 * WEIGHT  # the rest is carried by MuJoCo's own contact
        assert numbers["taxel_error"] < 1e-9
        assert numbers["taxels"] == 15
    else:
        assert numbers["by_skins_N"] == 0.0


def test_a_force_that_is_missing_shows_in_the_balance():
    numbers = run_scene(plank(lightened=0.4), True).numbers  # of the block, 4/5 of the weight
    assert numbers["balance"] == pytest.approx(0.4 * 0.8, abs=5e-3)
    assert numbers["carried_N"] == pytest.approx((1 - 0.4 * 0.8) * WEIGHT, rel=5e-3)


def test_force_on_a_part_counts_what_touches_that_part():
    scene = plank()
    model = scene.build(True).compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=300)
    touches = taxel.touches(model, data)
    assert np.linalg.norm(force_on(model, data, "object", touches)[:3]) == pytest.approx(WEIGHT, rel=0.02)
    assert force_on(model, data, "lid", touches).tolist() == [0.0] * 7


def shove(at, value):
    def pilot(data, t):
        if t >= at:
            data.qvel[3] = value

    return pilot


@pytest.mark.parametrize("value", [150.0, 2e5, np.nan])
def test_an_explosion_is_reported_and_not_passed_on(value, tmp_path, monkeypatch, capsys):
    """150 rad/s goes on to the end, 2e5 is stopped, not a number would be reset by MuJoCo: all three are told."""
    monkeypatch.chdir(tmp_path)
    numbers = robots.run(Output(None), tmp_path, False, [plank(pilot=shove(0.1, value))])
    row = numbers["rows"][0]
    assert row["exploded"] and not row["within"] and row["picture"] is None
    assert np.isnan(row["balance"]) and np.isnan(row["slip_mm"])
    assert row["bad_numbers"] == np.isnan(value)
    assert row["bad_numbers"] or row["joint_rad_s"] > 100
    assert row["stopped_at_s"] == pytest.approx(1.0 if value == 150.0 else 0.104, abs=0.005)
    said = capsys.readouterr().out
    assert "plank, 20 mm: exploded" in said
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


# --- Our own scene, and the robots that are there ---


def test_our_own_fingers_hold_the_block(tmp_path):
    pytest.importorskip("matplotlib")
    scene = fingers()
    numbers = robots.run(Output(None), tmp_path, True, [scene])
    (row,) = numbers["rows"]
    assert not row["exploded"] and row["joint_rad_s"] < 20
    assert row["carried_N"] == pytest.approx(0.08 * 9.81, rel=1e-3)
    assert row["by_skins_N"] == pytest.approx(row["carried_N"], rel=1e-9)  # nothing else touches it
    assert row["balance"] < 1e-3 and row["slip_mm"] < 0.05 and row["within"]
    assert row["taxels"] == 2 * 16 * 12
    assert row["steps_us"] > 0 and row["load_s"] > 0
    assert row["native"]["by_skins_N"] == 0.0 and row["native"]["steps_us"] > 0
    if row["picture"] is not None:
        assert row["picture"].stat().st_size > 10_000


def test_the_same_run_gives_the_same_numbers():
    first, second = (run_scene(fingers(), True, quick=True).numbers for _ in range(2))
    for key in ("carried_N", "balance", "slip_mm", "joint_rad_s", "grip_N"):
        assert first[key] == second[key], key


@pytest.mark.parametrize("scene", [s for s in robots.scenes() if s.needs and s.quick], ids=lambda s: s.name)
def test_robots_that_are_installed(scene, tmp_path):
    if without := missing(scene.needs):
        pytest.skip("; ".join(f"{p.distribution} is not installed ({p.command})" for p in without))
    (row,) = robots.run(Output(None), tmp_path, True, [scene])["rows"]
    assert not row["exploded"], row
    assert row["balance"] <= robots.BALANCE and row["slip_mm"] <= robots.SLIP
    assert row["taxel_error"] <= robots.TAXELS
