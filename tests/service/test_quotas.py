"""Quotas as settings name them, and how one stands with one."""

import re

import pytest

from service.quotas import QUOTAS, Quota, Standing, quota_in


def test_a_quota_reads_as_it_is_written():
    for quota in QUOTAS.values():
        assert quota_in(str(quota)) == quota


@pytest.mark.parametrize(
    "text",
    ["", "600", "600/", "/60", "0/60", "600/0", "-1/60", "6e2/60", "600/60\n", "٣/60", "1/60/1"],
)
def test_what_is_no_quota_is_refused(text):
    with pytest.raises(ValueError, match=rf"\A{re.escape(text)}\Z"):
        quota_in(text)


@pytest.mark.parametrize(
    ("used", "left", "is_over"), [(0, 5, False), (5, 0, False), (6, 0, True), (900, 0, True)]
)
def test_a_quota_is_over_once_more_was_asked_for(used, left, is_over):
    standing = Standing("join", Quota(5, 60), used, 60)

    assert (standing.left, standing.is_over) == (left, is_over)
