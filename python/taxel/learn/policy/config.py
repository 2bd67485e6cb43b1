"""What a training run is told: plain dataclasses, written to the run folder as config.json.

Numbers come from HydroShear's Tables VII and VIII ("paper"), from the released code where it says otherwise
("release"), or from our own trials ("quick"). ``numbers(...)`` gives each set by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any

from .limits import check_limits

METHODS = ("aacd", "distill", "ppo")
ROLES = ("student", "teacher")
NUMBERS = ("paper", "release", "quick")


@dataclass(frozen=True)
class Network:
    """Actor and critic, two networks of one form: touch encoder -> LSTM -> MLP."""

    rnn_layers: int = 2
    """0: no memory."""
    rnn_hidden: int = 256
    critic_rnn: bool = True
    """False: the critic sees the privileged state alone, without memory."""
    mlp: tuple[int, ...] = (512, 128, 64)
    critic_mlp: tuple[int, ...] = ()
    """Of the critic; (): as ``mlp``."""
    encoder: str = "soft-argmax"
    """Of the touch: conv 32/64/64 with a spatial soft-argmax, as published, or "dense" (256, 64)."""
    fine: tuple[float, ...] = ()
    """Every number of the policy's state again as tanh(x / fine): millimetres count where metres are normalised."""
    recall: bool = False
    """The policy also sees how its state changes, and its last action (``recall.Recall``)."""
    std: float = 1.0
    """Of the exploration noise at the start."""
    learn_std: bool = False

    def critic_form(self) -> dict[str, Any]:
        """What a critic must have in common with another to take its weights, by the names of the fields."""
        remembers = self.critic_rnn and self.rnn_layers > 0
        memory = {"rnn_layers": self.rnn_layers, "rnn_hidden": self.rnn_hidden} if remembers else {}
        return {"critic_rnn": remembers, **memory, "critic_mlp": self.critic_mlp or self.mlp, "fine": self.fine}


@dataclass(frozen=True)
class Ppo:
    steps: int = 256
    """Of a rollout, in each world."""
    sequence: int = 128
    """The LSTM is trained on sequences of so many steps."""
    minibatch: int = 1024
    """Samples; a minibatch is made of whole sequences."""
    epochs: int = 4
    gamma: float = 0.99
    lam: float = 0.95
    clip: float = 0.2
    grad_norm: float = 1.0
    value_coef: float = 2.0
    entropy_coef: float = 0.0
    lr: float = 1e-4
    lr_min: float = 1e-6
    lr_max: float = 1e-2
    kl: float = 2e-3
    reward_scale: float = 1.0
    bf16: bool = False
    """Forward passes of the update in bfloat16 (GPU)."""
    tf32: bool = True
    """Matrix products in TF32 (GPU)."""


@dataclass(frozen=True)
class Distill:
    """DAgger: the student acts, the teacher says what it would have done there, the student is fitted to that."""

    iterations: int = 0
    """Of rollouts before PPO begins; 0: no distillation."""
    beta_iterations: int = 2
    """Over so many the share of worlds in which the teacher acts falls from one to none."""
    keep: int = 1
    """Rollouts that are fitted together, the newest ones."""
    epochs: int = 4
    minibatch: int = 2048
    """Samples; whole sequences of a world."""
    lr: float = 1e-3
    noise: float = 0.1
    """Standard deviation added to what acts, so that the student sees states beside its path."""
    ppo_std: float = 0.2
    """Exploration noise that PPO begins with after it."""
    ppo_lr: float = 2e-5
    """And its first learning rate."""
    hints: float = 0.0
    """Weight of an auxiliary loss: the student's trunk also tells the task's privileged hints (``hints.HintHead``)."""


@dataclass(frozen=True)
class Curriculum:
    """Stages of a task: the next one begins when success over the last ``episodes`` is at least ``threshold``."""

    threshold: float = 0.8
    episodes: int = 256
    first: int = 1
    last: int = 2


@dataclass(frozen=True)
class TrainConfig:
    task: str = "peg"
    role: str = "student"
    method: str = "aacd"
    numbers: str = "paper"
    worlds: int = 256
    iterations: int = 100
    seed: int = 0
    engine: str = "cpu"
    touch: str = "taxel"
    contact: str = "soft"
    teacher: str | None = None
    """A run or checkpoint of a teacher, the name of one that comes with taxel, or "scripted" (distillation alone)."""
    start: str | None = None
    """A policy (run, checkpoint, name) whose weights the run begins with; its networks are the run's."""
    save_every: int = 10
    network: Network = field(default_factory=Network)
    ppo: Ppo = field(default_factory=Ppo)
    distill: Distill = field(default_factory=Distill)
    curriculum: Curriculum = field(default_factory=Curriculum)
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further options of the task, as ``taxel.tasks.make`` takes them."""

    def __post_init__(self) -> None:
        _one_of("--method", self.method, METHODS)
        _one_of("--role", self.role, ROLES)
        _one_of("--numbers", self.numbers, NUMBERS)
        _one_of("network.encoder", self.network.encoder, ("soft-argmax", "dense"))
        check_limits(self)
        self._check_ppo()
        self._check_teaching()

    def _check_ppo(self) -> None:
        ppo = self.ppo
        if ppo.sequence and ppo.steps % ppo.sequence:
            raise ValueError(
                f"ppo.sequence {ppo.sequence}: does not divide a rollout of {ppo.steps} steps; "
                "give a divisor, or 0 for the whole"
            )
        rates = {"ppo.lr": ppo.lr, **({"distill.ppo_lr": self.distill.ppo_lr} if self.method == "distill" else {})}
        for name, rate in rates.items():
            if not ppo.lr_min <= rate <= ppo.lr_max:
                raise ValueError(
                    f"{name} {rate:g}: outside of ppo.lr_min {ppo.lr_min:g} to ppo.lr_max {ppo.lr_max:g}; "
                    "move that limit, too"
                )

    def _check_teaching(self) -> None:
        if self.role == "teacher" and self.teacher not in (None, "scripted"):
            raise ValueError(
                f"--role teacher --teacher {self.teacher}: a teacher learns alone, or from --teacher scripted"
            )
        if self.distill.hints and (self.method != "distill" or self.role == "teacher"):
            who = "a teacher, which sees the hints" if self.role == "teacher" else f"--method {self.method}"
            raise ValueError(
                f"distill.hints {self.distill.hints:g}: for a student of --method distill, not for {who}; leave it out"
            )
        if self.method == "distill" and self.teacher is None:
            raise ValueError("--method distill: needs --teacher RUN, or --teacher scripted for the task's own expert")
        if self.method == "distill" and self.distill.iterations < 1:
            raise ValueError(
                f"--distill-iterations {self.distill.iterations}: the teacher would never be asked; give at least 1, "
                "or --method ppo"
            )
        if self.start is not None and self.method == "aacd":
            raise ValueError(
                f"--start {self.start} --method aacd: that begins with a new actor and the teacher's critic; take "
                "--method ppo or distill"
            )
        if self.role == "teacher" and self.method == "aacd":
            raise ValueError("--role teacher --method aacd: a teacher has no teacher's critic; take --method ppo")
        if self.teacher is not None and self.method == "ppo":
            raise ValueError(
                f"--teacher {self.teacher}: --method ppo asks no teacher; leave it out, or take --method distill"
            )
        if self.role == "student" and self.method == "aacd" and self.teacher in (None, "scripted"):
            raise ValueError(
                "--method aacd: the student's critic starts from a teacher's; train one with "
                f"`taxel train {self.task} --role teacher` and give its run as --teacher RUN "
                "(--method ppo goes without, --method distill --teacher scripted takes the task's own expert)"
            )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TrainConfig:
        """Back from config.json; a key that is not known is an error."""
        return _build(cls, values, "config")


def numbers(name: str, role: str) -> tuple[Network, Ppo]:
    """Network and PPO numbers by name, for a "teacher" or a "student"."""
    _one_of("--numbers", name, NUMBERS)
    _one_of("--role", role, ROLES)
    teacher = Ppo()  # Table VII
    if name == "quick":
        network = Network(
            rnn_layers=0 if role == "teacher" else 1,
            rnn_hidden=128,
            critic_rnn=False,
            mlp=(256, 128, 64) if role == "teacher" else (128,),
            critic_mlp=(256, 128, 64),  # one form for both, so that a teacher can give its critic
            encoder="dense",
            fine=(0.05, 0.015, 0.004),
            recall=role == "student",
            learn_std=True,
        )
        return network, Ppo(
            steps=64, sequence=64, minibatch=32768, lr=3e-4, lr_max=1e-3, kl=0.01, value_coef=1.0, reward_scale=2.0
        )
    if role == "teacher":
        return Network(), teacher
    paper = replace(teacher, kl=8e-3, lr_max=1e-4)  # Table VIII
    if name == "release":
        return Network(), replace(paper, lr=1e-6, steps=512, minibatch=512)
    return Network(), paper


PUBLISHED_WORLDS = {"teacher": 1024, "student": 256}


def _one_of(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{what} {value}: give one of {', '.join(allowed)}")


def _build(cls: Any, values: Mapping[str, Any], where: str) -> Any:
    if not isinstance(values, Mapping):
        raise ValueError(f"{where}: {values!r} stands where a group of values must be")
    known = {f.name: f for f in fields(cls)}
    unknown = sorted(set(values) - set(known))
    if unknown:
        raise ValueError(f"{where}: {unknown[0]!r} is not known; there are {', '.join(known)}")
    made = {}
    for key, value in values.items():
        default = known[key].default_factory() if callable(known[key].default_factory) else known[key].default
        if is_dataclass(default):
            value = _build(type(default), value, f"{where}.{key}")
        elif isinstance(default, tuple) and isinstance(value, list):
            value = tuple(value)
        made[key] = value
    return cls(**made)
