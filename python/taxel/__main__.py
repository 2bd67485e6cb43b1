"""``python -m taxel``: the command."""

from .cli import main

raise SystemExit(main())
