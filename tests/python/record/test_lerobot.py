"""LeRobot datasets: the layout by pyarrow and datasets, all of it by LeRobot's own loader where that is installed.

lerobot 0.4.4 pins an older torch. In an environment of its own its loader runs beside torch 2.13.0 all the same:
``pip install --no-deps lerobot==0.4.4 torchcodec==0.13.0 accelerate``, what it imports (datasets<5,
huggingface-hub<0.36, av<16, torchvision, draccus, jsonlines, safetensors, ...), and FFmpeg's libraries.
"""

import json

import numpy as np
import pytest
from record_rows import CHANNELS, EPISODE, RATE, row, write

import taxel
import taxel.record as record

COUNT = 2 * EPISODE + 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("lerobot") / "run"
    with record.open(path, CHANNELS, task="task 0") as recorder:
        write(recorder, 0, COUNT)
    return path


def test_the_layout(folder):
    import av
    import pyarrow.parquet as pq

    info = json.loads((folder / "meta/info.json").read_text())
    assert info["codebase_version"] == "v3.0" and info["fps"] == RATE and isinstance(info["fps"], int)
    assert (info["total_episodes"], info["total_frames"], info["total_tasks"]) == (3, COUNT, 3)
    tables = []
    episodes = pq.read_table(folder / "meta/episodes/chunk-000/file-000.parquet").to_pylist()
    for k, about in enumerate(episodes):
        place = {"chunk_index": about["data/chunk_index"], "file_index": about["data/file_index"]}
        table = pq.read_table(folder / info["data_path"].format(**place))
        tables.append(table)
        assert about["length"] == len(table) == about["dataset_to_index"] - about["dataset_from_index"]
        assert about["tasks"] == [f"task {k}"] and set(table["episode_index"].to_pylist()) == {k}
        key = "observation.images.camera"
        with av.open(str(folder / info["video_path"].format(video_key=key, **place))) as video:
            stream = video.streams.video[0]
            assert (stream.width, stream.height, float(stream.average_rate)) == (30, 24, RATE)
            stamps = [float(frame.pts * frame.time_base) for frame in video.decode(stream)]
        np.testing.assert_allclose(stamps, table["timestamp"].to_numpy(), atol=1e-4)
        assert about[f"videos/{key}/to_timestamp"] == pytest.approx(about["length"] / RATE)
    index = np.concatenate([table["index"].to_numpy() for table in tables])
    np.testing.assert_array_equal(index, np.arange(COUNT))
    np.testing.assert_allclose(tables[1]["sim_time"].to_numpy(), 0.3 + np.arange(EPISODE) / RATE)
    for name, about in info["features"].items():
        if about["dtype"] != "video":
            value = np.array(tables[0][name][0].as_py())
            assert list(value.shape or (1,)) == about["shape"], name


def test_the_statistics(folder):
    stats = json.loads((folder / "meta/stats.json").read_text())
    rows = [row(k) for k in range(COUNT)]
    touch = np.stack([r["touch"] for r in rows]).astype(float)
    mine = stats["observation.touch"]
    for word, value in (("mean", touch.mean(0)), ("std", touch.std(0)), ("min", touch.min(0)), ("max", touch.max(0))):
        np.testing.assert_allclose(mine[word], value, atol=1e-6)
    assert mine["count"] == [COUNT] and np.shape(stats["observation.hand.force"]["mean"]) == (1,)
    seen = np.stack([r["camera"] for r in rows]) / 255
    mean = np.array(stats["observation.images.camera"]["mean"])
    assert mean.shape == (3, 1, 1) and abs(mean[0, 0, 0] - seen.mean()) < 0.05


def test_datasets_opens_the_tables(folder, tmp_path):
    datasets = pytest.importorskip("datasets")
    files = sorted(str(p) for p in (folder / "data").glob("*/*.parquet"))
    table = datasets.Dataset.from_parquet(files, cache_dir=str(tmp_path))
    assert len(table) == COUNT
    np.testing.assert_allclose(table[EPISODE]["observation.touch"], row(EPISODE)["touch"], rtol=1e-6)
    tasks = pytest.importorskip("pandas").read_parquet(folder / "meta/tasks.parquet")
    assert tasks.iloc[1].name == "task 1" and tasks.loc["task 2"].task_index == 2


def test_lerobots_own_loader_opens_it(folder, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    module = pytest.importorskip("lerobot.datasets.lerobot_dataset")
    step = 1 / RATE
    ahead = {"observation.touch": [-step, 0.0], "observation.images.camera": [-step, 0.0], "action": [0.0, step]}
    dataset = module.LeRobotDataset("local/run", root=folder, delta_timestamps=ahead)
    assert len(dataset) == COUNT and dataset.num_episodes == 3 and dataset.fps == RATE
    for k in (0, EPISODE + 3, COUNT - 1):
        item = dataset[k]
        wanted = row(k)
        assert item["task"] == f"task {k // EPISODE}" and item["observation.touch"].shape == (2, 4, 6)
        np.testing.assert_allclose(item["observation.touch"][1], wanted["touch"], rtol=1e-6)
        np.testing.assert_allclose(item["action"][0], wanted["action"], rtol=1e-6)
        np.testing.assert_allclose(item["observation.pad"], wanted["pad"], rtol=1e-6)
        picture = item["observation.images.camera"][1].numpy().transpose(1, 2, 0)
        assert np.abs(picture - wanted["camera"] / 255).max() < 0.05
    assert dataset[EPISODE]["observation.touch_is_pad"].tolist() == [True, False]
    assert set(dataset.meta.stats) >= {"action", "observation.images.camera", "observation.touch"}


def test_steps_must_be_equal(tmp_path):
    channels = {"force": record.Scalar("N")}
    with record.open(tmp_path / "run", channels) as recorder:
        for time in (0.0, 0.1, 0.2):
            recorder.write(time, {"force": time})
        with pytest.raises(taxel.Error, match=r"row 3 of episode 0 is at 0.35 s; .* 10 a second .* \.mcap or \.h5"):
            recorder.write(0.35, {"force": 0})
        recorder.write(0.3, {"force": 0.3})
    assert record.read(tmp_path / "run").time.tolist() == [0.0, 0.1, 0.2, 0.3]


def test_odd_rates_and_single_rows(tmp_path):
    pictures = {"eye": record.Image(5, 7), "force": record.Scalar()}
    with record.open(tmp_path / "run", pictures) as recorder:
        recorder.write(4.0, {"eye": np.full((5, 7, 3), 90, np.uint8), "force": 1})
        recorder.next_episode()
        for k in range(400):
            recorder.write(k * 0.003, {"eye": np.full((5, 7, 3), k % 200, np.uint8), "force": k})
    found = record.read(tmp_path / "run")
    assert len(found.time) == 401 and found.time[0] == 4.0 and found.episode[1] == 1
    assert np.abs(found.values["eye"][1:, 2, 3, 0].astype(int) - np.arange(400) % 200).max() <= 4


def test_numbers_that_are_none_keep_the_statistics_json(tmp_path):
    channels = {"x": record.Array((3,)), "big": record.Scalar()}
    with record.open(tmp_path / "run", channels) as recorder:
        for k, x in enumerate([(1.0, np.nan, np.nan), (3.0, np.inf, 5.0)]):
            recorder.write(k, {"x": x, "big": 1e300})

    def refuse(word):
        raise AssertionError(word)

    stats = json.loads((tmp_path / "run/meta/stats.json").read_text(), parse_constant=refuse)["observation.x"]
    assert stats["mean"] == [2.0, 0.0, 5.0] and stats["std"] == [1.0, 0.0, 0.0]
    assert stats["min"] == [1.0, 0.0, 5.0] and stats["max"] == [3.0, 0.0, 5.0] and stats["count"] == [2]
