"""Sums, norms and the like of whole arrays: what NumPy gives for the whole, on every process."""

import gc

import numpy as np
import pytest
import tridap
from computing import Made, blocks, layouts, old_ring, padded, random_array, random_key, ring, shared
from producers import shared as same_everywhere
from tridap import _core, _reduce
from test_collective_errors import Ending, Index, Unsayable

EXACT = {"sum": np.sum, "min": np.min, "max": np.max, "all": np.all, "any": np.any, "mean": np.mean}
TYPES = ["?", "i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8", "g", "F", "D", ">f8", ">i2"]


def same(found, wanted, rtol=0.0):
    """Whether a result has NumPy's value and type."""
    assert type(found) is type(wanted)
    assert found == wanted or np.allclose(found, wanted, rtol=rtol, atol=0, equal_nan=True), (found, wanted)
    return True


def made_in(comm, dtype=float, **how):
    for name, axes, grid in layouts(comm.size):
        yield name, Made(comm, axes, grid, dtype, **how)


@pytest.mark.parametrize("dtype", ["f8", "i4"])
@pytest.mark.parametrize("order", "CF")
def test_each_element_of_the_whole_counts_once(comm, dtype, order):
    for name, made in made_in(comm, dtype, order=order):
        x, whole = made.array, made.whole
        for call, of_numpy in EXACT.items():
            if whole.size or call in ("sum", "all", "any"):
                same(getattr(x, call)(), of_numpy(whole))
                same(of_numpy(x), of_numpy(whole))
        same(x.dot(x), np.dot(whole.ravel(), whole.ravel()))
        same(np.vdot(x, x), np.vdot(whole, whole))
        same(x.norm(), np.linalg.norm(whole.ravel()), 1e-15)


@pytest.mark.parametrize("dtype", TYPES)
def test_types_are_numpys(comm, dtype):
    p = comm.size
    for axis in (padded(p), shared(p), blocks(2, p)):
        made, other = (Made(comm, (axis,), (p,), dtype, of=lambda i: (i * k) % 4 + (1j * (i % 3) if dtype in "FD" else 0))
                       for k in (1, 3))
        x, y, whole = made.array, other.array, made.whole
        for call, of_numpy in EXACT.items():
            same(getattr(x, call)(), of_numpy(whole), 1e-15 if dtype in "FD" else 0)
        same(x.dot(y), np.dot(whole, other.whole))
        same(x.vdot(y), np.vdot(whole, other.whole))
        same(y.vdot(x), np.vdot(other.whole, whole))
        for ord in () if dtype == "?" else (None, 1, 2, np.inf):
            same(x.norm(ord), np.linalg.norm(whole, ord), 2e-3 if dtype == "f2" else 3e-7)
            same(np.linalg.norm(x, ord), np.linalg.norm(whole, ord), 2e-3 if dtype == "f2" else 3e-7)
        for wide in ("f8", "D", "i2"):
            if np.can_cast(dtype, wide, "same_kind"):
                same(x.sum(dtype=wide), whole.sum(dtype=wide))
                same(np.mean(x, dtype=wide), whole.mean(dtype=wide), 1e-15)


def test_a_mean_of_float16_is_added_as_float32(comm):
    x = tridap.from_function(tridap.distribution(100, processes=comm.size), lambda i: 1000 + i % 2, "f2")
    same(x.mean(), np.float16(1000.5))
    assert x.mean() == 1000.5  # the sum is above the largest float16


def test_products_pair_elements_whatever_their_order_in_memory(comm):
    axes, grid = (blocks(5, comm.size), blocks(4, 1)), (comm.size, 1)
    x, y = (Made(comm, axes, grid, order=order, of=lambda i, j, k=k: k * i + j) for order, k in (("C", 1), ("F", 7)))
    for a, b in ((x, y), (y, x), (y, y), (x, x)):
        same(a.array.dot(b.array), np.vdot(a.whole, b.whole))
        same(a.array[:, ::2].vdot(b.array[:, 1::2]), np.vdot(a.whole[:, ::2], b.whole[:, 1::2]))


def test_dates_and_durations_are_added_and_compared(comm):
    days = Made(comm, (blocks(7, comm.size),), (comm.size,), "m8[D]", of=lambda i: np.timedelta64(3 * i - 4, "D"))
    same(days.array.sum(), days.whole.sum())
    same(days.array.mean(), days.whole.mean())
    dates = Made(comm, (blocks(7, comm.size),), (comm.size,), "M8[D]", of=lambda i: np.datetime64("2001-01-01") + i,
                 garbage=np.datetime64("NaT"))
    same(dates.array.min(), dates.whole.min())
    same(dates.array.max(), dates.whole.max())


@pytest.mark.parametrize("dtype", ["f4", "f8", "F"])
def test_nan_is_in_every_result_and_padding_is_in_none(comm, dtype):
    p = comm.size
    clean = Made(comm, (padded(p),), (p,), dtype, garbage=np.nan)
    assert np.isfinite([clean.array.sum(), clean.array.min(), clean.array.norm(), clean.array.mean()]).all()
    for place in (0, 4 * p - 1):
        made = Made(comm, (padded(p),), (p,), dtype, of=lambda i: np.nan if i == place else i)
        for call in ("sum", "min", "max", "mean", "norm"):
            assert np.isnan(getattr(made.array, call)())
        assert made.array.any() and made.array.all() == made.whole.all()


def test_every_process_has_the_same_bits(comm):
    dist = tridap.distribution((40, 9), ("b", "c:2"), processes=comm.size)
    for dtype in ("f2", "f4", "f8", "D"):
        x = tridap.zeros(dist, dtype)
        x.local[...] = np.random.default_rng(comm.rank).normal(size=x.local.shape) * 10.0**np.arange(-3, 3)[comm.rank % 6]
        for found in (x.sum(), x.norm(), x.mean(), x.vdot(x), x.min(), x.max()):
            assert same_everywhere(comm, found.tobytes())


def test_an_empty_array_has_a_sum_and_no_minimum(comm):
    for dtype in ("f8", "i4", "?"):
        x = tridap.zeros(tridap.distribution((0, 3), ("b", "*"), processes=comm.size), dtype)
        none = np.zeros((0, 3), dtype)
        for call in ("sum", "all", "any"):
            same(getattr(x, call)(), getattr(none, call)())
        same(x.dot(x), np.dot(none.ravel(), none.ravel()))
        for call in (x.min, x.max):
            with pytest.raises(ValueError, match="zero-size array to reduction operation m..imum which has no identity"):
                call()
        with pytest.warns(RuntimeWarning, match="Mean of empty slice|invalid value"):
            assert np.isnan(x.mean())
    x = tridap.zeros(tridap.distribution(0, processes=comm.size))
    assert x.norm() == x.norm(1) == 0
    with pytest.raises(ValueError, match="zero-size"):
        x.norm(np.inf)


def test_arrays_without_axes_and_of_one_process_need_no_other(comm):
    x = tridap.from_function(tridap.distribution((), (), ()), lambda: 3.0)
    same(x.sum(), np.float64(3))
    same(x.norm(), np.float64(3))
    same(x.dot(x), np.float64(9))
    if comm.rank == 0:
        alone = tridap.from_function(tridap.distribution(5, processes=1), lambda i: i)
        assert alone.comm is None and alone.sum() == 10 and alone.max() == 4 and (alone - 2).norm(1) == 6


def test_a_ring_of_0_9_does_not_count_its_mirrors(comm):
    made = Made(comm, (old_ring(comm.size),), (comm.size,), version="0.9.0")
    same(made.array.sum(), made.whole.sum())
    same((made.array * 2).max(), 2 * made.whole.max())


def test_the_norm_of_several_axes_is_over_all_elements(comm):
    made = Made(comm, (padded(comm.size), blocks(3, 1)), (comm.size, 1))
    same(made.array.norm("fro"), np.linalg.norm(made.whole, "fro"), 1e-15)
    for ord in (1, 2, np.inf, -1, "nuc"):
        with pytest.raises(ValueError, match="must be None or 'fro' for an array of 2 axes"):
            made.array.norm(ord)
    with pytest.raises(ValueError, match="must be None or 1 or 2 or inf"):
        Made(comm, (ring(comm.size),), (comm.size,)).array.norm(3)


def test_comparisons_of_whole_arrays_are_answered_together(comm):
    p = comm.size
    x, y = (Made(comm, (padded(p),), (p,), garbage=junk).array for junk in (1, 2))
    assert np.array_equal(x, y) is True and np.allclose(x, y) is True and np.allclose(x, y + 1e-10) is True
    if comm.rank == p - 1:
        y.interior[-1] += 1
    assert np.array_equal(x, y) is False and np.allclose(x, y) is False and np.allclose(x, y, atol=2) is True
    assert np.allclose(x * 0, 0) is True and np.array_equal(x, x[1:]) is False
    with np.errstate(invalid="ignore"):
        z = x / x  # nan, if an element is 0
    assert np.array_equal(z, z) is bool(np.all(x != 0)) and np.array_equal(z, z, equal_nan=True) is True
    longer = tridap.zeros(tridap.distribution(5 * p, processes=p), comm=comm)
    assert np.array_equal(x, longer) is False
    with pytest.raises(tridap.ProtocolError, match="allclose of arrays with different distributions"):
        np.allclose(x, longer)
    with pytest.raises((tridap.ProtocolError, TypeError), match="array_equal of a DistArray and a ndarray"):
        np.array_equal(x, x.local)


REFUSED = {
    "axis 5 is out of bounds for array of dimension 2": lambda x, bad: x.sum(5 if bad else None),
    "argmax.*axis is 1, must be None|axis is 1, must be None": lambda x, bad: np.argmax(x, axis=1 if bad else None),
    "prod of a DistArray takes no where=": lambda x, bad: np.prod(x, **({"where": True} if bad else {})),
    "sum of a DistArray takes no initial=": lambda x, bad: np.sum(x, **({"initial": 1} if bad else {})),
    "min of a DistArray takes no initial=": lambda x, bad: np.min(x, **({"initial": 3} if bad else {})),
    "any of a DistArray takes no out=": lambda x, bad: np.any(x, out=np.empty(()) if bad else None),
    "dot of a DistArray and a ndarray": lambda x, bad: x.dot(x.local if bad else x),
    "dot of arrays with different distributions": lambda x, bad: x.dot(x[1:] if bad else x),
    "ord is 'nuc', must be None": lambda x, bad: x.norm("nuc" if bad else None),
    "data type 'nonsense' not understood": lambda x, bad: x.sum(dtype="nonsense" if bad else float),
    "Unsayable": lambda x, bad: x.sum(Index(Unsayable()) if bad else None),
}


@pytest.mark.parametrize("words", REFUSED)
def test_a_wrong_argument_of_one_process_is_refused_by_all(comm, words):
    x = Made(comm, (padded(comm.size), blocks(2, 1)), (comm.size, 1)).array
    with pytest.raises((tridap.ProtocolError, TypeError, ValueError), match=words):
        REFUSED[words](x, comm.rank == comm.size - 1)
    assert x.sum() == np.sum(x)


def test_processes_that_ask_for_different_things_are_refused(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    x = tridap.zeros(tridap.distribution(9, processes=comm.size))
    first = comm.rank == 0
    mixed = tridap.zeros(x.distribution, float if first else np.float32)
    for wrong in (lambda: x.sum() if first else x.max(), lambda: x.sum(dtype=float if first else int), mixed.sum, mixed.min,
                  lambda: x.norm(1 if first else 2), lambda: x.dot(mixed), lambda: np.allclose(x, x, rtol=0.1 if first else 0.2),
                  (x if first else tridap.zeros(tridap.distribution(8, processes=comm.size))).sum):
        with pytest.raises(tridap.ProtocolError, match="same (collective call )?on every process"):
            wrong()
    assert x.sum() == 0


def test_what_processes_ask_for_is_named_as_the_user_writes_it(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    x = tridap.zeros(tridap.distribution((2 * comm.size, 4), "b,*", processes=comm.size))
    for call, other, words in [(lambda: x.sum(), lambda: x.sum(axis=1), "x.sum() of float64"), (lambda: x.sum(axis=1), lambda: x.sum(), "x.sum(axis=1) of"),
                               (lambda: x.var(ddof=1), lambda: x.var(), "x.var(ddof=1) of"), (lambda: x.norm("fro"), lambda: x.norm(), "x.norm(ord='fro') of"),
                               (lambda: x[0, 1], lambda: x[1, 1], "x[0, 1] of float64")]:
        with pytest.raises(tridap.ProtocolError) as caught:
            call() if comm.rank == 0 else other()
        assert f"asks for {words}" in str(caught.value) and "None" not in str(caught.value)


@pytest.mark.parametrize("dtype", ["S5", "U3", [("a", "i4"), ("b", "f8")], "V8"], ids=str)
def test_elements_that_are_no_numbers_are_refused_by_all(comm, dtype):
    x = tridap.zeros(tridap.distribution(2 * comm.size, processes=comm.size), dtype)
    for call in (x.sum, x.mean, x.min, x.max, x.any, x.all, x.norm, lambda: x.dot(x)):
        with pytest.raises((tridap.ProtocolError, TypeError), match="cannot be computed of elements of type"):
            call()


def test_a_warning_that_is_an_error_on_one_process_ends_all(comm):
    x = tridap.zeros(tridap.distribution(2 * comm.size, processes=comm.size), "f4")
    if comm.rank == comm.size - 1:
        x.local[...] = 3e38
    with np.errstate(over="raise"):
        with pytest.raises((tridap.ProtocolError, FloatingPointError), match="overflow"):
            x.sum()


@pytest.mark.parametrize("name", ["sum", "asarray"])
@pytest.mark.parametrize("bad", [0, -1])
def test_memory_that_ends_on_one_process_ends_a_sum_on_all(comm, monkeypatch, name, bad):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    x = tridap.zeros(tridap.distribution((7, 5), ("b", "*"), processes=comm.size))
    monkeypatch.setattr(_reduce, "np", Ending(name, comm.rank == bad % comm.size))
    with pytest.raises(tridap.ProtocolError, match="MemoryError: no more"):
        x.sum()
    monkeypatch.setattr(_reduce, "np", np)
    assert x.sum() == 0


# By way: what rank r of n brings, and what comes of all, both a value and a number.
WAYS = {
    "add": (lambda r, n: (r + 1, 2 * r), lambda n: (n * (n + 1) // 2, n * (n - 1))),
    "multiply": (lambda r, n: (2, 1), lambda n: (2**n, n)),
    "smallest": (lambda r, n: (20 + r, r % 2), lambda n: (21 if n > 1 else 20, n // 2)),
    "largest": (lambda r, n: (40 - r, r % 2), lambda n: (39 if n > 1 else 40, n // 2)),
    "first_smallest": (lambda r, n: (7, n - r if r % 2 or n == 1 else -1), lambda n: (7, 1 if n < 3 or n % 2 == 0 else 2)),
    "first_largest": (lambda r, n: (min(r, n // 2), 10 + r), lambda n: (n // 2, 10 + n // 2)),
    "bits": (lambda r, n: (1 << r, r - 3), lambda n: ((1 << n) - 1, n - 4)),
}


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f4", "f8", "g", "c8", "c16", "G"])
def test_values_of_all_processes_become_one(comm, how, dtype):
    if how == "bits" and dtype[0] not in "iu":
        pytest.skip("the bits of a floating-point number are no sum")
    brings, becomes = WAYS[how]
    value, number = brings(comm.rank, comm.size)
    found, numbers = _core._reduced(comm, lambda: (np.array([value]).astype(dtype), number, "", how))
    assert found.dtype == dtype and (found.item(), numbers) == becomes(comm.size)
    assert comm.allgather(found.tobytes()[:8]).count(found.tobytes()[:8]) == comm.size


@pytest.mark.parametrize("dtype", ["f4", "f8", "g", "c8", "c16", "G", "m8[s]", "M8[s]"])
@pytest.mark.parametrize("how", ["smallest", "largest", "first_smallest", "first_largest"])
def test_a_nan_of_one_process_is_the_extreme(comm, how, dtype):
    values = np.arange(comm.size).astype(dtype)
    values[comm.size // 2] = "NaT" if dtype[0] in "mM" else np.nan
    found, number = _core._reduced(comm, lambda: (values[comm.rank:][:1], comm.rank + 1, "", how))
    assert found[0] != found[0]
    if how.startswith("first"):
        assert number == comm.size // 2 + 1


def test_sums_of_nans_infinities_and_missing_times(comm):
    def reduced(how, one, others, dtype):
        value = np.array([one if comm.rank == comm.size - 1 else others], dtype)
        return _core._reduced(comm, lambda: (value, 1, "", how))[0][0]

    several = comm.size > 1
    assert np.isnan(reduced("add", np.inf, -np.inf, "f4")) == several
    assert np.isnat(reduced("add", "NaT", 1, "m8[s]"))
    assert np.isnan(reduced("multiply", 0, np.inf, "f8")) == several
    assert reduced("every", False, True, "?") == np.False_ and reduced("some", False, True, "?") == several


def test_what_cannot_be_reduced_is_refused_on_all(comm):
    def step(bad=False):
        if bad:
            raise ValueError("bad here")
        return np.array([comm.rank], "i2"), comm.rank + 1, "asked", "add"

    last = comm.rank == comm.size - 1
    with pytest.raises(tridap.ProtocolError, match="bad here"):
        _core._reduced(comm, lambda: step(last))
    if comm.size > 1:
        with pytest.raises(tridap.ProtocolError, match="asks for .*same on every process"):
            _core._reduced(comm, lambda: (*step()[:2], str(last), "add"))
    for wrong, how in [(np.zeros(2), "add"), (np.zeros(1, "S33"), "bits"), (np.zeros(0), "add"), (np.zeros(1, "S3"), "smallest"),
                       (np.zeros(1, "f2"), "add"), (np.zeros(1, "i4"), "every")]:
        with pytest.raises(tridap.ProtocolError, match="a partial result must have one element"):
            _core._reduced(comm, lambda: (wrong, 1, "", how))
    with pytest.raises(tridap.ProtocolError, match="no way 'widest'"):
        _core._reduced(comm, lambda: (np.zeros(1), 1, "", "widest"))


def test_an_interrupt_of_one_process_is_an_error_on_the_others(comm):
    x = tridap.zeros(tridap.distribution(2 * comm.size, processes=comm.size))
    last = comm.rank == comm.size - 1

    class Interrupting:
        def __eq__(self, other):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt if last else tridap.ProtocolError):
        x.norm(Interrupting() if last else None)
    assert x.norm() == 0


def test_an_array_communicates_after_its_communicator_is_freed(comm):
    freed = comm.Dup()
    x = tridap.asarray(tridap.from_function(tridap.distribution(8, processes=comm.size), lambda i: 1.0 + 0 * i), freed)
    y = x + x
    freed.Free()
    other = comm.Dup()  # may have the freed one's handle
    assert y.sum() == 16 and np.array_equal(y.allgather(), np.full(8, 2.0)) and x.norm() == 8**0.5 and x.comm.size == comm.size
    other.Free()


def test_a_communicator_freed_before_the_first_call_is_named(comm):
    freed = comm.Dup()
    x = tridap.zeros(tridap.distribution(8, processes=comm.size), comm=freed)
    freed.Free()
    with pytest.raises(ValueError, match="COMM_NULL"):
        x.sum()


def test_comm_is_the_callers_own_as_long_as_it_exists(comm):
    own = comm.Dup()
    x = tridap.asarray(tridap.from_function(tridap.distribution(8, processes=comm.size), lambda i: 1.0 + 0 * i), own)
    assert x.comm is own and (x + x).comm is own and x.redistribute("c").comm is own
    own.Free()
    lasting = x.comm
    assert lasting.size == comm.size and lasting.rank == comm.rank
    del x
    gc.collect()
    assert lasting.allreduce(1) == comm.size


def test_a_sum_takes_the_processes_of_its_array(comm):
    half = comm.Split(comm.rank % 2)
    x = tridap.from_function(tridap.distribution(6, processes=half.size), lambda i: i, comm=half)
    if comm.rank % 2 == 0:
        assert x.sum() == 15 and x.max() == 5
    half.Free()


def test_shared_indices_belong_to_the_lowest_process(comm):
    made = Made(comm, (shared(comm.size),), (comm.size,))
    if comm.rank > 0:
        made.array.local[1] = 1000  # index 5, which process 0 has too
    same(made.array.sum(), made.whole.sum())
    same(made.array.max(), made.whole.max())


@pytest.mark.parametrize("seed", range(20))
def test_random_distributions(comm, seed):
    rng = np.random.default_rng(seed)
    x, whole = random_array(rng, comm)
    y = 3 * x - 1
    for found, wanted in [(x.sum(), whole.sum()), (x.min(), whole.min()), (y.max(), 3 * whole.max() - 1), (x.mean(), whole.mean()),
                          (x.dot(y), (whole * (3 * whole - 1)).sum()), ((x > 4).any(), (whole > 4).any()), (x.all(), whole.all())]:
        same(found, wanted)
    same(x.norm(), np.linalg.norm(whole.ravel()), 1e-14)
    part, wanted = x, whole
    for key in random_key(rng, whole.shape), random_key(rng, whole.shape):
        try:
            part, wanted = part[key], wanted[key]
        except tridap.ProtocolError as error:
            assert "no constant stride" in str(error)
            break
        same(part.sum(), wanted.sum())
        same((part * part).sum(), (wanted * wanted).sum())


def test_one_big_endian_element_is_its_min_max_and_sum(comm):
    x = tridap.zeros(tridap.distribution((1,), processes=comm.size), ">f8", comm=comm)  # the others have no element
    x.local[...] = 1.5
    assert float(x.min()) == float(x.max()) == float(x.sum()) == 1.5
