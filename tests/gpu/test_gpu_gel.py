"""Gels on the GPU against the CPU's solver: the checks of scripts/gpu_gel_bench.cu, a program of its own that needs no
other library (scripts/gpu_check.sh builds it)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from gpu_scenes import needs_gpu

PROGRAM = Path(os.environ.get("TAXEL_GPU_GEL_BENCH", Path(__file__).resolve().parents[2] / "build" / "gpu_gel_bench"))
pytestmark = [
    *needs_gpu,
    pytest.mark.skipif(not PROGRAM.exists(), reason="needs a GPU and build/gpu_gel_bench (scripts/gpu_check.sh)"),
]


def test_the_solver_is_the_cpus():
    done = subprocess.run([PROGRAM, "--quick"], capture_output=True, text=True, timeout=600, check=False)
    print(done.stdout, done.stderr)
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAIL")]
    assert done.returncode == 0, failed or done.stderr
