"""Makes the files in this folder: one small mesh as other programs write it.

python make_files.py    (needs meshio 5.3, pyvista and vtk 9)
"""

import pathlib

import meshio
import numpy as np
import pyvista as pv
import vtk
from meshio.vtk import _vtk_51

HERE = pathlib.Path(__file__).parent

# Five tetrahedra that fill a sheared, tilted box; off-axis, so that no two numbers can be mistaken for each other.
AXES = np.array([[0.031, 0.007, -0.004], [-0.006, 0.027, 0.009], [0.005, -0.011, 0.023]])
UNIT = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], float)
POINTS = UNIT @ AXES + np.array([0.0123, -0.0457, 0.0789])
TETS = np.array([[0, 1, 3, 4], [1, 2, 3, 6], [1, 6, 4, 5], [3, 4, 6, 7], [1, 3, 4, 6]])
TRIANGLES = np.array([[0, 1, 3], [1, 2, 3]])


def path(name):
    return str(HERE / name)


def write_with_meshio():
    cells = [
        ("triangle", TRIANGLES),
        ("vertex", np.array([[2]])),
        ("line", np.array([[0, 1]])),
        ("tetra", TETS),
    ]
    mesh = meshio.Mesh(POINTS, cells, point_data={"pressure": np.arange(8.0) * 1.5})
    for kind, binary in (("ascii", False), ("binary", True)):
        meshio.write(path(f"meshio_{kind}_4.vtk"), mesh, file_format="vtk42", binary=binary)
        _vtk_51.write(path(f"meshio_{kind}_5.vtk"), mesh, binary=binary)
    meshio.write(path("meshio_ascii.vtu"), mesh, binary=False)
    meshio.write(path("meshio_base64.vtu"), mesh, compression=None)
    meshio.write(path("meshio_zlib.vtu"), mesh, compression="zlib")
    meshio.write(path("meshio_uint64_zlib.vtu"), mesh, compression="zlib", header_type="UInt64")
    meshio.write(path("meshio_lzma.vtu"), meshio.Mesh(POINTS, [("tetra", TETS)]), compression="lzma")


def write_vtu(grid, name, mode, compressor, encode, header, order):
    writer = vtk.vtkXMLUnstructuredGridWriter()
    writer.SetInputData(grid)
    writer.SetFileName(path(name))
    getattr(writer, f"SetDataModeTo{mode}")()
    getattr(writer, f"SetCompressorTypeTo{compressor}")()
    if compressor != "None":
        writer.SetBlockSize(64)  # several blocks
    writer.SetEncodeAppendedData(encode)
    getattr(writer, f"SetHeaderTypeTo{header}")()
    getattr(writer, f"SetByteOrderTo{order}Endian")()
    writer.Write()


def write_vtk(grid, name, binary, version):
    writer = vtk.vtkUnstructuredGridWriter()
    writer.SetInputData(grid)
    writer.SetFileName(path(name))
    writer.SetFileVersion(version)
    writer.SetFileType(2 if binary else 1)
    writer.Write()


def write_with_vtk():
    with_count = [np.c_[np.full(len(c), c.shape[1]), c].ravel() for c in (TETS, TRIANGLES)]
    grid = pv.UnstructuredGrid(np.hstack(with_count), [10] * 5 + [5] * 2, POINTS)
    grid.field_data["note"] = ["two words", "x"]
    grid.field_data["numbers"] = np.array([1.5, 2.5])
    grid.point_data["pressure"] = np.arange(8.0)
    write_vtu(grid, "vtk_ascii.vtu", "Ascii", "None", 0, "UInt32", "Little")
    write_vtu(grid, "vtk_base64_big.vtu", "Binary", "None", 0, "UInt32", "Big")
    write_vtu(grid, "vtk_base64_zlib.vtu", "Binary", "ZLib", 0, "UInt64", "Little")
    write_vtu(grid, "vtk_appended_raw.vtu", "Appended", "None", 0, "UInt64", "Little")
    write_vtu(grid, "vtk_appended_raw_zlib_big.vtu", "Appended", "ZLib", 0, "UInt32", "Big")
    write_vtu(grid, "vtk_appended_base64.vtu", "Appended", "None", 1, "UInt32", "Little")
    write_vtu(grid, "vtk_appended_base64_zlib.vtu", "Appended", "ZLib", 1, "UInt64", "Little")
    write_vtu(grid, "vtk_lz4.vtu", "Appended", "LZ4", 1, "UInt32", "Little")
    grid.save(path("pyvista_default.vtu"))
    for kind, binary in (("ascii", False), ("binary", True)):
        write_vtk(grid, f"vtk_{kind}_4.vtk", binary, 42)
        write_vtk(grid, f"vtk_{kind}_5.vtk", binary, 51)
    write_vtk(pv.UnstructuredGrid(np.r_[8, np.arange(8)], [12], POINTS), "hexahedron.vtk", False, 51)

    surface = grid.extract_cells(range(5)).extract_surface(algorithm="dataset_surface").triangulate()
    surface.clear_data()
    surface.save(path("vtk_binary.stl"), binary=True)
    surface.save(path("vtk_ascii.stl"), binary=False)
    mesh = meshio.Mesh(surface.points, [("triangle", surface.faces.reshape(-1, 4)[:, 1:])])
    meshio.write(path("meshio_ascii.stl"), mesh, binary=False)
    meshio.write(path("meshio.obj"), mesh)


write_with_meshio()
write_with_vtk()
