"""Two bodies at two poses: where they touch, and with what pressure.

``taxel.contact`` is the function of this package; the package itself is reached by ``from taxel.contact import ...``.
"""

from .._core import Body, ContactSurface
from .gradient import ContactGradient, TaxelGradient, contact_gradient
from .query import ContactBatch, contact, contact_batch

__all__ = [
    "Body",
    "ContactBatch",
    "ContactGradient",
    "ContactSurface",
    "TaxelGradient",
    "contact",
    "contact_batch",
    "contact_gradient",
]
