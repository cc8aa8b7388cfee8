"""What one process gets wrong is told to all of them, in the same words, and leaves everything usable."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import tridap
from mpi4py import MPI
from producers import line_of
from systems import local_rows, matrix, whole

N = 12  # every process of 1, 2, 3, 4 and 6 has some


class Raises:
    def __distarray__(self):
        raise RuntimeError("nothing here")


class Petsc:
    """What a petsc4py.PETSc.Mat answers."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns

    def getValuesCSR(self):
        return self.rows.indptr, self.rows.indices, self.rows.data

    def getSizes(self):
        return (self.rows.shape[0], self.columns), (self.rows.shape[0], self.columns)


class Case:
    """A system, of which the last process may get something wrong."""

    def __init__(self, comm):
        self.comm = comm
        self.bad = comm.rank == comm.size - 1
        self.dist = tridap.distribution((N,), ("b",))
        self.rows = local_rows(matrix(N), self.dist, comm.rank)
        self.A = tridap.Matrix(self.rows, self.dist)
        self.b = tridap.from_function(self.dist, lambda i: 1.0 + i % 5)

    def one(self, wrong, right):
        return wrong if self.bad else right

    def solve(self, **wrong):
        return tridap.solve(self.A, self.b, **{key: self.one(*pair) for key, pair in wrong.items()})

    def over(self, buffer):
        return {"__version__": "0.10.0", "buffer": buffer, "dim_data": self.dist.dim_data(self.comm.rank)}

    def array(self, shape, dist, dtype=float, comm=None):
        return tridap.from_function(tridap.distribution(shape, dist), lambda i: 1 + i, dtype=dtype, comm=comm)

    def overlapping(self):
        count = len(self.dist.indices(self.comm.rank)[0])
        memory = np.ones(2 * count)
        return tridap.solve(self.A, self.over(memory[:count]), self.over(memory[count // 2:count // 2 + count]))

    def read_only(self):
        memory = np.zeros(self.dist.local_shape(self.comm.rank))
        memory.flags.writeable = not self.bad
        return self.over(memory)

    def matrix(self, local=None, rows=None):
        return tridap.Matrix(self.rows if local is None else self.one(local, self.rows),
                             self.dist if rows is None else self.one(*rows), self.comm)

    def arrays(self, data=lambda d: d, indices=lambda i: i, indptr=lambda p: p):
        return self.matrix((data(self.rows.data), indices(self.rows.indices), indptr(self.rows.indptr)))

    def longer(self):
        dist = tridap.distribution((N + 1,), ("b",))
        return tridap.Matrix(local_rows(matrix(N + 1), dist, self.comm.rank), dist)

    def reversed(self):
        comm = self.comm.Split(0, key=-self.comm.rank)
        try:
            return tridap.solve(self.A, self.array((N,), ("b",), comm=comm))
        finally:
            comm.Free()


MUELU = dict(preconditioner=("muelu", "muelu"))
IFPACK2 = dict(preconditioner=("ifpack2", "ifpack2"))
REFUSED = {
    "b None": (lambda c: tridap.solve(c.A, c.one(None, c.b)), "b is of type NoneType, which has no __distarray__"),
    "b NumPy": (lambda c: tridap.solve(c.A, np.ones(N)), "b is a NumPy array, which does not say which part.*tridap.array.b, A.distribution, A.comm"),
    "b raises": (lambda c: tridap.solve(c.A, c.one(Raises(), c.b)), "RuntimeError: nothing here"),
    "b int": (lambda c: tridap.solve(c.A, c.array((N,), ("b",), c.one(int, float))), "int64"),
    "b float32": (lambda c: tridap.solve(c.A, c.array((N,), ("b",), "f4")), "float32"),
    "b longer": (lambda c: tridap.solve(c.A, c.array((N + 1,), ("b",))),
                 "axis 0.*: b has size 13, the rows of A have size 12 .conversion.: .*tridap.zeros.A.distribution"),
    "b NaN": (lambda c: tridap.solve(c.A, c.over(np.full(c.dist.local_shape(c.comm.rank), np.nan))), "must be finite"),
    "b of another": (lambda c: tridap.solve(c.A, c.one(c.array((N + 2,), ("b",)), c.b)), "b has size 14, the rows of A have size 12|agree.size"),
    "x raises": (lambda c: c.solve(x=(Raises(), None)), "RuntimeError: nothing here"),
    "x text": (lambda c: c.solve(x=("x", tridap.zeros(c.dist))), "x is of type str, which has no __distarray__"),
    "x read-only": (lambda c: tridap.solve(c.A, c.b, c.read_only()), "'x' is read-only"),
    "x is b": (lambda c: tridap.solve(c.A, c.b, c.b), "x shares memory with b, must have its own memory"),
    "x is b, directly": (lambda c: tridap.solve(c.A, c.b, c.b, method="direct"), "x shares memory with b"),
    "x overlaps b": (lambda c: c.overlapping(), "x shares memory with b"),
    "tol None": (lambda c: c.solve(tol=(None, 1e-8)), "'tol' is None, must be a number"),
    "tol text": (lambda c: c.solve(tol=("1", 1e-8)), "'tol' is '1'"),
    "tol NaN": (lambda c: c.solve(tol=(np.nan, 1e-8)), "'tol' is nan"),
    "tol negative": (lambda c: c.solve(tol=(-1e-8, 1e-8)), "'tol' is -1e-08"),
    "tol infinite": (lambda c: c.solve(tol=(np.inf, np.inf)), "tol is inf"),
    "tol differs": (lambda c: c.solve(tol=(1e-7, 1e-8)) if c.comm.size > 1 else c.solve(tol=(-1, 1)), "tol|different"),
    "two tolerances": (lambda c: c.solve(tol=(1e-8, 1e-8), rtol=(1e-8, None)), "TypeError: tol and rtol are two names|different"),
    "two preconditioners": (lambda c: c.solve(preconditioner=("muelu",) * 2, M=("muelu", None)), "preconditioner and M are two names"),
    "rtol": (lambda c: c.solve(rtol=(-1.0, 1e-8)), "'tol' is -1"),
    "atol": (lambda c: c.solve(atol=("0", 0.0)), "'atol' is '0', must be a number"),
    "atol negative": (lambda c: c.solve(atol=(-1.0, 0.0)), "'atol' is -1"),
    "atol infinite": (lambda c: c.solve(atol=(np.inf,) * 2), "atol is inf"),
    "M on other rows": (lambda c: tridap.solve(c.A, c.b, M=c.longer()), "'M' is an operator on other rows, must have the rows of A"),
    "M with options": (lambda c: c.solve(M=(c.A,) * 2, preconditioner_options=({"a": 1},) * 2), "an operator takes none"),
    "M of a direct solve": (lambda c: c.solve(method=("direct",) * 2, M=(c.A,) * 2), "'direct' takes none"),
    "option of Belos": (lambda c: c.solve(method=("gcrodr",) * 2, options=({"Num Recycled Block": 3},) * 2),
                        "'Num Recycled Block' is unknown, must be one of .*did you mean 'Num Recycled Blocks'"),
    "option of Belos of another type": (lambda c: c.solve(method=("gcrodr",) * 2, options=({"Num Blocks": "3"},) * 2),
                                        "'Num Blocks' is of type .*must be of type int"),
    "option of Belos that is ours": (lambda c: c.solve(method=("minres",) * 2, options=({"Maximum Iterations": 3},) * 2),
                                     "'Maximum Iterations' is not taken.*use tol and maxiter"),
    "M of LSQR": (lambda c: c.solve(method=("lsqr",) * 2, **IFPACK2), "'LSQR' has a preconditioner, must have none"),
    "maxiter": (lambda c: c.solve(maxiter=(-1, 10)), "'maxiter' is -1"),
    "maxiter fraction": (lambda c: c.solve(maxiter=(1.5, 10)), "'maxiter' is 1.5, must be an integer"),
    "maxiter huge": (lambda c: c.solve(maxiter=(1 << 40, 10)), "'maxiter' is 1099511627776"),
    "method": (lambda c: c.solve(method=("lu", "cg")), "'method' is 'lu', must be 'cg', 'gmres', 'direct', or a name of Belos"),
    "method of Belos": (lambda c: c.solve(method=("bicstab", "cg")), "'method' is 'bicstab'.*did you mean 'BICGSTAB'.*"),
    "method None": (lambda c: c.solve(method=(None, "cg")), "'method' is 'None'"),
    "methods": (lambda c: c.solve(method=("direct", "cg"), options=({"Num": 1}, None)), "direct|different"),
    "preconditioner": (lambda c: c.solve(preconditioner=("ilu", "ilu")), "'preconditioner' is 'ilu', must be 'muelu', 'ifpack2', .*did you mean 'riluk'"),
    "preconditioner of one": (lambda c: c.solve(preconditioner=("mulu", "muelu")), "'mulu', must be .*did you mean 'muelu'"),
    "schwarz": (lambda c: c.solve(M=("schwarz",) * 2, preconditioner_options=({"overlap level": 2},) * 2),
                "schwarz did not read 'overlap level'; did you mean 'schwarz: overlap level'"),
    "inner preconditioner": (lambda c: c.solve(M=("schwarz",) * 2, preconditioner_options=(
        {"inner preconditioner parameters": {"fact: iluk level of fill": 2}},) * 2),
        "RILUK did not read 'fact: iluk level of fill'; did you mean 'fact: iluk level-of-fill'"),
    "direct with one": (lambda c: c.solve(method=("direct", "direct"), **MUELU), "'direct' takes none"),
    "options list": (lambda c: c.solve(options=([1], None)), "'options' is .*, must be a dict"),
    "options unknown": (lambda c: c.solve(options=({"Blocks": 3},) * 2), "'Blocks' is unknown"),
    "options unread": (lambda c: c.solve(method=("direct",) * 2, options=({"Num Blocks": 3},) * 2), "takes none"),
    "options of one": (lambda c: c.solve(options=({"Blocks": 3}, None)), "unknown|different options"),
    "option array": (lambda c: c.solve(options=({"Num Blocks": np.arange(3)}, {})), "parameter list"),
    "option number": (lambda c: c.solve(options=({3: 3}, {})), "names that are text"),
    "option huge": (lambda c: c.solve(options=({"Num Blocks": 1 << 33}, {})), "32 bits"),
    "muelu": (lambda c: c.solve(preconditioner_options=({"smother: type": "x"},) * 2, **MUELU), "MueLu: .*smother"),
    "ifpack2": (lambda c: c.solve(preconditioner_options=({"degree": 2},) * 2, **IFPACK2), "did not read 'degree'"),
    "ifpack2 type": (lambda c: c.solve(preconditioner_options=({"type": "X"},) * 2, **IFPACK2), "Ifpack2: .*\"X\""),
    "ilut": (lambda c: c.solve(M=("ilut",) * 2, preconditioner_options=({"drop tolerance": 1e-3},) * 2),
             "ilut did not read 'drop tolerance'; did you mean 'fact: drop tolerance'"),
    "options without": (lambda c: c.solve(preconditioner_options=({"a": 1}, None)), "there is no preconditioner"),
    "callback": (lambda c: c.solve(callback=(5, None)), "'callback' is 5, must be a function"),
    "copy": (lambda c: c.solve(copy=("maybe", None)), "'copy' is .maybe., must be None or False"),
    "raise_on_failure": (lambda c: c.solve(raise_on_failure=("yes", True)), "raise_on_failure is 'yes', must be True or"),
    "raise_on_failure of one": (lambda c: c.solve(raise_on_failure=(True, False)) if c.comm.size > 1 else c.solve(tol=(-1, 1)),
                                "raise_on_failure is True on some processes only|tol"),
    "progress": (lambda c: tridap.solve(c.A, c.b, progress=np.ones(2) if c.comm.rank == 0 else None), "ambiguous"),
    "other communicator": (lambda c: c.reversed() if c.comm.size > 1 else c.solve(tol=(-1, 1)), "grid|order|tol"),
    "no rows": (lambda c: tridap.Matrix(c.one(None, c.rows), c.dist), "the rows are of type NoneType"),
    "rows of None": (lambda c: c.matrix(rows=(None, c.dist)), "has no __distarray__"),
    "rows of None beside arrays": (lambda c: c.matrix(rows=(None, c.b)), "has no __distarray__"),
    "rows of what raises": (lambda c: c.matrix(rows=(Raises(), c.b)), "RuntimeError: nothing here"),
    "rows of more": (lambda c: c.matrix(rows=(tridap.distribution((N,), ("b",), processes=c.comm.size + 1), c.dist)),
                     "proc_grid_size|grid"),
    "rows too few": (lambda c: c.matrix(sp.csr_matrix((0, N))), "the matrix has 0 rows"),
    "columns of one process": (lambda c: c.matrix(c.rows[:, :1]), "has 1 columns.*must have 12, as many as the whole array has elements"),
    "shape": (lambda c: tridap.Matrix((c.rows.data, c.rows.indices, c.rows.indptr), c.dist, shape=c.one((1, N), c.rows.shape)
                                      if c.rows.shape[0] != 1 else (1, 5)), "the matrix has [15] (rows|columns)"),
    "shape text": (lambda c: tridap.Matrix(c.rows, c.dist, shape="ab"), "'shape' is \"ab\", must be two integers"),
    "rows NumPy": (lambda c: c.matrix(c.rows.toarray()), "of type ndarray, must be a scipy.sparse matrix, CSR .*getValuesCSR, such as"),
    "rows of PETSc too wide": (lambda c: c.matrix(Petsc(c.rows, N + 1)), "the matrix has 13 columns"),
    "rows of PETSc that raise": (lambda c: c.matrix(Petsc(None, N)), "AttributeError"),
    "rows of two": (lambda c: c.matrix((c.rows.data, c.rows.indices)), "three CSR arrays"),
    "columns": (lambda c: c.arrays(indices=lambda i: np.full_like(i, N)), "column 12, must be the number of an element"),
    "negative": (lambda c: c.arrays(indices=lambda i: np.full_like(i, -1)), "column -1"),
    "complex": (lambda c: c.arrays(data=lambda d: d * 1j if c.bad else d),
                "the rows are complex128, must be real.*scipy.sparse.bmat.*tridap.petsc.import_array.*import_vector<std::complex"),
    "complex rows": (lambda c: c.matrix(c.rows.astype("c8")), "the rows are complex64, must be real"),
    "complex new values": (lambda c: c.A.update_values(c.one(c.rows * 1j, c.rows)), "the rows are complex128, must be real"),
    "text": (lambda c: c.arrays(data=lambda d: d.astype(str)), "the rows are <U32, must be float64"),
    "long double": (lambda c: c.arrays(data=lambda d: d.astype(np.longdouble)),
                    r"the rows are float128, must be float64.*rows.astype\(float\)"),
    "2-D": (lambda c: c.arrays(data=lambda d: d.reshape(1, -1)), "one-dimensional"),
    "floats": (lambda c: c.arrays(indices=lambda i: i * 1.0), "'indices' is float64"),
    "small": (lambda c: c.arrays(indptr=lambda p: p.astype("i2")), "'indptr' is int16"),
    "swapped": (lambda c: c.arrays(indices=lambda i: i.astype(">i4")), "'indices' is >i4"),
    "short": (lambda c: c.arrays(data=lambda d: d[:-1]), "values"),
    "NaN": (lambda c: c.arrays(data=lambda d: d * np.nan), "nan, must be finite"),
    "descending": (lambda c: c.arrays(indptr=lambda p: p[::-1]), "first row starts"),
    "matvec": (lambda c: tridap.LinearOperator(c.one(None, print), c.dist), "'matvec' is None, must be a function"),
    "operator rows": (lambda c: tridap.LinearOperator(print, c.one(None, c.dist), c.comm), "has no __distarray__"),
    "operator muelu": (lambda c: tridap.solve(tridap.LinearOperator(print, c.dist), c.b, preconditioner="muelu"),
                       "has no matrix"),
    "operator direct": (lambda c: tridap.solve(tridap.LinearOperator(print, c.dist), c.b, method="direct"), "has no matrix"),
    "singular": (lambda c: tridap.solve(tridap.Matrix(c.rows * 0, c.dist), c.b, method="direct"), "singular"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_one_bad_process_is_refused_by_all_in_the_same_words(comm, name, capfd):
    case = Case(comm)
    attempt, words = REFUSED[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(tridap.ProtocolError, match=words) as raised:
            attempt(case)
    assert len(set(comm.allgather(str(raised.value)))) == 1
    assert not raised.value.report.ok
    assert capfd.readouterr() == ("", "")
    good = Case(comm)  # and everything goes on
    result = tridap.solve(good.A, good.b, tol=1e-12)
    np.testing.assert_allclose(whole(comm, good.dist, result.x.local), np.linalg.solve(matrix(N), 1.0 + np.arange(N) % 5),
                               atol=1e-10)


def test_rows_may_be_said_by_a_distribution_or_an_array(comm):
    good = Case(comm)
    A = tridap.Matrix(good.rows, good.one(good.dist, good.b), comm)
    assert tridap.solve(A, good.b).converged
    assert tridap.Matrix(good.rows, good.over(good.b.local)).comm == MPI.COMM_WORLD


def test_the_cause_is_what_was_raised_here(comm):
    case = Case(comm)
    with pytest.raises(tridap.ProtocolError) as raised:
        tridap.solve(case.A, case.one(Raises(), case.b))
    assert isinstance(raised.value.__cause__, RuntimeError) == case.bad


def test_what_is_no_communicator_is_a_type_error(comm):
    with pytest.raises(TypeError, match="comm is of type int, must be an mpi4py communicator"):
        tridap.Matrix(sp.eye(1), Case(comm).b, 5)


KINDS = [tridap.Matrix, tridap.LinearOperator]


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_never_initialised_is_a_type_error(kind):
    empty = kind.__new__(kind)
    for use in (lambda: empty.distribution, lambda: empty.comm, lambda: empty @ line_of(MPI.COMM_WORLD),
                lambda: tridap.solve(empty, line_of(MPI.COMM_WORLD))):
        with pytest.raises(TypeError, match=f"{kind.__name__}.* was never initialised: call"):
            use()


def uses(kind, thing):
    """What may be asked of a matrix or an operator, asked of any object."""
    return lambda: kind.comm.fget(thing), lambda: kind.distribution.fget(thing), lambda: kind._solve(thing, dict), lambda: kind._multiply(thing, None, None)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_neither_matrix_nor_operator_is_a_type_error(kind):
    dist = tridap.distribution(N, "b", processes=1)
    others = {tridap.Matrix: tridap.LinearOperator(lambda x, y: None, dist), tridap.LinearOperator: tridap.Matrix(sp.eye(N), dist)}
    for wrong in 5, None, object(), others[kind], dist:
        for use in uses(kind, wrong):
            with pytest.raises(TypeError, match=f"must be a tridap.{kind.__name__}, not a "):
                use()
        if wrong is not others[kind]:
            with pytest.raises(TypeError, match="A is .*, must be a Matrix or a LinearOperator"):
                tridap.solve(wrong, line_of(MPI.COMM_WORLD))


def test_a_half_initialised_matrix_and_operator_is_refused():
    both = type("Both", (tridap.Matrix, tridap.LinearOperator), {})
    half = both.__new__(both)
    tridap.Matrix.__init__(half, sp.eye(N), tridap.distribution(N, "b", processes=1))
    assert tridap.Matrix.distribution.fget(half).shape == (N,)
    for use in uses(tridap.LinearOperator, half):
        with pytest.raises(TypeError, match="never initialised"):
            use()


def test_a_right_hand_side_over_another_grid_is_refused(comm):
    rows = tridap.distribution((2 * comm.size, 2 * comm.size), ("b", "*"), processes=comm.size)
    columns = tridap.distribution((2 * comm.size, 2 * comm.size), ("*", "b"), processes=comm.size)
    if comm.size == 1:
        pytest.skip("one process has one grid")
    A = tridap.LinearOperator(lambda x, y: None, rows, comm)
    with pytest.raises(tridap.ProtocolError, match=f"b has proc_grid_size 1, the rows of A have proc_grid_size {comm.size}"):
        tridap.solve(A, tridap.zeros(columns, comm=comm))
