"""Every message of docs/reference/errors.md: the input raises it, and the table holds it."""

import numpy as np
import pytest
from conftest import DATA, ROOT, cube

import taxel

TABLE = (ROOT / "docs" / "reference" / "errors.md").read_text()
Body = taxel.Body
NAN = float("nan")
TET = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]) * 0.05


def query(X_WB=None, B=None, **options):
    return taxel.contact(
        Body.sphere(0.05, 1e5),
        np.eye(4),
        B or Body.sphere(0.05),
        np.eye(4) if X_WB is None else X_WB,
        **options,
    )


def batch(count_A, count_B, **options):
    poses = [np.tile(np.eye(4), (n, 1, 1)) for n in (count_A, count_B)]
    return taxel.contact_batch(Body.sphere(0.05, 1e5), poses[0], Body.sphere(0.05), poses[1], **options)


def batch_of(X_WB):
    return taxel.contact_batch(Body.sphere(0.05, 1e5), np.eye(4), Body.sphere(0.05), X_WB)


def batch_with_a_wrong_pose(index):
    poses = np.tile(np.eye(4), (600, 1, 1))
    poses[index, 0, 3] = NAN
    return batch_of(poses)


def scaled(factor):
    vertices, triangles = cube()
    return factor * vertices, triangles


def with_nan():
    vertices, triangles = cube()
    vertices[3, 1] = NAN
    return vertices, triangles


INPUTS = [
    # bodies
    (lambda: Body.sphere(0), "radius is 0; it must be finite and greater than 0 (metres)"),
    (lambda: Body.box((1, NAN, 1)), "it must be finite and greater than 0 (metres)"),
    (lambda: Body.sphere(50, modulus=1e5), "taxel works in metres: if this was millimetres, divide by 1000"),
    (lambda: Body.mesh(*scaled(1000), modulus=1e5), "if the file is in millimetres, scale it by 0.001"),
    (lambda: Body.sphere(1e-8), "less than a micrometre; taxel works in metres: check the unit"),
    (
        lambda: Body.sphere(0.05, -1),
        "give a positive pressure for a soft body (a foam: 3e4, silicone: 1e5 to 1e6), or 0",
    ),
    (
        lambda: Body.sphere(0.05, static_friction=0.2, dynamic_friction=0.3),
        "sliding cannot hold better than sticking",
    ),
    (lambda: Body.sphere(0.05, 1e5, dissipation=-1), "it must be finite and 0 or more (s/m)"),
    (
        lambda: Body.half_space(1e5),
        "a soft half space needs the thickness over which the pressure rises to the modulus",
    ),
    (lambda: Body.sphere(0.05, 1e5, field="backed"), "needs its thickness (metres, at most"),
    (lambda: Body.sphere(0.05, 1e5, field="backed", thickness=0.06), "is more than the"),
    (
        lambda: Body.box((0.1, 0.1, 0.1), 1e5, field="backed", exposed=(1, 1, 0)),
        "is not along an axis of the box; give +-x, +-y or +-z",
    ),
    (
        lambda: Body.sphere(0.05, 1e5, stiffening_start=1.5),
        "it is a compression between 0 and 1 (0.8 is usual)",
    ),
    (lambda: Body.sphere(0.05, 1e5, core_fraction=0), "it is a part of the greatest depth, between 0 and 1"),
    (
        lambda: Body.half_space(1e5, field="laplace", thickness=0.02),
        "Laplace's field is not defined for a half space",
    ),
    (lambda: Body.sphere(0.05, 1e5, field="wavy"), 'give "distance", "backed", "laplace" or "columns"'),
    (lambda: Body.sphere(0.05, field="laplace"), "has no effect on a rigid body"),
    (lambda: Body.box((0.1, 0.1, 0.1), thickness=0.02), "has no effect on a rigid body"),
    (lambda: Body.sphere(0.05, 1e5, thickness=0.02), "thickness is for a backed layer or a half space"),
    # meshes
    (lambda: Body.mesh(cube()[0], cube()[1][1:], modulus=1e5), "a soft mesh must be closed"),
    (lambda: Body.mesh(cube()[0], cube()[1][:, ::-1], modulus=1e5), "the triangles face inwards"),
    (lambda: Body.mesh(*with_nan()), "is not finite; repair or remove it"),
    (lambda: Body.mesh(cube()[0], cube()[1] + 1), "vertices (counted from 0)"),
    (lambda: Body.mesh(cube()[0], np.zeros((0, 3), int)), "no triangles; a surface needs at least one"),
    (
        lambda: Body.mesh(np.zeros((3, 3)), [[0, 1, 2]]),
        "the mesh has no extent: all its vertices are one point",
    ),
    (
        lambda: Body.tets(TET, [[0, 1, 2, 3], [1, 2, 3, 4], [1, 3, 2, 4]], modulus=1e5),
        "the mesh folds over itself: mesh the surface again with 'taxel mesh'",
    ),
    (
        lambda: Body.tets(TET, [[0, 1, 2, 3], [0, 1, 2, 2]], modulus=1e5),
        "remove degenerate elements or mesh again with 'taxel mesh'",
    ),
    (
        lambda: Body.tets(TET[:4], [[0, 1, 2, 3]], modulus=1e5),
        "refine the mesh until it has inner vertices ('taxel mesh')",
    ),
    # files
    (lambda: Body.from_file("nowhere.obj"), "does not exist"),
    (lambda: taxel.read_mesh("nowhere.vtk"), "does not exist"),
    (
        lambda: Body.from_file(DATA / "hydroelastic.json"),
        "is unknown; triangles are read from .obj or .stl, tetrahedra from .vtk or .vtu: convert the file",
    ),
    (
        lambda: taxel.read_mesh(DATA / "hydroelastic.json"),
        "is unknown; triangles are read from .obj or .stl, tetrahedra from .vtk or .vtu: convert the file",
    ),
    (lambda: Body.from_file("."), "is a folder; name a file in it"),
    (lambda: taxel.read_mesh(DATA), "is a folder; name a file in it"),
    (lambda: Body.from_file("a\0b.obj"), "has a NUL character (byte 0), which no path can have; remove it"),
    (lambda: taxel.read_mesh(b"a\0b.obj"), "has a NUL character (byte 0), which no path can have; remove it"),
    (lambda: taxel.read_mesh(b"\xff.obj"), "is not UTF-8; rename the file"),
    (lambda: Body.from_file("a.obj", scale=0), "give a positive factor, 0.001 for millimetres"),
    (lambda: taxel.read_mesh("a.obj", scale=NAN), "give a positive factor, 0.001 for millimetres"),
    # queries
    (
        lambda: taxel.contact(Body.sphere(0.05), np.eye(4), Body.sphere(0.05), np.eye(4)),
        "are rigid; hydroelastic contact needs a soft body",
    ),
    (
        lambda: taxel.contact(Body.half_space(1e5, thickness=0.02), np.eye(4), Body.half_space(), np.eye(4)),
        "are half spaces: their overlap is unbounded; make one of them a box",
    ),
    (lambda: query(taxel.pose((0, NAN, 0))), "is not finite"),
    (
        lambda: query(np.diag([1, 1, -1, 1.0])),
        "give an orthonormal right-handed matrix (normalise the quaternion first)",
    ),
    (lambda: query(taxel.pose((0, 0, 2e6))), "positions must be within 1e6 m"),
    (lambda: query(facets_across=1), "give 2 or more, at most 200"),
    (lambda: query(facets_across=201), "give 2 or more, at most 200"),
    (lambda: query(resolution=1e-7), "facets across; give at least"),
    (lambda: query(cull_angle=NAN), "it is an angle between 0 and pi"),
    (lambda: query(resolution=-1), "give 0 (automatic) or a facet size in metres"),
    (lambda: query(faces="squares"), 'give "polygons" or "triangles"'),
    (lambda: batch(3, 2), "give equally many, or one pose for a body that stands still"),
    (lambda: batch(3, 3, threads=-1), "give 0 (all) or more"),
    (lambda: batch_with_a_wrong_pose(500), "contact batch, pose 500:"),
    (lambda: query(np.zeros((3, 3))), "a pose is a 4x4 matrix (see taxel.pose); got shape"),
    (lambda: query(np.eye(4) + np.eye(4)[:, ::-1]), "the last row of a pose matrix is 0 0 0 1"),
    (lambda: query((np.eye(3), np.zeros(4))), "a pose pair is (R, p)"),
    (lambda: batch_of(np.zeros((5, 3, 3))), "poses are an array of shape (N, 4, 4) or a list of poses"),
    (lambda: taxel.pose(R=2 * np.eye(3)), "give an orthonormal right-handed matrix, to 1e-6"),
]


@pytest.mark.parametrize("make, message", INPUTS, ids=[message[:40] for _, message in INPUTS])
def test_wrong_input_says_what_is_allowed(make, message):
    assert message in TABLE
    with pytest.raises(taxel.Error) as caught:
        make()
    assert message in str(caught.value)


def test_folder_is_not_a_file(tmp_path):
    folder = tmp_path / "mesh.obj"
    folder.mkdir()
    with pytest.raises(taxel.Error, match="is a folder; name a file in it"):
        Body.from_file(folder)
    assert "is a folder; name a file in it" in TABLE


def test_backed_mesh_needs_a_back():
    # A tetrahedron standing on its tip: nothing looks down within 45 degrees of -z.
    vertices = 0.05 * np.array([[0, 0, 0], [1, 0, 2], [-0.5, 0.9, 2], [-0.5, -0.9, 2]])
    triangles = np.array([[1, 2, 3], [0, 2, 1], [0, 3, 2], [0, 1, 3]])
    with pytest.raises(taxel.Error) as caught:
        Body.mesh(vertices, triangles, modulus=1e5, field="backed")
    message = "so nothing is glued; turn `exposed` or give back_triangles"
    assert message in str(caught.value) and message in TABLE


def test_open_mesh_is_counted_and_located():
    with pytest.raises(taxel.Error, match=r"3 open edges.*\(-?0\.025"):
        Body.mesh(cube()[0], cube()[1][1:], modulus=1e5, name="cup")


def test_open_rigid_mesh_is_allowed():
    body = Body.mesh(cube()[0], cube()[1][1:])
    assert not body.soft


CALLS = [
    # the call, what it must name, and the part of the message that the table holds
    (lambda: Body.sphere(0.05, modulos=3), ["Body.sphere", "'modulos'", "modulus"], "the options are:"),
    (lambda: query(resolutions=1), ["contact", "'resolutions'", "resolution, facets_across"], "the options are:"),
    (lambda: batch(1, 1, nthreads=2), ["contact_batch", "'nthreads'", "threads"], "the options are:"),
    (lambda: Body.sphere(0.05, modulus=None), ["Body.sphere"], "modulus is None; give a number"),
    (lambda: Body.sphere(0.05, 1e5, name=3), ["name is 3 (int)", "a text"], "give"),
    (lambda: query(facets_across=10.0), ["facets_across is 10.0 (float)", "whole number", "2 to 200"], "give"),
    (lambda: query(resolution="fine"), ["resolution is 'fine' (str)", "metres"], "give"),
    (lambda: batch(1, 1, threads=2.0), ["threads is 2.0 (float)", "whole number"], "give"),
    (lambda: Body.cylinder(0.05), ["Body.cylinder"], "length is missing; give radius, length, modulus and options"),
    (lambda: Body.sphere(0.05, radius=0.05), ["radius is given twice"], "give"),
    (lambda: Body.sphere(1, 2, 3), ["3 values", "radius, modulus"], "options"),
    (lambda: Body.box(0.08, 0.08, 0.018), ["Body.box((0.08, 0.08, 0.018)"], "The three lengths are one tuple:"),
    (
        lambda: taxel.contact(Body.sphere(0.05, 1e5), Body.sphere(0.05), np.eye(4), np.eye(4)),
        ["X_WA is of type Body"],
        "the order is A, X_WA, B, X_WB",
    ),
    (
        lambda: taxel.contact_batch(np.eye(4), Body.sphere(0.05), np.eye(4), Body.sphere(0.05)),
        ["A is of type ndarray"],
        "the order is A, X_WA, B, X_WB",
    ),
    (lambda: query("upright"), ["X_WB", "str"], "expected numbers in an array, a list or a tuple"),
    (lambda: batch_of([np.eye(4), "upright"]), ["X_WB[1]"], "expected numbers in an array, a list or a tuple"),
    (lambda: Body.from_file(3), ["path", "int"], "expected a path (text, bytes or os.PathLike)"),
]


@pytest.mark.parametrize("make, words, message", CALLS, ids=[" ".join(words)[:40] for _, words, _ in CALLS])
def test_wrong_calls_name_the_argument_in_one_line(make, words, message):
    assert message in TABLE
    with pytest.raises(TypeError) as caught:
        make()
    text = str(caught.value)
    assert "\n" not in text
    for word in [*words, message]:
        assert word in text


@pytest.mark.parametrize(
    "R, defect",
    [
        (np.diag([1, 1, -1]), "it mirrors"),
        (np.diag([1, 2, 1]), "its columns have the lengths 1, 2, 1"),
        ([[1, 0.6, 0], [0, 0.8, 0], [0, 0, 1]], "its columns are not perpendicular"),
        (np.full((3, 3), NAN), "it is not finite"),
    ],
)
def test_pose_says_why_R_is_no_rotation(R, defect):
    with pytest.raises(taxel.Error, match=f"R: not a rotation: {defect}"):
        taxel.pose(R=R)
    with pytest.raises(taxel.Error, match=f"X_WB: not a rotation: {defect}"):
        query((R, (0, 0, 0)))
    assert taxel.pose(R=np.eye(3) + 1e-7).shape == (4, 4)


@pytest.mark.parametrize(
    "X_WB, kind, message",
    [
        (np.zeros((3, 3)), taxel.Error, "X_WB: a pose is a 4x4 matrix (see taxel.pose); got shape (3, 3)"),
        (np.eye(4).T + np.eye(4)[:, ::-1], taxel.Error, "X_WB: the last row of a pose matrix is 0 0 0 1"),
        ((np.eye(3), np.zeros(4)), taxel.Error, "X_WB: a pose pair is (R, p)"),
        ("upright", TypeError, "X_WB: expected numbers"),
        (None, TypeError, "X_WB: expected numbers"),
    ],
)
def test_wrong_pose_names_argument_and_shape(X_WB, kind, message):
    with pytest.raises(kind) as caught:
        taxel.contact(Body.sphere(0.05, 1e5), np.eye(4), Body.sphere(0.05), X_WB)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "make, kind, words",
    [
        (lambda: Body.box((1, 2)), taxel.Error, ["size", "(3,)", "(2,)"]),
        (lambda: Body.mesh(np.zeros((4, 2)), [[0, 1, 2]]), taxel.Error, ["vertices", "(N, 3)", "(4, 2)"]),
        (lambda: Body.mesh(np.zeros((4, 3)), [[0.5, 1, 2]]), TypeError, ["triangles", "whole numbers"]),
        (lambda: taxel.pose(quat=(0, 0, 0, 0)), taxel.Error, ["quat", "zero"]),
        (lambda: taxel.pose(quat=(1, 0, 0, 0), rpy=(0, 0, 0)), TypeError, ["at most one"]),
    ],
)
def test_wrong_arguments_are_named(make, kind, words):
    with pytest.raises(kind) as caught:
        make()
    for word in words:
        assert word in str(caught.value)


def test_error_is_a_value_error():
    assert issubclass(taxel.Error, ValueError)
    assert taxel.Error.__module__ == "taxel"
