"""Rows to record in tests; as a program it records without an end, or until the disk is full.

python record_rows.py PATH [BYTES]
"""

import sys

import numpy as np

import taxel.record as record

CHANNELS = {
    "pad": record.Pose(),
    "touch": record.Array((4, 6), "Pa", points=np.arange(72.0).reshape(24, 3), frame="pad"),
    "tip": record.Array((5,), "N"),
    "dots": record.Markers((3, 2), rest=np.arange(18.0).reshape(6, 3), pixel=1e-4, frame="pad"),
    "wrench": record.Wrench("pad"),
    "hand/force": record.Scalar("N"),
    "camera": record.Image(24, 30),
    "action": record.Array((2,)),
}
RATE, EPISODE = 50, 40


def row(k: int) -> dict:
    """Other numbers in each; the picture is smooth, as a video likes it."""
    chance = np.random.default_rng(k)
    values = {
        name: chance.normal(size=c.shape).astype(c.dtype)
        for name, c in CHANNELS.items()
        if not isinstance(c, record.Image)
    }
    values["pad"][3:] /= np.linalg.norm(values["pad"][3:])
    across = np.linspace(0, 160, 30)[None, :, None] + np.linspace(0, 40, 24)[:, None, None]
    values["camera"] = np.broadcast_to(across + (k % 50), (24, 30, 3)).astype(np.uint8)
    return values


def write(recorder: record.Recorder, first: int, last: int) -> None:
    """Rows first to last; a new episode after every ``EPISODE``. Times begin at 0.3 s in each."""
    for k in range(first, last):
        if k % EPISODE == 0 and k > 0:
            recorder.next_episode(f"task {k // EPISODE}")
        recorder.write(0.3 + (k % EPISODE) / RATE, row(k))


def check(recording: record.Recording, count: int) -> None:
    """The recording has the first ``count`` rows of ``write``, and no other."""
    assert len(recording.time) == count
    k = np.arange(count)
    np.testing.assert_allclose(recording.time, 0.3 + (k % EPISODE) / RATE, atol=1e-9)
    np.testing.assert_array_equal(recording.episode, k // EPISODE)
    for name, channel in CHANNELS.items():
        wanted = np.stack([row(i)[name] for i in range(count)])
        found = recording.values[name]
        assert found.dtype == wanted.dtype and found.shape == wanted.shape, name
        if isinstance(channel, record.Image):
            loss = np.abs(found.astype(int) - wanted)
            assert loss.max() <= 10 and loss.mean() < 2  # a video loses a little, the others nothing
        else:
            np.testing.assert_array_equal(found, wanted, err_msg=name)


def main() -> None:
    if len(sys.argv) > 2:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
    with record.open(sys.argv[1], CHANNELS, task="task 0") as recorder:
        for k in range(1_000_000):
            write(recorder, k, k + 1)
            if k % 10 == 0:
                print(k, flush=True)


if __name__ == "__main__":
    main()
