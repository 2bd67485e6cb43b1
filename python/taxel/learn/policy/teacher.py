"""A teacher's checkpoint, and what a student takes from it: answers (distillation), or its first critic (AACD)."""

from __future__ import annotations

from typing import Any

from .checkpoint import Policy, check_fits, load_policy
from .config import Network, TrainConfig, numbers


def load_teacher(config: TrainConfig, obs: Any, actions: int, device: Any) -> Policy:
    """The policy of ``--teacher``; ValueError where it is of another task, or sees something that is not there."""
    name = config.teacher
    teacher = load_policy(str(name), device)
    if teacher.config.task != config.task:
        raise ValueError(f"--teacher {name}: of {teacher.config.task}, not of {config.task}; give one of {config.task}")
    try:
        check_fits(teacher, obs, actions, critic=config.method == "aacd")
    except ValueError as error:
        raise ValueError(f"--teacher {name}: {error}") from None
    return teacher


def same_critic(teacher: Policy, config: TrainConfig) -> bool:
    """Whether the student's critic can take the teacher's weights."""
    return teacher.config.network.critic_form() == config.network.critic_form()


def check_same_critic(teacher: Policy, config: TrainConfig) -> None:
    """ValueError that names both shapes, and the options that make them equal."""
    if same_critic(teacher, config):
        return
    theirs, mine = teacher.config.network, config.network
    raise ValueError(
        f"--method aacd --teacher {config.teacher}: its critic ({critic_words(theirs)}) cannot start the student's "
        f"({critic_words(mine)}); give {_way_to(teacher.config, config)}, or --method distill, which needs no critic"
    )


def critic_words(network: Network) -> str:
    """The shape of a critic: "LSTM 2 x 256, MLP 512-128-64"."""
    form = network.critic_form()
    memory = f"LSTM {form['rnn_layers']} x {form['rnn_hidden']}" if form["critic_rnn"] else "no LSTM"
    scales = f", scales {' '.join(f'{s:g}' for s in form['fine'])}" if form["fine"] else ""
    return f"{memory}, MLP {'-'.join(map(str, form['critic_mlp']))}{scales}"


def _way_to(theirs: TrainConfig, mine: TrainConfig) -> str:
    """Options of the student that give it a critic of the teacher's shape."""
    wanted, have = theirs.network.critic_form(), mine.network.critic_form()
    if theirs.numbers != mine.numbers and numbers(theirs.numbers, "student")[0].critic_form() == wanted:
        return f"--numbers {theirs.numbers}"
    return " ".join(f"--set network.{k}={_text(v)}" for k, v in wanted.items() if have.get(k) != v)


def _text(value: Any) -> str:
    """As --set reads it, without a space or a bracket that a shell would take."""
    if isinstance(value, tuple):
        return ",".join(map(repr, value)) + ("," if len(value) == 1 else "") if value else "'()'"
    return repr(value)
