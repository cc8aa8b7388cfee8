"""Time series in zarr stores: steps are added, replaced and left out as in HDF5 files, and none is ever torn."""

import json
import os
import shutil
import types

import numpy as np
import pytest
import tridap
from mpi4py import MPI
from producers import refused_by_all
from some_arrays import expect_part, filled
from stores import new_only, opened
from tridap import _zarr_folder, _zarr_versions

COMM = MPI.COMM_WORLD
P = COMM.size
R = COMM.rank
SHAPE = (5, 6)
WHOLE = np.arange(30.0).reshape(SHAPE)


def at_step(n, dist=("c", "b")):
    return filled(tridap.distribution(SHAPE, dist, processes=P), WHOLE + 100 * n)


@pytest.mark.parametrize("compression", [None, "gzip"])
def test_steps_are_added_and_replaced(folder, compression):
    path = folder / "x.zarr"
    for n in (0, 1, 2, 1):
        tridap.save(path, {"x": at_step(n)}, {"last": n}, step=n, compression=compression, chunks=(2, 4))
    found = COMM.bcast(opened(path, "x")[...] if R == 0 else None)
    assert found.shape == (3, *SHAPE)
    for n in range(3):
        np.testing.assert_array_equal(found[n], WHOLE + 100 * n)
        expect_part(tridap.load(path, step=n), WHOLE + 100 * n)
    expect_part(tridap.load(path), WHOLE + 200)
    expect_part(tridap.load(path, step=1, slices=np.s_[1:, ::2]), (WHOLE + 100)[1:, ::2])
    assert tridap.load_attrs(path)["last"] == 1
    other = tridap.zeros(tridap.distribution((5, 7), processes=P), comm=COMM)
    refused_by_all(COMM, {"not the steps of an array of this shape": lambda: tridap.save(path, {"x": other}, step=3),
                          "must be the same": lambda: tridap.save(path, {"x": at_step(3).astype("f4")}, step=3),
                          "step is -1": lambda: tridap.save(path, {"x": other}, step=-1)})
    expect_part(tridap.load(path), WHOLE + 200)
    assert COMM.bcast(os.listdir(folder)) == ["x.zarr"]


def test_a_step_that_was_never_saved_is_an_error(folder):
    path = folder / "x.zarr"
    for step in (1, 4, 3):
        tridap.save(path, {"x": at_step(step)}, step=step)
        expect_part(tridap.load(path, step=step), WHOLE + 100 * step)
    refused_by_all(COMM, {"'step' is 0, 'x' has only the steps 1, 3 to 4": lambda: tridap.load(path, step=0),
                          "'step' is 7, 'x' has 5 steps": lambda: tridap.load(path, step=7)})
    tridap.save(path, {"y": at_step(0)}, step=0)
    expect_part(tridap.load(path, "y"), WHOLE)
    expect_part(tridap.load(path, "x"), WHOLE + 400)


def test_what_a_killed_save_has_left_is_in_no_later_step(folder):
    path = folder / "x.zarr"
    tridap.save(path, {"x": at_step(0)}, step=0, chunks=(2, 4))
    if R == 0:
        below = path / "x/c" if (path / "x/c").exists() else path / "x"
        for chunk in list(below.iterdir()):
            if chunk.is_dir():
                shutil.copytree(chunk, below / "1")
                shutil.copytree(chunk, below / "2")
            elif chunk.name[0] == "0":
                for step in (1, 2):
                    shutil.copy(chunk, below / f"{step}{chunk.name[1:]}")
    COMM.Barrier()
    tridap.save(path, {"x": at_step(3)}, step=3, chunks=(2, 4))
    found = COMM.bcast(opened(path, "x")[...] if R == 0 else None)
    assert [float(abs(one).max()) for one in found] == [29, 0, 0, 329]


def test_a_replaced_step_is_copied_if_zarr_writes_in_place(folder, monkeypatch):
    path = folder / "x.zarr"
    for in_place in (False, True):
        monkeypatch.setattr(_zarr_folder, "writes_in_place", lambda: in_place)  # noqa: B023
        for step in (0, 1, 0):
            tridap.save(path, {"x": at_step(step)}, step=step)
        monkeypatch.setattr(_zarr_folder.shutil, "rmtree", lambda *args, **options: None)  # the old store stays
        tridap.save(path, {"x": at_step(5)}, step=1)
        monkeypatch.undo()
        links = COMM.bcast({os.stat(one).st_nlink for one in path.rglob("*") if one.is_file()} if R == 0 else None)
        assert (max(links) == 1) == in_place
        expect_part(tridap.load(path, step=0), WHOLE)
        if R == 0:
            for one in folder.iterdir():
                shutil.rmtree(one)
        COMM.Barrier()


def test_the_versions_of_zarr_that_write_in_place_are_known(monkeypatch):
    for version, known in {"2.13.6": False, "3.0.0": True, "3.1.2": True, "3.1.3": False, "3.4": False, "3.0.0b1": True}.items():
        monkeypatch.setattr(_zarr_versions, "library", lambda: types.SimpleNamespace(__version__=version))  # noqa: B023
        assert _zarr_versions.writes_in_place() == known


def test_lists_of_each_step_are_kept(folder):
    path = folder / "x.zarr"
    for step in range(3):
        lists = [[(i + step) % (2 * P) for i in (2 * p, 2 * p + 1)] for p in range(P)]
        dist = tridap.distribution((2 * P,), tridap.unstructured(lists), processes=P)
        x = tridap.from_function(dist, lambda i: 10.0 * i + step, comm=COMM)  # noqa: B023
        tridap.save(path, {"x": x}, step=step)
        back = tridap.load(path)
        assert (back.local == x.local).all() and repr(back.dim_data) == repr(x.dim_data)


def test_steps_are_added_to_stores_of_other_programs(folder):
    import zarr
    path = folder / "x.zarr"
    if R == 0:
        group = zarr.open_group(str(path), mode="w", **({"zarr_format": 2} if new_only else {}))
        make = group.create_array if new_only else group.create_dataset
        for name, chunks in ("x", (1, 2, 6)), ("thick", (2, 5, 6)):
            make(name, shape=(2, *SHAPE), chunks=chunks, dtype=float)[...] = np.stack([WHOLE, WHOLE])
        group.attrs["theirs"] = "kept"
    COMM.Barrier()
    tridap.save(path, {"x": at_step(2)}, step=2)
    expect_part(tridap.load(path, "x", step=1), WHOLE)
    expect_part(tridap.load(path, "x", step=2), WHOLE + 200)
    assert tridap.load_attrs(path)["theirs"] == "kept"
    refused_by_all(COMM, {"has 2 steps in each chunk": lambda: tridap.save(path, {"thick": at_step(2)}, step=2)})


def test_readers_see_a_step_when_the_metadata_is_renamed(folder, monkeypatch):
    from tridap import _zarr
    path = folder / "x.zarr"
    tridap.save(path, {"x": at_step(0), "y": at_step(0)}, step=0)
    before, seen = _zarr.write_documents, []

    def looking(root, documents):
        seen.append(next(iter(documents)))
        seen.append(json.loads((path / seen[0]).read_text()) == documents[seen[0]])
        before(root, documents)

    monkeypatch.setattr(_zarr, "write_documents", looking)
    tridap.save(path, {"x": at_step(1), "y": at_step(1)}, step=1)
    if R == 0:
        assert seen[0] in (".zmetadata", "zarr.json") and seen[1] is False
    else:
        assert seen == []
    expect_part(tridap.load(path, "y"), WHOLE + 100)
