"""Slots of bin and book: there is room for what is held, and the expert is told where."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tensordict")

from taxel.tasks.bin import FIT, MIDDLE, SIDE, Bin  # noqa: E402
from taxel.tasks.book import Book  # noqa: E402
from taxel.tasks.task import DRAWS  # noqa: E402

CUBE = 0.05


def draws(n: int = 4096) -> "torch.Tensor":
    return 2 * torch.rand((n, DRAWS), generator=torch.Generator().manual_seed(3), dtype=torch.float64) - 1


def test_a_cube_fits_beside_its_neighbours_and_walls():
    """In every episode the free slot is wider than a cube, and the room that the expert aims at lies in it: beside a
    wall, too, on whose rim a cube once came to stand."""
    goal, places, _, room = Bin("soft", {}).arrange(draws())
    middle = torch.tensor(MIDDLE, dtype=torch.float64)
    for axis in (0, 1):
        # Neighbours in the same row as the goal, whose faces bound the slot along this axis.
        across = (places[..., 1 - axis] - goal[:, None, 1 - axis]).abs() < CUBE
        along = places[..., axis] - goal[:, None, axis]
        low = torch.where(across & (along < 0), along + CUBE / 2, torch.full_like(along, -1.0)).amax(1)
        high = torch.where(across & (along > 0), along - CUBE / 2, torch.full_like(along, 1.0)).amin(1)
        low = torch.maximum(low, middle[axis] - SIDE / 2 - goal[:, axis])
        high = torch.minimum(high, middle[axis] + SIDE / 2 - goal[:, axis])
        assert float((high - low).min()) >= CUBE + FIT - 1e-9
        assert float((room[:, axis] - CUBE / 2 - low).min()) >= 0.5 * FIT - 1e-9
        assert float((high - room[:, axis] - CUBE / 2).min()) >= 0.5 * FIT - 1e-9
    assert float(room.abs().max()) > 4e-3  # somebody is pushed in
    assert float((room.abs().amax(1) == 0).double().mean()) > 0.3  # and the goal itself is free as often


def test_nobody_stands_in_the_way_without_squish():
    goal, _, _, room = Bin("soft", {"squish": 0.0}).arrange(draws(64))
    assert float(room.abs().max()) == 0 and goal.shape == (64, 3)


def test_neighbours_of_a_book_lean_as_often_as_asked():
    for share in (0.0, 0.5, 1.0):
        book = Book("soft", {"leaning": share})
        book.set_stage(2)
        _, _, turns, _ = book.arrange(draws())
        leans = (turns[..., 1].abs() > 1e-6).any(1).double().mean()
        assert float(leans) == pytest.approx(share, abs=0.03)
