"""A writer that is killed, a disk that is full: what was written before opens."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from record_rows import CHANNELS, EPISODE, check, write

import taxel
import taxel.record as record
from taxel.cli import main

PROGRAM = Path(__file__).with_name("record_rows.py")


@pytest.mark.parametrize("name", ["run.mcap", "run.h5", "run"])
def test_a_killed_writer_leaves_what_it_wrote(tmp_path, name):
    path = tmp_path / name
    with subprocess.Popen([sys.executable, PROGRAM, path], stdout=subprocess.PIPE, text=True) as child:
        written = 0
        while written < 5 * EPISODE + 10:
            written = int(child.stdout.readline())
        child.send_signal(signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL
    found = record.read(path)
    assert not found.complete
    # An episode's end writes what is waiting; of the last one, which has not ended, anything may be missing.
    assert len(found.time) >= 5 * EPISODE
    check(found, len(found.time))
    # And it can be made whole.
    assert main(["replay", str(path), "--copy", str(tmp_path / "whole.h5"), "--out", str(tmp_path)]) == 0
    again = record.read(tmp_path / "whole.h5")
    assert again.complete and len(again.time) == len(found.time) and again.tasks == found.tasks[: len(again.tasks)]


@pytest.mark.parametrize(("name", "size"), [("run.mcap", 400_000), ("run.h5", 1_200_000), ("run", 60_000)])
def test_a_full_disk_stops_the_recording_only(tmp_path, name, size):
    """The limit on a file's size stands for the disk's: the same calls fail."""
    path = tmp_path / name
    child = subprocess.run([sys.executable, PROGRAM, path, str(size)], capture_output=True, text=True, timeout=60)
    last = child.stderr.strip().splitlines()[-1]
    assert child.returncode == 1 and "the disk is full" in last and "Make room" in last
    found = record.read(path)
    assert f"{len(found.time)} rows can be read from it" in last and len(found.time) >= EPISODE
    check(found, len(found.time))
    assert not list(tmp_path.rglob("*.part"))


def test_a_file_that_was_cut_off_says_so(tmp_path):
    """A copy that broke off: HDF5 would wait for the rest. In a process of its own, which can be ended."""
    with record.open(tmp_path / "run.h5", CHANNELS) as recorder:
        write(recorder, 0, 30)
    whole = (tmp_path / "run.h5").read_bytes()
    for size in (20, 3000, len(whole) - 1):
        (tmp_path / "cut.h5").write_bytes(whole[:size])
        words = RUN.format(["replay", str(tmp_path / "cut.h5"), "--out", str(tmp_path)])
        child = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, timeout=60)
        assert child.returncode == 2 and child.stderr.count("\n") == 1
        assert f"cut.h5: the file is cut off, {size} bytes of" in child.stderr
    assert f"of {len(whole)} are here" in child.stderr


def test_a_full_disk_costs_a_command_nothing(tmp_path):
    """The press ends and its numbers are printed; the recording says what it has."""
    words = ["press", "myrmex", "sphere", "--record", str(tmp_path / "run.h5"), "--out", str(tmp_path), "--size", "120"]
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (600_000,) * 2); {RUN.format(words)}"
    child = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True, timeout=60)
    assert child.returncode == 1 and "5 N in MuJoCo" in child.stdout
    assert "taxel: warning: recording" in child.stderr and "the disk is full" in child.stderr


RUN = "import sys; from taxel.cli import main; sys.exit(main({!r}))"


def test_a_file_cut_anywhere_opens(tmp_path):
    path = tmp_path / "run.mcap"
    with record.open(path, CHANNELS) as recorder:
        from record_rows import write

        write(recorder, 0, 2 * EPISODE)
    whole = path.read_bytes()
    before = 2 * EPISODE
    for share in (0.999, 0.9, 0.6, 0.45, 0.2):
        path.write_bytes(whole[: int(share * len(whole))])
        found = record.read(path)
        assert not found.complete and len(found.time) <= before
        if len(found.time):
            check(found, len(found.time))
        before = len(found.time)
    assert before == 0
    path.write_bytes(whole[:20])
    with pytest.raises(taxel.Error, match="says nothing of its channels"):
        record.read(path)
    broken = bytearray(whole)
    broken[len(whole) // 3] ^= 255  # one byte of a chunk
    path.write_bytes(broken)
    assert not record.read(path).complete


def test_hdf5_is_read_while_it_is_written(tmp_path):
    from record_rows import write

    with record.open(tmp_path / "run.h5", CHANNELS, task="task 0") as recorder:
        write(recorder, 0, EPISODE + 1)
        script = f"import taxel.record as r; x = r.read({str(tmp_path / 'run.h5')!r}); print(len(x.time), x.complete)"
        child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert child.stdout.split() == [str(EPISODE), "False"], child.stderr
