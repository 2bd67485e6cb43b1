"""Policies that feel: training (``taxel train``), evaluation (``taxel eval``) and play (``taxel play``).

Needs torch and rsl-rl: ``pip install 'taxel[train]'``. PPO, rollout storage, distributions, the network's MLP and the
running normalisation are rsl-rl's. Written here, because rsl-rl 5.5.1 has none of them: an LSTM whose output is
layer-normed and joined with its input, the spatial soft-argmax encoder, DAgger over whole sequences with the scripted
expert as a teacher, the critic's start from the teacher's (AACD), limits of the adaptive learning rate, and a loop that
can be stopped anywhere and goes on bit for bit.
"""

from __future__ import annotations

from .need import need_rsl_rl

__all__ = ["need_rsl_rl"]
