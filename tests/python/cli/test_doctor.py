"""taxel alone, and taxel doctor: what it finds, what it advises, and that nothing it meets ends it."""

import importlib.metadata
import json
import re

import pytest
from blocked import taxel_without

from taxel import _core
from taxel.cli import build_parser, doctor_checks, first_steps, main
from taxel.cli.doctor_checks import Check, State


@pytest.fixture
def quick(monkeypatch):
    """Without the checks that start another process; a test says what they would have found."""
    monkeypatch.setattr(doctor_checks, "_tried", lambda code, **environment: (True, "1.0 -"))
    return monkeypatch


def states(capsys) -> dict[str, dict]:
    return {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}


def test_taxel_alone_says_what_to_try_and_that_parses(capsys):
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("taxel ") and "taxel demo" in shown
    for command, _ in first_steps.STEPS:
        if "--help" not in command:
            assert build_parser().parse_args(command.split()[1:]).run


def test_a_healthy_machine(tmp_path, capsys):
    """The whole of it, with the processes."""
    assert main(["doctor", "--json", str(tmp_path / "found.json")]) == 0
    shown = capsys.readouterr().out
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["ok"] and {c["name"] for c in found["checks"]} >= {"taxel", "MuJoCo", "plugin", "EGL", "GPU", "torch"}
    assert re.search(r"^ok +plugin +loads; a ball of 1\.962 N on a Myrmex reads 1\.9[56]", shown, re.M)
    assert "taxel has all that it needs" in shown.splitlines()[-1]
    for check in found["checks"]:
        assert check["state"] in ("good", "absent") and check["found"]


def test_another_mujoco_is_broken(quick, capsys):
    import mujoco

    quick.setattr(mujoco, "__version__", "3.9.1")
    assert main(["doctor", "--json", "-"]) == 1
    found = states(capsys)
    assert found["MuJoCo"]["state"] == found["plugin"]["state"] == "broken"
    assert "3.9.1" in found["MuJoCo"]["found"]
    assert found["MuJoCo"]["advice"] == f"pip install mujoco=={_core.mujoco_version}"


def test_no_mujoco_at_all(tmp_path):
    done = taxel_without("mujoco", ["doctor"], tmp_path)
    assert done.returncode == 1 and done.stderr == ""
    assert f"-> pip install mujoco=={_core.mujoco_version}" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("to be mended: MuJoCo, plugin")


def test_a_plugin_that_reads_wrong_is_broken(quick, capsys):
    import taxel

    quick.setattr(taxel, "Sensor", lambda model, name: lambda data: doctor_checks.np.full((16, 16), 100.0))
    assert main(["doctor", "--json", "-"]) == 1
    assert states(capsys)["plugin"]["found"] == "loads, but a ball of 1.962 N on a Myrmex reads 0.640 N"


def test_what_crashes_is_reported(quick, capsys):
    def crash():
        raise RuntimeError("two\nlines")

    quick.setattr(doctor_checks, "plugin", crash)
    quick.setattr(doctor_checks, "gpu", crash)
    assert main(["doctor", "--json", "-"]) == 1
    found = states(capsys)
    assert found["plugin"]["state"] == "broken" and found["plugin"]["found"] == "RuntimeError: two lines"
    assert found["GPU"]["state"] == "absent"


def test_a_process_that_dies_or_hangs_is_an_answer(monkeypatch):
    good, said = doctor_checks._tried("import os; os.abort()")
    assert not good and "-6" in said
    assert doctor_checks._tried("print('one'); print('two')") == (True, "two")
    monkeypatch.setattr(doctor_checks, "PATIENCE", 0.2)
    good, said = doctor_checks._tried("import time; time.sleep(30)")
    assert not good and "no answer within 0.2 s" in said
    monkeypatch.setattr(doctor_checks, "_tried", lambda code, **environment: (False, "no display"))
    check = doctor_checks.egl()
    assert check.state is State.ABSENT and "no display" in check.found and "libegl1" in check.advice


@pytest.mark.parametrize(
    "why, state, words",
    [
        ("", State.GOOD, "sees a GPU"),
        ("no GPU to run on (none); use device 'cpu'", State.ABSENT, "is there; no GPU to run on (none)"),
        ("libtaxel_cuda.so belongs to another version of taxel; install", State.ABSENT, "another version"),
        ("libtaxel_cuda.so cannot be loaded (x: No such file); pip", State.ABSENT, "not installed"),
    ],
)
def test_the_cuda_library(monkeypatch, why, state, words):
    monkeypatch.setattr(_core, "why_no_cuda", lambda: why)
    check = doctor_checks.cuda_library()
    assert check.state is state and words in check.found
    assert ("taxel-cuda==" in check.advice) == ("another version" in why)


def test_extras_are_those_that_pip_knows(monkeypatch):
    wanted = [
        "numpy>=1.24",
        'numpy>=1.0; extra == "plot"',
        "no-such-package>=3; extra == 'plot'",
        'numpy==0.1.2; python_version > "3" and extra == "new"',
        'numpy>=1.24; extra == "gym"',
        'no-such-package; extra == "dev"',
    ]
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: wanted)
    plot, new, gym = doctor_checks.extras()
    assert plot == Check(
        "taxel[plot]",
        State.ABSENT,
        "no-such-package not installed (pictures of presses and experiments)",
        "pip install 'taxel[plot]'",
    )
    assert new.state is State.ABSENT and "where 0.1.2 is needed" in new.found
    assert gym.state is State.GOOD and gym.advice == ""


def test_a_tree_that_pip_does_not_know(monkeypatch):
    def unknown(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "requires", unknown)
    [check] = doctor_checks.extras()
    assert check.state is State.ABSENT and "not installed by pip" in check.found
