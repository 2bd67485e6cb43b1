"""taxel bench: our time and, where Drake is installed, Drake's, in one run on one thread."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from taxel import _core

from ..report import Output, add_json, markdown, out_folder, table
from .info import cpu_name


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "bench",
        help="time the contact query, a step of MuJoCo, the reading of a skin, bristles, columns, or many worlds",
        description="Times one contact query, one step of a cylinder at rest on a soft pad, the reading of a tactile "
        "pad, a pad of bristles, or the catalogue's skins of columns; one thread, CPU time, median. Drake (pip install "
        "drake) is timed beside us where it is installed. Errors are against the continuum: the exact field on the "
        "exact surface.",
    )
    parser.add_argument("what", choices=("contact", "step", "skin", "bristle", "columns", "batch"), help="what to time")
    parser.add_argument("--quick", action="store_true", help="fewer repeats, small meshes only")
    parser.add_argument("--out", metavar="DIR", help="write WHAT.md into DIR")
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
    runs = {
        "contact": run_contact,
        "step": run_step,
        "skin": run_skin,
        "bristle": run_bristle,
        "columns": run_columns,
        "batch": run_batch,
    }
    return runs[options.what](options)


def run_columns(options: argparse.Namespace) -> int:
    from taxel.experiments.skin import column_speed

    out = Output(options.json)
    folder = out_folder(options.out) if options.out else None
    rows = column_speed.measure(options.quick, out.progress)
    cells = column_speed.cells(rows)
    out.print(table(column_speed.HEADER, cells, left=2))
    out.print("\n" + column_speed.FLOOR)
    if folder:
        target = folder / "columns.md"
        target.write_text(
            "# Skins of columns\n\n`taxel bench columns`: an object at rest on a sensor, a step of 2 ms with its "
            "reading; one thread, least CPU time of 25 rounds, both models in turns in one process. Field: the sensor "
            "as a mesh of tetrahedra (`backed`; the fingertip `distance`), Myrmex as one cell.\n\n"
            + markdown(
                ("", ""),
                [
                    ("processor", f"{cpu_name()}, {_core.hardware_threads()} cores"),
                    ("compiler", f"{_core.compiler}, {_core.compiler_flags}"),
                ],
            )
            + "\n"
            + markdown(column_speed.HEADER, cells)
            + f"\n{column_speed.FLOOR}\n"
        )
        out.print(f"\ntable: {target}")
    out.finish({"cases": rows, "cpu": cpu_name(), "compiler": _core.compiler})
    return 0


def run_batch(options: argparse.Namespace) -> int:
    from taxel.experiments.batch import speed

    out = Output(options.json)
    folder = out_folder(options.out) if options.out else None
    rows = speed.measure(options.quick, out.progress)
    cells = speed.cells(rows)
    words = (
        f"{rows[0]['device']}, {rows[0]['blocks']} points a patch; least traffic with {rows[-1]['worlds']:,} worlds: "
    )
    words += rows[-1]["floor"]
    words += "".join(f". {why}" for why in dict.fromkeys(r["newton_missing"] for r in rows) if why)
    out.print(table(speed.HEADER, cells))
    out.print("\n" + words)
    if folder:
        (folder / "batch.md").write_text(
            "# Thousands of worlds\n\n`taxel bench batch`: a peg held by two pads of 16 x 16 taxels, a step of 2 ms of "
            "mujoco_warp with soft contact and both readings, beside its own contact on the same model and Newton's "
            "hydroelastic collision, where it can run, in the same run. Bristles: a block between two Weiss arrays.\n\n"
            + markdown(speed.HEADER, cells)
            + f"\n{words}\n"
        )
        out.print(f"\ntable: {folder / 'batch.md'}")
    out.finish({"cases": rows})
    return 0


def run_bristle(options: argparse.Namespace) -> int:
    from taxel.experiments.bristle import speed as bristle_speed

    out = Output(options.json)
    folder = out_folder(options.out) if options.out else None
    numbers = bristle_speed.measure(options.quick, out.progress)
    cells, curve = bristle_speed.cells(numbers), bristle_speed.curve_cells(numbers)
    out.print(table(bristle_speed.HEADER, cells))
    out.print("\nMore bristles on the same pad:")
    out.print(table(bristle_speed.CURVE_HEADER, curve))
    out.print("\n" + bristle_speed.FLOOR)
    if folder:
        drawn = bristle_speed.draw_curve(numbers, folder / "bristle_scaling.png")
        (folder / "bristle.md").write_text(
            "# Bristles\n\n`taxel bench bristle`: a pad of 14 x 6 bristles against a mesh of 5,040 triangles, one "
            "thread, CPU time; core: least of 15 rounds, MuJoCo: median, time step "
            f"{1e3 * bristle_speed.STEP:g} ms, all in turns in one process.\n\n"
            + markdown(
                ("", ""),
                [
                    ("processor", f"{cpu_name()}, {_core.hardware_threads()} cores"),
                    ("compiler", f"{_core.compiler}, {_core.compiler_flags}"),
                ],
            )
            + "\n"
            + markdown(bristle_speed.HEADER, cells)
            + "\nMore bristles on the same pad, 48 x 20 mm, about a third of them pressed:\n\n"
            + markdown(bristle_speed.CURVE_HEADER, curve)
            + ("\n![Cost over the number of bristles](bristle_scaling.png)\n" if drawn else "")
            + "\n"
            + bristle_speed.FLOOR
            + "\n"
        )
        out.print(f"written: {folder / 'bristle.md'}")
    out.finish({"cpu": cpu_name(), **numbers})
    return 0


def run_skin(options: argparse.Namespace) -> int:
    from taxel.experiments.skin import speed as skin_speed

    out = Output(options.json)
    folder = out_folder(options.out) if options.out else None
    numbers = skin_speed.measure(options.quick, out.progress)
    cells = skin_speed.cells(numbers["rows"])
    out.print(table(skin_speed.HEADER, cells, left=2))
    out.print("\n" + skin_speed.FLOOR)
    if folder:
        (folder / "skin.md").write_text(
            "# Reading a tactile skin\n\n`taxel bench skin`: the Myrmex pad (16 x 16) under a cylinder of "
            f"{skin_speed.MASS} kg, full dynamics, time step {1e3 * skin_speed.STEP:g} ms, one thread, CPU time, "
            "median; all models in turns in one process.\n\n"
            + markdown(
                ("", ""),
                [
                    ("processor", f"{cpu_name()}, {_core.hardware_threads()} cores"),
                    ("compiler", f"{_core.compiler}, {_core.compiler_flags}"),
                ],
            )
            + "\n"
            + markdown(skin_speed.HEADER, cells)
            + "\n"
            + skin_speed.FLOOR
            + "\n\nMuJoCo's `tactile` gives depth and sliding speed; its numbers do not sum to a force. `touch_grid` "
            "bins the few point contacts.\n"
        )
        out.print(f"written: {folder / 'skin.md'}")
    out.finish({"cpu": cpu_name(), **numbers})
    return 0


def run_contact(options: argparse.Namespace) -> int:
    from taxel.experiments.surface import query_speed as contact_speed

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


def run_step(options: argparse.Namespace) -> int:
    from importlib.metadata import version
    from importlib.util import find_spec

    from taxel.experiments.contact import step_speed

    out = Output(options.json)
    folder = out_folder(options.out) if options.out else None
    with_drake = not options.no_drake and find_spec("pydrake") is not None
    if not with_drake and not options.no_drake:
        out.print("Drake is not installed (pip install drake): our side only")
    numbers = step_speed.run(out, with_drake, options.quick)
    counted = step_speed.count_native()
    cells = step_speed.cells(numbers)
    verdicts = step_speed.verdicts(numbers)
    query = numbers["query"]
    statics = (
        f"Depth at rest by statics {1e3 * numbers['exact_depth']:.4f} mm. Contact query alone "
        f"{query['microseconds']:.1f} us, {query['faces']} faces."
    )
    if isinstance(counted, str):
        native = f"instructions of a scene without soft geoms: not counted; {counted}"
    else:
        native = (
            f"50 boxes falling on a plane, 200 steps: {counted['without']:,} instructions without the plugin, "
            f"{counted['loaded']:,} with the plugin loaded, {100 * counted['rise']:+.4f} %, "
            + ("same state" if counted["same_state"] else "ANOTHER STATE")
            + (" (limit 2 %)" if counted["within"] else " OUTSIDE 2 %")
        )
    out.print(table(step_speed.HEADER, cells, left=2))
    out.print("\n" + statics)
    for line in verdicts:
        out.print(line)
    out.print(native)
    numbers |= {
        "cpu": cpu_name(),
        "cores": _core.hardware_threads(),
        "compiler": _core.compiler,
        "flags": _core.compiler_flags,
        "mujoco_version": version("mujoco"),
        "drake_version": version("drake") if with_drake else None,
        "native_instructions": counted,
    }
    if folder:
        target = folder / "step.md"
        target.write_text(
            "# A whole step: time and error\n\n"
            "Soft pad 80 x 80 x 18 mm, 3e4 Pa, distance field; a free cylinder of 0.5 kg (radius 22.5 mm, length\n"
            "150 mm) at rest on it; friction 0.5, dissipation 5 s/m, time step 1 ms. One thread, CPU time a step.\n\n"
            + markdown(
                ("", ""),
                [
                    ("processor", f"{cpu_name()}, {_core.hardware_threads()} cores"),
                    ("compiler", f"{_core.compiler}, {_core.compiler_flags}"),
                    ("MuJoCo", numbers["mujoco_version"]),
                    ("Drake", f"{numbers['drake_version']}, same run, polygons" if with_drake else "not installed"),
                ],
            )
            + "\n"
            + markdown(step_speed.HEADER, cells)
            + f"\n{statics}\n\n"
            "Error: depth at rest after a drop against statics, the depth at which the elastic force of a very\n"
            "fine surface equals m g. Friction that remembers holds the flanks a little higher; without friction our\n"
            "error is that of the surface. Drake's discrete solvers leave out half of the faces at the pad's rim, so\n"
            f"that their depth tends to {1e3 * numbers['exact_depth_half_rim']:.4f} mm however fine the mesh.\n\n"
            "Method: each setting falls from the pad's face and rests for 3 s; then steps are timed in rounds, ours\n"
            "and Drake's in turns. The ratio is that of the least times, to our rows with 16 blocks; the medians\n"
            "tell how much the machine was disturbed. MuJoCo alone: the same scene with its own point contact. Sense:\n"
            "that, and the surface for the sensor.\n"
            + ("\n## At equal error\n\nThe coarsest mesh whose depth is no worse than ours:\n\n" if verdicts else "")
            + "".join(f"- {line}\n" for line in verdicts)
            + "\n## Who does not use it\n\n"
            + native[0].upper()
            + native[1:]
            + ".\n"
        )
        out.print(f"\ntable: {target}")
    out.finish(numbers)
    return 0 if isinstance(counted, str) or counted["within"] else 1
