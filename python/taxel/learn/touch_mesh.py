"""A mesh from one view and some touches: a graph network that deforms a sphere, coarse to fine (Pixel2Mesh's way).

Follows the paper "Elastic Interaction of Particles", section III-C.b: each vertex carries features f and a place x; in
each stage it collects what the view and the touches show where it is (Proj of Eq. 14), then graph convolutions

    f' = W_f0 g + mean over neighbours of W_f1 g        (Eq. 15; the mean in place of the sum)
    x' = x + W_x0 g + mean over neighbours of W_x1 g    (Eq. 16, as a step from where the vertex is)

Proj of a vertex x, in the frame M of the view (``views``):
    view     feature maps of four sizes, read where the camera sees x
    touches  for each touch: x in the frame P of its pad, the deformed contact layer there (its displacement, features
             of the tactile image, and the gap: height of x over the layer); one small network for all touches makes a
             message. The vertex gets the message of the touch whose centre is closest (the paper's rule) and the
             largest of all, entry by entry. A touch that is not there has the message zero (the paper's zero padding).
    contact  the way to the nearest measured contact point of any touch

A network made with touches=False is the visual-only net: the same layers, without what reads the touches.
Lengths are in units of the object's longest side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .orientation import need_torch
from .sphere_mesh import icosphere, kernels, nearest, pick, squared_distances
from .views import Camera

torch = need_torch()
nn, functional = torch.nn, torch.nn.functional


@dataclass(frozen=True)
class Size:
    """How large a network is."""

    levels: tuple[int, ...] = (2, 2, 3, 4)
    """Level of the icosphere in each stage; equal or one more than before."""
    width: int = 160
    layers: int = 6
    """Graph convolutions in a stage."""
    view: tuple[int, ...] = (32, 64, 128, 256)
    touch: int = 48
    """Numbers in the message of a touch."""


SMALL = Size(levels=(2, 2, 3), width=64, layers=4, view=(16, 24, 32, 48), touch=24)
"""For a CPU."""


@dataclass
class Touches:
    """A batch of touches, B samples of T."""

    displacement: Any
    """(B, T, 3, H, W): of the contact layer in the pad's frame P; rows count along x, columns along y."""
    R_MP: Any
    """(B, T, 3, 3)"""
    p_MP: Any
    """(B, T, 3): middle of the undeformed contact face"""
    contact_M: Any
    """(B, T, K, 3): contact points"""
    there: Any
    """(B, T) bool: False is no touch"""
    half_width: float
    """Of the contact layer."""


def _exactly(x: Any) -> Any:
    """Where places are computed, autocast has no say."""
    return torch.autocast(x.device.type, enabled=False)


class _GroupNorm(nn.GroupNorm):
    """Gives what it gets: autocast would make half precision single again."""

    def forward(self, x: Any) -> Any:
        with _exactly(x):
            return functional.group_norm(x, self.num_groups, self.weight.to(x.dtype), self.bias.to(x.dtype), self.eps)


class _LayerNorm(nn.LayerNorm):
    """The same."""

    def forward(self, x: Any) -> Any:
        with _exactly(x):
            return functional.layer_norm(
                x, self.normalized_shape, self.weight.to(x.dtype), self.bias.to(x.dtype), self.eps
            )


def _block(inputs: int, outputs: int, stride: int) -> Any:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1),
        _GroupNorm(8, outputs),
        nn.ReLU(),
        nn.Conv2d(outputs, outputs, 3, padding=1),
        _GroupNorm(8, outputs),
        nn.ReLU(),
    )


def _read(maps: Any, at: Any) -> Any:
    """(N, V, C): maps (N, C, H, W) at places (N, V, 2), -1 to 1 from rim to rim, columns first; zero outside.

    The gradient goes to the maps, not to the places.
    """
    if maps.dtype == torch.bfloat16 and (found := kernels(maps.device)):
        return found.read(maps, at)
    found = functional.grid_sample(maps.float(), at[:, :, None].detach(), align_corners=False)
    return found[..., 0].transpose(1, 2).to(maps.dtype)


def ends(values: Any, edges: Any) -> Any:
    """(B, E, 2, C): values (B, V, C) at both ends of edges (E, 2)."""
    return values.index_select(1, edges.reshape(-1)).unflatten(1, (-1, 2))


def _around(mean: Any, y: Any) -> Any:
    """(B, V, C): mean (V, V), sparse or dense, of y (B, V, C)."""
    B, V, C = y.shape
    return (mean @ y.transpose(0, 1).reshape(V, B * C)).reshape(V, B, C).transpose(0, 1)


class ViewReader(nn.Module):
    def __init__(self, sizes: tuple[int, ...], outputs: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(_block(a, b, 2) for a, b in zip((1, *sizes[:-1]), sizes, strict=True))
        self.whole = nn.Linear(sizes[-1], outputs)

    def forward(self, image: Any) -> tuple[list[Any], Any]:
        """Feature maps of each size; (B, outputs) of the whole picture."""
        maps, x = [], image[:, None]
        for block in self.blocks:
            x = block(x)
            maps.append(x)
        return maps, torch.relu(self.whole(x.mean((2, 3))))


class TouchReader(nn.Module):
    """Messages of the touches to points."""

    FEATURES = 16

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.image = nn.Sequential(_block(3, 24, 2), _block(24, self.FEATURES, 2))
        self.message = nn.Sequential(
            nn.Linear(self.FEATURES + 8, outputs), nn.ReLU(), nn.Linear(outputs, outputs), nn.ReLU()
        )
        self.whole = nn.Sequential(
            nn.Linear(self.FEATURES + 9, outputs), nn.ReLU(), nn.Linear(outputs, outputs), nn.ReLU()
        )

    def maps(self, touches: Touches) -> Any:
        """(B T, 16, H/4, W/4); the displacement is scaled so that a deep press is about one."""
        return self.image(10 * touches.displacement.flatten(0, 1))

    def summary(self, touches: Touches, maps: Any) -> Any:
        """(B, outputs): the largest, entry by entry, over the touches."""
        B, T = touches.there.shape
        pose = torch.cat([touches.R_MP[..., 2], touches.p_MP, touches.contact_M.mean(2)], -1)
        each = self.whole(torch.cat([maps.mean((2, 3)).reshape(B, T, -1), pose], -1))
        return (each * touches.there[..., None]).amax(1)

    def forward(self, x: Any, touches: Touches, maps: Any) -> tuple[Any, Any]:
        """Points x (B, V, 3): (B, V, outputs) message of the closest touch, and the largest over all."""
        B, T = touches.there.shape
        with _exactly(x):
            x_P = torch.einsum("btij,btvi->btvj", touches.R_MP, x[:, None] - touches.p_MP[:, :, None])  # (B, T, V, 3)
            at = x_P[..., :2].flip(-1).flatten(0, 1) / touches.half_width  # columns count along y
            moved = functional.grid_sample(touches.displacement.flatten(0, 1), at[:, :, None], align_corners=False)
            moved = moved[..., 0].transpose(1, 2)
            gap = x_P[..., 2:].flatten(0, 1) - moved[..., 2:]
            inside = (at.abs().amax(-1, keepdim=True) < 1).float()
            away = squared_distances(x, touches.p_MP).masked_fill(~touches.there[:, None], 1e6)  # (B, V, T)
        told = torch.cat([10 * moved, x_P.flatten(0, 1), gap, inside], -1)
        given = torch.cat([_read(maps, at), told.to(maps.dtype)], -1)
        message = self.message(given).reshape(B, T, x.shape[1], -1) * touches.there[..., None, None]
        index = away.argmin(2)[:, None, :, None].expand(-1, 1, -1, message.shape[-1])
        return torch.gather(message, 1, index)[:, 0], message.amax(1)


def to_contact(x: Any, touches: Touches) -> Any:
    """(B, V, 5): the way to the nearest contact point, its length, and 1; zeros where no touch is there."""
    points = touches.contact_M + 1e3 * (~touches.there[..., None, None])  # far away: never the nearest, if there is one
    points = points.flatten(1, 2)
    way = pick(points, nearest(x, points)) - x
    some = touches.there.any(1)[:, None, None]
    way = torch.where(some, way, torch.zeros_like(way))
    return torch.cat(
        [way, way.square().sum(-1, keepdim=True).add(1e-12).sqrt(), some.float().expand(-1, len(x[0]), 1)], -1
    )


class GraphLayer(nn.Module):
    """Eq. 15 and 16."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.own, self.around = nn.Linear(inputs, outputs), nn.Linear(inputs, outputs, bias=False)

    def forward(self, g: Any, mean: Any, relu: bool = True) -> Any:
        """g (B, V, C); mean (V, V), sparse or dense, or as ``TouchMesh.neighbours`` gives it."""
        if isinstance(mean, tuple):
            y = functional.linear(g, torch.cat([self.own.weight, self.around.weight]))
            return kernels(g.device).mix(y, self.own.bias, *mean, relu)
        out = self.own(g) + _around(mean, self.around(g))
        return torch.relu(out) if relu else out


class Stage(nn.Module):
    def __init__(self, inputs: int, width: int, layers: int) -> None:
        super().__init__()
        self.first = GraphLayer(inputs, width)
        self.layers = nn.ModuleList(GraphLayer(width, width) for _ in range(layers))
        self.norms = nn.ModuleList(_LayerNorm(width) for _ in range(layers // 2))
        self.step = GraphLayer(width, 3)
        for part in (self.step.own, self.step.around):  # starts close to standing still
            nn.init.normal_(part.weight, std=1e-3)
        nn.init.zeros_(self.step.own.bias)

    def forward(self, g: Any, mean: Any) -> tuple[Any, Any]:
        f = self.first(g, mean)
        for k, norm in enumerate(self.norms):
            h = self.layers[2 * k](norm(f), mean)
            f = f + self.layers[2 * k + 1](h, mean)
        return f, self.step(f, mean, relu=False)


class TouchMesh(nn.Module):
    """(views, touches) to the vertices after each stage."""

    def __init__(
        self,
        size: Size = Size(),  # noqa: B008 (frozen)
        *,
        touches: bool = True,
        camera: Camera = Camera(),  # noqa: B008
        radius: float = 0.35,
    ) -> None:
        """radius: of the sphere that it starts from."""
        super().__init__()
        self.size, self.camera, self.radius = size, camera, radius
        self._sparse: dict[int, Any] = {}
        self.view = ViewReader(size.view, size.width // 2)
        self.touch = TouchReader(size.touch) if touches else None
        inputs = 3 + sum(size.view) + size.width // 2 + (3 * size.touch + 5 if touches else 0)
        self.squeeze = nn.ModuleList(nn.Linear(inputs, size.width) for _ in size.levels)
        self.stages = nn.ModuleList(
            Stage(size.width * (2 if k else 1), size.width, size.layers) for k in range(len(size.levels))
        )
        for level in set(size.levels):
            sphere = icosphere(level)
            self.register_buffer(f"mean{level}", torch.as_tensor(sphere.neighbour_mean()), persistent=False)
            for name, values in zip(("index", "weight", "back"), sphere.neighbours(), strict=True):
                self.register_buffer(f"{name}{level}", torch.as_tensor(values), persistent=False)
            self.register_buffer(f"faces{level}", torch.as_tensor(sphere.faces), persistent=False)
            self.register_buffer(f"edges{level}", torch.as_tensor(sphere.edges), persistent=False)
        for level in set(size.levels[1:]) - {size.levels[0]}:
            self.register_buffer(f"finer{level}", torch.as_tensor(icosphere(level - 1).middles()), persistent=False)
        self.register_buffer("start", torch.as_tensor(icosphere(size.levels[0]).vertices).float(), persistent=False)

    def mean_of(self, level: int) -> Any:
        """(V, V): the mean over neighbours; sparse on a CPU, dense on a GPU, where the tensor units make it as fast."""
        mean = getattr(self, f"mean{level}")
        if mean.device.type != "cpu":
            return mean
        if level not in self._sparse:
            self._sparse[level] = mean.to_sparse()
        return self._sparse[level]

    def neighbours(self, level: int) -> Any:
        """What the graph layers take: the matrix, or on a GPU with Triton the neighbours and their weights."""
        if kernels(self.start.device) is None:
            return self.mean_of(level)
        return tuple(getattr(self, f"{name}{level}") for name in ("index", "weight", "back"))

    def faces_tensor(self, level: int) -> Any:
        """(F, 3) of the icosphere of a level."""
        return getattr(self, f"faces{level}")

    def refine(self, y: Any, level: int) -> Any:
        """(B, V, C) of a level to those of the next: the new ones are the means of both ends of the edges."""
        if y.is_cuda and y.dtype != torch.float32:  # as a product of matrices: its gradient needs no atomics
            middles = getattr(self, f"finer{level + 1}").to(y.dtype)
            return torch.cat([y, torch.bmm(middles.expand(len(y), -1, -1), y)], 1)
        return torch.cat([y, ends(y, getattr(self, f"edges{level}")).mean(2)], 1)

    def forward(self, image: Any, touches: Touches | None = None) -> list[Any]:
        """image (B, H, W), 0 to 1: vertices (B, V, 3) in M after each stage."""
        maps, whole = self.view(image)
        told = None
        if self.touch is not None:
            if touches is None:
                raise ValueError("this network reads touches; give Touches (there: all False for none)")
            told = self.touch.maps(touches)
            whole = torch.cat([whole, self.touch.summary(touches, told)], -1)
        x = (self.radius * self.start).expand(len(image), -1, -1)
        f, places, level = None, [], self.size.levels[0]
        for number, squeeze, stage in zip(self.size.levels, self.squeeze, self.stages, strict=True):
            if number != level:
                x, f = self.refine(x, level), self.refine(f, level)
                level = number
            x = x.detach() if places else x  # each stage answers for its own step
            seen = self.camera.project(x)
            parts = [x, *(_read(m, seen) for m in maps), whole[:, None].expand(-1, x.shape[1], -1)]
            if told is not None:
                parts += [*self.touch(x, touches, told), to_contact(x, touches)]
            g = torch.relu(squeeze(torch.cat([part.to(maps[0].dtype) for part in parts], -1)))
            f, step = stage(g if f is None else torch.cat([g, f], -1), self.neighbours(level))
            x = x + step.float()
            places.append(x)
        return places
