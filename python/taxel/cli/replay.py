"""taxel replay FILE: what a recording holds, in words and drawn."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..report import Output, add_json, need_matplotlib, out_folder, table, watching


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "replay",
        help="draw a recording",
        description="Draws a recording (docs/guide/recordings.md): a picture with some of its moments and its curves, "
        "and a film (GIF). What a stopped writer left is read as far as it goes.",
    )
    parser.add_argument("file", help="an .mcap or .h5 file, or the folder of a LeRobot dataset, made by taxel")
    parser.add_argument("--episode", type=int, metavar="N", help="only this one, from 0 (default: all)")
    parser.add_argument(
        "--copy",
        metavar="FILE",
        help="also write it again: as another format, or as a whole file where the writer was stopped",
    )
    parser.add_argument(
        "--out", default="out/replay", metavar="DIR", help="where the pictures go (default: out/replay)"
    )
    add_json(parser)
    parser.set_defaults(run=run)


def copy(source: Any, target: str, episode: int | None) -> int:
    """Rows written. Pictures of a LeRobot dataset come from its videos, which lose a little."""
    from ..record import open as begin

    tasks, last = list(source.tasks), episode or 0
    with begin(target, source.channels, task=tasks[last] if tasks else "") as recorder:
        for row in source.rows():
            if episode is not None and row.episode != episode:
                continue
            if row.episode != last:
                recorder.next_episode(tasks[row.episode])
                last = row.episode
            recorder.write(row.time, row.values)
        return recorder.rows


def run(options: argparse.Namespace) -> int:
    from ..record import check_path, source
    from ..viewer.replay import collect, drawn_unit
    from ..viewer.replay_picture import film, picture

    out = Output(options.json)
    need_matplotlib()
    if options.episode is not None and options.episode < 0:
        raise ValueError(f"--episode is {options.episode}; the first one is 0")
    found = source(options.file)
    if options.copy is not None:
        check_path(options.copy)
    folder = out_folder(options.out)
    with watching(f"replay: {options.file}"):
        replay = collect(found, options.episode)
        tasks = list(dict.fromkeys(about["task"] for about in replay.episodes if about["task"]))
        rows, first, last = len(replay.time), replay.episodes[0], replay.episodes[-1]
        title = tasks[0] if len(tasks) == 1 else Path(options.file).name
        times = f"{first['start_s']:.3f} to {last['end_s']:.3f} s"
        if len(replay.episodes) > 1:
            times = f"{len(replay.episodes)} episodes, {replay.time[-1] - replay.time[0]:.3f} s in all"
        words = f"{Path(options.file).name}, {rows} rows, {times}"
        stem = Path(options.file).stem or Path(options.file).name
        files = [picture(folder / f"{stem}.png", replay, title, words)]
        moving, speed = film(folder / f"{stem}.gif", replay, title)
        files.append(moving)
        copied = None if options.copy is None else copy(found, options.copy, options.episode)
    out.print(words + (f": {', '.join(tasks)}" if tasks else ""))
    if not found.complete:
        out.print("its writer was stopped, or is still at work: this is what was written before")
    cells, about = [], {}
    for name, channel in found.channels.items():
        span, unit = replay.spans[name], getattr(channel, "unit", "")
        shown, factor = drawn_unit(unit)
        shape = " x ".join(map(str, channel.shape)) or "1"
        least, most = (f"{factor * x:.4g}" if abs(x) < float("inf") else "-" for x in (span.low, span.high))
        cells.append((name, channel.kind, shape, shown, least, most))
        about[name] = {"kind": channel.kind, "shape": channel.shape, "unit": unit, "min": span.low, "max": span.high}
    out.print("\n" + table(("channel", "kind", "shape", "unit", "least", "greatest"), cells, left=2) + "\n")
    if copied is not None:
        out.print(f"copied: {copied} rows to {options.copy}")
    out.print(f"pictures: {files[0]}, {files[1]}{_pace(speed)}")
    out.finish(
        {
            "file": options.file,
            "rows": rows,
            "complete": found.complete,
            "episodes": replay.episodes,
            "channels": about,
            "copied_rows": copied,
            "pictures": files,
        }
    )
    return 0


def _pace(speed: float) -> str:
    if speed <= 0 or 0.995 < speed < 1.005:
        return ""
    slow = f"{1 / speed:.3g} times as slow as" if speed < 1 else f"{speed:.3g} times as fast as"
    return f" (plays {slow} the simulation)"
