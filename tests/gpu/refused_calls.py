"""Calls that cannot use memory of a GPU, by name: each is refused by an error that names x.to("cpu").

tests/python/gpu_memory makes them over a stand-in for the driver, and tests/gpu on a real GPU.
"""

import numpy as np
import tridap

NEEDS = {"save": "hdf5", "scalapack": "scalapack", "solve": "solvers", "multiply": "solvers"}


def _identity(x):
    return tridap.LinearOperator(lambda y, z: None, x.distribution, x.comm)


REFUSED_CALLS = {
    "sum": lambda x: x.sum(), "mean": lambda x: x.mean(), "norm": lambda x: x.norm(), "max": lambda x: x.max(),
    "argmax": lambda x: x.argmax(), "dot": lambda x: x.dot(x), "add": lambda x: x + 1, "add itself": lambda x: x + x,
    "iadd": lambda x: x.__iadd__(1), "sin": lambda x: np.sin(x), "where": lambda x: np.where(x, x, 0), "copy": lambda x: x.copy(),
    "astype": lambda x: x.astype("f4"), "real": lambda x: x.real, "conj": lambda x: x.conj(), "element": lambda x: x[1, 2],
    "slice": lambda x: x[1:2], "assign": lambda x: x.__setitem__(..., 0), "fill": lambda x: x.fill(0), "clip": lambda x: x.clip(0, 1),
    "asarray": lambda x: np.asarray(x), "asarray of local": lambda x: np.asarray(x.local),
    "sin of local": lambda x: np.sin(x.local), "sum of local": lambda x: np.sum(x.local), "element of local": lambda x: x.local[0],
    "memoryview": lambda x: memoryview(x), "zeros_like": lambda x: np.zeros_like(x), "transpose": lambda x: x.transpose(),
    "allclose": lambda x: np.allclose(x, x), "plot": lambda x: x.plot(),
    "reshape": lambda x: x.reshape(-1, 4, 1), "save": lambda x: tridap.save("unused.h5", {"x": x}),
    "scalapack": lambda x: tridap.scalapack.eigh(x), "solve": lambda x: tridap.solve(_identity(x), x), "multiply": lambda x: _identity(x) @ x,
    "ghosted": lambda x: tridap.GhostedArray.copy_of(x, []),
    "partitioned": lambda x: np.asarray(x.__partitioned__["get"](x.__partitioned__["partitions"][(x.process, 0)]["data"])),
}
REFUSED_CALLS = {name: call for name, call in REFUSED_CALLS.items()
                 if name not in NEEDS or tridap.components()[NEEDS[name]].built}
