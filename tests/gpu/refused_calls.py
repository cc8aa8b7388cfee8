"""Calls with an array in memory of a GPU, by name: tests/python/gpu_memory makes them over a stand-in for the driver, tests/gpu on
a real GPU.

REFUSED_CALLS would read or write its elements: each is refused by an error that names the copy on the host. Those in LOCAL_CALLS
are not collective. VIEWS are over the same memory: they need the addresses alone. REDUCTIONS are
made by kernels, of numbers with exact results.
"""

import copy

import numpy as np
import tridap

NEEDS = {"save": "hdf5", "scalapack": "scalapack", "solve": "solvers", "multiply": "solvers", "matrix": "solvers",
    "eigsh": "solvers"}


def _identity(x):
    return tridap.LinearOperator(lambda y, z: None, x.distribution, x.comm)


def _rows(x, values):
    rows = x.distribution.indices(x.process)[0]
    return values, rows, np.arange(len(rows) + 1)


def _matrix(x, values=None):
    """The unit matrix whose rows are those of x, or a diagonal one of this process's values."""
    line = x[:, 0]
    rows = _rows(line, np.ones(x.local.shape[0]) if values is None else values)
    return tridap.Matrix(rows, line.distribution, x.comm)


def _grid(x):
    return tridap.scalapack.ProcessGrid(x.distribution.processes, 1, x.comm)


def _assign(x, key, value):
    x[key] = value


def _host(x):
    """A new array on the host."""
    return tridap.zeros(x.distribution, comm=x.comm)


def _assign_local(x, key, value):
    x.local[key] = value


LOCAL_CALLS = {
    "add": lambda x: x + 1, "add itself": lambda x: x + x, "add to the host's": lambda x: _host(x) + x,
    "add of NumPy's": lambda x: np.ones(4) + x, "iadd": lambda x: x.__iadd__(1), "out": lambda x: np.add(_host(x), 1, out=x),
    "sin": lambda x: np.sin(x), "where": lambda x: np.where(x, x, 0), "less": lambda x: x < 1, "negative": lambda x: -x,
    "copy": lambda x: x.copy(), "copy.copy": copy.copy, "deepcopy": copy.deepcopy, "astype": lambda x: x.astype("f4"),
    "imag": lambda x: x.imag, "conj": lambda x: x.conj(), "flatten": lambda x: x[:, 0].flatten(),
    "assign": lambda x: _assign(x, ..., 0), "assign slice": lambda x: _assign(x, np.s_[:, 1:2], 0),
    "assign mask": lambda x: _assign(x, _host(x) == 0, 0), "assign to the host's": lambda x: _assign(_host(x), ..., x),
    "copyto": lambda x: np.copyto(_host(x), x), "fill": lambda x: x.fill(0), "clip": lambda x: x.clip(0, 1),
    "round": lambda x: x.round(), "memoryview": lambda x: memoryview(x), "asarray": lambda x: np.asarray(x),
    "array": lambda x: np.array(x), "zeros_like": lambda x: np.zeros_like(x), "full_like": lambda x: np.full_like(x, 1),
    "isclose": lambda x: np.isclose(x, x), "nan_to_num": lambda x: np.nan_to_num(x),
    "shares_memory": lambda x: np.shares_memory(x, x), "sin of local": lambda x: np.sin(x.local),
    "sum of local": lambda x: np.sum(x.local), "add of local": lambda x: x.local + 1, "add to local": lambda x: 1 + x.local,
    "iadd of local": lambda x: _assign_local(x, ..., x.local + 1), "equal to local": lambda x: x.local == 1,
    "not equal to local": lambda x: x.local != 1, "product of local": lambda x: x.local @ x.local,
    "bool of local": lambda x: bool(x.local), "float of local": lambda x: float(x.local), "in local": lambda x: 1 in x.local,
    "asarray of local": lambda x: np.asarray(x.local), "element of local": lambda x: x.local[0, 0],
    "mask of local": lambda x: x.local[np.ones(4, bool)], "list of local": lambda x: x.local[[0, 1]],
    "row of bool of local": lambda x: x.local[True], "assign to local": lambda x: _assign_local(x, 0, 1),
    "copy of local": lambda x: x.local.copy(), "tolist of local": lambda x: x.local.tolist(),
    "partitioned": lambda x: np.asarray(x.__partitioned__["get"](x.__partitioned__["partitions"][(x.process, 0)]["data"])),
    "scalapack export": lambda x: tridap.scalapack.export_array([1] + 8 * [0], x.local, _grid(x)),
}

REFUSED_CALLS = {
    **LOCAL_CALLS,
    "var": lambda x: x.var(), "std": lambda x: x.std(), "argmax": lambda x: x.argmax(), "argmin": lambda x: x.argmin(),
    "sum of an axis": lambda x: x.sum(axis=1), "mean of an axis": lambda x: x.mean(axis=1),
    "norm of an axis": lambda x: x.norm(axis=1), "var of an axis": lambda x: x.var(axis=1),
    "max of an axis": lambda x: x.max(axis=1), "all of an axis": lambda x: x.all(axis=1),
    "sum as whole numbers": lambda x: x.sum(dtype=int), "sum as float16": lambda x: x.sum(dtype="f2"),
    "allclose": lambda x: np.allclose(x, x), "array_equal": lambda x: np.array_equal(_host(x), x),
    "array_equal itself": lambda x: np.array_equal(x, x), "element": lambda x: x[1, 2],
    "plot": lambda x: x.plot(), "plot of a line": lambda x: x[:, 0].plot(),
    "save": lambda x: tridap.save("unused.h5", {"x": x}),
    "save attribute": lambda x: tridap.save("unused.h5", {"x": _host(x)}, {"a": x.local}),
    "scalapack eigh": lambda x: tridap.scalapack.eigh(x), "scalapack solve": lambda x: tridap.scalapack.solve(x, x),
    "scalapack cholesky": lambda x: tridap.scalapack.cholesky(x), "scalapack svd": lambda x: tridap.scalapack.svd(x),
    "scalapack qr": lambda x: tridap.scalapack.qr(x), "scalapack lstsq": lambda x: tridap.scalapack.lstsq(x, x),
    "scalapack matmul": lambda x: tridap.scalapack.matmul(x, x), "scalapack product": lambda x: _host(x) @ x,
    "scalapack import": lambda x: tridap.scalapack.import_array(x, _grid(x)), "solve": lambda x: tridap.solve(_identity(x), x),
    "solve of a matrix": lambda x: tridap.solve(_matrix(x), x[:, 0]),
    "solve of columns": lambda x: tridap.solve(_matrix(x), x, method="direct"),
    "solve into it": lambda x: tridap.solve(_matrix(x), _host(x), x), "multiply": lambda x: _identity(x) @ x,
    "multiply by a matrix": lambda x: _matrix(x) @ x, "multiply transposed": lambda x: _matrix(x).T @ x,
    "eigsh": lambda x: tridap.eigsh(_matrix(x), 1, v0=x[:, 0]), "eigsh into it": lambda x: tridap.eigsh(_matrix(x), 4, X=x),
    "matrix": lambda x: _matrix(x, x.local[:, 0]),
    "matrix update": lambda x: _matrix(x).update_values(_rows(x[:, 0], x.local[:, 0])),
}
REFUSED_CALLS = {name: call for name, call in REFUSED_CALLS.items()
                 if name.split()[0] not in NEEDS or tridap.components()[NEEDS[name.split()[0]]].built}

REDUCTIONS = {
    "sum": lambda x: x.sum(), "prod": lambda x: x.prod(), "mean": lambda x: x.mean(), "max": lambda x: x.max(), "min": lambda x: x.min(),
    "all": lambda x: x.all(), "any": lambda x: x.any(), "norm": lambda x: x.norm(), "norm in one order": lambda x: x[:, 1].norm(1),
    "largest norm": lambda x: x[:, 1].norm(np.inf), "Frobenius norm": lambda x: x.norm("fro"), "dot": lambda x: x.dot(x),
    "vdot": lambda x: x.vdot(x), "np.sum": lambda x: np.sum(x), "np.vdot": lambda x: np.vdot(x, x), "linalg.norm": lambda x: np.linalg.norm(x),
    "keepdims": lambda x: x.sum(keepdims=True), "both axes": lambda x: x.max(axis=(0, 1)), "of a slice": lambda x: x[1:, ::-2].sum(),
    "of nothing": lambda x: x[:, 3:3].sum(), "dtype": lambda x: x.sum(dtype=complex), "of one column": lambda x: x[:, 2].min(),
}

VIEWS = {
    "slice": lambda x: x[1:], "step": lambda x: x[::2], "from the end": lambda x: x[::-1, ::-2], "columns": lambda x: x[:, 1:3],
    "one column": lambda x: x[:, 2], "a column from the end": lambda x: x[..., -1], "new axis": lambda x: x[:, None, 1:],
    "empty": lambda x: x[:, 3:3], "all": lambda x: x[...], "slice of a slice": lambda x: x[1:, ::2][::-1],
    "reshape": lambda x: x.reshape(-1, 1, 4), "squeeze": lambda x: x[:, 1:2].squeeze(1),
    "expand_dims": lambda x: np.expand_dims(x, 1), "ravel": lambda x: x[:, 0].ravel(),
    "transpose": lambda x: x[:, :, None].transpose(0, 2, 1), "T": lambda x: x[:, 1].T, "real": lambda x: x.real,
}
