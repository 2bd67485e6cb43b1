"""Completion: each shell runs its own script on the same lines and offers the same words."""

import shutil
import subprocess

import pytest

from taxel.cli import build_parser, main
from taxel.cli.command_tree import places

LINES = [
    (["taxel", ""], {"demo", "press", "doctor", "completion"}, {"--help", "array"}),
    (["taxel", "pr"], {"press"}, {"demo"}),
    (["taxel", "--v"], {"--version"}, {"demo"}),
    (["taxel", "calibrate", ""], {"array", "friction", "foam", "markers"}, {"demo"}),
    (["taxel", "calibrate", "array", "--to"], {"--touch"}, {"--points"}),
    (["taxel", "calibrate", "array", "--touch", "o"], {"off", "one"}, {"auto", "--touch"}),
    (["taxel", "press", "my"], {"myrmex"}, {"sphere", "mytext.xml2"}),
    (["taxel", "press", "--force", "3", "my"], {"myrmex"}, {"sphere"}),
    (["taxel", "press", "--offset", "1", "2", "w"], {"weiss"}, {"sphere"}),
    (["taxel", "press", "myrmex", "s"], {"sphere", "some.stl"}, {"shadow_fingertip"}),
    (["taxel", "press", "demo", "c"], {"capsule", "cylinder"}, {"calibrate"}),
    (["taxel", "press", "--model", ""], {"pressure", "gel"}, {"myrmex"}),
    (["taxel", "reproduce", "gel-t"], {"gel-torus"}, {"gel-grid"}),
    (["taxel", "demo", "--out", "so"], {"some_folder"}, {"some.stl"}),
    (["taxel", "press", "--force", ""], set(), {"myrmex", "some.stl"}),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The three scripts, beside a file and a folder to be offered."""
    path = tmp_path_factory.mktemp("completion")
    (path / "some.stl").write_text("")
    (path / "some_folder").mkdir()
    return path


@pytest.fixture
def script(folder, capsys):
    def write(shell):
        assert main(["completion", shell]) == 0
        path = folder / f"taxel.{shell}"
        path.write_text(capsys.readouterr().out)
        return path

    return write


def need(shell: str) -> str:
    return shutil.which(shell) or pytest.skip(f"{shell} is not installed")


def ran(command: list[str], folder) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.stderr == "", done.stderr
    return done.stdout


def compare(answers: list[set[str]]) -> None:
    for (words, offered, not_offered), found in zip(LINES, answers, strict=True):
        assert offered <= found and not (not_offered & found), f"{' '.join(words)} offers {sorted(found)}"
        if not offered:
            assert found == set(), f"{' '.join(words)} offers {sorted(found)}"


def test_bash(script, folder):
    lines = [f"source {script('bash')}"]
    for words, _, _ in LINES:
        quoted = " ".join(f"'{word}'" for word in words)
        lines.append(f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _taxel")
        lines.append('echo "${COMPREPLY[*]}"')
    answers = ran([need("bash"), "--norc", "-c", "\n".join(lines)], folder).split("\n")[:-1]
    compare([set(answer.split()) for answer in answers])


def test_bash_knows_that_it_cuts_at_the_equals_sign(script, folder):
    line = "COMP_WORDS=(taxel press --model = g); COMP_CWORD=4; _taxel; echo ${COMPREPLY[*]}"
    assert ran([need("bash"), "--norc", "-c", f"source {script('bash')}; {line}"], folder) == "gel\n"


def test_fish(script, folder):
    lines = [f"source {script('fish')}"]
    for words, _, _ in LINES:
        lines += [f"complete -C '{' '.join(words)}'", "echo =="]
    answers = ran([need("fish"), "--no-config", "-c", "\n".join(lines)], folder).split("==\n")[:-1]
    compare([{line.split("\t")[0].rstrip("/") for line in answer.splitlines()} for answer in answers])


def test_zsh(script, folder):
    """zsh offers inside its line editor alone: here what it would be given, cut to what begins with the word."""
    lines = [
        "compdef() { print announced $* }",
        f"source {script('zsh')}",
        '_describe() { local word; for word in "${(@P)2}"; do offer "${${word%%:*}}"; done }',
        '_files() { local file; [[ $1 == -/ ]] && set -- *(/N) || set -- *(N); for file; do offer "$file"; done }',
        'offer() { [[ $1 == ${words[CURRENT]}* ]] && print -r -- "$1" }',
    ]
    for words, _, _ in LINES:
        quoted = " ".join(f"'{word}'" for word in words)
        lines += [f"words=({quoted}); CURRENT={len(words)}; _taxel", "print -- '=='"]
    first, *rest = ran([need("zsh"), "-f", "-c", "\n".join(lines)], folder).split("\n", 1)
    assert first == "announced _taxel taxel"
    compare([set(answer.split()) for answer in rest[0].split("==\n")[:-1]])


def test_every_command_and_option_is_known():
    known = {place.name: place for place in places(build_parser())}
    assert set(known[""].commands) <= set(known) and "calibrate array" in known
    for place in known.values():
        flags = [flag for option in place.options for flag in option.flags]
        assert "--help" in flags and len(flags) == len(set(flags))
    offset = next(o for o in known["press"].options if "--offset" in o.flags)
    assert offset.count == 2 and not offset.values.files


def test_an_unknown_shell_is_one_line(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["completion", "csh"])
    error = capsys.readouterr().err
    assert stop.value.code == 2 and len(error.strip().splitlines()) == 1 and "fish" in error
