"""Tasks for learning: Gymnasium's own checker, and that the reward means what it says."""

import numpy as np
import pytest

import taxel

gymnasium = pytest.importorskip("gymnasium")

from taxel.tasks import PressOrientation  # noqa: E402


@pytest.fixture(scope="module")
def env():
    return PressOrientation()


def principal_axis(image: np.ndarray) -> float:
    """Angle of the longer axis of an image, rad."""
    y, x = np.mgrid[: image.shape[0], : image.shape[1]]
    weight = image / image.sum()
    x, y = x - (weight * x).sum(), y - (weight * y).sum()
    return 0.5 * np.arctan2(2 * (weight * x * y).sum(), (weight * (x * x - y * y)).sum())


def test_passes_the_checker():
    from gymnasium.utils.env_checker import check_env

    check_env(gymnasium.make("taxel/PressOrientation-v0").unwrapped, skip_render_check=True)


def test_the_image_tells_the_yaw(env):
    for yaw in (-1.2, -0.4, 0.3, 1.5):
        image, info = env.reset(seed=1, options={"yaw": yaw, "force": 6.0, "offset": (0.0, 0.0)})
        assert image.dtype == np.float32 and image.shape == (16, 16) and 0.1 < image.max() <= 1
        assert info["yaw"] == yaw
        guess = principal_axis(image)
        _, reward, done, cut, info = env.step(np.array([guess / (0.5 * np.pi), 0, 0], np.float32))
        assert info["error"] < 0.03 and reward == pytest.approx(-info["error"] / (0.5 * np.pi))
        assert not done and not cut


def test_half_a_turn_is_the_same_and_a_quarter_the_worst(env):
    env.reset(options={"yaw": 0.5 * np.pi})
    assert env.step(np.array([-1, 0, 0]))[1] == pytest.approx(0, abs=1e-9)
    env.reset(options={"yaw": 0.0})
    assert env.step(np.array([1, 0, 0]))[1] == pytest.approx(-1)


def test_the_motion_moves_the_next_press_and_the_episode_ends(env):
    image, _ = env.reset(options={"yaw": 0.0, "offset": (0, 0), "force": 5.0})
    image2, _, done, _, info = env.step(np.array([0, 0, 1]))
    np.testing.assert_allclose(info["offset"], (0, 0.01))
    np.testing.assert_allclose(image2[2:], image[:-2], atol=0.01 * image.max())  # two rows up
    assert not done
    assert not env.step(np.zeros(3))[2]
    assert env.step(np.zeros(3))[2]


def test_same_seed_same_episode(env):
    a, b, c = (env.reset(seed=s)[0] for s in (4, 4, 5))
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, c)


def test_wrong_settings_are_named():
    with pytest.raises(taxel.Error, match="rows"):
        PressOrientation(taxel.sensors.shadow_fingertip())
    with pytest.raises(taxel.Error, match="presses 0"):
        PressOrientation(presses=0)
    with pytest.raises(taxel.Error, match="option speed"):
        PressOrientation().reset(options={"speed": 3})
