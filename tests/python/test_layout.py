"""The rooms of the package: who may import whom, and that private names stay in the package that has them."""

import ast
import importlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import taxel

PACKAGE = Path(taxel.__file__).parent
# A package imports only those before it, as the rooms of the library do. Imports inside a function may look ahead: a
# field offers its batch, a reader its sensors.
ORDER = [
    "common",
    "report",
    "shape",
    "contact",
    "skin",
    "bristle",
    "marker",
    "gel",
    "batch",
    "image",
    "mujoco",
    "sensors",
    "reference",
    "warp",
    "mjlab",
    "record",
    "press",
    "viewer",
    "dataset",
    "robots",
    "calibrate",
    "learn",
    "tasks",
    "ros",
    "experiments",
    "cli",
]
FILES = sorted(PACKAGE.rglob("*.py"))


def parts_of(file: Path) -> list[str]:
    """The package a file is in, as ["taxel", "gel"]."""
    return ["taxel", *file.relative_to(PACKAGE).parts[:-1]]


def imports(file: Path, nodes: Iterable[ast.AST]) -> Iterator[tuple[int, list[str]]]:
    """Line and dotted name of all that is imported from taxel."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name.split(".")[0] == "taxel":
                    yield node.lineno, name.name.split(".")
        elif isinstance(node, ast.ImportFrom):
            package = parts_of(file)
            base = package[: len(package) - node.level + 1] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            if base[:1] == ["taxel"]:
                for name in node.names:
                    yield node.lineno, [*base, name.name]


def owner(parts: list[str]) -> list[str] | None:
    """The package that has the first private name of a path; None where there is none."""
    for k, part in enumerate(parts):
        if part.startswith("_") and not part.startswith("__"):
            found = parts[:k]
            return found if PACKAGE.joinpath(*found[1:]).is_dir() else found[:-1]
    return None


def at_import(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when the module is imported."""
    for child in ast.iter_child_nodes(node):
        typing_only = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
        if not isinstance(child, ast.FunctionDef) and not typing_only:
            yield child
            yield from at_import(child)


def test_private_names_stay_in_their_package():
    wrong = []
    for file in FILES:
        tree = ast.parse(file.read_text())
        found = list(imports(file, ast.walk(tree)))
        # taxel._x.y without an import of it
        found += [
            (node.lineno, ["taxel", node.attr])
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "taxel"
            and any(n[0] == "taxel" for _, n in found)
        ]  # fmt: skip
        for line, parts in found:
            package = owner(parts)
            if package is not None and parts_of(file)[: len(package)] != package:
                wrong.append(f"{file.relative_to(PACKAGE)}:{line}: {'.'.join(parts)}")
    assert wrong == []


def test_rooms_import_upwards_only():
    wrong = []
    for file in FILES:
        room = (parts_of(file) + [""])[1]
        if not room:
            continue  # the face of the package, and its laws
        for line, parts in imports(file, at_import(ast.parse(file.read_text()))):
            other = parts[1] if len(parts) > 1 else room
            if other in ORDER and ORDER.index(other) > ORDER.index(room):
                wrong.append(f"{file.relative_to(PACKAGE)}:{line}: {room} imports {other}")
    assert wrong == []


def test_every_package_has_its_place():
    assert {p.parent.name for p in PACKAGE.glob("*/__init__.py")} == set(ORDER)


def test_no_module_lies_flat():
    assert sorted(p.name for p in PACKAGE.glob("*.py")) == ["__init__.py", "__main__.py", "laws.py"]


@pytest.mark.parametrize("room", ORDER)
def test_public_names_are_there(room):
    if room == "mjlab":
        pytest.importorskip("mjlab.sensor")
    module = importlib.import_module(f"taxel.{room}")
    names = getattr(module, "__all__", [])
    assert len(names) == len(set(names))
    assert [name for name in names if not hasattr(module, name)] == []


def test_the_package_offers_what_its_rooms_make():
    rooms = [importlib.import_module(f"taxel.{room}") for room in ORDER[: ORDER.index("image")] + ["mujoco", "sensors"]]
    offered = {name for room in rooms for name in getattr(room, "__all__", [])}
    own = {"Error", "__version__", "laws", "pose", "sensors"}
    assert set(taxel.__all__) - own <= offered


def test_the_stub_of_the_core_knows_it_whole():
    """nanobind writes it while the package is built."""
    stub = ast.parse((PACKAGE / "_core.pyi").read_text())
    named = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    core = importlib.import_module("taxel._core")
    things = [name for name, value in vars(core).items() if callable(value) and not name.startswith("_")]
    assert things and set(things) <= set(named)
    for name in ("Body", "ContactSurface"):  # what users hold has words and types
        assert ast.get_docstring(named[name])
        own = [n for n in named[name].body if isinstance(n, ast.FunctionDef) and not n.name.startswith("__")]
        assert own and all(ast.unparse(n.returns) != "object" for n in own)


def test_the_core_has_words_for_help():
    for thing in (taxel.Body, taxel.Body.box, taxel.ContactSurface, taxel.read_mesh, taxel.signed_distance):
        assert len(thing.__doc__.split()) > 5


def test_contact_is_the_function_and_its_room_can_be_imported():
    assert callable(taxel.contact)
    room = importlib.import_module("taxel.contact")
    assert room.contact is taxel.contact
