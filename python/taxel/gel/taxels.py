"""What the taxels of a layout read from a gel: the forces at its contact points."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..common.alone import Uncopied
from ..common.scipy import need_scipy
from ..skin import Layout, Reading, SignalChain, Skin
from .face import face_axes
from .gel import Gel, one_gel

PARTS = 4
"""Parts along an axis into which the square of a contact point is cut, to share it among taxels."""


class GelTaxels(Uncopied):
    """Taxels on the contact face of a gel, with the electronics of a sensor behind them.

        taxels = taxel.GelTaxels(gel, taxel.Skin(pad, shape=(14, 6)).layout)
        gel.move(...)
        taxels.read().values                       # (14, 6), Pa

    layout    taxel.Layout (or a taxel.Skin) in the gel's frame
    chain     keys of the signal chain (docs/guide/skins.md): noise, rate, bits, ...; left out: pressures as they are
    timestep  of the readings, s; for the chain

    A contact point stands for a square of the face; each part of it belongs to the nearest taxel. So no force is lost:
    the taxels' sum is the force on the gel. One thread at a time, as the gel.
    """

    _instead = "make another for another gel"

    def __init__(
        self, gel: Gel, layout: Layout | Skin, *, chain: dict[str, Any] | None = None, timestep: float = 1e-3
    ) -> None:
        need_scipy("reading the taxels of a gel")
        from scipy.sparse import csr_array
        from scipy.spatial import cKDTree

        self.gel, self.layout = gel, layout.layout if isinstance(layout, Skin) else layout
        one_gel(gel, "GelTaxels")
        if not len(gel.contact_points):
            raise _core.Error("GelTaxels: the gel has no contact points; make it from a shape")
        u, v = face_axes(gel.contact_normals)
        at = (np.arange(PARTS) + 0.5) / PARTS - 0.5
        side = np.sqrt(gel.contact_areas)[:, None]
        tree, count = cKDTree(self.layout.points), len(gel.contact_points)
        found = [tree.query(gel.contact_points + side * (a * u + b * v)) for a in at for b in at]
        far, pitch = max(float(d.max()) for d, _ in found), float(np.sqrt(self.layout.areas).max())
        if far > 4 * pitch + gel.height:
            raise _core.Error(
                f"GelTaxels: a contact point is {far:.3g} m from every taxel; give a layout in the frame of the gel"
            )
        rows = np.concatenate([index for _, index in found])
        columns = np.tile(np.arange(count), PARTS**2)
        self._share = csr_array((np.full(len(rows), 1 / PARTS**2), (rows, columns)), shape=(len(self.layout), count))
        self._covers = self._share @ gel.contact_areas > 0
        self.chain = SignalChain(self.layout, timestep, description=dict(chain)) if chain else None

    @property
    def covered(self) -> np.ndarray:
        """Which taxels have a contact point: those that do not read 0 always."""
        return self._covers.reshape(self.layout.shape)

    def reset(self) -> None:
        """The signal chain forgets."""
        if self.chain is not None:
            self.chain.reset()

    def read(self, time: float | None = None) -> Reading:
        """The reading now. With a signal chain its state moves on to ``time`` (s; that of the gel when left out)."""
        gel, shape = self.gel, self.layout.shape
        points = gel.point_forces
        forces = self._share @ points
        axes = np.stack([self.layout.axes, self.layout.second_axes, -self.layout.normals], axis=1)
        local = np.einsum("nki,ni->nk", axes, forces)
        into = -(points * gel.contact_normals).sum(axis=1)
        pressed = into > 0
        load = float(into[pressed].sum())
        pressures = local[:, 2] / self.layout.areas
        values = pressures.reshape(shape)
        if self.chain is not None:
            values = self.chain(gel.time if time is None else time, values)
        center = into[pressed] @ gel.contact_points[pressed] / load if load > 0 else np.zeros(3)
        return Reading(
            values=values,
            layout=self.layout,
            force=points.sum(axis=0),
            area=float(gel.contact_areas[pressed].sum()),
            center=center,
            load=load,
            forces=local.reshape(*shape, 3),
        )
