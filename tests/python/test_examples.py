"""Examples in Python: the heights by another way; each claim, broken, ends every process with status 1."""

import pathlib
import runpy
import sys

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
import tridap

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"
SMALL = {"01_terrain": ["--steps", "2"], "02_fields_between_libraries": [], "03_matrix_free": ["--size", "20"]}
FFT = ["--size", "12", "--repeats", "2"]  # of 07_fft, which solves nothing


@pytest.fixture
def example(monkeypatch, folder, tmp_path):
    """Runs an example in this process, on a terrain of 24 x 31 cells."""
    lines = (EXAMPLES.parent / "data" / "jacksboro.asc").read_text().splitlines()
    small = ["ncols 31", "nrows 24"] + lines[2:6] + [" ".join(line.split()[100:131]) for line in lines[106:130]]
    (tmp_path / "small.asc").write_text("\n".join(small) + "\n")

    def run(name, *arguments):
        monkeypatch.syspath_prepend(str(EXAMPLES))
        defaults = SMALL.get(name, FFT)
        if name == "01_terrain":
            defaults = [*defaults, "--elevation", str(tmp_path / "small.asc"), "--output", str(folder / "terrain.png")]
        monkeypatch.setattr(sys, "argv", [str(EXAMPLES / f"{name}.py"), *defaults, *arguments])
        return runpy.run_path(sys.argv[0], run_name="__main__")

    return run


def fails(example, name, says, capfd, comm, *arguments):
    """All processes end with the status 1, and the first says why."""
    capfd.readouterr()
    with pytest.raises(SystemExit) as end:
        example(name, *arguments)
    assert end.value.code == 1
    assert capfd.readouterr().err == (f"{name}: {says}\n" if comm.rank == 0 else "")


def changed(monkeypatch, change):
    """Lets a function meddle with what a solve returns."""
    solve = tridap.solve

    def meddled(A, b, x=None, **how):
        result = solve(A, b, x, **how)
        change(result)
        return result

    monkeypatch.setattr(tridap, "solve", meddled)


@pytest.mark.parametrize("name", SMALL)
def test_all_claims_hold(example, name):
    example(name)


@pytest.mark.parametrize("name", SMALL)
def test_one_process_that_copies_fails_every_process(example, name, monkeypatch, capfd, comm):
    changed(monkeypatch, lambda result: setattr(result, "bytes_copied", 8 * (comm.rank == comm.size - 1)))
    fails(example, name, "the solver did not work in the memory that it was given", capfd, comm)


@pytest.mark.parametrize("name", SMALL)
def test_an_answer_elsewhere_on_one_process_fails_every_process(example, name, monkeypatch, capfd, comm):
    class Elsewhere:
        def __init__(self, x):
            self.local = x.local.copy()

    changed(monkeypatch, lambda result: comm.rank == 0 and setattr(result, "x", Elsewhere(result.x)))
    fails(example, name, "the solver did not work in the memory that it was given", capfd, comm)


@pytest.mark.parametrize("name", SMALL)
def test_a_large_residual_is_refused(example, name, monkeypatch, capfd, comm):
    changed(monkeypatch, lambda result: setattr(result, "residual", 1e-3))
    fails(example, name, "a residual is too large", capfd, comm)


@pytest.mark.parametrize("name, says", [("01_terrain", "mass was not kept"),
                                        ("02_fields_between_libraries", "the plate does not have the solution"),
                                        ("03_matrix_free", "the matrix gives another solution")])
def test_a_wrong_answer_on_one_process_is_refused(example, name, says, monkeypatch, capfd, comm):
    solves = []

    def spoil(result):
        solves.append(result)
        if comm.rank == 0 and len(solves) == 1:
            result.x.local[...] *= 1.01

    changed(monkeypatch, spoil)
    fails(example, name, says, capfd, comm)


def test_a_broken_library_that_is_taken_is_a_failure(example, monkeypatch, capfd, comm):
    asarray = tridap.asarray
    monkeypatch.setattr(tridap, "asarray", lambda obj, comm=None: asarray(obj) if comm is None else None)
    fails(example, "02_fields_between_libraries", "the wrong call did not raise an error on every process", capfd, comm)


def test_transforms_and_moves_of_pencils(example, capfd, comm):
    pytest.importorskip("mpi4py_fft")
    example("07_fft")


def wrong_transform(monkeypatch, comm):
    plan = pytest.importorskip("mpi4py_fft").PFFT

    class Wrong(plan):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            backward = self.backward
            self.backward = lambda hat, u: (backward(hat, u), comm.rank == 0 and u.v.__imul__(1.01))

    monkeypatch.setattr("mpi4py_fft.PFFT", Wrong)


def wrong_move(monkeypatch, comm):
    class Wrong(tridap.Redistribution):
        def __call__(self, x, out=None):
            moved = super().__call__(x, out)
            if comm.rank == 0:
                moved.local[0, 0, 0] += 1e-9
            return moved

    monkeypatch.setattr(tridap, "Redistribution", Wrong)


def wrong_memory(monkeypatch, comm):
    fft = pytest.importorskip("tridap.mpi4py_fft")
    export = fft.export_array

    def copied(u, comm=None):
        return export(u.copy() if np.iscomplexobj(u) else u, comm)

    monkeypatch.setattr(fft, "export_array", copied)


@pytest.mark.parametrize("spoil, says", [(wrong_transform, "the wave did not decay as it must"),
                                         (wrong_move, "TriDAP and mpi4py-fft moved the elements to different places"),
                                         (wrong_memory, "mpi4py-fft does not have the memory of the array")])
def test_a_wrong_transform_move_or_memory_is_refused(example, spoil, says, monkeypatch, capfd, comm):
    spoil(monkeypatch, comm)
    fails(example, "07_fft", says, capfd, comm)


@pytest.mark.parametrize("name, module, debian", [("05_petsc", "petsc4py", "python3-petsc4py"),
                                                  ("06_dolfinx", "dolfinx", "python3-dolfinx"),
                                                  ("07_fft", "mpi4py_fft", "python3-mpi4py-fft")])
def test_an_example_without_its_library_on_one_process_says_so(example, name, module, debian, monkeypatch, capfd, comm):
    if comm.rank == comm.size - 1:
        monkeypatch.setitem(sys.modules, module, None)
    fails(example, name, f"this example needs the Python module {module}: apt-get install {debian}", capfd, comm)


def test_a_grid_of_other_processes_is_refused(example, capfd, comm):
    fails(example, "01_terrain", f"the grid has 35 processes, but processes is {comm.size} [conversion]: give only one of them", capfd, comm, "--grid", "7x5")


def test_a_picture_that_the_first_process_cannot_write_ends_all(example, capfd, comm):
    fault = "[Errno 2] No such file or directory: 'nowhere/x.npy'"
    fails(example, "01_terrain", fault, capfd, comm, "--save", "nowhere/x.npy")


def test_a_hole_in_the_part_of_one_process_ends_all(example, tmp_path, capfd, comm):
    path = tmp_path / "hole.asc"
    lines = ["ncols 31", "nrows 24", "xllcorner 0", "yllcorner 36", "cellsize 0.001", "NODATA_value -9999"]
    path.write_text("\n".join(lines + ["1 " * 31] * 23 + ["1 " * 30 + "-9999"]))
    layout = tridap.distribution((24, 31), processes=comm.size)
    rows = layout.indices(layout.owner(23, 30))[0]
    path = comm.bcast(str(path), layout.owner(23, 30))
    fails(example, "01_terrain", f"{path}: rows {rows[0]} to {rows[-1]} have cells without an elevation", capfd, comm,
          "--elevation", path)


def test_a_wrong_option_is_told_once(example, capfd, comm):
    capfd.readouterr()
    with pytest.raises(SystemExit) as end:
        example("01_terrain", "--steps", "-1")
    assert end.value.code == 2
    assert ("argument --steps" in capfd.readouterr().err) == (comm.rank == 0)


def one_axis(cells, k):
    """-k D2 on an axis with no flux through its ends."""
    ends = np.ones(cells)
    ends[1:-1] = 2
    return scipy.sparse.diags([-k * np.ones(cells - 1), k * ends, -k * np.ones(cells - 1)], [-1, 0, 1])


def test_heights_are_those_of_another_way(example, comm, folder):
    """LU of SciPy, of a matrix made of two axes, on a grid whose cells' sides are those of the example in C++."""
    example("01_terrain", "--steps", "3", "--elevation", str(EXAMPLES.parent / "data" / "jacksboro.asc"), "--save",
            str(folder / "last.npy"))
    if comm.rank == 0:
        heights = np.loadtxt(EXAMPLES.parent / "data" / "jacksboro.asc", skiprows=6)
        down, across = (one_axis(cells, 1e4 / side**2)
                        for cells, side in zip(heights.shape, (92.47052150108668, 74.84801215030205)))
        step = scipy.sparse.identity(heights.size) + scipy.sparse.kronsum(across, down)
        factors = scipy.sparse.linalg.splu(step.tocsc())
        for _ in range(3):
            heights = factors.solve(heights.ravel()).reshape(heights.shape)
        assert np.abs(np.load(folder / "last.npy") - heights).max() <= 1e-8
