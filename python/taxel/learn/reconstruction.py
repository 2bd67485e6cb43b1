"""Training and testing of mesh networks that see one view and feel some touches (``touch_mesh``).

The visual-only net and the net with touches learn from the same instances and views, in the same number of steps, with
the same loss and optimiser. The net with touches gets a random number of them in each sample, 0 to all.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from .captured import Schedule, Step
from .orientation import need_torch
from .sphere_mesh import chamfer, chamfer_parts, sample_surface
from .touch_mesh import Size, Touches, TouchMesh, ends
from .views import Camera

torch = need_torch()

HALF = True  # on a GPU what layers hand on is bfloat16; weights, places and distances are float32
SAMPLED = 1000  # points of each mesh in the measured distance, as in the paper


@dataclass
class Scenes:
    """n instances, each with V views and T touches. Lengths in units of the instance's longest side."""

    kind: Any
    """(n,) which class"""
    images: Any
    """(n, V, H, W) uint8"""
    R_MO: Any
    """(n, V, 3, 3) how the object is turned in the frame of the view"""
    points_O: Any
    """(n, P, 3) spread evenly over the true surface"""
    displacement: Any
    """(n, T, H, W, 3) of the contact layer, in the frame of the pad"""
    R_OP: Any
    p_OP: Any
    """(n, T, 3, 3), (n, T, 3) pose of the pad"""
    contact_O: Any
    """(n, T, K, 3) contact points"""
    felt: Any
    """(n, T) bool: whether the pad was touched at all; a touch that was not is left out"""
    half_width: float
    """Of the contact layer."""

    def _each(self, change: Callable[[Any], Any]) -> Scenes:
        tensors = {f.name: change(getattr(self, f.name)) for f in fields(self) if f.name != "half_width"}
        return Scenes(**tensors, half_width=self.half_width)

    def to(self, device: str) -> Scenes:
        return self._each(lambda tensor: tensor.to(device))

    def pick(self, rows: np.ndarray) -> Scenes:
        """Some of the instances."""
        return self._each(lambda tensor: tensor[torch.as_tensor(rows, device=tensor.device)])

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def touches(self) -> int:
        return self.displacement.shape[1]

    def batch(self, rows: Any, view: Any, which: Any, there: Any) -> tuple[Any, Touches, Any]:
        """Views ``view`` (B,) and touches ``which`` (B, T) of instances ``rows`` (B,): images, touches, points in M."""
        image = self.images[rows, view].float() / 255
        R_MO = self.R_MO[rows, view]
        row = rows[:, None]
        touches = Touches(
            displacement=self.displacement[row, which].float().permute(0, 1, 4, 2, 3).contiguous(),
            R_MP=R_MO[:, None] @ self.R_OP[row, which],
            p_MP=torch.einsum("bij,btj->bti", R_MO, self.p_OP[row, which]),
            contact_M=torch.einsum("bij,btkj->btki", R_MO, self.contact_O[row, which]),
            there=there & self.felt[row, which],
            half_width=self.half_width,
        )
        return image, touches, torch.einsum("bij,bpj->bpi", R_MO, self.points_O[rows])


@dataclass(frozen=True)
class Plan:
    """How a network is trained."""

    steps: int = 1500
    batch: int = 64
    rate: float = 1e-3
    points: int = 1500
    """Of each surface in the loss."""
    most: int = 10
    """Touches in a sample, at most."""
    held: int = 10
    """Every so many-th instance is kept for validation, not learned from; 0: none."""
    checks: int = 10
    """How often the validation distance is asked for; the weights of the least are kept."""
    edges: float = 0.02
    bends: float = 0.1
    """Weights of the regularisers."""


@contextmanager
def tensor_units(device: Any) -> Iterator[None]:
    """TF32 on a GPU: enough to learn with, and to say where vertices are to 1e-4."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high" if torch.device(device).type == "cuda" else "highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def mesh_loss(places: list[Any], network: TouchMesh, target: Any, plan: Plan, generator: Any = None) -> Any:
    """Chamfer distance of each stage, with Pixel2Mesh's pull to short edges and flat neighbourhoods."""
    total = 0
    for k, x in enumerate(places):
        level = network.size.levels[k]
        faces = network.faces_tensor(level)
        points = sample_surface(x, faces, plan.points, generator)
        chosen = torch.randint(target.shape[1], (plan.points,), device=x.device, generator=generator)
        first, second = ends(x, getattr(network, f"edges{level}")).unbind(2)
        edge = (first - second).square().sum(-1).mean()
        V = x.shape[1]
        around = (network.mean_of(level) @ x.transpose(0, 1).reshape(V, -1)).reshape(V, len(x), 3).transpose(0, 1)
        bend = (x - around).square().sum(-1).mean()
        total = total + chamfer(points, target[:, chosen]).mean() + plan.edges * edge + plan.bends * bend
    return total


class Training:
    """One network on its way: ``step`` is called ``plan.steps`` times, with ``look`` after each; ``finish`` once.

    On a GPU the steps are graphs on a stream of their own (``captured``), so several trainings can go on at a time;
    what is between places is in bfloat16, places and distances are not. The same seed gives the same network on the
    same CPU; on a GPU but for the order in which sums are made.

    So that no net is judged by what it learned by heart, its weights are those with the least validation distance (of
    the net with touches: the mean of without touches, with half of them and with all).
    """

    def __init__(
        self,
        scenes: Scenes,
        plan: Plan,
        *,
        touches: bool,
        seed: int,
        size: Size = Size(),  # noqa: B008 (frozen)
        camera: Camera = Camera(),  # noqa: B008
        say: Callable[[str], None] | None = None,
    ) -> None:
        device = scenes.images.device
        held = np.arange(len(scenes)) % plan.held == plan.held - 1 if plan.held else np.zeros(len(scenes), dtype=bool)
        self.asked = scenes.pick(np.flatnonzero(held)) if held.any() else None
        self.scenes = scenes.pick(np.flatnonzero(~held)) if held.any() else scenes
        self.plan, self.touches, self.seed, self.say = plan, touches, seed, say
        self.most = min(plan.most, scenes.touches)
        torch.manual_seed(seed)
        self.network = TouchMesh(size, touches=touches, camera=camera).to(device)
        self.on_gpu = device.type == "cuda"
        self.optimiser = torch.optim.AdamW(
            self.network.parameters(), lr=plan.rate, weight_decay=1e-4, fused=self.on_gpu, capturable=self.on_gpu
        )
        warm = max(1, min(200, plan.steps // 10))
        rates = [
            plan.rate * min(1.0, (k + 1) / warm) * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * k / plan.steps)))
            for k in range(plan.steps)
        ]
        self.schedule = Schedule(self.optimiser, rates, device)
        self.generator = torch.Generator(device).manual_seed(seed)
        self.recent = torch.zeros(plan.steps, device=device)
        self.losses: list[float] = []
        self.checked: list[float] = []
        self.best: dict[str, Any] = {}
        self.start = time.perf_counter()
        self.network.train()
        self.step = Step(self._body, self.generator)

    def _body(self) -> None:
        k = self.schedule.start()
        plan, scenes = self.plan, self.scenes
        drawn = {"device": scenes.images.device, "generator": self.generator}
        rows = torch.randint(len(scenes), (plan.batch,), **drawn)
        view = torch.randint(scenes.images.shape[1], (plan.batch,), **drawn)
        which = torch.rand(plan.batch, scenes.touches, **drawn).argsort(1)[:, : self.most]
        count = torch.randint(self.most + 1, (plan.batch, 1), **drawn)
        there = torch.arange(self.most, device=count.device) < count
        image, felt, target = scenes.batch(rows, view, which, there)
        with torch.autocast("cuda", torch.bfloat16, enabled=self.on_gpu and HALF, cache_enabled=False):
            places = self.network(image, felt if self.touches else None)
        loss = mesh_loss(places, self.network, target, plan, self.generator)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimiser.step()
        self.recent.index_copy_(0, k, loss.detach()[None])

    def look(self, done: int) -> None:
        """After ``done`` steps: notes the loss, asks for the validation distance, where it is time to."""
        plan = self.plan
        every = max(1, plan.steps // 20)
        if done % every == 0:
            self.step.wait()
            self.losses.append(float(self.recent[done - every : done].mean()))
            if not math.isfinite(self.losses[-1]):
                raise RuntimeError(f"training step {done}: the loss is not finite; use a rate below {plan.rate:g}")
            if self.say:
                seconds = time.perf_counter() - self.start
                self.say(f"  step {done} of {plan.steps}: loss {self.losses[-1]:.5f}, {seconds:.0f} s")
        if self.asked is not None and done % max(1, plan.steps // plan.checks) == 0:
            self.step.wait()
            self.network.eval()
            counts = (0, self.most // 2, self.most) if self.touches else (0,)
            found = [distances(self.network, self.asked, c, views=2)["squared"].mean() for c in counts]
            self.checked.append(float(np.mean(found)))
            if self.checked[-1] == min(self.checked):
                self.best = {name: value.clone() for name, value in self.network.state_dict().items()}
            self.network.train()
            self.step.follow()

    def finish(self) -> tuple[TouchMesh, dict[str, Any]]:
        self.step.wait()
        if self.best:
            self.network.load_state_dict(self.best)
        self.network.eval()
        return self.network, {
            "seed": self.seed,
            "steps": self.plan.steps,
            "batch": self.plan.batch,
            "parameters": sum(p.numel() for p in self.network.parameters()),
            "seconds": time.perf_counter() - self.start,
            "losses": self.losses,
            "validation": self.checked,
            "learned": len(self.scenes),
        }


def train(scenes: Scenes, plan: Plan, **options: Any) -> tuple[TouchMesh, dict[str, Any]]:
    """One network (options: those of ``Training``)."""
    return train_together([Training(scenes, plan, **options)])[0]


def train_together(trainings: Sequence[Training]) -> list[tuple[TouchMesh, dict[str, Any]]]:
    """Networks of as many steps each, step by step in turn."""
    with tensor_units(trainings[0].scenes.images.device):
        for done in range(1, trainings[0].plan.steps + 1):
            for training in trainings:
                training.step()
            for training in trainings:
                training.look(done)
        return [training.finish() for training in trainings]


def predict(network: TouchMesh, scenes: Scenes, view: int, count: int, rows: Any | None = None) -> list[Any]:
    """Vertices in M after each stage (n, V, 3), from view number ``view`` and the first ``count`` touches."""
    device = scenes.images.device
    rows = torch.arange(len(scenes), device=device) if rows is None else rows
    shown = max(1, count)
    parts = []
    with torch.no_grad(), tensor_units(device):
        for some in rows.split(64):
            which = torch.arange(shown, device=device).expand(len(some), shown)
            there = torch.full((len(some), shown), count > 0, device=device)
            image, felt, _ = scenes.batch(some, torch.full_like(some, view), which, there)
            parts.append(network(image, felt if network.touch is not None else None))
    return [torch.cat(stage) for stage in zip(*parts, strict=True)]


def distances(
    network: TouchMesh, scenes: Scenes, count: int, seed: int = 0, views: int | None = None
) -> dict[str, np.ndarray]:
    """Of each instance, mean over its views (the first ``views``): the two distances between SAMPLED points a surface.

    squared   mean squared distance to the other surface's points, both ways, summed (the paper's, as we read it)
    plain     mean distance, both ways, summed
    """
    device = scenes.images.device
    generator = torch.Generator(device=device).manual_seed(seed)
    found: dict[str, list[Any]] = {"squared": [], "plain": []}
    for view in range(min(views or scenes.images.shape[1], scenes.images.shape[1])):
        x = predict(network, scenes, view, count)[-1]
        faces = network.faces_tensor(network.size.levels[-1])
        rows = []
        for some in torch.arange(len(scenes), device=device).split(64):
            ours = sample_surface(x[some], faces, SAMPLED, generator)
            target = torch.einsum("bij,bpj->bpi", scenes.R_MO[some, view], true_points(scenes, some, generator))
            rows.append(chamfer_parts(ours, target))
        a, b = (torch.cat(part) for part in zip(*rows, strict=True))
        found["squared"].append(a.mean(1) + b.mean(1))
        found["plain"].append(a.sqrt().mean(1) + b.sqrt().mean(1))
    return {k: torch.stack(v).mean(0).double().cpu().numpy() for k, v in found.items()}


def true_points(scenes: Scenes, rows: Any, generator: Any) -> Any:
    """(B, SAMPLED, 3) in O, drawn afresh from the many of the true surface."""
    pool = scenes.points_O.shape[1]
    order = torch.rand(len(rows), pool, device=scenes.images.device, generator=generator).argsort(1)[:, :SAMPLED]
    return torch.gather(scenes.points_O[rows], 1, order[..., None].expand(-1, -1, 3))


def floor(scenes: Scenes, seed: int = 1) -> dict[str, np.ndarray]:
    """The distances of a perfect mesh: SAMPLED points of the true surface against as many others of it."""
    generator = torch.Generator(device=scenes.images.device).manual_seed(seed)
    squared, plain = [], []
    for some in torch.arange(len(scenes), device=scenes.images.device).split(64):
        pool = scenes.points_O.shape[1]
        order = torch.rand(len(some), pool, device=scenes.images.device, generator=generator).argsort(1)
        points = torch.gather(scenes.points_O[some], 1, order[:, : 2 * SAMPLED, None].expand(-1, -1, 3))
        a, b = chamfer_parts(points[:, :SAMPLED], points[:, SAMPLED:])
        squared.append(a.mean(1) + b.mean(1))
        plain.append(a.sqrt().mean(1) + b.sqrt().mean(1))
    return {"squared": torch.cat(squared).double().cpu().numpy(), "plain": torch.cat(plain).double().cpu().numpy()}


def interval(values: np.ndarray, seed: int = 0, draws: int = 2000) -> tuple[float, float, float]:
    """Mean over instances (last axis; others are trainings, averaged first), with its 95 % bootstrap interval."""
    each = values.reshape(-1, values.shape[-1]).mean(0)
    drawn = each[np.random.default_rng(seed).integers(len(each), size=(draws, len(each)))].mean(1)
    return float(each.mean()), *map(float, np.percentile(drawn, [2.5, 97.5]))


def ratio_interval(
    worse: np.ndarray, better: np.ndarray, seed: int = 0, draws: int = 2000
) -> tuple[float, float, float]:
    """Mean of ``worse`` over mean of ``better`` on the same instances (last axis), with its 95 % bootstrap interval."""
    a, b = (v.reshape(-1, v.shape[-1]).mean(0) for v in (worse, better))
    rows = np.random.default_rng(seed).integers(len(a), size=(draws, len(a)))
    drawn = a[rows].mean(1) / b[rows].mean(1)
    return float(a.mean() / b.mean()), *map(float, np.percentile(drawn, [2.5, 97.5]))


def measure(
    visual: TouchMesh, felt: TouchMesh, scenes: Scenes, counts: Sequence[int], seed: int = 0
) -> dict[Any, dict[str, np.ndarray]]:
    """Each instance's distances, (n,) arrays: "visual", and for each number of touches."""
    result = {"visual": distances(visual, scenes, 0, seed)}
    return result | {count: distances(felt, scenes, count, seed) for count in counts}
