"""The list of tests that may be skipped."""

from conftest import unlisted

LIST = """# a comment

2 GPU
1 could not import 'open3d'
"""


def test_what_is_listed_may_be_skipped():
    assert unlisted(["there is a GPU", "Skipped: could not import 'open3d': no", "no GPU"], LIST) == []


def test_another_reason_and_one_too_many_are_named():
    [found] = unlisted(["there is a GPU", "no OpenGL"], LIST)
    assert found.endswith("does not have: no OpenGL")
    [found] = unlisted(["a GPU", "b GPU", "c GPU"], LIST)
    assert found.endswith("more often than tests/python/skips.txt has it: c GPU")
