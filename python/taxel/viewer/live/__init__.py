"""The live page of ``taxel view``: a simulation in the browser, led by hand.

    from taxel.viewer.live import Page, make_world

    page = Page(make_world("myrmex", "sphere"), port=8080)
    page.start()                       # http://localhost:8080
    ...
    page.close()

Needs viser: ``pip install 'taxel[view]'``. docs/guide/view.md is the guide.
"""

from .page import Page, make_world, serve

__all__ = ["Page", "make_world", "serve"]
