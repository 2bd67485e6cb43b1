"""Random ways in SE(3) of an object into a gel, for tests of batches."""

import numpy as np


def turn(vector) -> np.ndarray:
    angle = np.linalg.norm(vector)
    x, y, z = np.asarray(vector) / angle
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def paths(seed: int, worlds: int, fingers: int, steps: int, reach: float) -> np.ndarray:
    """(steps, worlds, fingers, 4, 4): tilted, from above into the plane z = 2 mm, dragged and twisted, out, in again.

    reach  height of the object's origin where it just touches, m
    """
    rng = np.random.default_rng(seed)
    X = np.tile(np.eye(4), (steps, worlds, fingers, 1, 1))
    phase = np.linspace(0, 1, steps)
    for w in range(worlds):
        for f in range(fingers):
            tilt, twist = turn(0.15 * rng.normal(size=3)), rng.uniform(-0.6, 0.6)
            place, way = rng.uniform(-2e-3, 2e-3, 2), rng.normal(0, 1.5e-3, 2)
            deep = rng.uniform(2.3e-3, 3e-3) * np.sin(2 * np.pi * phase) ** 2 - 1.8e-3
            for t, s in enumerate(phase):
                X[t, w, f, :3, :3] = turn((0.02 * s, -0.03 * s, twist * s + 1e-9)) @ tilt
                X[t, w, f, :3, 3] = (*(place + s * way), 2e-3 + reach - deep[t])
    return X
