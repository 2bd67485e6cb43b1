"""Shards on a Ray cluster of two nodes on this machine: a worker is killed, the driver is killed, nothing is lost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ray = pytest.importorskip("ray", reason="could not import 'ray'")
from ray.cluster_utils import Cluster  # noqa: E402

PLAN = """
sensor: myrmex
samples: 2400
seed: 5
objects: [{sphere: {radius: [0.01, 0.03]}}, {box: {x: [0.01, 0.04]}}]
load: {force: [0.5, 5]}
shards: {size: 200}
"""


@pytest.fixture(scope="module")
def cluster():
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes.add_node(num_cpus=1)
    nodes.wait_for_nodes()
    yield nodes
    nodes.shutdown()


def start(plan: Path, out: Path, *more: str) -> subprocess.Popen:
    words = [sys.executable, "-m", "taxel.cli", "dataset", str(plan), "--out", str(out), *more]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def digests(out: Path) -> dict[int, str]:
    found = [json.loads(file.read_text()) for file in sorted((out / "index").glob("*.json"))]
    return {about["shard"]: about["sha256"] for about in found}


def workers_of_ray() -> list[int]:
    """Processes of Ray that make shards now."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if words.startswith(b"ray::_make"):
                found.append(int(entry.name))
    return found


def wait_until(condition, seconds=120.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)


def test_killed_worker_and_killed_driver_lose_nothing(cluster, tmp_path):
    plan, out = tmp_path / "plan.yaml", tmp_path / "ray"
    plan.write_text(PLAN)

    driver = start(plan, out, "--ray", cluster.address)
    wait_until(lambda: len(digests(out)) >= 2 and workers_of_ray())
    os.kill(workers_of_ray()[0], signal.SIGKILL)
    before = len(digests(out))
    wait_until(lambda: len(digests(out)) > before)
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait()
    kept = digests(out)
    assert 2 < len(kept) < 12

    driver = start(plan, out, "--ray", cluster.address, "--json", "-")
    words, errors = driver.communicate(timeout=300)
    assert driver.returncode == 0, errors
    told = json.loads(words)
    assert told["kept"] == len(kept) and told["made"] == 12 - len(kept) and told["damaged"] == []
    assert {number: digests(out)[number] for number in kept} == kept

    here = start(plan, tmp_path / "here", "--jobs", "1")
    assert here.wait(300) == 0
    assert digests(tmp_path / "here") == digests(out)


def test_address_where_nobody_answers(tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN)
    process = start(plan, tmp_path / "out", "--ray", "127.0.0.1:1")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "--ray 127.0.0.1:1: no cluster answers there" in errors and "ray start --head" in errors
