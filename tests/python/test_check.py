"""tridap.check: everything that is wrong, the same on every process."""

import json

import numpy as np
import pytest
import tridap
from producers import Producer, block, cyclic, dict_of, line_of, listed, shared, whole


def test_a_right_array_has_an_empty_report(comm):
    report = tridap.check(line_of(comm), comm)
    assert report.ok and report.errors == report.warnings == 0 and report.findings == () and report.counts == {}
    assert report.distribution == tridap.distribution(11, "b", processes=comm.size)
    described = "valid: " + report.distribution.describe()
    assert str(report) == described and repr(report) == f"<tridap.Report: {described}>"


def test_every_violation_is_told_once_with_its_place(comm):
    given = line_of(comm)
    given["dim_data"][0]["stop"] = 12
    given["dim_data"] += ({"dist_type": "x", "size": True},)
    report = tridap.check(given, comm)
    assert not report.ok and report.errors == sum(report.counts.values()) and report.warnings == 0
    assert report.counts["dist_type"] == report.counts["type.integer"] == comm.size
    first = next(finding for finding in report.findings if finding.rule == "dist_type")
    assert (first.process, first.axis, first.key, first.value, first.severity) == (0, 1, "dist_type", '"x"', "error")
    assert first.must == "must be 'b', 'c' or 'u'" and first.remedy and str(first).startswith("axis 1 (rank 0): 'dist_type' is")
    assert sorted({finding.process for finding in report.findings}) == list(range(comm.size))
    assert shared(comm, report.json())
    assert str(report).splitlines() == [f"{report.errors} errors", *(str(finding) for finding in report.findings)]
    assert repr(report) == f"<tridap.Report: {report.errors} errors>"


def test_json_says_what_the_report_says(comm):
    report = tridap.check({"__version__": "1.2.3", "buffer": np.zeros(3), "dim_data": ({"dist_type": "c"},), "\u00e4": 1}, comm)
    said = json.loads(report.json())
    assert said["ok"] is report.ok is False and said["counts"] == report.counts
    assert (said["errors"], said["warnings"]) == (report.errors, report.warnings) == (5 * comm.size, comm.size)
    assert [f["text"] for f in said["findings"]] == [str(f) for f in report.findings]
    for one, finding in zip(said["findings"], report.findings):
        for key in "rule", "severity", "process", "axis":
            assert one[key] == getattr(finding, key)


def test_one_bad_process_is_heard_by_all(comm):
    given = line_of(comm)
    bad = comm.size - 1
    if comm.rank == bad:
        given["dim_data"][0]["start"] = "3"
    report = tridap.check(given, comm)
    assert report.counts == {"type.integer": 1} and report.findings[0].process == bad and shared(comm, report.json())
    assert report.distribution is None
    with pytest.raises(tridap.ProtocolError) as raised:
        tridap.check(given, comm, raise_on_error=True)
    assert shared(comm, str(raised.value)) and raised.value.report.json() == report.json()


def test_warnings_do_not_raise(comm):
    given = line_of(comm)
    given["mine"] = 1
    report = tridap.check(given, comm, raise_on_error=True)
    assert report.ok and report.warnings == comm.size and str(report.findings[0]).startswith("(rank 0): 'mine' is 1")
    assert report.distribution is not None


def stamped_wrongly(comm):
    """0.10's convention under 0.9's stamp, as older Trilinos wrote it: padding inside of start and stop."""
    said = block(4 * comm.size, comm.size, comm.rank)
    left, right = int(comm.rank > 0), int(comm.rank < comm.size - 1)
    said.update(start=said["start"] - left, stop=said["stop"] + right, padding=(left, right))
    return dict_of(np.zeros(said["stop"] - said["start"]), said, version="0.9.0")


def test_the_extents_of_one_process_fit_both_versions(comm):
    if comm.size > 1:
        pytest.skip("needs 1 process")
    assert tridap.check(stamped_wrongly(comm), comm).ok


def test_extents_are_trusted_where_asked(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    given = stamped_wrongly(comm)
    strict = tridap.check(given, comm)
    assert not strict.ok and "fit as version 0.10" in str(strict)
    report = tridap.check(given, comm, trust_extent=True)
    assert report.ok and set(report.counts) == {"version.extent"}
    assert report.distribution.shape == (4 * comm.size,)


def test_processes_that_ask_otherwise_are_told_so(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    with pytest.raises(tridap.ProtocolError, match="rank 1.*asks for .*trust_extent=False"):
        tridap.check(line_of(comm), comm, trust_extent=comm.rank == 0, raise_on_error=True)
    for given in line_of(comm), dict_of(np.zeros(3)):
        with pytest.raises(tridap.ProtocolError, match="asks for raise_on_error=True") as raised:
            tridap.check(given, comm, raise_on_error=comm.rank == 0)
        assert shared(comm, str(raised.value))


def test_a_hundred_of_a_kind_are_kept_and_all_are_counted():
    dims = tuple({"dist_type": "x"} for _ in range(150))
    report = tridap.check(dict_of(np.zeros(1), *dims))
    assert report.counts["dist_type"] == 150
    assert sum(finding.rule == "dist_type" for finding in report.findings) == 100


def test_a_misspelt_key_is_told_beside_the_missing_one():
    report = tridap.check({"__version__": "0.10.0", "buffer": np.zeros(3), "dimdata": ()})
    assert report.counts == {"key.missing": 1, "extra.key": 1}
    assert "'dim_data' is missing, but must be there [key.missing]: rename 'dimdata' to 'dim_data'" in str(report)


def test_a_misspelt_key_of_an_axis_is_named_in_the_remedy():
    axis = block(3)
    axis["Stop"] = axis.pop("stop")
    report = tridap.check(dict_of(np.zeros(3), axis))
    assert report.counts == {"key.missing": 1}
    assert "'stop' is missing, but is required [key.missing]: rename 'Stop' to 'stop'" in str(report)
    assert "rename 'Padding' to 'padding'" in str(tridap.check(dict_of(np.zeros(3), block(3, Padding=(0, 0)))))


def test_both_processes_at_a_border_are_named_with_both_numbers(comm):
    if comm.size < 2:
        pytest.skip("needs at least 2 processes")
    for bad in range(comm.size - 1):
        axis = block(3 * comm.size, comm.size, comm.rank)
        if comm.rank == bad:
            axis["stop"] += 1
        for buffer in np.zeros(3), np.zeros(axis["stop"] - axis["start"]):
            text = str(tridap.check(dict_of(buffer, axis), comm))
            border = 3 * bad + 3
            assert (f"axis 0 (rank {bad}): 'stop' is {border + 1}, but 'start' is {border} on rank {bad + 1} and both must "
                    f"be equal: the others support {border} (") in text


def test_what_was_given_is_left_as_it_was(comm):
    given = Producer(np.zeros(3), [block(3, padding=[0, 0]), {"odd": []}, cyclic(3), listed(3, [1, 2])], mine={1: 2})
    before = repr(given.said)
    tridap.check(given, comm)
    tridap.check(given)
    assert repr(given.said) == before


@pytest.mark.parametrize("comm_given", [5, "world", object(), Producer, np.zeros(3)], ids=lambda c: type(c).__name__)
def test_what_is_no_communicator_is_a_type_error(comm_given):
    for call in tridap.check, tridap.asarray:
        with pytest.raises(TypeError, match="mpi4py"):
            call(whole(3), comm_given)


def test_a_freed_communicator_is_a_value_error(comm):
    freed = comm.Dup()
    freed.Free()
    for call in tridap.check, tridap.asarray:
        with pytest.raises(ValueError, match="COMM_NULL"):
            call(whole(3), freed)


def test_flags_that_are_none_are_told_on_every_process(comm):
    last = comm.rank == comm.size - 1
    for name in "trust_extent", "raise_on_error":
        with pytest.raises(tridap.ProtocolError, match=f"{name} is 'x', must be True or False"):
            tridap.check(line_of(comm), comm, **{name: "x" if last else False})
        with pytest.raises(TypeError, match=f"{name} is 'x', must be True or False"):
            tridap.check(whole(3), **{name: "x"})
    assert tridap.check(line_of(comm), comm, trust_extent=np.False_, raise_on_error=1).ok


def test_a_report_as_html_escapes_what_an_array_says():
    axis = {"dist_type": "b", "size": 2, "proc_grid_size": 1, "proc_grid_rank": 0, "start": "<i>0</i>", "stop": 2}
    html = tridap.check({"__version__": "0.10.0", "buffer": np.zeros(2), "dim_data": (axis,)})._repr_html_()
    assert "&lt;i&gt;0" in html and "<i>" not in html
