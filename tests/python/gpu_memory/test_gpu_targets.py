"""Ghosts, scattered arrays and new targets in GPU memory, over a stand-in for the driver."""

import gpus
import numpy as np
import pytest

import tridap

if not gpus.LIBRARY:
    pytest.skip("TRIDAP_STAND_IN_CUDA names no stand-in of the driver", allow_module_level=True)
gpus.load()


def ghosts_of(comm):
    """The last element of the previous process and the first of the next one, of three on each."""
    around = {(3 * comm.rank - 1) % (3 * comm.size), (3 * comm.rank + 3) % (3 * comm.size)}
    return sorted(around - set(range(3 * comm.rank, 3 * comm.rank + 3)))


def ghosted(comm, order="C", on_device=True):
    """The same ghosted array, of two components, on the device and on the host."""
    ghosts = ghosts_of(comm)
    values = np.asarray(np.arange(2.0 * (3 + len(ghosts))).reshape(-1, 2) + 100 * comm.rank, order=order)
    held = gpus.asarray(values) if on_device else values.copy()
    return held, *(tridap.GhostedArray(memory, ghosts, comm=comm) for memory in (held, values))


# ---- ghosts

@pytest.mark.parametrize("order", "CF")
def test_ghosts_are_updated_and_summed_on_the_device(comm, order):
    held, u, host = ghosted(comm, order)
    assert u.owned.device == "cuda:0" and gpus.from_dlpack(u.local).address == held.address and len(u.local) == 3 + len(u.ghosts)
    for call in ("update_ghosts", "sum_ghosts"):
        for each in (u, host):
            getattr(each, call)()
        assert np.array_equal(held.get(), host.local)
    assert u.owned.sum() == host.owned.sum() and "float64" in repr(u)


def test_a_started_update_ends_in_wait(comm):
    held, u, host = ghosted(comm)
    for each in (u, host):
        each.start_update()
        each.wait()
        each.start_sum()
        each.wait()
    assert np.array_equal(held.get(), host.local)


def test_ghosts_wait_for_the_stream_that_is_given(comm):
    values = np.arange(3.0 + len(ghosts_of(comm))) + 100 * comm.rank
    held = gpus.asarray(values, stream=gpus.Stream())
    u = tridap.GhostedArray(gpus.WithInterface(held, stream=None), ghosts_of(comm), comm=comm)
    host = tridap.GhostedArray(values.copy(), ghosts_of(comm), comm=comm)
    u.update_ghosts(stream=held.stream.ptr)
    host.update_ghosts()
    assert np.array_equal(held.get(), host.local)
    for wrong in (0, "1") if comm.rank == 0 else (1, 1):
        with pytest.raises((TypeError, tridap.ProtocolError), match="stream"):
            u.update_ghosts(stream=wrong)


def test_ghosts_may_be_in_other_memory_on_each_process(comm):
    held, u, host = ghosted(comm, on_device=comm.rank == comm.size - 1)
    u.update_ghosts()
    host.update_ghosts()
    assert np.array_equal(held.get() if comm.rank == comm.size - 1 else held, host.local)


@pytest.mark.parametrize("order", "CF")
def test_a_copy_with_ghosts_is_on_the_device(comm, order):
    dist = tridap.distribution((3 * comm.size, 2, 2), "b,*,*", processes=comm.size)
    host = tridap.array(np.asarray(np.arange(12.0).reshape(3, 2, 2) + 100 * comm.rank, order=order), dist, comm)
    for numbered in (1, 2):
        ghosts = ghosts_of(comm) if numbered == 1 else [2 * id for id in ghosts_of(comm)]
        u, v = (tridap.GhostedArray.copy_of(x, ghosts, numbered) for x in (host.to("cuda:0"), host))
        assert u.owned.device == "cuda:0" and np.array_equal(gpus.from_dlpack(u.local).get(), v.local)
        u.update_ghosts()
        v.update_ghosts()
        assert np.array_equal(gpus.from_dlpack(u.local).get(), v.local)


def test_read_only_memory_of_ghosts_is_one_error_on_all(comm):
    memory = gpus.asarray(np.zeros(3), read_only=comm.rank == comm.size - 1)
    with pytest.raises(tridap.ProtocolError, match="read-only") as caught:
        tridap.GhostedArray(memory, [], comm=comm)
    assert len(set(comm.allgather(str(caught.value)))) == 1


# ---- scatter

def test_scatter_takes_memory_of_a_device(comm):
    values = np.arange(12.0 * comm.size).reshape(-1, 4)
    dist = tridap.distribution(values.shape, "b,*", processes=comm.size)
    root = comm.size - 1
    for held in (gpus.asarray(values), gpus.asarray(np.asarray(values, order="F"), stream=gpus.Stream()),
                 gpus.asarray(values, device=(13, 0), kind=gpus.MANAGED)):
        x = tridap.scatter(held if comm.rank == root else None, dist, comm, root=root)
        assert x.device == "cpu" and np.array_equal(x.local, values[3 * comm.rank:3 * comm.rank + 3])
    alone = tridap.distribution((3, 4), "*,*", processes=1)
    assert np.array_equal(tridap.scatter(gpus.asarray(values[:3]), alone).local, values[:3])


# ---- targets of processes without a source

def growing(comm, **options):
    """A plan from process 0 to all, its source on the device, and the whole array."""
    whole = np.arange(8.0 * comm.size).reshape(-1, 2)
    alone = tridap.distribution(whole.shape, "*,*", processes=1)
    target = tridap.distribution(whole.shape, "b,*", processes=comm.size)
    plan = tridap.Redistribution(alone, target, comm=comm, source_ranks=[0], **options)
    x = tridap.array(gpus.asarray(whole), alone) if comm.rank == 0 else None
    return plan, x, whole


def started(plan, x):
    move = plan.start(x)
    return move.wait()


WAYS = {
    "start": ({}, started), "pairs": ({}, lambda plan, x: plan([(x, None), (x, None)])[1]),
    "partial": ({"partial": True}, lambda plan, x: plan(x)), "one call": ({}, lambda plan, x: plan(x)),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_process_without_a_source_gets_a_target_on_its_device(comm, way):
    options, move = WAYS[way]
    plan, x, whole = growing(comm, **options)
    for _ in range(2):
        y = move(plan, x)
        assert set(comm.allgather(y.device)) == {"cuda:0"} and np.array_equal(y.to("cpu").allgather(), whole)


@pytest.mark.parametrize("way", WAYS)
def test_a_target_of_a_host_source_stays_on_the_host(comm, way):
    options, move = WAYS[way]
    plan, x, whole = growing(comm, **options)
    y = move(plan, None if x is None else x.to("cpu"))
    assert set(comm.allgather(y.device)) == {"cpu"} and np.array_equal(y.allgather(), whole)


def test_a_list_on_one_process_alone_is_one_error_on_all(comm):
    if comm.size < 2:
        pytest.skip("needs at least 2 processes")
    plan, x, whole = growing(comm)
    with pytest.raises(tridap.ProtocolError, match=r"plan\(\[\.\.\.\]\)"):
        plan([(x, None)]) if comm.rank == 0 else plan(x)
    assert np.array_equal(plan(x).to("cpu").allgather(), whole)


@pytest.mark.parametrize("way", WAYS)
def test_a_wrong_source_is_one_error_on_all(comm, way):
    options, move = WAYS[way]
    plan, x, whole = growing(comm, **options)
    with pytest.raises((TypeError, tridap.ProtocolError), match="of type str|must be this process's part"):
        move(plan, "no array" if comm.rank == 0 else x)
    assert np.array_equal(move(plan, x).to("cpu").allgather(), whole)
