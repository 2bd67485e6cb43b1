"""Tactile images turned and mirrored, and the ResNet-32 that says which object was touched. Needs NumPy and torch only,
as ``touch_recognition``, which trains it and says what is the paper's and what was chosen."""

from __future__ import annotations

from itertools import pairwise
from typing import Any


def need_torch() -> Any:
    try:
        import torch
    except ImportError:
        raise ImportError("training needs torch; run: pip install 'taxel[learn]'") from None
    return torch


# --- images -----------------------------------------------------------------------------------------------------------


def turned(images: Any, angle: Any, mirrored: Any, shift: Any) -> Any:
    """Square touches (B, 3, H, H) as if the object had been mirrored (x to -x), turned about z of the pad and shifted.

    angle (B,) rad; mirrored (B,) bool; shift (B, 2) pixels along x and y. Vectors turn with the picture. What comes in
    over the edge repeats the edge.
    """
    torch = need_torch()
    c, s = torch.cos(angle), torch.sin(angle)
    m = 1.0 - 2.0 * mirrored.to(angle.dtype)
    rows, columns = images.shape[-2:]
    # affine_grid takes each pixel to where it comes from: q = M R^T (p - shift), in halves of the picture's sides.
    tx, ty = 2 * shift[:, 0] / columns, 2 * shift[:, 1] / rows
    back = torch.stack(
        [
            torch.stack([m * c, m * s, -m * (c * tx + s * ty)], dim=1),
            torch.stack([-s, c, s * tx - c * ty], dim=1),
        ],
        dim=1,
    )
    # As affine_grid would; that multiplies matrices of three columns, which a GPU does slowly.
    x, y = (((2 * torch.arange(n, device=angle.device) + 1) / n - 1).to(angle.dtype) for n in (columns, rows))
    a, b, d = (back[..., k, None, None] for k in range(3))  # (B, 2, 1, 1)
    grid = (a * x + b * y[:, None] + d).permute(0, 2, 3, 1)
    moved = torch.nn.functional.grid_sample(
        images, grid.to(images.dtype), mode="bilinear", padding_mode="border", align_corners=False
    )
    c, s, m = (a[:, None, None] for a in (c, s, m))
    ux, uy = m * moved[:, 0], moved[:, 1]
    return torch.stack([c * ux - s * uy, s * ux + c * uy, moved[:, 2]], dim=1)


def symmetric_copy(images: Any, copy: int) -> Any:
    """Exact: copy 0 to 3 of touches (B, 3, H, W) is turned by quarters, 4 to 7 mirrored (x to -x) before that."""
    torch = need_torch()
    x, y, z = images[:, 0], images[:, 1], images[:, 2]
    if copy >= 4:
        x, y, z = -x.flip(-1), y.flip(-1), z.flip(-1)
    for _ in range(copy % 4):
        # Columns are x, rows are y: what was at (x, y) goes to (-y, x).
        x, y, z = (-torch.rot90(y, -1, (-2, -1)), torch.rot90(x, -1, (-2, -1)), torch.rot90(z, -1, (-2, -1)))
    return torch.stack([x, y, z], dim=1)


# --- network ----------------------------------------------------------------------------------------------------------


def make_network(touches: int, classes: int, way: str = "channels") -> Any:
    """From (B, 3 N, H, W) to (B, classes): ResNet-32 in its CIFAR form, shortcuts without weights."""
    torch = need_torch()
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, inputs: int, outputs: int) -> None:
            super().__init__()
            self.step, self.more = outputs // inputs, outputs - inputs
            self.conv1 = nn.Conv2d(inputs, outputs, 3, self.step, 1, bias=False)
            self.norm1 = nn.BatchNorm2d(outputs)
            self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
            self.norm2 = nn.BatchNorm2d(outputs)

        def forward(self, x: Any) -> Any:
            y = self.norm2(self.conv2(torch.relu(self.norm1(self.conv1(x)))))
            if self.more:
                x = nn.functional.pad(x[:, :, :: self.step, :: self.step], (0, 0, 0, 0, 0, self.more))
            return torch.relu(x + y)

    class Shared(nn.Module):
        def __init__(self, features: Any, last: Any) -> None:
            super().__init__()
            self.features, self.last = features, last

        def forward(self, x: Any) -> Any:
            each = self.features(x.reshape(-1, 3, *x.shape[-2:]))
            return self.last(each.reshape(len(x), touches, -1).mean(1))

    widths = [16] * 6 + [32] * 5 + [64] * 5
    shared = way == "shared"
    features = nn.Sequential(
        nn.Conv2d(3 if shared else 3 * touches, 16, 3, 2, 1, bias=False),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        *(Block(a, b) for a, b in pairwise(widths)),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )
    last = nn.Linear(64, classes)
    network = Shared(features, last) if shared else nn.Sequential(features, last)
    for layer in network.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.kaiming_normal_(layer.weight, mode="fan_out")
    return network
