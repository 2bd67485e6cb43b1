"""A shard as a file: Parquet, or a tar that WebDataset reads. The same rows give the same bytes."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from .readings import Column

ENDINGS = {"parquet": ".parquet", "webdataset": ".tar"}
IMAGES = frozenset({"taxels", "shear", "markers"})
"""Columns that are files of their own in a tar; the others stand in its JSON."""
PER_SAMPLE = ("sample", "object", "size", "motion", "motion_values")
"""Columns that all rows of a sample share."""


def need_pyarrow() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise ImportError(
            "shards in Parquet need pyarrow; run: pip install 'taxel[dataset]' (or format: webdataset)"
        ) from None
    return pyarrow


def encode(form: str, columns: list[Column], arrays: dict[str, np.ndarray], about: dict[str, Any]) -> bytes:
    """The bytes of a shard. about: what its own metadata says (plan, number)."""
    return _parquet(columns, arrays, about) if form == "parquet" else _tar(columns, arrays, about)


def described(columns: list[Column]) -> list[dict[str, Any]]:
    """The schema as plain data."""
    return [
        {"name": c.name, "dtype": c.dtype, "shape": list(c.shape), "unit": c.unit, "meaning": c.meaning}
        for c in columns
    ]


def _parquet(columns: list[Column], arrays: dict[str, np.ndarray], about: dict[str, Any]) -> bytes:
    pa = need_pyarrow()
    fields, data = [], []
    for column in columns:
        values = arrays[column.name]
        count = int(np.prod(column.shape)) if column.shape else 1
        if column.dtype == "string":
            array = pa.array(values.tolist(), pa.string())
        else:
            array = pa.array(np.ascontiguousarray(values).ravel())
        if column.shape:
            array = pa.FixedSizeListArray.from_arrays(array, count)
        notes = {"unit": column.unit, "shape": json.dumps(list(column.shape)), "meaning": column.meaning}
        fields.append(pa.field(column.name, array.type, nullable=False, metadata=notes))
        data.append(array)
    schema = pa.schema(fields, metadata={"taxel": json.dumps({**about, "columns": described(columns)})})
    out = io.BytesIO()
    table = pa.Table.from_arrays(data, schema=schema)
    # Readings do not repeat, so that a dictionary of them would only cost time.
    words = [column.name for column in columns if column.dtype == "string"]
    pa.parquet.write_table(table, out, compression="zstd", compression_level=1, use_dictionary=words)
    return out.getvalue()


def _tar(columns: list[Column], arrays: dict[str, np.ndarray], about: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    samples = arrays["sample"]
    starts = np.flatnonzero(np.r_[True, samples[1:] != samples[:-1]]) if len(samples) else np.zeros(0, int)
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for begin, end in zip(starts, [*starts[1:], len(samples)], strict=True):
            key = f"{samples[begin]:012d}"
            words: dict[str, Any] = {}
            for column in columns:
                part = arrays[column.name][begin:end]
                if column.name in IMAGES:
                    _add(tar, f"{key}.{column.name}.npy", _npy(part))
                else:
                    words[column.name] = part[0] if column.name in PER_SAMPLE else part
            _add(tar, f"{key}.json", json.dumps({name: _plain(value) for name, value in words.items()}).encode())
    return out.getvalue()


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _npy(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, np.ascontiguousarray(array))
    return out.getvalue()


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    tar.addfile(member, io.BytesIO(data))


def read_shard(path: str | Path) -> dict[str, np.ndarray]:
    """The columns of a shard, each (rows, ...) in the shape that its schema says. Parquet or tar."""
    path = Path(path)
    try:
        if path.suffix == ".parquet":
            return _read_parquet(path)
        if path.suffix == ".tar":
            return _read_tar(path)
    except (OSError, ValueError, KeyError, tarfile.TarError) as error:
        raise _core.Error(f"{path}: not a shard that can be read ({' '.join(str(error).split())})") from None
    raise _core.Error(f"{path}: a shard ends with .parquet or .tar")


def _read_parquet(path: Path) -> dict[str, np.ndarray]:
    pa = need_pyarrow()
    table = pa.parquet.read_table(path)
    found = {}
    for field in table.schema:
        column = table.column(field.name).combine_chunks()
        shape = json.loads(field.metadata[b"shape"])
        if shape:
            values = column.flatten().to_numpy(zero_copy_only=False).reshape(-1, *shape)
        else:
            values = column.to_numpy(zero_copy_only=False)
        found[field.name] = values
    return found


def _read_tar(path: Path) -> dict[str, np.ndarray]:
    parts: dict[str, list[Any]] = {}
    images: dict[str, list[np.ndarray]] = {}
    with tarfile.open(path) as tar:
        for member in tar:
            file = tar.extractfile(member)
            assert file is not None
            if member.name.endswith(".npy"):
                images.setdefault(member.name.split(".")[1], []).append(np.load(io.BytesIO(file.read())))
                continue
            words = json.loads(file.read())
            rows = len(words["frame"])
            for name, value in words.items():
                parts.setdefault(name, []).extend([value] * rows if name in PER_SAMPLE else value)
    return {name: np.array(values) for name, values in parts.items()} | {
        name: np.concatenate(values) for name, values in images.items()
    }
