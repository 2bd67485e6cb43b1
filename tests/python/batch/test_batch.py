"""Many poses at once: same numbers as one by one, same bits on any number of threads."""

import numpy as np
import pytest

import taxel


@pytest.fixture
def pair():
    return taxel.Body.box((0.08, 0.08, 0.018), 3e4), taxel.Body.ellipsoid((0.02, 0.03, 0.025))


def poses(count: int) -> np.ndarray:
    rng = np.random.default_rng(7)
    quaternions = rng.normal(size=(count, 4))
    # Some touch, some do not.
    places = np.column_stack([rng.uniform(-0.03, 0.03, (count, 2)), rng.uniform(0.025, 0.05, count)])
    return np.array([taxel.pose(p, quat=q) for p, q in zip(places, quaternions, strict=True)])


def arrays(batch: taxel.ContactBatch) -> list[np.ndarray]:
    return [getattr(batch, name) for name in batch.__dataclass_fields__]


def test_one_and_two_threads_give_the_same_bits(pair):
    A, B = pair
    X_WB = poses(300)
    one, two, five = (taxel.contact_batch(A, np.eye(4), B, X_WB, threads=n) for n in (1, 2, 5))
    for a, b, c in zip(arrays(one), arrays(two), arrays(five), strict=True):
        assert a.tobytes() == b.tobytes() == c.tobytes()
    assert 0 < np.count_nonzero(one.area) < 300


def test_batch_equals_single_queries(pair):
    A, B = pair
    X_WB = poses(40)
    batch = taxel.contact_batch(A, np.eye(4), B, X_WB)
    assert len(batch) == 40 and batch.force_on_A.shape == (40, 3)
    for i in range(40):
        s = taxel.contact(A, np.eye(4), B, X_WB[i])
        np.testing.assert_array_equal(batch.force_on_A[i], s.force_on_A)
        np.testing.assert_array_equal(batch.torque_on_A[i], s.torque_on_A)
        np.testing.assert_array_equal(batch.center_of_pressure[i], s.center_of_pressure)
        assert (batch.area[i], batch.max_pressure[i], batch.num_faces[i]) == (s.area, s.max_pressure, len(s))


def test_options_reach_the_query(pair):
    A, B = pair
    X_WB = taxel.pose((0, 0, 0.03))[None]
    coarse = taxel.contact_batch(A, np.eye(4), B, X_WB, facets_across=6)
    fine = taxel.contact_batch(A, np.eye(4), B, X_WB, facets_across=24)
    assert fine.num_faces[0] > coarse.num_faces[0] > 0


def test_either_side_may_move(pair):
    A, B = pair
    X = poses(20)
    still = taxel.contact_batch(A, X, B, X)
    assert len(still) == 20
    # Both bodies at the same pose overlap the same way everywhere.
    np.testing.assert_allclose(still.area, still.area[0], rtol=1e-6)


def test_lists_of_different_length_are_refused(pair):
    A, B = pair
    with pytest.raises(taxel.Error, match=r"3 poses of A and 2"):
        taxel.contact_batch(A, poses(3), B, poses(2))


def test_errors_in_a_thread_reach_the_caller(pair):
    A, B = pair
    X_WB = poses(50)
    X_WB[33, 0, 3] = np.nan
    with pytest.raises(taxel.Error, match=r"contact batch, pose 33: .*not finite"):
        taxel.contact_batch(A, np.eye(4), B, X_WB, threads=2)


def test_wrong_shape_names_the_argument(pair):
    A, B = pair
    with pytest.raises(taxel.Error, match=r"X_WB.*\(5, 3, 3\)"):
        taxel.contact_batch(A, np.eye(4), B, np.zeros((5, 3, 3)))


@pytest.mark.parametrize("empty", [[], (), np.zeros((0, 4, 4))], ids=["list", "tuple", "array"])
def test_no_poses_give_no_rows(pair, empty):
    A, B = pair
    for X_WA, X_WB in ((np.eye(4), empty), (empty, np.eye(4)), (empty, empty)):
        batch = taxel.contact_batch(A, X_WA, B, X_WB)
        assert len(batch) == 0
        assert batch.force_on_A.shape == batch.centroid.shape == (0, 3) and batch.num_faces.shape == (0,)
    with pytest.raises(taxel.Error, match="0 poses of A and 2"):
        taxel.contact_batch(A, empty, B, poses(2))


def test_poses_may_be_listed_in_every_form(pair):
    A, B = pair
    X = poses(4)
    q = np.array([0.83, -0.21, 0.44, 0.27])
    p = np.array([0.003, 0.001, 0.03])
    X[1] = X[3] = taxel.pose(p, quat=q)
    expected = taxel.contact_batch(A, np.eye(4), B, X)
    R = X[1, :3, :3]
    mixed = [X[0], (p, q), X[2].tolist(), (R, p)]
    for forms in (list(X), tuple(X), X.tolist(), mixed):
        np.testing.assert_allclose(
            taxel.contact_batch(A, np.eye(4), B, forms).force_on_A, expected.force_on_A, rtol=1e-9, atol=1e-12
        )
    # Two pairs are two poses; one pair, or one matrix as a list, is one.
    assert len(taxel.contact_batch(A, np.eye(4), B, [(p, q), (p, q)])) == 2
    assert len(taxel.contact_batch(A, np.eye(4), B, [(R, p), (R, p)])) == 2
    for one in ((p, q), (R, p), [list(p), list(q)], X[1].tolist()):
        batch = taxel.contact_batch(A, np.eye(4), B, one)
        np.testing.assert_allclose(batch.force_on_A, expected.force_on_A[1:2], rtol=1e-9, atol=1e-12)


def test_a_wrong_pose_in_a_list_is_named(pair):
    A, B = pair
    with pytest.raises(taxel.Error, match=r"X_WB\[1\]: a pose pair is"):
        taxel.contact_batch(A, np.eye(4), B, [np.eye(4), (np.zeros(3), np.zeros(3))])
    with pytest.raises(taxel.Error, match=r"X_WB\[1\]: the last row"):
        taxel.contact_batch(A, np.eye(4), B, np.array([np.eye(4), taxel.pose((1, 2, 3)).T]))
