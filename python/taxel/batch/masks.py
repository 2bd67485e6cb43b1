"""Which worlds a call is about: one number a world, of any kind and library."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .cuda import CudaArray, array_face, stream_handle, to_device


def host_mask(mask: Any, worlds: int, where: str) -> np.ndarray | None:
    """(worlds,) of uint8, 0 or 1, from bools or numbers 0 and 1 of NumPy, torch, warp or a list."""
    if mask is None:
        return None
    if hasattr(mask, "detach"):
        mask = mask.detach().cpu()
        mask = mask.double() if mask.is_floating_point() else mask  # NumPy has no bfloat16
    try:
        given = np.asarray(mask)
    except (TypeError, ValueError) as error:
        raise _core.Error(f"{where}: mask is {type(mask).__name__}; give ({worlds},) of bool") from error
    if given.dtype.kind not in "biuf":
        raise _core.Error(f"{where}: mask is of {given.dtype}; give ({worlds},) of bool, or of the numbers 0 and 1")
    truth = given != 0
    if given.shape != (worlds,) or not (given == truth).all():
        got = f"the shape {given.shape}" if given.shape != (worlds,) else "numbers other than 0 and 1"
        raise _core.Error(
            f"{where}: mask has {got}; give ({worlds},) of bool, one a world. Of a list of worlds: "
            f"mask = numpy.zeros({worlds}, bool); mask[worlds] = True"
        )
    return np.ascontiguousarray(truth).view(np.uint8)


class DeviceMask:
    """Bytes of a mask on the GPU. Bools and bytes are read where they are; other numbers become bytes in memory of its
    own (not 0 is true), without waiting; a mask on the host is checked and copied, which waits."""

    def __init__(self, worlds: int) -> None:
        self._worlds = worlds
        self._bytes: CudaArray | None = None
        self._keep: Any = None

    def address(self, mask: Any, where: str, stream: Any) -> int:
        if mask is None:
            return 0
        if _on_host(mask):
            self._keep = to_device(host_mask(mask, self._worlds, where), np.uint8)
            return self._keep.address
        wanted = f"give ({self._worlds},) of bool, one a world, on the GPU or the host"
        face = array_face(mask, (self._worlds,), "mask", where, wanted)
        kind = face["typestr"]
        if kind in ("|u1", "|b1", "|i1"):
            return int(face["data"][0])
        if kind[1:] not in ("i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"):
            raise _core.Error(f"{where}: mask is of kind {kind}; {wanted}")
        if self._bytes is None:
            self._bytes = CudaArray((self._worlds,), dtype=np.uint8)
        _core.cuda_mask(int(face["data"][0]), kind, self._worlds, self._bytes.address, stream_handle(stream))
        return self._bytes.address


def _on_host(mask: Any) -> bool:
    if isinstance(mask, np.ndarray | list | tuple):
        return True
    device = getattr(mask, "__dlpack_device__", None)
    return device is not None and int(device()[0]) == 1
