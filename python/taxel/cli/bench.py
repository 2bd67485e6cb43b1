"""taxel bench contact: our time and, where Drake is installed, Drake's, in one run on one thread."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from taxel import _core

from .common import Output, add_json, markdown, out_folder, table
from .info import cpu_name


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "bench",
        help="time the contact query",
        description="Times one contact query, one thread, CPU time, median. Drake (pip install drake) is timed "
        "beside us where it is installed. Errors are against the continuum: the exact field on the exact surface.",
    )
    parser.add_argument("what", choices=("contact",), help="what to time")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, small meshes only")
    parser.add_argument("--out", metavar="DIR", help="write contact.md into DIR")
    parser.add_argument(
        "--data", metavar="DIR", help="folder with l_shape_h*.vtk and dumbbell.obj (default: tests/data here)"
    )
    parser.add_argument("--no-drake", action="store_true", help="leave Drake out")
    add_json(parser)
    parser.set_defaults(run=run)


def find_data(given: str | None) -> Path | None:
    """The folder of the meshes: given, or tests/data of the checkout that the command is run in."""
    for folder in [Path(given)] if given else [Path("tests/data"), Path("../tests/data")]:
        if (folder / "l_shape_h10.vtk").exists():
            return folder
    if given:
        raise ValueError(f"{given}: l_shape_h10.vtk is not there")
    return None


def run(options: argparse.Namespace) -> int:
    from taxel.experiments import contact_speed

    out = Output(options.json)
    folder = out_folder(options.out) if options.out else None
    data = find_data(options.data)
    if data is None:
        out.print("meshes not found (run from a checkout, or give --data): primitives only")
    drake = None
    if not options.no_drake:
        drake = contact_speed.load_drake()
        if drake is None:
            out.print("Drake is not installed (pip install drake): our side only")
    cases = contact_speed.make_cases(data, options.quick)
    rows = [contact_speed.time_case(case, drake, options.quick) for case in out.progress(cases, "bench contact")]
    curve = contact_speed.scaling(out, data, options.quick)

    header = (
        "case",
        "ours us",
        "faces",
        "error",
        "Drake setting",
        "Drake us",
        "faces",
        "error",
        "Drake / ours",
    )
    cells = [line for row in rows for line in contact_speed.row_cells(row)]
    curve_header = ("family", "mesh", "elements", "faces out", "us", "us per face")
    curve_cells = [
        (
            c["family"],
            c["mesh"],
            str(c["elements"]),
            str(c["faces"]),
            f"{c['microseconds']:.1f}",
            f"{c['microseconds'] / max(1, c['faces']):.3f}",
        )
        for c in curve
    ]
    out.print(table(header, cells))
    out.print("\nTime against the size of the mesh, same patch:")
    out.print(table(curve_header, curve_cells, left=2))
    numbers = {
        "cpu": cpu_name(),
        "cores": _core.hardware_threads(),
        "compiler": _core.compiler,
        "flags": _core.compiler_flags,
        "drake": getattr(drake, "version", None),
        "rows": rows,
        "scaling": curve,
    }
    if folder:
        target = folder / "contact.md"
        drawn = contact_speed.draw_scaling(curve, target.with_name("contact_scaling.png"))
        target.write_text(
            "# Contact query: time and error\n\n"
            "One thread, CPU time, median.\n\n"
            + markdown(
                ("", ""),
                [
                    ("processor", f"{cpu_name()}, {_core.hardware_threads()} cores"),
                    ("compiler", f"{_core.compiler}, {_core.compiler_flags}"),
                    ("Drake", f"{numbers['drake']}, same run, polygons" if drake else "not installed"),
                ],
            )
            + "\n"
            + markdown(header, cells)
            + "\nError: force against the continuum (closed form or fine quadrature; for tetrahedra as given, the "
            "field on those very tetrahedra).\n"
            "An empty Drake query is subtracted from Drake's time, so that Python's part does not count.\n"
            "\n## Time against the size of the mesh\n\n"
            "The patch stays, the mesh behind it grows: the cost follows the number of faces that come out.\n\n"
            + ("![Time, and time per face, against the faces that come out](contact_scaling.png)\n\n" if drawn else "")
            + markdown(curve_header, curve_cells)
        )
        out.print(f"\ntable: {target}")
    out.finish(numbers)
    return 0
