"""taxel replay FILE: what a recording holds, in words and drawn."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..report import Output, add_json, out_folder, table, watching

if TYPE_CHECKING:
    from ..viewer.replay import Replay


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


def headline(path: str, replay: Replay) -> str:
    first, last = replay.episodes[0], replay.episodes[-1]
    times = f"{first['start_s']:.3f} to {last['end_s']:.3f} s"
    if len(replay.episodes) > 1:
        times = f"{len(replay.episodes)} episodes, {replay.time[-1] - replay.time[0]:.3f} s in all"
    return f"{Path(path).name}, {len(replay.time)} rows, {times}"


def channels_of(replay: Replay) -> tuple[str, dict[str, Any]]:
    """The channels as a table, and as --json has them."""
    from ..viewer.replay import drawn_unit

    cells, about = [], {}
    for name, channel in replay.channels.items():
        span, unit = replay.spans[name], getattr(channel, "unit", "")
        shown, factor = drawn_unit(unit)
        shape = " x ".join(map(str, channel.shape)) or "1"
        least, most = (f"{factor * x:.4g}" if abs(x) < float("inf") else "-" for x in (span.low, span.high))
        cells.append((name, channel.kind, shape, shown, least, most))
        about[name] = {"kind": channel.kind, "shape": channel.shape, "unit": unit, "min": span.low, "max": span.high}
    return table(("channel", "kind", "shape", "unit", "least", "greatest"), cells, left=2), about


def draw(path: str, folder: Path, replay: Replay, tasks: list[str]) -> tuple[list[Path], str]:
    """Picture and film, and a line about them."""
    from ..viewer.replay_picture import film, picture

    title = tasks[0] if len(tasks) == 1 else Path(path).name
    still = picture(folder / f"{Path(path).stem}.png", replay, title, headline(path, replay))
    moving, speed = film(folder / f"{Path(path).stem}.gif", replay, title)
    pace = ""
    if speed > 0 and abs(speed - 1) > 0.005:
        slow = f"{1 / speed:.3g} times as slow as" if speed < 1 else f"{speed:.3g} times as fast as"
        pace = f" (plays {slow} the simulation)"
    return [still, moving], f"pictures: {still}, {moving}{pace}"


def run(options: argparse.Namespace) -> int:
    from ..record import check_path, source
    from ..viewer.replay import collect

    out = Output(options.json)
    if options.episode is not None and options.episode < 0:
        raise ValueError(f"--episode is {options.episode}; the first one is 0")
    found = source(options.file)
    if options.copy is not None:
        check_path(options.copy)
    drawn = find_spec("matplotlib") is not None
    folder = out_folder(options.out) if drawn else Path()
    files: list[Path] = []
    line = "no pictures: they need matplotlib; run: pip install 'taxel[plot]'"
    with watching(f"replay: {options.file}"):
        replay = collect(found, options.episode)
        tasks = list(dict.fromkeys(about["task"] for about in replay.episodes if about["task"]))
        if drawn:
            files, line = draw(options.file, folder, replay, tasks)
        copied = None if options.copy is None else copy(found, options.copy, options.episode)
    out.print(headline(options.file, replay) + (f": {', '.join(tasks)}" if tasks else ""))
    if not found.complete:
        out.print("its writer was stopped, or is still at work: this is what was written before")
    words, about = channels_of(replay)
    out.print(f"\n{words}\n")
    if copied is not None:
        out.print(f"copied: {copied} rows to {options.copy}")
    out.print(line)
    out.finish(
        {
            "file": options.file,
            "rows": len(replay.time),
            "complete": found.complete,
            "episodes": replay.episodes,
            "channels": about,
            "copied_rows": copied,
            "pictures": files,
        }
    )
    return 0
