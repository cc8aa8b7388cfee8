"""NumPy's reductions of elements in the memory of a GPU, by kernels there."""

import math

import numpy as np

from . import _core

_KERNELS = {np.sum: "sum", np.prod: "product", np.min: "smallest", np.max: "largest", np.all: "every", np.any: "some",
    np.dot: "dot", np.vdot: "vdot"}


class OnDevice:
    """The elements of this process that count. NumPy's reductions to one element have the types of NumPy's results.

    Other functions of NumPy are refused. `kept` is by axis of the interior: the indices that count, or None for all; None: all.
    The kernels wait for the work on `stream`, a number as in `__dlpack__`.
    """

    def __init__(self, array, kept, stream):
        self.array, self.part, self.kept, self.stream = array, array.interior, kept or (None,) * array.ndim, stream
        self.dtype = array.dtype
        self.shape = tuple(extent if list is None else len(list) for extent, list in zip(self.part.shape, self.kept))
        self.size = math.prod(self.shape)

    def reduced(self, kernel, dtype, *others):
        """A NumPy scalar. `others`: the second array of a product."""
        parts = self.part, *(other.part for other in others)
        return _core._reduced_on_device(kernel, parts, self.kept, np.dtype(dtype), self.stream)[()]

    def __array_function__(self, function, types, args, options):
        kernel = _KERNELS.get(function)
        if function is np.linalg.norm:
            kernel = "magnitudes" if args[1] == 1 else "largest_magnitude"
        if kernel is None:
            _core._refuse_on_device(self.array)
        like = function(*(np.ones(1, given.dtype) if isinstance(given, OnDevice) else given for given in args), **options)
        return self.reduced(kernel, like.dtype, *(given for given in args[1:] if isinstance(given, OnDevice)))
