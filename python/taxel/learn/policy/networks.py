"""The networks: touch encoder -> LSTM (layer-normed, joined with its input) -> MLP, as a model of rsl-rl.

rsl-rl has an LSTM model and a CNN model, but none with both, no layer norm, no joined input and no soft-argmax; they
are here. The MLP, the distribution, the running normalisation and the LSTM's book-keeping are rsl-rl's.
"""

from __future__ import annotations

from typing import Any

import torch
from rsl_rl.models import MLPModel
from rsl_rl.modules import RNN, EmpiricalNormalization
from tensordict import TensorDict
from torch import nn

from .config import Network
from .sequences import Cut

FINGERS = 2
LIMIT = 10.0  # normalised inputs are cut here: a broken reading must not blow up a policy
IMAGE = 40  # rows from which on a touch is an image, not a grid of markers


class SpatialSoftArgmax(nn.Module):
    """Where each channel is brightest: (batch, channels, rows, columns) -> (batch, 2 channels), x and y in -1 .. 1."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__()
        y, x = torch.meshgrid(torch.linspace(-1, 1, rows), torch.linspace(-1, 1, columns), indexing="ij")
        self.register_buffer("grid", torch.stack([x.flatten(), y.flatten()], 1), persistent=False)

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        weights = maps.flatten(2).softmax(-1)
        return (weights @ self.grid).flatten(1)


class TouchEncoder(nn.Module):
    """Both fingers' fields -> features. One encoder serves both, as the pads are alike.

    Takes (..., 2 * channels, rows, columns) with any leading axes; readings are normalised by channel.
    """

    def __init__(self, shape: tuple[int, ...], kind: str) -> None:
        super().__init__()
        channels, rows, columns = shape
        if channels % FINGERS:
            raise ValueError(f"touch of shape {shape}: the first number must be even, one half a finger")
        self.shape, self.each = tuple(shape), channels // FINGERS
        self.norm = EmpiricalNormalization(channels, eps=1e-3)
        if kind == "dense":
            self.layers = _dense(channels * rows * columns)
            self.output, self.together = 64, True
        else:
            self.layers, places = _convolutions(self.each, rows, columns)
            self.output, self.together = FINGERS * 2 * places, False

    def forward(self, touch: torch.Tensor) -> torch.Tensor:
        lead = touch.shape[:-3]
        x = touch.reshape(-1, *self.shape)
        mean, std = self.norm._mean[0, :, None, None], self.norm._std[0, :, None, None]
        x = ((x - mean) / (std + self.norm.eps)).clamp(-LIMIT, LIMIT)
        if not self.together:
            x = x.reshape(-1, self.each, *self.shape[1:])
        return self.layers(x).reshape(*lead, self.output)

    def update(self, touch: torch.Tensor) -> None:
        """Statistics of a batch (n, channels, rows, columns)."""
        self.norm.update(touch.permute(0, 2, 3, 1).reshape(-1, self.shape[0]))


def _dense(width: int) -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(width, 256), nn.ELU(), nn.Linear(256, 64), nn.ELU())


def _convolutions(channels: int, rows: int, columns: int) -> tuple[nn.Module, int]:
    """Filters 32/64/64: 3 x 3, padding 1, 1, 0 on a grid of markers; kernels 8, 4, 3, stride 2, 1, 1 on an image."""
    image = rows >= IMAGE
    kernels, strides, pads = ((8, 4, 3), (2, 1, 1), (0, 0, 0)) if image else ((3, 3, 3), (1, 1, 1), (1, 1, 0))
    layers: list[nn.Module] = []
    for out, kernel, stride, pad in zip((32, 64, 64), kernels, strides, pads, strict=True):
        layers += [nn.Conv2d(channels, out, kernel, stride, pad), nn.ReLU()]
        channels = out
        rows, columns = ((n + 2 * pad - kernel) // stride + 1 for n in (rows, columns))
    if rows < 1 or columns < 1:
        raise ValueError("a touch of fewer than 3 x 3 places has no convolution; take --encoder dense")
    return nn.Sequential(*layers, SpatialSoftArgmax(rows, columns)), channels


class TouchModel(MLPModel):
    """An actor or a critic. Sequences come as (time, sequence, ...) with their ``Cut``, where the library has masks;
    single steps as (world, ...)."""

    def __init__(
        self,
        obs: TensorDict,
        obs_groups: dict[str, list[str]],
        obs_set: str,
        output_dim: int,
        network: Network,
        distribution_cfg: dict[str, Any] | None = None,
    ) -> None:
        layers = network.rnn_layers if obs_set == "actor" or network.critic_rnn else 0
        self._fine, self._hidden = network.fine, network.rnn_hidden if layers else 0
        groups = obs_groups[obs_set]
        self._flat = [g for g in groups if obs[g].dim() == 2]
        self._touch = [g for g in groups if obs[g].dim() == 4]
        self._state = sum(obs[g].shape[-1] for g in self._flat)
        encoders = {g: TouchEncoder(tuple(obs[g].shape[1:]), network.encoder) for g in self._touch}
        self._width = self._state * (1 + len(self._fine)) + sum(e.output for e in encoders.values())
        widths = network.mlp if obs_set == "actor" else network.critic_mlp or network.mlp
        super().__init__(obs, obs_groups, obs_set, output_dim, widths, "elu", False, distribution_cfg)
        self.is_recurrent = layers > 0
        self.state_norm = EmpiricalNormalization(self._state, eps=1e-4)
        self.encoder = nn.ModuleDict(encoders)
        if layers:
            self.rnn = RNN(self._width, network.rnn_hidden, layers, "lstm")
            self.rnn_norm = nn.LayerNorm(network.rnn_hidden)

    def _get_obs_dim(self, obs: TensorDict, obs_groups: dict[str, list[str]], obs_set: str) -> tuple[list[str], int]:
        return obs_groups[obs_set], self._state

    def _get_latent_dim(self) -> int:
        return self._width + self._hidden

    def forward(
        self, obs: TensorDict, masks: Cut | None = None, hidden_state: Any = None, stochastic_output: bool = False
    ) -> torch.Tensor:
        if masks is not None and not self.is_recurrent:
            obs, masks = masks.unpad(obs.select(*self._flat, *self._touch)), None
        return super().forward(obs, masks, hidden_state, stochastic_output)

    def get_latent(self, obs: TensorDict, masks: Cut | None = None, hidden_state: Any = None) -> torch.Tensor:
        x = self._inputs(obs)
        if not self.is_recurrent:
            return x
        if masks is None:
            y = self.rnn(x).squeeze(0)
        else:
            y, x = masks.unpad(self.rnn.rnn(x, hidden_state)[0]), masks.unpad(x)
        return torch.cat([self.rnn_norm(y), x], -1)

    def from_latent(self, latent: torch.Tensor) -> torch.Tensor:
        """What ``forward`` makes of it: the mean action, or the value."""
        out = self.mlp(latent)
        return out if self.distribution is None else self.distribution.deterministic_output(out)

    def _inputs(self, obs: TensorDict) -> torch.Tensor:
        raw = torch.cat([obs[g] for g in self._flat], -1)
        parts = [self.state_norm(raw).clamp(-LIMIT, LIMIT)]
        parts += [torch.tanh(raw / scale) for scale in self._fine]
        parts += [self.encoder[g](obs[g]) for g in self._touch]
        return torch.cat(parts, -1)

    def update_normalization(self, obs: TensorDict) -> None:
        self.state_norm.update(torch.cat([obs[g] for g in self._flat], -1))
        for group in self._touch:
            self.encoder[group].update(obs[group])

    def reset(self, dones: torch.Tensor | None = None, hidden_state: Any = None) -> None:
        if not self.is_recurrent:
            return
        held = self.rnn.hidden_state
        if dones is None or held is None:
            self.rnn.reset(dones, hidden_state)
        else:  # as the library does, without waiting for a GPU to count those that are done
            self.rnn.hidden_state = tuple(torch.where((dones == 1)[:, None], 0.0, part) for part in held)

    def get_hidden_state(self) -> Any:
        return self.rnn.hidden_state if self.is_recurrent else None

    def start(self, worlds: int, device: Any) -> None:
        """An empty memory for so many worlds."""
        if self.is_recurrent:
            lstm = self.rnn.rnn
            size = (lstm.num_layers, worlds, lstm.hidden_size)
            self.rnn.hidden_state = (torch.zeros(size, device=device), torch.zeros(size, device=device))


def observation_sets(obs: TensorDict, role: str) -> dict[str, list[str]]:
    """Which groups actor and critic see: a student feels, a teacher and every critic know the privileged state."""
    groups = set(obs.keys())
    privileged = ["critic"] if "critic" in groups else ["policy"]
    if role == "teacher":
        return {"actor": ["teacher"] if "teacher" in groups else privileged, "critic": privileged}
    return {"actor": ["policy", *(["touch"] if "touch" in groups else [])], "critic": privileged}


def make_models(obs: TensorDict, actions: int, network: Network, role: str) -> tuple[TouchModel, TouchModel]:
    """Actor and critic for observations like ``obs``."""
    sets = observation_sets(obs, role)
    noise = {
        "class_name": "rsl_rl.modules.distribution:GaussianDistribution",
        "init_std": network.std,
        "learn_std": network.learn_std,
        "std_type": "log",
    }
    actor = TouchModel(obs, sets, "actor", actions, network, noise)
    with torch.no_grad():  # first actions near zero: the arm holds still
        actor.mlp[-1].weight.mul_(0.1)
        actor.mlp[-1].bias.zero_()
    return actor, TouchModel(obs, sets, "critic", 1, network)
