"""The tree of commands as a script for each shell.

All three walk the words before the cursor in the same way: which command it is, how many arguments it has got, and
whether an option still waits for its value; then they offer what may follow. A script needs no Python when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .command_tree import Option, Place, Values


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _flags(options: Iterable[Option]) -> list[str]:
    return [flag for option in options for flag in option.flags]


def _moves(places: list[Place]) -> list[tuple[str, str, str]]:
    """Where a word leads: the place, the word, the next place."""
    return [(p.name, word, f"{p.name} {word}".strip()) for p in places for word in p.commands]


def _waits(places: list[Place]) -> list[tuple[str, str, Option]]:
    """Options that want values: place, flag, option."""
    return [(p.name, flag, option) for p in places for option in p.options if option.count for flag in option.flags]


# --- bash ------------------------------------------------------------------------------------------------------------


def _bash_values(values: Values) -> str:
    parts = [f"words={_quoted(' '.join(values.words))}"] if values.words else []
    if values.files or values.folders:
        parts.append("kind=" + ("-d" if values.folders else "-f"))
    return "; ".join(parts) or ":"


def bash(places: list[Place]) -> str:
    lines = [
        "# Completion of taxel for bash. Written by: taxel completion bash",
        "_taxel() {",
        "  local cur=${COMP_WORDS[COMP_CWORD]} place= option= word words= kind=",
        "  local -i i left=0 count=0",
        "  COMPREPLY=()",
        "  for ((i = 1; i < COMP_CWORD; i++)); do",
        "    word=${COMP_WORDS[i]}",
        "    [[ $word == = ]] && continue # bash cuts --option=value into three",
        "    if ((left > 0)); then left=left-1; continue; fi",
        '    case "$place $word" in',
        *(f"      {_quoted(f'{at} {word}')}) place={_quoted(to)}; count=0 ;;" for at, word, to in _moves(places)),
        *(
            f"      {_quoted(f'{at} {flag}')}) option={flag}; left={option.count} ;;"
            for at, flag, option in _waits(places)
        ),
        '      *" -"*) ;;',
        "      *) count=count+1 ;;",
        "    esac",
        "  done",
        "  [[ $cur == = ]] && cur=",
        "  if ((left > 0)); then",
        '    case "$place $option" in',
        *(
            f"      {_quoted(f'{at} {flag}')}) {_bash_values(option.values)} ;;"
            for at, flag, option in _waits(places)
            if option.values != Values()
        ),
        "    esac",
        "  else",
        '    case "$place" in',
    ]
    for place in places:
        lines.append(f"      {_quoted(place.name)})")
        lines.append(f"        if [[ $cur == -* ]]; then words={_quoted(' '.join(_flags(place.options)))}")
        if place.commands:
            lines.append(f"        else words={_quoted(' '.join(place.commands))}")
        for k, values in enumerate(place.arguments):
            last = k == len(place.arguments) - 1
            lines.append(f"        elif ((count {'>=' if last else '=='} {k})); then {_bash_values(values)}")
        lines.append("        fi ;;")
    lines += [
        "    esac",
        "  fi",
        '  [[ $words ]] && mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")',
        "  [[ $kind ]] && { compopt -o filenames 2>/dev/null; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < "
        '<(compgen "$kind" -- "$cur"); }',
        "  return 0",
        "}",
        "complete -F _taxel taxel",
    ]
    return "\n".join(lines) + "\n"


# --- zsh -------------------------------------------------------------------------------------------------------------


def _zsh_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """As _describe reads them: a word, a colon, its help."""
    return " ".join(_quoted(word.replace(":", "\\:") + (f":{help}" if help else "")) for word, help in pairs)


def _zsh_values(values: Values) -> str:
    parts = [f"offers=({_zsh_pairs((word, '') for word in values.words)})"] if values.words else []
    if values.files or values.folders:
        parts.append("kind=" + ("folder" if values.folders else "file"))
    return "; ".join(parts) or ":"


def _zsh_flags(place: Place) -> str:
    return _zsh_pairs((flag, option.help) for option in place.options for flag in option.flags)


def zsh(places: list[Place]) -> str:
    lines = [
        "#compdef taxel",
        "# Completion of taxel for zsh. Written by: taxel completion zsh",
        "_taxel() {",
        "  local place= option= kind= word",
        "  local -i i left=0 count=0",
        "  local -a offers",
        "  for ((i = 2; i < CURRENT; i++)); do",
        "    word=$words[i]",
        "    if ((left > 0)); then left=left-1; continue; fi",
        '    case "$place $word" in',
        *(f"      {_quoted(f'{at} {word}')}) place={_quoted(to)}; count=0 ;;" for at, word, to in _moves(places)),
        *(
            f"      {_quoted(f'{at} {flag}')}) option={flag}; left={option.count} ;;"
            for at, flag, option in _waits(places)
        ),
        '      *" -"*) ;;',
        "      *) count=count+1 ;;",
        "    esac",
        "  done",
        "  if ((left > 0)); then",
        '    case "$place $option" in',
        *(
            f"      {_quoted(f'{at} {flag}')}) {_zsh_values(option.values)} ;;"
            for at, flag, option in _waits(places)
            if option.values != Values()
        ),
        "    esac",
        "  else",
        '    case "$place" in',
    ]
    for place in places:
        lines.append(f"      {_quoted(place.name)})")
        lines.append(f"        if [[ $words[CURRENT] == -* ]]; then offers=({_zsh_flags(place)})")
        if place.commands:
            lines.append(f"        else offers=({_zsh_pairs(place.commands.items())})")
        for k, values in enumerate(place.arguments):
            last = k == len(place.arguments) - 1
            lines.append(f"        elif ((count {'>=' if last else '=='} {k})); then {_zsh_values(values)}")
        lines.append("        fi ;;")
    lines += [
        "    esac",
        "  fi",
        "  (( $#offers )) && _describe taxel offers",
        "  [[ $kind == file ]] && _files",
        "  [[ $kind == folder ]] && _files -/",
        "  return 0",
        "}",
        "# Read as a file of $fpath it is the function itself; read by eval or source it is announced.",
        'if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _taxel "$@"; else compdef _taxel taxel; fi',
    ]
    return "\n".join(lines) + "\n"


# --- fish ------------------------------------------------------------------------------------------------------------


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _fish_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    return "printf '%s\\t%s\\n' " + " ".join(f"{_fish_quoted(word)} {_fish_quoted(help)}" for word, help in pairs)


def _fish_values(values: Values) -> str:
    parts = [f"printf '%s\\n' {' '.join(_fish_quoted(word) for word in values.words)}"] if values.words else []
    if values.files or values.folders:
        call = "__fish_complete_directories" if values.folders else "__fish_complete_path"
        parts.append(f'{call} "$cur"')
    return "; ".join(parts) or "true"


def _fish_flags(place: Place) -> str:
    return _fish_pairs((flag, option.help) for option in place.options for flag in option.flags)


def fish(places: list[Place]) -> str:
    lines = [
        "# Completion of taxel for fish. Written by: taxel completion fish",
        "function __taxel_offer",
        "  set -l cur (commandline -ct)",
        "  set -l place ''",
        "  set -l option ''",
        "  set -l left 0",
        "  set -l count 0",
        "  for word in (commandline -opc)[2..-1]",
        "    if test $left -gt 0",
        "      set left (math $left - 1)",
        "      continue",
        "    end",
        '    switch "$place $word"',
    ]
    for at, word, to in _moves(places):
        lines += [
            f"      case {_fish_quoted(f'{at} {word}')}",
            f"        set place {_fish_quoted(to)}",
            "        set count 0",
        ]
    for at, flag, option in _waits(places):
        lines += [
            f"      case {_fish_quoted(f'{at} {flag}')}",
            f"        set option {_fish_quoted(flag)}",
            f"        set left {option.count}",
        ]
    lines += [
        "      case '* -*'",
        "      case '*'",
        "        set count (math $count + 1)",
        "    end",
        "  end",
        "  if test $left -gt 0",
        '    switch "$place $option"',
    ]
    for at, flag, option in _waits(places):
        if option.values != Values():
            lines += [f"      case {_fish_quoted(f'{at} {flag}')}", f"        {_fish_values(option.values)}"]
    lines += ["    end", "    return", "  end", '  switch "$place"']
    for place in places:
        lines += [f"    case {_fish_quoted(place.name)}", "      if string match -q -- '-*' \"$cur\""]
        lines.append(f"        {_fish_flags(place)}")
        if place.commands:
            lines += ["      else", f"        {_fish_pairs(place.commands.items())}"]
        for k, values in enumerate(place.arguments):
            last = k == len(place.arguments) - 1
            lines += [f"      else if test $count {'-ge' if last else '-eq'} {k}", f"        {_fish_values(values)}"]
        lines.append("      end")
    lines += ["  end", "end", "complete -c taxel -f -a '(__taxel_offer)'"]
    return "\n".join(lines) + "\n"


SHELLS: dict[str, Callable[[list[Place]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
