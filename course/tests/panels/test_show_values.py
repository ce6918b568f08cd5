"""``panels.show`` with values that no control could have."""

import math

import pytest

from pdsched import panels

VALUES = ("x", None, math.nan, math.inf, True, [1], -(10**9), 10**12)


@pytest.mark.parametrize("name", panels.SPECS)
def test_every_control_refuses_what_it_cannot_show_and_names_itself(name):
    for control in panels.SPECS[name]().controls():
        for value in VALUES:
            with pytest.raises(ValueError, match=f"{name}: {control.name} must be"):
                panels.show(name, **{control.name: value})


def test_a_name_that_is_no_string_is_no_panel():
    with pytest.raises(ValueError, match=r"no panel \[\]"):
        panels.show([])
