"""The camera behind the gel, as a policy sees it: what it does to a reading, one number at a time."""

import numpy as np
import pytest

import taxel

torch = pytest.importorskip("torch")

import taxel.tasks  # noqa: E402
from taxel.tasks.camera import Camera, CameraNumbers  # noqa: E402
from taxel.tasks.draws import normal_of  # noqa: E402

SHAPE = (3, 4, 9, 7)
NEW, OLD = torch.ones(3, dtype=torch.bool), torch.zeros(3, dtype=torch.bool)
SEED = torch.full((3,), 5)


def frames(count):
    return torch.randn(count, *SHAPE, generator=torch.Generator().manual_seed(1))


def see(camera, reads, begins=(0,), moved=None):
    """What is seen of a row of readings; episodes begin at some of them."""
    out = []
    for k, read in enumerate(reads):
        begun = NEW if k in begins else OLD
        moment = torch.full((3,), 257 + k)
        out.append(camera.see(read, begun, NEW if moved is None else moved[k], SEED, moment // 257, moment))
    return torch.stack(out)


def camera(noise=0.0, relative=False, **numbers):
    return Camera(CameraNumbers.checked(numbers, "taxel", True), noise, relative, SHAPE, torch.device("cpu"))


def test_without_numbers_it_is_a_window():
    reads = frames(3)
    assert torch.equal(see(camera(), reads), reads)


def test_every_draw_is_finite():
    # The largest of 24 bits rounds to 1 in float32, whose normal number is infinite: it came once in 16 million.
    edges = torch.tensor([0, 1, 0xFFFFFFFF, 0xFFFFFF00, 0xFFFFFE00, 0x80000000, 0x7FFFFFFF])
    draws = normal_of(edges)
    assert draws.isfinite().all() and 5.0 < draws.abs().max() < 5.4
    assert draws[0] == -draws[2]


def test_what_is_no_number_reaches_no_policy():
    read = torch.zeros(SHAPE)
    read[0, 0, 0, 0], read[1, 1, 1, 1], read[2, 2, 2, 2] = np.nan, np.inf, -np.inf
    seen = see(camera(), read[None])[0]
    assert seen.isfinite().all() and seen.abs().max() == 100.0 and seen[0, 0, 0, 0] == 0


def test_gain_and_offset():
    reads = frames(4)
    assert torch.allclose(see(camera(gain=2.5), reads), 2.5 * reads)
    off = see(camera(offset=0.3), reads, begins=(0,)) - reads
    assert torch.allclose(off, off[:1].expand_as(off), atol=1e-5)  # one episode, one place of rest
    assert abs(off[0].std() - 0.03) < 0.003 and off[0].mean().abs() < 0.005
    other = camera(offset=0.3).see(reads[0], NEW, NEW, SEED, torch.full((3,), 2), torch.full((3,), 514)) - reads[0]
    assert not torch.allclose(other, off[0])


def test_it_is_late_by_its_frames_and_an_episode_begins_with_its_own():
    reads = frames(7)
    seen = see(camera(lag=2), reads, begins=(0, 4))
    for k, of in enumerate((0, 0, 0, 1, 4, 4, 4)):
        assert torch.equal(seen[k], reads[of]), k


def test_worlds_that_do_not_move_keep_their_frames():
    reads, still = frames(4), torch.tensor([True, False, True])
    moved = [NEW, still, NEW, NEW]
    one = see(camera(lag=1, lost=0.3), reads, moved=moved)
    two = see(camera(lag=1, lost=0.3), torch.stack([reads[0], reads[1], reads[2], reads[3]]))
    assert torch.equal(one[:, 0], two[:, 0]) and torch.equal(one[:, 2], two[:, 2])
    assert not torch.equal(one[2, 1], two[2, 1])


def test_markers_that_are_lost_stay_where_they_were():
    reads = frames(40)
    seen = see(camera(lost=0.2), reads)
    assert torch.equal(seen[0], reads[0])  # the first frame has nothing to fall back on
    kept = (seen != reads).reshape(40, 3, 2, 2, 9, 7)
    assert torch.equal(kept[:, :, :, 0], kept[:, :, :, 1])  # x and y of a marker together
    assert abs(kept[1:].float().mean() - 0.2) < 0.02
    for k in range(1, 40):
        stays = seen[k] != reads[k]
        assert torch.equal(seen[k][stays], seen[k - 1][stays])


def test_unit_vectors_have_a_threshold():
    read = torch.zeros(SHAPE)
    read[:, 0], read[:, 1] = 0.3, -0.4  # 5 px on the first finger
    read[:, 2] = 0.04  # 0.4 px on the second
    seen = see(camera(unit=0.5), read[None])[0]
    assert torch.allclose(seen[:, 0], torch.tensor(0.6)) and torch.allclose(seen[:, 1], torch.tensor(-0.8))
    assert (seen[:, 2:] == 0).all()
    assert torch.allclose(see(camera(unit=0.3), read[None])[0][:, 2], torch.tensor(1.0))


def test_a_state_goes_on_bit_by_bit():
    reads, one, two = frames(8), camera(0.01, lag=3, lost=0.2), camera(0.01, lag=3, lost=0.2)
    whole = see(one, reads)
    half = see(two, reads[:5])
    again = camera(0.01, lag=3, lost=0.2)
    again.set_state(two.get_state())
    rest = [again.see(reads[k], OLD, NEW, SEED, torch.full((3,), 1), torch.full((3,), 257 + k)) for k in range(5, 8)]
    assert torch.equal(whole, torch.cat([half, torch.stack(rest)]))


@pytest.mark.parametrize(
    "options, words",
    [
        ({"touch_camera": 3}, "touch_camera is 3; give a dict with some of gain, offset, lost, unit, lag"),
        ({"touch_camera": {"blur": 1}}, "touch_camera has no 'blur'; it has gain"),
        ({"touch_camera": {"lag": 1.5}}, "lag is 1.5; give a whole number of frames, 0 to 30"),
        ({"touch_camera": {"lag": True}}, "lag is True"),
        ({"touch_camera": {"lost": 1.2}}, "lost is 1.2; give a share, 0 to 1"),
        ({"touch_camera": {"gain": 0}}, "gain is 0; give a number above 0"),
        ({"touch_camera": {"offset": float("nan")}}, "offset is nan; give a number of 0 or more"),
        ({"touch_camera": {"unit": 0.5}, "touch": "pressure"}, "unit is of markers, and touch 'pressure' has none"),
        ({"touch_camera": {"lag": 1}, "touch": "none"}, "touch 'none' has no camera; leave it out"),
    ],
)
def test_wrong_numbers_are_named(options, words):
    with pytest.raises(taxel.Error, match=words):
        taxel.tasks.make("drawer", worlds=1, threads=1, **{"touch": "taxel", **options})


def test_numbers_may_be_of_numpy():
    given = {"lag": np.int64(2), "gain": np.array([0.8, 1.25]), "lost": np.float32(0.5)}
    assert CameraNumbers.checked(given, "taxel", True) == CameraNumbers(lag=2, gain=(0.8, 1.25), lost=0.5)


def test_a_policy_sees_a_late_world():
    plain = taxel.tasks.make("drawer", worlds=2, touch="layer", touch_options={"pitch": 1.5e-3}, threads=1)
    late = taxel.tasks.make(
        "drawer", worlds=2, touch="layer", touch_options={"pitch": 1.5e-3}, touch_camera={"lag": 2}, threads=1
    )
    felt = {}
    for name, env in (("plain", plain), ("late", late)):
        felt[name] = [env.observations()["touch"]]
        for _ in range(4):
            felt[name].append(env.step(env.expert())[0]["touch"])
    for k in range(3):
        assert torch.equal(felt["late"][k + 2], felt["plain"][k])
    assert felt["plain"][4].abs().max() > 0.05


def test_a_gain_is_drawn_for_every_episode():
    reads = frames(3)
    seen = see(camera(gain=(0.5, 2.0)), reads)
    factor = (seen / reads)[:, :, 0, 0, 0]
    assert torch.allclose(seen, factor[0][None, :, None, None, None] * reads, rtol=1e-4)  # one episode, one gain
    assert len(factor[0].unique()) == 3 and factor.min() >= 0.5 and factor.max() <= 2.0
    drawn = torch.cat(
        [
            camera(gain=[0.5, 2.0]).see(torch.ones(SHAPE), NEW, NEW, SEED, torch.full((3,), e), torch.full((3,), e))
            for e in range(300)
        ]
    )[:, 0, 0, 0].log()
    assert abs(drawn.mean()) < 0.06 and abs(drawn.std() - np.log(4) / np.sqrt(12)) < 0.03


def test_gels_differ_between_worlds():
    keys = {"touch": "layer", "touch_noise": 0.0, "threads": 1, "randomise": False}
    ranges = {"pitch": 1.5e-3, "poisson": (0.3, 0.49), "friction": [0.2, 1.0]}
    env = taxel.tasks.make("peg", worlds=6, seed=3, touch_options=ranges, **keys)
    same = taxel.tasks.make("peg", worlds=6, seed=3, touch_options=ranges, **keys)
    one = taxel.tasks.make("peg", worlds=6, seed=3, touch_options={**ranges, "poisson": 0.4, "friction": 0.5}, **keys)
    felt = env.observations()["touch"]
    assert torch.equal(felt, same.observations()["touch"])
    plain = one.observations()["touch"]
    ratio = felt.flatten(1).norm(dim=1) / plain.flatten(1).norm(dim=1)
    assert (ratio - 1).abs().max() > 0.05 and ratio.std() > 0.02  # softer and stiffer gels than the middle one


@pytest.mark.parametrize(
    "options, words",
    [
        ({"touch": "layer", "touch_options": {"poisson": (0.4, 0.3)}}, r"poisson is \(0.4, 0.3\); give a number, or"),
        ({"touch": "layer", "touch_options": {"poisson": (0.4,)}}, r"poisson is \(0.4,\); give a number, or"),
        ({"touch": "layer", "touch_options": {"poisson": (0.4, 0.6)}}, "poisson is 0.5"),
        ({"touch": "fots", "touch_options": {"pixel": (1.0, 2.0)}}, "touch 'fots' has one number for all worlds"),
        ({"touch_camera": {"gain": (2.0, 1.0)}}, r"gain is \(2.0, 1.0\); give a number above 0, or two of them"),
    ],
)
def test_wrong_ranges_are_named(options, words):
    with pytest.raises(taxel.Error, match=words):
        taxel.tasks.make("drawer", worlds=4, threads=1, **{"touch": "taxel", **options})
