"""A session of Global Arrays, after which no array is left."""

import gc

import pytest
from tridap import globalarrays as ga


@pytest.fixture
def session():
    with ga.Session():
        yield
        gc.collect()
        ga.collect()
        assert ga.held() == 0
