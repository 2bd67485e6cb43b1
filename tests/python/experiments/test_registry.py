"""The table of experiments: each can be imported, has the options that it names, and is there under its name."""

import inspect

import pytest
from conftest import command

import taxel.experiments
from taxel.experiments.registry import EXPERIMENTS, OPTIONS, with_option


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_is_where_the_table_says(name):
    experiment = EXPERIMENTS[name]
    module = experiment.load()
    arguments = list(inspect.signature(module.run).parameters)
    assert arguments[:3] == ["out", "folder", "quick"]
    assert set(arguments) & {o.replace("-", "_") for o in OPTIONS} == {o.replace("-", "_") for o in experiment.options}
    assert getattr(taxel.experiments, name.replace("-", "_")) is module


def test_each_option_is_somebodys():
    assert all(with_option(option) for option in OPTIONS)


def test_what_is_no_experiment_is_no_attribute():
    with pytest.raises(AttributeError, match="teapot"):
        taxel.experiments.teapot  # noqa: B018
    with pytest.raises(ImportError, match="teapot"):
        from taxel.experiments import teapot  # noqa: F401


def test_the_command_lists_them_all(capsys):
    with pytest.raises(SystemExit):
        command(["reproduce", "--help"])
    said = capsys.readouterr().out
    assert all(f"\n{name} " in said or f" {name} " in said for name in EXPERIMENTS)
