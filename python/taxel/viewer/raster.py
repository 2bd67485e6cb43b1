"""A small z-buffer renderer in NumPy: clean occlusion, interpolated colours, no window, no GPU.

    scene = Raster(width, height, Camera(eye, target))
    scene.draw(vertices, triangles, colours)              # opaque
    scene.glaze(vertices, triangles, colour)              # a glass-like layer over what was drawn
    image = scene.image()                                 # (height, width, 3), 0..1

It draws at twice the size and averages, which smooths the edges.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

OVERSAMPLING = 2


@dataclass(frozen=True)
class Camera:
    """Looks from ``eye`` to ``target``; z is up. ``field_of_view``: full vertical angle, degrees."""

    eye: tuple[float, float, float]
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    field_of_view: float = 30.0
    axes: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        forward = np.subtract(self.target, self.eye).astype(float)
        forward /= np.linalg.norm(forward)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        object.__setattr__(self, "axes", np.stack([right, np.cross(right, forward), forward]))

    def project(self, points: np.ndarray, width: int, height: int) -> np.ndarray:
        """Pixel x, y (down) and depth of points (N, 3)."""
        local = (points - np.asarray(self.eye)) @ self.axes.T
        scale = 0.5 * height / np.tan(0.5 * np.radians(self.field_of_view))
        depth = np.maximum(local[:, 2], 1e-9)
        return np.stack(
            [0.5 * width + scale * local[:, 0] / depth, 0.5 * height - scale * local[:, 1] / depth, depth],
            axis=1,
        )


LIGHT = np.array([-0.35, -0.45, 0.82]) / np.linalg.norm([-0.35, -0.45, 0.82])


class Raster:
    def __init__(self, width: int, height: int, camera: Camera, background: np.ndarray | None = None) -> None:
        self.width, self.height = width * OVERSAMPLING, height * OVERSAMPLING
        self.camera = camera
        self.colours = np.zeros((self.height * self.width, 3))
        if background is not None:
            rows = np.linspace(0, 1, self.height)[:, None, None]
            shade = (1 - rows) * background[0] + rows * background[1]
            self.colours[:] = np.broadcast_to(shade, (self.height, self.width, 3)).reshape(-1, 3)
        self.depth = np.full(self.height * self.width, np.inf)

    def draw(
        self,
        vertices: np.ndarray,
        triangles: np.ndarray,
        colours: np.ndarray,
        normals: np.ndarray | None = None,
        glow: np.ndarray | None = None,
    ) -> None:
        """Opaque triangles. colours: (3,) or one a vertex. normals: one a vertex for smooth shading, else flat.
        glow: one a vertex, 0..1, how much of the colour shines by itself."""
        fragments = self._fragments(vertices, triangles)
        fragments = self._nearest(fragments, self.depth)
        self.depth[fragments.pixel] = fragments.depth
        tint = _per_vertex(colours, len(vertices))
        colour = fragments.mix(tint, triangles)
        normal = self._normals(vertices, triangles, normals, fragments)
        lit = colour * self._light(normal, fragments, gloss=0.12)[:, None]
        if glow is not None:
            part = fragments.mix(np.asarray(glow, dtype=float)[:, None], triangles)
            lit = part * colour + (1 - part) * lit
        self.colours[fragments.pixel] = lit + self._shine(normal, fragments)[:, None] * 0.10

    def glaze(
        self,
        vertices: np.ndarray,
        triangles: np.ndarray,
        colour: np.ndarray,
        normals: np.ndarray | None = None,
        clear: float = 0.10,
        rim: float = 0.65,
    ) -> None:
        """The nearest layer of a surface as glass: ``clear`` opaque face-on, ``rim`` at grazing angles."""
        fragments = self._fragments(vertices, triangles)
        own_depth = np.full_like(self.depth, np.inf)
        fragments = self._nearest(fragments, own_depth)
        fragments = fragments.take(fragments.depth < self.depth[fragments.pixel])
        normal = self._normals(vertices, triangles, normals, fragments)
        facing = np.abs(np.sum(normal * self._view(fragments), axis=1))
        alpha = np.clip(clear + (rim - clear) * (1 - facing) ** 2.2, 0, 1)[:, None]
        light = self._light(normal, fragments, gloss=0.0)[:, None]
        shine = self._shine(normal, fragments)[:, None]
        old = self.colours[fragments.pixel]
        self.colours[fragments.pixel] = (1 - alpha) * old + alpha * np.asarray(colour) * light + 0.30 * shine

    def line(self, start: np.ndarray, end: np.ndarray, colour: np.ndarray, opacity: float) -> None:
        """A thin line, drawn where nothing opaque is in front of it."""
        lift = 2e-4  # m; keeps a line that lies on a surface in front of it
        ends = self.camera.project(np.array([start, end]), self.width, self.height)
        count = 2 + int(2 * np.linalg.norm(ends[1, :2] - ends[0, :2]))
        points = np.asarray(start) + np.linspace(0, 1, count)[:, None] * np.subtract(end, start)
        xyz = self.camera.project(points, self.width, self.height)
        x, y = np.floor(xyz[:, 0]).astype(int), np.floor(xyz[:, 1]).astype(int)
        seen = (x >= 0) & (x < self.width) & (y >= 0) & (y < self.height)
        pixel = y[seen] * self.width + x[seen]
        pixel, first = np.unique(pixel, return_index=True)
        front = xyz[seen, 2][first] - lift < self.depth[pixel]
        pixel = pixel[front]
        self.colours[pixel] = (1 - opacity) * self.colours[pixel] + opacity * np.asarray(colour)

    def image(self) -> np.ndarray:
        n = OVERSAMPLING
        tiles = self.colours.reshape(self.height // n, n, self.width // n, n, 3)
        return np.clip(tiles.mean(axis=(1, 3)), 0, 1)

    # --- inside -------------------------------------------------------------------------------------------------

    def _view(self, fragments: Fragments) -> np.ndarray:
        direction = np.asarray(self.camera.eye) - fragments.point
        return direction / np.linalg.norm(direction, axis=1, keepdims=True)

    def _light(self, normal: np.ndarray, fragments: Fragments, gloss: float) -> np.ndarray:
        diffuse = np.clip(normal @ LIGHT, 0, 1)
        sky = 0.5 + 0.5 * normal[:, 2]
        return 0.34 + 0.26 * sky + 0.60 * diffuse

    def _shine(self, normal: np.ndarray, fragments: Fragments) -> np.ndarray:
        half = self._view(fragments) + LIGHT
        half /= np.linalg.norm(half, axis=1, keepdims=True)
        return np.clip(np.sum(normal * half, axis=1), 0, 1) ** 48

    def _normals(
        self, vertices: np.ndarray, triangles: np.ndarray, normals: np.ndarray | None, fragments: Fragments
    ) -> np.ndarray:
        if normals is not None:
            n = fragments.mix(normals, triangles)
        else:
            a, b, c = (vertices[triangles[:, k]] for k in range(3))
            n = np.cross(b - a, c - a)[fragments.triangle]
        n = n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-30)
        away = np.sum(n * self._view(fragments), axis=1) < 0
        n[away] *= -1
        return n

    def _nearest(self, fragments: Fragments, depth: np.ndarray) -> Fragments:
        """One fragment a pixel, nearer than ``depth``."""
        fragments = fragments.take(fragments.depth < depth[fragments.pixel])
        order = np.lexsort((fragments.depth, fragments.pixel))
        pixel = fragments.pixel[order]
        first = np.ones(len(order), dtype=bool)
        first[1:] = pixel[1:] != pixel[:-1]
        return fragments.take(order[first])

    def _fragments(self, vertices: np.ndarray, triangles: np.ndarray) -> Fragments:
        """The pixels of all triangles. Triangles of like size are walked together, one pixel offset at a time."""
        xyz = self.camera.project(vertices, self.width, self.height)
        corners = xyz[triangles]
        low = np.floor(corners[:, :, :2].min(axis=1)).astype(int)
        high = np.ceil(corners[:, :, :2].max(axis=1)).astype(int)
        low = np.clip(low, 0, [self.width, self.height])
        high = np.clip(high, 0, [self.width, self.height])
        size = high - low
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
        usable = (size.min(axis=1) > 0) & (np.abs(area) > 1e-12)
        parts: list[tuple[np.ndarray, ...]] = []

        def keep(t: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
            px, py = x + 0.5, y + 0.5
            wa = ((b[t, 0] - px) * (c[t, 1] - py) - (b[t, 1] - py) * (c[t, 0] - px)) / area[t]
            wb = ((c[t, 0] - px) * (a[t, 1] - py) - (c[t, 1] - py) * (a[t, 0] - px)) / area[t]
            wc = 1 - wa - wb
            inside = (wa >= -1e-9) & (wb >= -1e-9) & (wc >= -1e-9)
            if inside.any():
                t, x, y = t[inside], x[inside], y[inside]
                # Perspective: weights over depth are linear on the screen.
                w = np.stack([wa[inside], wb[inside], wc[inside]], axis=1) / corners[t, :, 2]
                total = w.sum(axis=1)
                parts.append((y * self.width + x, 1 / total, t, w / total[:, None]))

        side = size.max(axis=1)
        for limit in (2, 4, 8, 16, 32):
            group = np.flatnonzero(usable & (side <= limit) & (side > limit // 2 if limit > 2 else side > 0))
            if len(group):
                for dy in range(limit):
                    for dx in range(limit):
                        t = group[(size[group, 0] > dx) & (size[group, 1] > dy)]
                        if len(t):
                            keep(t, low[t, 0] + dx, low[t, 1] + dy)
        for t in np.flatnonzero(usable & (side > 32)):
            x, y = np.meshgrid(np.arange(low[t, 0], high[t, 0]), np.arange(low[t, 1], high[t, 1]))
            keep(np.full(x.size, t), x.ravel(), y.ravel())
        if not parts:
            empty = np.zeros(0, dtype=int)
            return Fragments(empty, np.zeros(0), empty, np.zeros((0, 3)), np.zeros((0, 3)))
        pixel, depth, triangle, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
        point = np.einsum("nk,nkd->nd", weights, vertices[triangles[triangle]])
        return Fragments(pixel, depth, triangle, weights, point)


@dataclass
class Fragments:
    pixel: np.ndarray
    depth: np.ndarray
    triangle: np.ndarray
    weights: np.ndarray
    point: np.ndarray

    def take(self, index: np.ndarray) -> Fragments:
        return Fragments(
            self.pixel[index], self.depth[index], self.triangle[index], self.weights[index], self.point[index]
        )

    def mix(self, values: np.ndarray, triangles: np.ndarray) -> np.ndarray:
        """Interpolates values given a vertex."""
        return np.einsum("nk,nkd->nd", self.weights, values[triangles[self.triangle]])


def _per_vertex(colours: np.ndarray, count: int) -> np.ndarray:
    colours = np.asarray(colours, dtype=float)
    return np.broadcast_to(colours, (count, 3)) if colours.ndim == 1 else colours


def smooth_normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Area-weighted vertex normals."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    total = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(total, triangles[:, k], n)
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-30)


def _neighbours(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of triangles that share an edge (n, 2), the ends of that edge (n, 2), the cosine of the bend (n,)."""
    _, weld = np.unique(np.round(vertices, 7), axis=0, return_inverse=True)
    welded = weld.reshape(-1)[triangles]
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    n = np.cross(b - a, c - a)
    n /= np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-30)
    sides = ([0, 1], [1, 2], [2, 0])
    edges = np.sort(np.concatenate([welded[:, s] for s in sides]), axis=1)
    ends = np.concatenate([triangles[:, s] for s in sides])
    owner = np.tile(np.arange(len(triangles)), 3)
    order = np.lexsort((edges[:, 1], edges[:, 0]))
    edges, ends, owner = edges[order], ends[order], owner[order]
    first = np.flatnonzero(np.all(edges[1:] == edges[:-1], axis=1))
    pairs = np.column_stack([owner[first], owner[first + 1]])
    return pairs, ends[first], np.sum(n[pairs[:, 0]] * n[pairs[:, 1]], axis=1)


def sharp_edges(vertices: np.ndarray, triangles: np.ndarray, degrees: float = 60) -> np.ndarray:
    """Edges (n, 2, 3) where two faces meet at more than that angle."""
    _, ends, cosine = _neighbours(vertices, triangles)
    return vertices[ends[cosine < np.cos(np.radians(degrees))]]


def split_at_creases(vertices: np.ndarray, triangles: np.ndarray, degrees: float = 60) -> tuple[np.ndarray, np.ndarray]:
    """The same surface with separate vertices on either side of a crease, so that smooth normals stop there."""
    pairs, _, cosine = _neighbours(vertices, triangles)
    root = list(range(len(triangles)))

    def find(i: int) -> int:
        while root[i] != i:
            root[i] = root[root[i]]
            i = root[i]
        return i

    for i, j in pairs[cosine >= np.cos(np.radians(degrees))].tolist():
        root[find(i)] = find(j)
    group = np.array([find(i) for i in range(len(triangles))])
    corners = np.column_stack([np.repeat(group, 3), triangles.ravel()])
    unique, index = np.unique(corners, axis=0, return_inverse=True)
    return vertices[unique[:, 1]], index.reshape(-1, 3)
