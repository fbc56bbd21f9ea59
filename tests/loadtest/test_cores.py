import os

import pytest

from loadtest.cores import held_to, share_cores

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="this system pins no process"
)


def test_the_cores_are_given_back_when_the_block_ends():
    before = os.sched_getaffinity(0)
    with held_to(share_cores().generator):
        assert os.sched_getaffinity(0) == set(share_cores().generator)
    assert os.sched_getaffinity(0) == before


def test_server_and_generator_get_cores_of_their_own_where_there_are_two():
    cores = share_cores()
    usable = os.sched_getaffinity(0)
    assert {*cores.server, *cores.generator} <= usable
    assert len({*cores.server, *cores.generator}) == min(2, len(usable))


def test_with_one_core_both_share_it():
    with held_to(share_cores().server):
        cores = share_cores()
    assert cores.server == cores.generator
