"""A small spray bottle, 21 cm high: a waisted body with shoulders and neck, a head with its nozzle, the trigger.

Four closed surfaces, all drawn here; they overlap where they are joined. z is up, the bottle stands on z = 0, the
nozzle points along +x. Sizes are those of a usual 250 ml bottle, by eye. The waist is shallow on purpose: MuJoCo's own
contact (with a finger's metal, behind the foam) takes the convex hull of a mesh, which fills it.
"""

from __future__ import annotations

import numpy as np

from .surfaces import Surface, loft, revolved, smooth_profile, superellipse

HEIGHT = 0.212
WAIST = 0.078  # height of the narrowest place
WAIST_RADIUS = 0.0245


def bottle_body() -> Surface:
    """Body of revolution with foot, waist, shoulders, neck and collar."""
    foot = [(0.0210, 0.0), (0.0240, 0.0006), (0.0258, 0.0030)]
    side = [(0.0266, 0.0080), (0.0265, 0.0250), (0.0254, 0.0520), (WAIST_RADIUS, WAIST), (0.0254, 0.1040)]
    shoulder = [(0.0265, 0.1240), (0.0257, 0.1380), (0.0214, 0.1500), (0.0147, 0.1575), (0.0118, 0.1610)]
    neck = [(0.0112, 0.1640), (0.0112, 0.1680)]
    return revolved(smooth_profile(np.array(foot + side + shoulder + neck), 0.005), 48)


def bottle_head() -> Surface:
    """Collar and trigger head: from a circle to a long rounded block, domed, the nozzle in front."""
    around = 48
    # height, reach behind, reach in front, half width, power of the outline
    sections = [
        (0.1650, 0.0138, 0.0138, 0.0138, 2.0),
        (0.1656, 0.0146, 0.0146, 0.0146, 2.0),
        (0.1760, 0.0146, 0.0146, 0.0146, 2.0),
        (0.1766, 0.0138, 0.0138, 0.0138, 2.0),
        (0.1780, 0.0100, 0.0110, 0.0098, 2.2),
        (0.1850, 0.0110, 0.0150, 0.0098, 2.6),
        (0.1880, 0.0160, 0.0330, 0.0096, 3.5),
        (0.1890, 0.0185, 0.0400, 0.0100, 4.0),
        (0.1940, 0.0200, 0.0425, 0.0104, 4.5),
        (0.2010, 0.0205, 0.0420, 0.0104, 4.5),
        (0.2065, 0.0195, 0.0395, 0.0098, 4.0),
        (0.2100, 0.0170, 0.0345, 0.0082, 3.4),
        (0.2115, 0.0135, 0.0285, 0.0058, 3.0),
        (HEIGHT, 0.0080, 0.0200, 0.0026, 2.6),
    ]
    rings = []
    for z, behind, front, half_width, power in sections:
        flat = superellipse(0.5 * (behind + front), half_width, power, around)
        rings.append(np.column_stack([flat[:, 0] + 0.5 * (front - behind), flat[:, 1], np.full(around, z)]))
    return loft(np.stack(rings))


def trigger() -> Surface:
    """The lever in front of the neck, curved for the fingers."""
    path = smooth_profile(
        np.array(
            [(0.0150, 0.1900), (0.0225, 0.1860), (0.0262, 0.1740), (0.0262, 0.1600), (0.0300, 0.1480), (0.0365, 0.1400)]
        ),
        0.003,
    )
    ahead = np.gradient(path, axis=0)
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    rings = []
    for k, (middle, along) in enumerate(zip(path, ahead, strict=True)):
        end = min(k, len(path) - 1 - k)
        scale = (0.55, 0.88, 1.0)[min(end, 2)]
        flat = scale * superellipse(0.0026, 0.0052, 3.0, 20)
        across = np.array([along[1], 0.0, -along[0]])
        rings.append(np.array([middle[0], 0.0, middle[1]]) + flat[:, :1] * across + flat[:, 1:] * (0.0, 1.0, 0.0))
    return loft(np.stack(rings))


def nozzle() -> Surface:
    """The turning tip at the front of the head."""
    angle = 2 * np.pi * np.arange(24) / 24
    rings = [
        np.column_stack([np.full(24, 0.0395 + x), r * np.cos(angle), 0.1985 + r * np.sin(angle)])
        for x, r in ((0.0, 0.0062), (0.0062, 0.0060), (0.0070, 0.0052), (0.0071, 0.0016), (0.0062, 0.0012))
    ]
    return loft(np.stack(rings))
