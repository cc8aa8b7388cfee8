"""tridap.write_capture: what a running program says, read again by the command tridap."""

import json
import os
import pathlib
import stat

import numpy as np
import pytest
import tridap
from producers import Producer, block, cyclic, dict_of, line_of, listed, ran, shared, whole

TOOL = pathlib.Path(tridap.__file__).parents[3] / "packages/tool/tridap"  # of the build tree


def tool(comm, *arguments):
    """The exit status and the output of the command, on every process."""
    return ran(comm, TOOL, *arguments)


def specs(size):
    yield (7, 5), "b,*", ("b", "*")
    yield (6, 9), "c:2,*", ("c:2", "*")
    yield (9,), "c:2@0", ("c:2@0",)
    yield (12 * size, 3), None, (tridap.block(padding=2), "*")  # the command would pad the outer edges too


def test_a_capture_is_the_array_that_the_command_makes(comm, folder):
    for shape, words, dist in specs(comm.size):
        layout = tridap.distribution(shape, dist, processes=comm.size)
        tridap.zeros(layout, np.float32).write_capture(folder / "ours.json")
        assert tool(comm, "check", folder / "ours.json") == (0, f"{folder}/ours.json: valid: {layout.describe()}\n")
        if words is None:
            continue
        status, made = tool(comm, "make", "--shape", "x".join(map(str, shape)), "--dist", words,
                            "--processes", comm.size, "--dtype", "float32")
        assert status == 0
        if comm.rank == 0:
            (folder / "theirs.json").write_text(made)
        same = tool(comm, "diff", folder / "ours.json", folder / "theirs.json")
        assert same == (0, f"the same owners: {layout.describe()}\n")
        assert tool(comm, "show", folder / "ours.json")[0] == 0


def read(folder, name="x.json"):
    return json.loads((folder / name).read_text())["processes"]


def test_a_capture_has_what_each_process_states(comm, folder):
    ring = block(6 * comm.size, comm.size, comm.rank, padding=(1, 1), periodic=True, units=["m", {"of": None}])
    values = np.zeros((8, 3), ">f4", order="F")
    given = dict_of(values, ring, listed(3, np.array([7, -2, 0])), version="0.9.0")
    given["mine"] = 2.5
    for x in (given, Producer(given["buffer"], given["dim_data"], "0.9.0", mine=2.5), tridap.asarray(given, comm)):
        tridap.write_capture(x, str(folder / "x.json"), comm)
        for rank, entry in enumerate(read(folder)):
            assert entry["rank"] == rank and entry["__version__"] == "0.9.0" and entry["mine"] == 2.5
            assert entry["buffer"] == {"dtype": ">f4", "shape": [8, 3], "strides": [4, 32]}
            rows, columns = entry["dim_data"]
            assert rows["start"] == 6 * rank and rows["padding"] == [1, 1] and rows["units"] == ["m", {"of": None}]
            assert columns["indices"] == [7, -2, 0]
        comm.Barrier()


def wrong(comm):
    """Arrays that are wrong on the last process, each with its name."""
    def line(**changed):
        given = line_of(comm)
        if comm.rank == comm.size - 1:
            given["dim_data"][0].update(changed)
        return given

    def without(key):
        given = line_of(comm)
        if comm.rank == comm.size - 1:
            del given[key]
        return given

    last = comm.rank == comm.size - 1
    yield "bounds", line(stop=12)
    yield "float", line(start=3.0)
    yield "nan", line(stop=float("nan"))
    yield "huge", line(size=2**70)
    yield "none", line(proc_grid_rank=None)
    yield "kind", line(dist_type="x")
    yield "text", line(dist_type="\n\x1b")
    yield "padding", line(padding=(1, 2, 3))
    yield "flag", line(periodic="yes")
    yield "object", line(stop=object)
    yield "extra", line(units={"m": [1, (2, 3)]})
    yield "no dim_data", without("dim_data")
    yield "no version", without("__version__")
    yield "version", {**line_of(comm), "__version__": 10 if last else "0.10.0"}
    yield "no dictionaries", {**line_of(comm), "dim_data": "b" if last else line_of(comm)["dim_data"]}
    yield "indices", dict_of(np.zeros(2), listed(2 * comm.size, np.array([0.5, 1]), comm.size, comm.rank))
    same = listed(2 * comm.size, np.array([0, 1]), comm.size, comm.rank, one_to_one=True)
    yield "same indices", dict_of(np.zeros(2), same)
    yield "types", dict_of(np.zeros(3, "M8[s]" if last else "M8[ms]"), cyclic(3 * comm.size, comm.size, comm.rank))


def test_the_command_and_check_report_the_same_findings(comm, folder):
    for name, given in wrong(comm):
        tridap.write_capture(given, folder / "x.json", comm)
        status, said = tool(comm, "check", "--json", folder / "x.json")
        live, found = tridap.check(given, comm), json.loads(said)[0]["report"]
        assert found["counts"] == live.counts, (name, said, str(live))
        assert status == (0 if live.ok else 1)
        assert [f["process"] for f in found["findings"]] == [f.process for f in live.findings], name
        if comm.size > 1 or name not in ("types", "same indices"):
            assert live.counts, name


def test_what_json_cannot_hold_is_text_and_the_file_is_read(comm, folder):
    deep = []
    for _ in range(70):
        deep = [deep]
    given = {**line_of(comm), "buffer": [1, 2], "rank": 5, 1: 2, "1": 3, "deep": deep, "text": "\ud800"}
    tridap.write_capture(given, folder / "x.json", comm)
    status, said = tool(comm, "check", folder / "x.json")
    assert status == 1 and "'buffer' is" in said and "[type.structure]" in said
    for rank, entry in enumerate(read(folder)):
        assert entry["rank"] == rank and isinstance(entry["buffer"], str) and entry["1"] == 2


def test_an_object_without_a_dictionary_fails_on_every_process(comm, folder):
    class Raising:
        def __distarray__(self):
            raise KeyError("lost")

    last = comm.rank == comm.size - 1
    for x, words in ((3, "has no __distarray__"), (Raising(), "KeyError: 'lost'"), (Producer, "a class")):
        with pytest.raises(tridap.ProtocolError, match=words) as raised:
            tridap.write_capture(x if last else line_of(comm), folder / "x.json", comm)
        assert shared(comm, str(raised.value)) and not list(folder.iterdir())
    comm.Barrier()


def test_a_file_that_cannot_be_written_fails_every_process(comm, folder):
    array = tridap.asarray(line_of(comm), comm)
    if comm.rank == 0:
        os.mkfifo(folder / "pipe")  # never a device: a wrong program would replace it
    comm.Barrier()
    for path, words in ((folder / "none/x.json", "none/x.json cannot be written: No such file"),
                        (folder, "it is a folder"), ("", 'the file "" cannot be written'),
                        (folder / "pipe", "it is not a regular file")):
        with pytest.raises(tridap.ProtocolError, match=words) as raised:
            array.write_capture(path)
        assert shared(comm, str(raised.value))
    last = comm.rank == comm.size - 1
    with pytest.raises(tridap.ProtocolError, match="path is 5, must be a str or an os.PathLike"):
        array.write_capture(5 if last else folder / "x.json")
    if comm.size > 1:
        with pytest.raises(tridap.ProtocolError, match="must be the same on every process"):
            array.write_capture(folder / f"{comm.rank}.json")
    assert [path.name for path in folder.iterdir()] == ["pipe"]
    comm.Barrier()


def test_an_existing_file_is_replaced_and_keeps_permissions(comm, folder):
    if comm.rank == 0:
        (folder / "x.json").write_text("before")
        (folder / "x.json").chmod(0o600)
    comm.Barrier()
    tridap.write_capture(line_of(comm), os.fsencode(folder / "x.json"), comm)
    assert len(read(folder)) == comm.size and stat.S_IMODE((folder / "x.json").stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == ["x.json"]
    comm.Barrier()


def test_without_comm_one_process_writes_what_it_has(comm, folder):
    mine = folder / f"{comm.rank}.json"
    for x in (whole(3, 2), tridap.asarray(whole(3, 2)), Producer(np.zeros(2), [block(3)])):
        tridap.write_capture(x, mine)
        assert len(read(folder, mine.name)) == 1
    if comm.size > 1:
        with pytest.raises(tridap.ProtocolError, match="distributed over .* processes, but comm is None.*pass comm="):
            tridap.write_capture(line_of(comm), mine)
        with pytest.raises(tridap.ProtocolError, match="pass comm="):
            tridap.asarray(line_of(comm)).write_capture(mine)
    with pytest.raises(TypeError, match="path is None"):
        tridap.write_capture(whole(3), None)
    with pytest.raises(TypeError, match="mpi4py"):
        tridap.write_capture(whole(3), mine, 5)
