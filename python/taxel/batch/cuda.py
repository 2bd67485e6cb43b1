"""Arrays on a GPU, by the protocols all frameworks speak; nothing here waits for the GPU unless it says so."""

from __future__ import annotations

import importlib.util
import math
import sys
from typing import Any

import numpy as np

from .. import _core
from ..common.alone import Uncopied


def _name_library() -> None:
    """Tells the core where the package taxel_cuda (the wheel taxel-cuda) lies, which holds libtaxel_cuda.so."""
    spec = importlib.util.find_spec("taxel_cuda")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        _core.add_cuda_folder(folder)


_name_library()


def cuda_available() -> bool:
    """Whether libtaxel_cuda.so is there, built with taxel or from the wheel taxel-cuda, and finds a GPU."""
    return not _core.why_no_cuda()


class CudaArray(Uncopied):
    """float32 or uint8 in device memory; torch, JAX, CuPy and warp take it without a copy.

        torch.from_dlpack(array)    cupy.asarray(array)    jax.dlpack.from_dlpack(array)    warp.array(array)

    Of a batch's results the memory is written anew by the next step.
    """

    _instead = "copy it with the library that uses it, as torch.from_dlpack(array).clone()"

    _keep: Any
    """What the GPU may still read while it writes here."""

    def __init__(self, shape: tuple[int, ...], memory: Any = None, offset: int = 0, dtype: Any = np.float32) -> None:
        self.shape = tuple(int(n) for n in shape)
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.float32, np.uint8):
            raise _core.Error(f"CudaArray: dtype is {self.dtype}; give float32 or uint8")
        self._memory = memory if memory is not None else _core.CudaMemory(self.nbytes)
        self._offset = offset

    @property
    def address(self) -> int:
        return self._memory.address + self.dtype.itemsize * self._offset

    @property
    def nbytes(self) -> int:
        return self.dtype.itemsize * math.prod(self.shape)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.address, False),
            "version": 3,
            "strides": None,
        }

    def __dlpack__(self, **options: Any) -> Any:
        return _core.cuda_view(self.address, list(self.shape), self.dtype.name, self._memory)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: int) -> CudaArray:
        """A view of one row."""
        if not 0 <= index < self.shape[0]:
            raise IndexError(f"{index} of {self.shape[0]}")
        row = self.shape[1:]
        return CudaArray(row, self._memory, self._offset + index * math.prod(row), self.dtype)

    def clear(self, stream: int) -> None:
        _core.cuda_clear(self.address, self.nbytes, stream)

    def numpy(self, stream: Any = None) -> np.ndarray:
        """A copy on the host; waits for the stream."""
        out = np.empty(self.shape, self.dtype)
        _core.cuda_copy(out.ctypes.data, self.address, out.nbytes, stream_handle(stream), True)
        return out

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.numpy().astype(dtype or self.dtype)

    def __repr__(self) -> str:
        return f"CudaArray(shape={self.shape}, {self.dtype.name})"


def to_device(values: Any, dtype: Any = np.float32) -> CudaArray:
    """A copy of host numbers in device memory, float32 or uint8; waits until they are there."""
    host = np.ascontiguousarray(values, dtype)
    out = CudaArray(host.shape, dtype=dtype)
    _core.cuda_copy(out.address, host.ctypes.data, host.nbytes, 0, True)
    return out


def stream_handle(stream: Any) -> int:
    """Of a number or a stream of torch, CuPy or warp; None: torch's current stream where torch is in use, else 0."""
    if stream is None:
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            return int(torch.cuda.current_stream().cuda_stream)
        return 0
    if isinstance(stream, int | np.integer):
        return int(stream)
    for name in ("cuda_stream", "ptr"):
        handle = getattr(stream, name, None)
        if handle is not None:
            return int(getattr(handle, "value", handle))
    raise _core.Error(f"stream is {type(stream).__name__}; give a stream of torch, CuPy or warp, or its address")


def device_address(array: Any, shape: tuple[int, ...], name: str, where: str, typestr: str = "<f4") -> int:
    """Address of a C-contiguous array on the GPU with the shape and kind of number wanted."""
    kind = {"<f4": "float32", "|u1": "uint8 or bool"}[typestr]
    wanted = f"give a C-contiguous {kind} array of shape {shape} on the GPU (torch, JAX, CuPy, warp or taxel.CudaArray)"
    if isinstance(array, np.ndarray | list | tuple):
        raise _core.Error(f"{where}: {name} is on the host, the batch on the GPU; {wanted}, or taxel.to_device(...)")
    face = array_face(array, shape, name, where, wanted)
    kinds = (typestr,) if typestr != "|u1" else ("|u1", "|b1")
    if face["typestr"] not in kinds:
        raise _core.Error(f"{where}: {name} has the shape {shape} and kind {face['typestr']}; {wanted}")
    return int(face["data"][0])


def array_face(array: Any, shape: tuple[int, ...], name: str, where: str, wanted: str) -> dict[str, Any]:
    """What __cuda_array_interface__ says (or would say) of a C-contiguous array on the GPU with the shape wanted."""
    if getattr(array, "requires_grad", False):
        array = array.detach()
    try:
        face = array.__cuda_array_interface__
    except (AttributeError, TypeError, RuntimeError):
        face = _from_dlpack(array, name, where, wanted)
    if tuple(face["shape"]) != shape:
        got = f"shape {tuple(face['shape'])} and kind {face['typestr']}"
        raise _core.Error(f"{where}: {name} has the {got}; {wanted}")
    strides = face.get("strides")
    if strides is not None and tuple(strides) != _packed(shape, np.dtype(face["typestr"]).itemsize):
        raise _core.Error(f"{where}: {name} has the strides {tuple(strides)} (bytes), which are not packed; {wanted}")
    return face


def _packed(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    out = []
    for n in reversed(shape):
        out.append(size)
        size *= n
    return tuple(reversed(out))


def _from_dlpack(array: Any, name: str, where: str, wanted: str) -> dict[str, Any]:
    device = getattr(array, "__dlpack_device__", None)
    if device is None:
        raise _core.Error(f"{where}: {name} is {type(array).__name__}; {wanted}")
    if int(device()[0]) != 2:
        raise _core.Error(f"{where}: {name} is not on a CUDA device; {wanted}")
    address, shape, code, bits, strides = _core.read_dlpack(array)
    letter = {0: "i", 1: "u", 2: "f", 6: "b"}.get(code)
    typestr = f"{'|' if bits == 8 else '<'}{letter}{bits // 8}" if letter else f"dlpack type {code}, {bits} bits"
    return {"shape": tuple(shape), "typestr": typestr, "data": (address, False),
            "strides": None if not strides else tuple(s * bits // 8 for s in strides)}  # fmt: skip
