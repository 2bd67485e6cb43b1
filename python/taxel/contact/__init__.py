"""Two bodies at two poses: where they touch, and with what pressure.

``taxel.contact`` is the function of this package; the package itself is reached by ``from taxel.contact import ...``.
"""

from .._core import Body, ContactSurface
from .query import ContactBatch, contact, contact_batch

__all__ = [
    "Body",
    "ContactBatch",
    "ContactSurface",
    "contact",
    "contact_batch",
]
