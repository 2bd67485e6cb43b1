"""Gradients of mode "layer":

- rollout, jacobian and pose_jacobian against central differences of rollout: 1e-5 of the largest
- rollout's markers and slopes are those of the field, whose solver ends at 0.1 % of the depth: 3 % over 20 um
- a batch's are those of its fields, bit for bit; two objects
- used: friction and the pose of a press, from markers, by descent along the gradient
- what has no gradient says so
"""

import numpy as np
import pytest

import taxel

MINI = taxel.gelsight_mini_markers(dome=False)
DOME = taxel.gelsight_mini_markers()
EGG = taxel.Body.ellipsoid((9e-3, 6e-3, 5e-3))


def tilted(x, y, z, turn=(0.2, 0.3, 0.4)):
    return taxel.pose((x, y, z), rpy=turn)


# Touches at z = 7.41 mm; press, drag with partial slip, twist, roll.
PATH = np.array(
    [
        tilted(0.2e-3, -0.3e-3, 7.45e-3),
        tilted(0.2e-3, -0.3e-3, 7.1e-3),
        tilted(0.31e-3, -0.25e-3, 7.0e-3),
        tilted(0.31e-3, -0.25e-3, 7.0e-3, (0.2, 0.3, 0.43)),
        tilted(0.36e-3, -0.25e-3, 7.0e-3, (0.2, 0.31, 0.43)),
    ]
)


def make(pad=MINI, body=EGG, **more):
    return taxel.MarkerField(pad.pad, pad.markers, body, mode="layer", **{"friction": 0.5, "pitch": 0.8e-3, **more})


def moved(X, direction, size):
    """By a shift along, or a turn about, an axis of the pad."""
    out = X.copy()
    if direction < 3:
        out[direction, 3] += size
        return out
    turn = np.zeros(3)
    turn[direction - 3] = size
    out[:3, :3] = taxel.pose(rpy=turn)[:3, :3] @ X[:3, :3]
    return out


@pytest.mark.parametrize("pad", [MINI, DOME], ids=["flat", "domed"])
def test_against_differences(pad):
    field = make(pad)
    path = PATH.copy()
    path[:, 2, 3] += pad.markers[:, 2].max() - MINI.markers[:, 2].max()
    pixels, pullback = field.rollout(path)
    assert np.abs(pixels[1:]).max() > 0.5, "it touches"
    seeds = np.random.default_rng(1).normal(size=pixels.shape)
    poses, numbers = pullback(seeds)
    assert poses.shape == path.shape and not poses[:, 3].any()
    loss = lambda p, f=field: float((f.rollout(p)[0] * seeds).sum())  # noqa: E731
    for first in (0, 3):
        found, wanted = [], []
        for t in range(len(path)):
            for d in range(first, first + 3):
                up, low, size = path.copy(), path.copy(), 1e-8 if d < 3 else 1e-6
                up[t], low[t] = moved(path[t], d, size), moved(path[t], d, -size)
                wanted.append((loss(up) - loss(low)) / (2 * size))
                found.append((poses[t] * (up[t] - low[t])).sum() / (2 * size))
        assert np.abs(np.subtract(found, wanted)).max() < 1e-5 * np.abs(wanted).max()
    assert set(numbers) == set(taxel.LAYER_GRADIENTS) and numbers["young"] == 0
    # Tables are in single precision: differences over 1e-4 are good to 1e-3 or so.
    for name, size, bound in (("friction", 1e-6, 1e-5), ("poisson", 2e-6, 0.01), ("thickness", 1e-4, 0.01)):
        value, other = field.parameters[name], field.copy()
        other.parameters = {name: value * (1 + size)}
        up = loss(path, other)
        other.parameters = {name: value * (1 - size)}
        slope = (up - loss(path, other)) / (2 * size)
        assert abs(value * numbers[name] - slope) < bound * max(1.0, abs(slope)), name


def test_jacobians_are_the_gradient():
    field = make()
    pixels, pullback = field.rollout(PATH)
    end, columns = field.jacobian(PATH)
    np.testing.assert_array_equal(end, pixels[-1])
    seeds = np.zeros_like(pixels)
    seeds[-1] = np.random.default_rng(2).normal(size=pixels[-1].shape)
    poses, numbers = pullback(seeds)
    for name, column in columns.items():
        assert abs((column * seeds[-1]).sum() - numbers[name]) < 1e-9 * max(1.0, abs(numbers[name])), name
    again, by = field.pose_jacobian(PATH)
    np.testing.assert_array_equal(again, end)
    assert by["markers"].shape == (63, 3, 6) and by["wrench"].shape == (6, 6)
    for d in range(6):
        along = (moved(PATH[-1], d, 1e-6) - moved(PATH[-1], d, -1e-6)) / 2e-6
        own = (by["markers"][..., d] * seeds[-1]).sum()
        assert abs(own - (poses[-1] * along).sum()) < 1e-8 * np.abs(poses).max()
    # The wrench: of the field, whose forces hang on all cells; over 10 um.
    for d in range(3):
        ends = []
        for size in (1e-5, -1e-5):
            one = field.copy()
            one.follow([*PATH[:-1], moved(PATH[-1], d, size)])
            ends.append(one.wrench)
        slope = (ends[0] - ends[1]) / 2e-5
        assert np.abs(by["wrench"][:3, d] - slope[:3]).max() < 0.05 * np.abs(by["wrench"][:3, :3]).max()


def test_against_the_field_itself():
    """rollout solves to the end what step leaves at 0.1 % of the depth: nearly the same numbers, and slopes."""
    field = make()
    pixels, _ = field.rollout(PATH)
    follow = field.copy().follow(PATH)
    assert np.linalg.norm(pixels - follow) < 0.01 * np.linalg.norm(follow)
    for d in range(3):
        ends = [[*PATH[:-1], moved(PATH[-1], d, size)] for size in (2e-5, -2e-5)]
        own, solved = (
            [f(X)[-1] for X in ends] for f in (lambda X: field.copy().follow(X), lambda X: field.rollout(X)[0])
        )
        slope = (solved[0] - solved[1]) / 4e-5
        assert np.linalg.norm((own[0] - own[1]) / 4e-5 - slope) < 0.03 * np.linalg.norm(slope)
    assert not field.state["started"], "the field stays where it is"


def test_gradients_of_the_batch_are_those_of_the_fields():
    field = make(body=[EGG, taxel.Body.sphere(3e-3)])
    path = np.stack([np.stack([PATH, moved_all(PATH, (1e-4, 0, 0))], 1)] * 2, 2)  # (T, 2, 2, 4, 4)
    ball = path.copy()
    ball[..., :3, 3] += [6e-3, 2e-3, -2.2e-3]
    path = np.stack([path, ball], 3)
    batch = field.batch(2, 2, threads=2)
    batch.set_parameters(friction=[0.3, 0.7])
    batch.step(path[0])
    pixels, pullback = batch.rollout(path[1:])
    seeds = np.random.default_rng(3).normal(size=pixels.shape)
    poses, numbers = pullback(seeds)
    assert poses.shape == path[1:].shape and numbers.shape == (2, 2, len(taxel.LAYER_GRADIENTS))
    for w in range(2):
        one = field.copy()
        one.parameters = {"friction": (0.3, 0.7)[w]}
        one.step(path[0, w, 1])
        own, back = one.rollout(path[1:, w, 1])
        np.testing.assert_array_equal(pixels[:, w, 1], own)
        X, p = back(seeds[:, w, 1])
        np.testing.assert_array_equal(poses[:, w, 1], X)
        np.testing.assert_array_equal(numbers[w, 1], list(p.values()))
        assert np.abs(X[:, 1]).max() > 0, "the second object touches"


def moved_all(path, shift):
    out = path.copy()
    out[..., :3, 3] += shift
    return out


def test_friction_from_markers():
    """A drag with partial slip, seen with a friction of 0.6: descent by the gradient finds it from 0.25."""
    seen = make(friction=0.6).copy().follow(PATH)
    field, mu = make(friction=0.25), 0.25
    for _ in range(12):
        field.parameters = {"friction": mu}
        pixels, _ = field.rollout(PATH)
        # Gauss and Newton on the last frame: one number, so a division.
        _, columns = field.jacobian(PATH)
        mu += float(
            np.clip(
                ((seen[-1] - pixels[-1]) * columns["friction"]).sum() / (columns["friction"] ** 2).sum(), -0.15, 0.15
            )
        )
    assert abs(mu - 0.6) < 0.02, mu


def test_pose_from_markers():
    """Where the egg was pressed to, from its markers: plain descent with momentum through rollout."""
    field = make()
    planted = moved(moved(moved(PATH[1], 0, 2e-4), 1, -1.5e-4), 2, -1e-4)
    seen = field.rollout(np.array([PATH[0], planted]))[0][-1]
    X, losses = PATH[1].copy(), []
    for _ in range(12):
        pixels, by = field.pose_jacobian(np.array([PATH[0], X]))
        rest, slopes = (seen - pixels).ravel(), by["markers"].reshape(-1, 6)[:, :3]
        losses.append(float(rest @ rest))
        X[:3, 3] += np.linalg.lstsq(slopes, rest, rcond=None)[0]
    assert losses[-1] < 1e-6 * losses[0]
    np.testing.assert_allclose(X[:3, 3], planted[:3, 3], atol=1e-6)
    # ... and without a Jacobian, by the pullback alone; steps in units of how far markers go.
    X, v = PATH[1].copy(), np.zeros(3)
    for _ in range(150):
        pixels, pullback = field.rollout(np.array([PATH[0], X]))
        seeds = np.zeros_like(pixels)
        seeds[-1] = pixels[-1] - seen
        v = 0.8 * v - 2e-10 * pullback(seeds)[0][-1, :3, 3]
        X[:3, 3] += v
    assert np.linalg.norm(X[:3, 3] - planted[:3, 3]) < 2e-5


def test_what_has_no_gradient():
    field = make()
    for path in (PATH[0], PATH[:, None]):
        with pytest.raises(taxel.Error, match="path"):
            field.rollout(path)
    for name in ("jacobian", "pose_jacobian"):
        with pytest.raises(taxel.Error, match="empty"):
            getattr(field, name)(PATH[:0])
    with pytest.raises(taxel.Error, match=r"friction is 0.*1e-3"):
        make(friction=0.0).rollout(PATH)
    lost = PATH.copy()
    lost[2, 0, 3] = np.nan
    with pytest.raises(taxel.Error, match="finite"):
        field.rollout(lost)
    pixels, pullback = field.rollout(PATH)
    with pytest.raises(taxel.Error, match="cotangents"):
        pullback(pixels[0])
    plain = taxel.MarkerField(MINI.pad, MINI.markers, EGG, mode="taxel")
    with pytest.raises(taxel.Error, match="pose_jacobian belongs to mode 'layer'"):
        plain.pose_jacobian(PATH)
    empty, back = field.rollout(PATH[:0])
    assert empty.shape == (0, 63, 3) and not any(back(empty)[1].values())
