"""One recorder for three formats: what was written is read back, wrong input is one clear line, nothing is lost."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from record_rows import CHANNELS, EPISODE, check, row, write

import taxel
import taxel.record as record

PATHS = ("run.mcap", "run.h5", "run")
LITTLE = {"force": record.Scalar("N")}


@pytest.mark.parametrize("name", PATHS)
def test_rows_come_back(tmp_path, name):
    count = 2 * EPISODE + 7
    with record.open(tmp_path / name, CHANNELS, task="task 0") as recorder:
        write(recorder, 0, count)
    found = record.read(tmp_path / name)
    check(found, count)
    assert found.complete and found.tasks == ["task 0", "task 1", "task 2"]
    for key, channel in CHANNELS.items():
        assert found.channels[key].description() == channel.description()
    with pytest.raises(taxel.Error, match="closed"):
        recorder.write(9.0, row(0))
    recorder.close()


@pytest.mark.parametrize("name", PATHS)
def test_an_error_in_the_block_keeps_the_rows(tmp_path, name):
    with pytest.raises(KeyboardInterrupt), record.open(tmp_path / name, CHANNELS) as recorder:
        write(recorder, 0, 5)
        raise KeyboardInterrupt
    check(record.read(tmp_path / name), 5)


@pytest.mark.parametrize("name", PATHS)
def test_nothing_written(tmp_path, name):
    with record.open(tmp_path / name, LITTLE):
        pass
    if name == "run":
        with pytest.raises(taxel.Error, match="none of its episodes was finished"):
            record.read(tmp_path / name)
    else:
        found = record.read(tmp_path / name)
        assert found.complete and len(found.time) == 0 and found.values["force"].shape == (0,)


def test_a_value_is_copied_when_it_is_written(tmp_path):
    value = np.zeros(3)
    with record.open(tmp_path / "run.h5", {"x": record.Array((3,))}) as recorder:
        for k in range(4):
            value[:] = k
            recorder.write(k, {"x": value})
    np.testing.assert_array_equal(record.read(tmp_path / "run.h5").values["x"][:, 0], [0, 1, 2, 3])


def test_threads_share_a_recorder(tmp_path):
    clock, lock = iter(range(1, 10_000)), threading.Lock()
    with record.open(tmp_path / "run.mcap", LITTLE) as recorder:

        def work() -> None:
            for _ in range(100):
                with lock:
                    now = next(clock)
                    recorder.write(now, {"force": now})

        threads = [threading.Thread(target=work) for _ in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
    found = record.read(tmp_path / "run.mcap")
    np.testing.assert_array_equal(found.values["force"], found.time)
    assert len(found.time) == 400


def test_times_below_zero_and_a_reset(tmp_path):
    for name in PATHS:
        with record.open(tmp_path / name, LITTLE) as recorder:
            for time in (-0.5, -0.25, 0.0):
                recorder.write(time, {"force": time})
            recorder.next_episode()
            recorder.next_episode("no rows: not one of its own")
            recorder.write(-0.5, {"force": 7})
        found = record.read(tmp_path / name)
        np.testing.assert_allclose(found.time, [-0.5, -0.25, 0.0, -0.5], atol=1e-12)
        assert found.episode.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("time", "values", "words"),
    [
        (1.0, {"touch": np.zeros((2, 3))}, r"force: not in row 1; a row has all channels \(force, touch, eye\)"),
        (1.0, {"force": 1, "touch": np.zeros((3, 2)), "eye": None}, r"'touch', row 1: its shape is \(3, 2\).*\(2, 3\)"),
        (1.0, {"force": "much", "touch": np.zeros((2, 3)), "eye": None}, "'force', row 1"),
        (1.0, {"force": 1, "touch": np.zeros((2, 3)), "eye": np.zeros((4, 6, 3))}, "float64, it must be uint8"),
        (1.0, {"force": 1, "touch": 1, "eye": 1, "more": 1}, "more: no channel"),
        (0.5, None, r"the time of row 1 is 0.5 s, after one at 0.5 s; call next_episode\(\)"),
        (float("nan"), None, "the time of row 1 is nan"),
    ],
)
def test_a_wrong_row_is_refused_and_costs_no_other(tmp_path, time, values, words):
    channels = {"force": record.Scalar(), "touch": record.Array((2, 3)), "eye": record.Image(4, 6)}
    good = {"force": 1, "touch": np.zeros((2, 3)), "eye": np.zeros((4, 6, 3), np.uint8)}
    with record.open(tmp_path / "run.h5", channels) as recorder:
        recorder.write(0.5, good)
        with pytest.raises(taxel.Error, match=words):
            recorder.write(time, good if values is None else values)
        recorder.write(2.0, good)
    assert record.read(tmp_path / "run.h5").time.tolist() == [0.5, 2.0]


@pytest.mark.parametrize(
    ("path", "channels", "words"),
    [
        ("run.avi", LITTLE, "ends with .avi is none of ours; give .mcap, .h5"),
        ("there.mcap", LITTLE, "there already; remove it"),
        ("full", LITTLE, "there already"),
        ("nowhere/run.h5", LITTLE, "no folder .*nowhere"),
        ("run.h5", {}, "at least one channel"),
        ("run.h5", {"a b": record.Scalar()}, "'a b': give a name of letters"),
        ("run.h5", {"a": float}, "'a' is type; give one of"),
        ("run.h5", {"a": record.Wrench("hand")}, "frame 'hand' is no pose of this recording; there are: none"),
        ("run.h5", {"a": record.Pose("a")}, "its own frame"),
        ("run.h5", {"a": record.Scalar(), "a/b": record.Scalar()}, "'a' is a folder of 'a/b'"),
    ],
)
def test_wrong_recordings_are_refused_at_once(tmp_path, path, channels, words):
    (tmp_path / "there.mcap").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    with pytest.raises(taxel.Error, match=words):
        record.open(tmp_path / path, channels)
    assert (tmp_path / "there.mcap").read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["full", "there.mcap"]


def test_wrong_channels():
    for make, words in (
        (lambda: record.Array((0, 3)), r"size is \(0, 3\)"),
        (lambda: record.Array((2, 2), points=np.zeros((3, 3))), r"give \(4, 3\)"),
        (lambda: record.Markers((2,), np.zeros((2, 3)), 0.0), "pixel is 0.0"),
        (lambda: record.Image(0, 4), "Image: size"),
    ):
        with pytest.raises(taxel.Error, match=words):
            make()


def test_the_format_can_be_said(tmp_path):
    with record.open(tmp_path / "run.bag", LITTLE, format="mcap") as recorder:
        recorder.write(0, {"force": 1})
    assert record.read(tmp_path / "run.bag").values["force"].tolist() == [1.0]
    with pytest.raises(taxel.Error, match="format is 'csv'; give one of hdf5, lerobot, mcap"):
        record.open(tmp_path / "x", LITTLE, format="csv")


def test_a_missing_library_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ImportError, match=r"need h5py; run: pip install 'taxel\[record\]'"):
        record.Tape(tmp_path / "run.h5")


def test_the_libraries_are_asked_for_when_they_are_needed():
    code = "import sys, taxel.cli, taxel.press, taxel.record; print({*sys.modules} & {'mcap', 'h5py', 'pyarrow', 'av'})"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert out.stdout.strip() == "set()", out.stderr


def test_what_is_no_recording_says_so(tmp_path):
    import h5py

    (tmp_path / "a.mcap").write_bytes(b"")
    (tmp_path / "b.txt").write_text("words")
    (tmp_path / "c").mkdir()
    h5py.File(tmp_path / "d.h5", "w").close()
    (tmp_path / "e.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + b"no" * 100)
    (tmp_path / "f.mcap").write_bytes(b"\x89MCAP0\r\n" + b"\xff" * 64)
    for name in ("a.mcap", "b.txt", "c", "d.h5", "e.h5", "f.mcap", "not_there"):
        with pytest.raises(taxel.Error, match=name):
            record.read(tmp_path / name)


def test_poses_as_matrices(tmp_path, tilted):
    with record.open(tmp_path / "run.mcap", {"hand": record.Pose()}) as recorder:
        recorder.write(0, {"hand": tilted})
    found = record.read(tmp_path / "run.mcap").values["hand"][0]
    np.testing.assert_allclose(found[:3], tilted[:3, 3])
    np.testing.assert_allclose(taxel.pose(found[:3], quat=found[3:]), tilted, atol=1e-12)


HALF = np.sqrt(0.5)
UPRIGHT = [0, 0, 0, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("channel", "value", "answer"),
    [
        (record.Pose(), np.zeros((4, 4)), "is no pose: give a rotation without scale or mirror"),
        (record.Pose(), np.diag([1.0, 1, -1, 1]), "without scale or mirror"),
        (record.Pose(), 2 * np.eye(4), "without scale or mirror"),
        (record.Pose(), np.eye(4) + np.eye(4, k=-3), "0 0 0 1 below"),
        (record.Pose(), np.full((4, 4), np.nan), "is no pose"),
        (record.Pose(), np.eye(4).astype(complex), "is no pose"),
        (record.Pose(), [0, 0, 0, 2, 0, 0, 0], "a quaternion w x y z of length 1 (here 2)"),
        (record.Pose(), [0] * 7, "of length 1 (here 0)"),
        (record.Pose(), [*UPRIGHT[:6], np.nan], "is no pose"),
        (record.Pose(), [np.inf, *UPRIGHT[1:]], "is no pose"),
        (record.Scalar(), None, "its value is None, of object; give real numbers"),
        (record.Scalar(), 1j, "give real numbers"),
        (record.Scalar(), "5", "give real numbers"),
        (record.Array((2,)), [0.0, None], "give real numbers"),
        (record.Array((2,)), [0.0, 1e300], "1e+300 is too large for float32"),
        (record.Array((2,)), [-1e39, 0.0], "-1e+39 is too large for float32"),
    ],
)
def test_values_that_are_none_of_the_channel(tmp_path, channel, value, answer):
    with record.open(tmp_path / "run.h5", {"x": channel}) as recorder:
        with pytest.raises(taxel.Error) as found:
            recorder.write(0.0, {"x": value})
        assert answer in str(found.value) and "channel 'x', row 0" in str(found.value)
        assert recorder.rows == 0


def test_poses_are_stored_as_they_are_given():
    turned = np.array([[0.0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])
    np.testing.assert_allclose(record.Pose().convert(turned), [1, 2, 3, HALF, 0, 0, HALF], atol=1e-12)
    single = np.array([1, 2, 3, HALF, 0, 0, HALF], np.float32)
    np.testing.assert_array_equal(record.Pose().convert(single), single)
    assert np.isnan(record.Array((2,)).convert([np.nan, 1.0])[0])
    assert np.isinf(record.Array((2,)).convert([np.inf, 1.0])[0])


def test_names_that_cannot_be_files():
    with pytest.raises(taxel.Error, match="the name is empty; give a file"):
        record.check_path("")
    for name in ("/proc/run.mcap", "/proc/run"):  # root may write there, the rights say, and nobody can
        with pytest.raises(
            taxel.Error, match=r"recording /proc/run\S*: no file can be made in /proc \(.*; give another"
        ):
            record.check_path(name)


def test_asking_leaves_nothing_behind(tmp_path):
    record.check_path(tmp_path / "run.mcap")
    record.check_path(tmp_path)
    assert not list(tmp_path.iterdir())


def test_rows_that_are_none(tmp_path):
    with record.open(tmp_path / "run.mcap", LITTLE) as recorder:
        for values in (None, [1.0], 1.0):
            with pytest.raises(TypeError, match=r"values of row 0 are \w+; give a dict with a value for each .*force"):
                recorder.write(0.0, values)
        for time in (None, "soon", float("nan")):
            with pytest.raises(taxel.Error, match=r"the time of row 0 is .*; give seconds"):
                recorder.write(time, {"force": 1.0})
        recorder.write(0.0, {"force": 1.0})
    assert len(record.read(tmp_path / "run.mcap").time) == 1
