"""What the arm can reach of the peg's goals: the angle of joint 6 in closed form, and leans that would take it past its
end. Cases: tilts both ways near and far; every draw of the task; hands turned across the arm; the switch."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tensordict")

import taxel.tasks  # noqa: E402
from taxel.tasks import franka  # noqa: E402
from taxel.tasks import rotation as R  # noqa: E402

END = franka.LIMITS[5][1]


def tilted(reach: float, height: float, tilt: float) -> np.ndarray:
    """A tip in the plane of the arm, the fingers down and then outwards by tilt."""
    c, s = np.cos(tilt), np.sin(tilt)
    X = np.eye(4)
    X[:3, :3] = np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]]) @ np.diag([1.0, -1.0, -1.0])
    X[:3, 3] = reach, 0, height
    return X


def test_the_wrist_of_an_arm_in_one_plane_is_that_of_its_inverse():
    cases = [(r, z, t) for r in (0.42, 0.5, 0.61) for z in (0.05, 0.2) for t in (-0.5, 0.0, 0.37)]
    q, left = franka.inverse(np.stack([tilted(*c) for c in cases]))
    found = franka.flat_wrist(*(torch.tensor(n, dtype=torch.float64) for n in zip(*cases, strict=True)))
    assert left.max() < 1e-4
    np.testing.assert_allclose(found, q[:, 5], atol=5e-4)
    assert franka.flat_wrist(*torch.tensor([[1.5], [0.1], [0.0]])).isnan()


def at_goal(env) -> np.ndarray:
    """(worlds,) how far the tip stays away, m or rad, when it shall hold the upright peg over its socket: angles within
    the limits alone are looked for."""
    task, engine = env.task, env.engine
    p, q = task.tool(engine)
    held, turn = task.held(engine)
    axis = R.rotate(turn, torch.tensor([0.0, 0.0, 1.0], dtype=p.dtype).expand_as(p))
    up = torch.tensor([0.0, 0.0, 1.0], dtype=p.dtype).expand_as(p)
    upright = R.angle_axis(shortest(axis, up))
    turned = R.multiply(R.turn(upright), q)
    inside, _ = R.relative(p, q, held, turn)
    place = env.memory["goal"] + 0.025 * up - R.rotate(turned, inside)
    X = np.tile(np.eye(4), (len(p), 1, 1))
    X[:, :3, :3] = R.matrix(turned).numpy() @ np.diag([1.0, -1.0, -1.0])
    X[:, :3, 3] = place.numpy()
    return franka.inverse(X, rounds=200)[1]


def shortest(a: "torch.Tensor", b: "torch.Tensor") -> "torch.Tensor":
    """Quaternion of the shortest turn from unit vectors a to b."""
    q = torch.cat([1.0 + (a * b).sum(-1, keepdim=True), torch.linalg.cross(a, b)], -1)
    return q / q.norm(dim=-1, keepdim=True)


def test_no_peg_leans_so_that_the_arm_cannot_put_it_in():
    mended, plain = (
        taxel.tasks.make("peg", worlds=512, touch="none", threads=1, seed=3, reachable=on) for on in (True, False)
    )
    leans = [env.task.held(env.engine)[1] for env in (mended, plain)]
    changed = ((leans[0] * leans[1]).sum(-1).abs() < 1 - 1e-9).numpy()
    assert 0.01 < changed.mean() < 0.06
    out = [at_goal(env) > 0.01 for env in (mended, plain)]
    assert out[1].mean() > 0.01  # so many episodes have no solution as they were drawn
    assert out[0].mean() < 0.2 * out[1].mean()
    for env in (mended, plain):
        env.close()
