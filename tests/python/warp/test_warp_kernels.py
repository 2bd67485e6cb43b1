"""The kernels compile for a GPU, also where there is none: Warp brings NVIDIA's compiler with it."""

import pytest

wp = pytest.importorskip("warp")
pytest.importorskip("mujoco_warp")

from taxel.warp import (  # noqa: E402
    blocks,
    bristles,
    chain_kernels,
    emit,
    layer_size,
    motion,
    patch,
    press,
    readings,
)


def test_kernels_compile_for_hopper(tmp_path):
    for module in (motion, press, patch, layer_size, blocks, bristles, emit, readings, chain_kernels):
        wp.compile_aot_module(module, arch=90, module_dir=str(tmp_path), use_ptx=True)
    assert len(list(tmp_path.glob("*.sm90.ptx"))) == 9
