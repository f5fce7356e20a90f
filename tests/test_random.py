"""Seeds: one integer behind every kind of random state, and independent streams of it."""

import numpy as np
import pytest

from bochner._random import Purpose, generator, resolve_seed


def test_the_same_seed_and_stream_give_the_same_numbers_and_others_do_not():
    first = generator(3, Purpose.NORMALS).random(5)
    np.testing.assert_array_equal(generator(3, Purpose.NORMALS).random(5), first)
    others = [generator(3, purpose).random(5) for purpose in Purpose if purpose != Purpose.NORMALS]
    others.append(generator(4, Purpose.NORMALS).random(5))
    assert all(not np.any(other == first) for other in others)


def test_numbers_of_streams_are_part_of_the_file_format():
    assert len({int(purpose) for purpose in Purpose}) == len(Purpose)
    assert (Purpose.NORMALS, Purpose.PHASES, Purpose.SUBSAMPLE, Purpose.HELD_OUT) == (0, 2, 3, 20)
    np.testing.assert_allclose(
        generator(0, Purpose.NORMALS).random(),
        np.random.default_rng(np.random.SeedSequence(0, spawn_key=(0,))).random(),
    )


def test_integers_are_their_own_seed():
    assert resolve_seed(0) == 0
    assert resolve_seed(np.int64(2**32 - 1)) == 2**32 - 1


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_a_generator_gives_a_seed_and_goes_on(make):
    assert resolve_seed(make(5)) == resolve_seed(make(5))
    state = make(5)
    assert resolve_seed(state) != resolve_seed(state)


def test_none_is_a_new_seed_every_time():
    seeds = {resolve_seed(None) for _ in range(20)}
    assert len(seeds) >= 18  # two pairs of 20 among 2^32 are equal with probability below 1e-14
    assert all(0 <= seed < 2**32 for seed in seeds)


@pytest.mark.parametrize("wrong", [-1, 2**32, 1.5, "seed"])
def test_what_is_no_random_state_is_refused(wrong):
    with pytest.raises(ValueError, match=r"seed|Seed"):
        resolve_seed(wrong)
