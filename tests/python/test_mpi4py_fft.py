"""Arrays of mpi4py-fft in and out, against the whole array that each process fills through mpi4py-fft's own slices."""

import gc
import itertools

import numpy as np
import pytest
import tridap
from mpi4py import MPI
from mpi4py_fft import PFFT, DistArray, newDistArray
from mpi4py_fft.pencil import Pencil, Subcomm
from producers import everywhere
from tridap import mpi4py_fft as fft

SHAPES = [(7, 6), (6, 7, 8), (7, 6, 9, 6)]


def whole_of(shape, dtype):
    """The whole array: each element is its number."""
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def filled(u):
    u.v[...] = whole_of(u.global_shape, u.dtype)[u.local_slice()]
    return u


def pencils(comm, shape):
    """Pencils with one whole axis and with several, and those that mpi4py-fft makes of them by swapping axes."""
    for axis in range(len(shape)):
        free = [int(other == axis) for other in range(len(shape))]
        slab = [1] * len(shape)
        slab[axis - 1] = 0
        for dims in {tuple(free), tuple(slab)}:
            first = Pencil(Subcomm(comm, list(dims)), shape, axis)
            yield first
            for other in range(len(shape)):
                if other != axis:
                    yield first.pencil(other)


def of_pencil(pencil, dtype=float, rank=0):
    return DistArray((3,) * rank + pencil.shape, subcomm=pencil.subcomm, dtype=dtype, alignment=pencil.axis, rank=rank)


def same_memory(x, u):
    return x.local.ctypes.data == u.ctypes.data and x.local.strides == u.strides and x.receipt.shared \
        and x.receipt.bytes_copied == 0


@pytest.mark.parametrize("shape, dtype", zip(SHAPES, (float, complex, "f4")))
def test_each_pencil_is_exported_in_place_with_its_elements(comm, shape, dtype):
    permuted = comm.Split(0, (comm.rank + 1) % comm.size)  # process r of the Cartesian communicator is another rank
    for order in (comm, permuted) if len(shape) == 3 else (permuted,):
        for pencil in pencils(order, shape):
            u = filled(of_pencil(pencil, dtype))
            x = fft.export_array(u)
            assert everywhere(comm, same_memory(x, u))
            assert x.shape == shape and x.distribution.grid == tuple(line.size for line in pencil.subcomm)
            assert np.array_equal(x.allgather(), whole_of(shape, dtype))
            assert x.comm.rank == x.process
            u.v[...] += 1  # written there, read here
            assert np.array_equal(x.allgather(), whole_of(shape, dtype) + 1)
    permuted.Free()


def test_a_swapped_pencil_has_its_processes_in_another_order(comm):
    if comm.size not in (4, 6):
        pytest.skip("needs 4 or 6 processes")
    u = of_pencil(Pencil(Subcomm(comm, [0, 0, 1]), (7, 8, 9), 2).pencil(0))
    ranks = fft.grid_communicator(u).allgather(comm.rank)
    assert ranks != list(range(comm.size)) and sorted(ranks) == list(range(comm.size))
    assert fft.grid_communicator(u) is fft.grid_communicator(u)  # made once
    with pytest.raises(tridap.ProtocolError, match=r"\[grid.order\]"):
        tridap.asarray(u, comm)


@pytest.mark.parametrize("rank", [1, 2])
def test_components_of_tensors_come_first_and_are_whole(comm, rank):
    u = filled(of_pencil(Pencil(Subcomm(comm, [0, 1, 0]), (7, 6, 8), 1), complex, rank))
    x = fft.export_array(u)
    assert x.shape == (3,) * rank + (7, 6, 8) and x.distribution.grid[:rank] == (1,) * rank
    assert np.array_equal(x.allgather(), whole_of(x.shape, complex))
    part = fft.export_array(u[0])
    assert np.array_equal(part.allgather(), whole_of(x.shape, complex)[0]) and everywhere(comm, same_memory(part, u[0]))
    back = fft.import_array(x, u, rank=rank)
    assert back.rank == rank and everywhere(comm, back.ctypes.data == u.ctypes.data)


@pytest.mark.parametrize("padding", [False, [1.5, 1.5, 1.5]])
@pytest.mark.parametrize("dtype, axes", [(float, (0, 1, 2)), (complex, (0, 1, 2)), (float, (1, 2, 0))])
def test_both_sides_of_a_transform(comm, padding, dtype, axes):
    plan = PFFT(comm, (12, 10, 16), axes=axes, dtype=dtype, padding=padding and list(padding))
    for forward in False, True:
        u = filled(newDistArray(plan, forward))
        x = fft.export_array(u)
        assert x.shape == plan.global_shape(forward) and everywhere(comm, same_memory(x, u))
        assert np.array_equal(x.allgather(), whole_of(x.shape, u.dtype))


def test_asarray_and_check_take_a_pencil_of_the_communicator(comm):
    u = filled(DistArray((8, 9), alignment=1))
    assert tridap.check(u, comm).ok
    x = tridap.asarray(u, comm)
    assert x.comm is comm and everywhere(comm, same_memory(x, u))
    assert np.array_equal(x.allgather(), whole_of((8, 9), float))
    alone = tridap.asarray(u)
    assert type(alone.local) is np.ndarray and alone.local.ctypes.data == u.ctypes.data


@pytest.mark.parametrize("shape", SHAPES)
def test_pencils_are_redistributed_as_mpi4py_fft_does(comm, shape):
    for axis, other in itertools.permutations(range(len(shape)), 2):
        dims = [int(a == axis) for a in range(len(shape))]
        u = filled(DistArray(shape, subcomm=Subcomm(comm, dims), alignment=axis, dtype=complex))
        theirs = u.redistribute(other)
        v = DistArray(shape, subcomm=theirs.subcomm, alignment=other, dtype=complex)
        x, y = fft.export_array(u), fft.export_array(v)
        tridap.redistribute(x, out=y)
        assert everywhere(comm, np.array_equal(v.v, theirs.v))
        v.v[...] = 0
        plan = tridap.Redistribution(x, y, complex, comm)  # of arrays whose communicators have other orders
        plan(x, y)
        assert everywhere(comm, np.array_equal(v.v, theirs.v))
        made = plan(x)
        assert made.comm.rank == made.process and np.array_equal(made.allgather(), whole_of(shape, complex))
        assert np.array_equal(plan.reversed()(made).local, u.v)
        in_order = everywhere(comm, x.comm is comm and y.comm is comm)
        z = tridap.redistribute(u, v, comm=comm) if in_order else x.redistribute(y)
        assert np.array_equal(z.local, theirs.v)


def test_moves_between_all_orders_of_processes(comm):
    """Every order of up to three processes, and some of more, as the source and as the target."""
    orders = list(itertools.islice(itertools.permutations(range(comm.size)), 24))[::1 if comm.size < 4 else 9]
    for here, there in itertools.product(orders, orders):
        one, other = comm.Split(0, here.index(comm.rank)), comm.Split(0, there.index(comm.rank))
        x = tridap.from_function(tridap.distribution((9, 4), "b,*", processes=comm.size), lambda i, j: 10 * i + j, comm=one)
        y = tridap.zeros(tridap.distribution((9, 4), "*,c", processes=comm.size), comm=other)
        tridap.redistribute(x, out=y)
        assert np.array_equal(y.local, x.allgather()[:, y.process::comm.size])
        z = tridap.redistribute(x, y, comm=comm)
        assert np.array_equal(z.local, y.local) and z.comm.rank == z.process
        one.Free()
        other.Free()
    same = comm.Dup()
    x = tridap.from_function(tridap.distribution((9, 4), "b,*"), lambda i, j: 10 * i + j, comm=same)
    same.Free()
    assert np.array_equal(tridap.redistribute(x, "*,b", comm=comm).allgather(), 10 * np.arange(9)[:, None] + np.arange(4))


@pytest.mark.parametrize("shape", SHAPES)
def test_import_shares_the_memory_and_transforms_it(comm, shape):
    for count in range(1, len(shape)):
        grid = MPI.Compute_dims(comm.size, count) + [1] * (len(shape) - count)
        x = tridap.from_function(fft.distribution(shape, grid), lambda *i: np.ravel_multi_index(i, shape), complex)
        u = fft.import_array(x)
        assert everywhere(comm, u.ctypes.data == x.local.ctypes.data and u.global_shape == shape)
        assert everywhere(comm, np.array_equal(u.v, whole_of(shape, complex)[u.local_slice()]))
        assert u.alignment == len(shape) - 1
        assert fft.import_array(x).subcomm == u.subcomm  # made once
        other = u.redistribute(0)
        assert np.array_equal(fft.export_array(other).allgather(), whole_of(shape, complex))
        round_trip = fft.export_array(u)
        assert np.array_equal(round_trip.allgather(), x.allgather()) and round_trip.distribution == x.distribution


def test_a_transform_in_the_memory_of_an_array(comm):
    shape = (12, 8, 10)
    plan = PFFT(comm, shape, dtype=float)
    x = tridap.zeros(fft.export_array(newDistArray(plan, False)).distribution,
                     comm=fft.grid_communicator(newDistArray(plan, False)))
    u = fft.import_array(x, plan.pencil[False])
    x.local[...] = np.random.default_rng(comm.rank).standard_normal(x.local.shape)
    before = x.allgather()
    hat = newDistArray(plan, True)
    plan.forward(u, hat)
    assert np.allclose(fft.export_array(hat).allgather(), np.fft.rfftn(before) / before.size, atol=1e-14)
    x.local[...] = 0
    plan.backward(hat, u)
    assert np.allclose(x.allgather(), before, atol=1e-14)


def test_one_keeps_the_memory_of_the_other_alive(comm):
    u = filled(DistArray((8, 9), alignment=1))
    x = fft.export_array(u)
    here = whole_of((8, 9), float)[u.local_slice()]
    del u
    gc.collect()
    assert np.array_equal(x.local, here)
    y = tridap.from_function(fft.distribution((8, 9), (comm.size, 1)), lambda i, j: 9.0 * i + j)
    v = fft.import_array(y)
    del y
    gc.collect()
    assert np.array_equal(v.v, here)


def test_read_only_memory_stays_read_only(comm):
    dist = fft.distribution((8, 9), (comm.size, 1))
    local = np.zeros(dist.local_shape(comm.rank))
    local.flags.writeable = False
    assert not fft.import_array(tridap.array(local, dist)).flags.writeable


def refused(comm, function, *arguments, match, **options):
    """The call raises the same ProtocolError on every process."""
    with pytest.raises(tridap.ProtocolError, match=match) as error:
        function(*arguments, **options)
    assert len(set(comm.allgather(str(error.value)))) == 1


def test_arrays_that_are_no_pencil_are_refused_on_all(comm):
    last = comm.rank == comm.size - 1
    u = DistArray((8, 9), alignment=1)
    refused(comm, fft.export_array, np.zeros(3) if last else u, match="u is a ndarray, must be a mpi4py_fft.DistArray")
    refused(comm, fft.export_array, u.T if last else u,
            match=r"its pencil says \(\d, 9\).*pass the whole array")
    alone = DistArray((8, 9), subcomm=Subcomm(MPI.COMM_SELF, [0, 1]), alignment=1)
    line = DistArray((8,))
    for wrong in alone, line:
        if comm.size > 1:
            refused(comm, fft.export_array, wrong, match="has .* processes .*pass comm=")
        assert np.array_equal(fft.export_array(wrong, MPI.COMM_SELF).local, wrong)
    if comm.size > 1:
        refused(comm, fft.export_array, alone if last else u, match="process grid is 1 x 1, but the communicator has")


def test_processes_at_the_same_place_of_the_grid_are_refused(comm):
    if comm.size != 4:
        pytest.skip("needs 4 processes")
    pair = comm.Split(comm.rank // 2, comm.rank)  # both pairs are at places 0 and 1 of both axes
    other = comm.Split(comm.rank // 2, comm.rank)
    u = DistArray((8, 9, 7), subcomm=(pair, other, MPI.COMM_SELF), alignment=2)
    refused(comm, fft.export_array, u, match=r"no process has the part at \(0, 1, 0\)")


def test_what_mpi4py_fft_cannot_hold_is_refused_on_every_process(comm):
    size = comm.size
    good = tridap.zeros(fft.distribution((8, 9), (size, 1)))
    refused(comm, fft.import_array, None if comm.rank == 0 else good, match="x is a NoneType, must be a tridap.DistArray")
    refused(comm, fft.import_array, tridap.zeros(good.distribution, order="F"), match=r"x = x.copy\(order='C'\)")
    refused(comm, fft.import_array, good, rank=2, match="rank is 2, must be")
    refused(comm, fft.import_array, good, alignment=2, match="alignment is 2, must be an axis")
    refused(comm, fft.import_array, good, [1], match="like is a list, must be")


def test_distributions_that_are_no_pencil_are_refused_on_all(comm):
    size = comm.size
    if size == 1:
        pytest.skip("needs at least 2 processes")
    good = tridap.zeros(fft.distribution((8, 9), (size, 1)))
    padded = tridap.zeros(tridap.distribution((12, 9), [tridap.block(padding=1), "*"]))
    refused(comm, fft.import_array, padded, match="there is no padding")
    refused(comm, fft.import_array, tridap.zeros(tridap.distribution((4 * size - 1, 9), "c,*")), match="not distributed as")
    uneven = tridap.block(starts=[0, *range(2, size + 1)])
    refused(comm, fft.import_array, tridap.zeros(tridap.distribution((3 * size, 9), [uneven, "*"])), match="not distri")
    refused(comm, fft.import_array, tridap.zeros(tridap.distribution((size - 1, 9), "b,*")), match="at least one element")
    refused(comm, fft.import_array, tridap.zeros(tridap.distribution(9)), match="one axis")
    refused(comm, fft.import_array, good, rank=1, match="the components, the first 1 axes, are distributed over")
    refused(comm, fft.import_array, good, alignment=0, match="alignment is 0, must be an axis")
    refused(comm, fft.import_array, good, DistArray((8, 9), alignment=0), match="but .* in like")
    backward = comm.Split(0, -comm.rank)
    refused(comm, fft.import_array, good, Pencil(Subcomm(backward, [0, 1]), (8, 9), 1), match="but .* in like")
    backward.Free()
    if size == 4:
        refused(comm, fft.import_array, tridap.zeros(tridap.distribution((8, 9), "b,b")), match="one axis that is whole")


def test_the_distribution_is_that_of_mpi4py_fft():
    for size, processes in itertools.product(range(1, 13), range(1, 6)):
        if processes > size:
            with pytest.raises(tridap.ProtocolError, match="at least one element on each process"):
                fft.distribution((size, 3), (processes, 1))
            continue
        dealt = [[] for _ in range(processes)]
        for number in range(size):
            dealt[number % processes].append(number)
        starts = np.cumsum([0] + [len(hand) for hand in dealt])
        dist = fft.distribution((size, 3), (processes, 1))
        for process in range(processes):
            assert dist.indices(process)[0].tolist() == list(range(starts[process], starts[process + 1]))
    with pytest.raises(ValueError, match="must have one number of processes for each of the 2 axes"):
        fft.distribution((3, 3), (1,))
