"""With --json - standard output is JSON and nothing else, whatever libraries print."""

import json
import subprocess
import sys

import pytest

from taxel.cli import info, main
from taxel.report import Output, json_alone


def chatter(options):
    print("Module mujoco_warp 439a86e load on device 'cpu' took 4323.25 ms")
    out = Output(options.json)
    out.print("words")
    out.finish({"answer": 42})
    return 0


@pytest.mark.parametrize("target", [None, "-", "file"])
def test_what_others_print_goes_elsewhere(target, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(info, "run", chatter)
    file = tmp_path / "numbers.json"
    words = [] if target is None else ["--json", "-" if target == "-" else str(file)]
    assert main(["info", *words]) == 0
    told = capsys.readouterr()
    if target == "-":
        assert json.loads(told.out) == {"answer": 42} and "Module" in told.err and "words" in told.err
    else:
        assert "Module" in told.out and "words" in told.out and not told.err
        assert target is None or json.loads(file.read_text()) == {"answer": 42}
    print("after")
    assert capsys.readouterr().out == "after\n"


def test_an_error_gives_standard_output_back(capsys):
    with pytest.raises(ValueError), json_alone("-"):
        raise ValueError
    print("after")
    assert capsys.readouterr().out == "after\n" and Output.alone is None


def test_warp_does_not_tell_what_it_compiles():
    pytest.importorskip("mujoco_warp")
    pytest.importorskip("tensordict")
    code = (
        "import taxel.tasks, torch\n"
        "env = taxel.tasks.make('drawer', worlds=1, engine='warp', touch='none', contact='native')\n"
        "env.step(torch.zeros(1, 7))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == ""
