"""A distributed array as a picture."""

import numpy as np

from . import _core
from ._agree import collective, integer, together
from ._gather import _same
from ._sample import _Axis, sampled

_LINES = 64    # borders between processes that are drawn along an axis
_LONGEST = 5   # of an image: the longer side is at most so many times the other


@collective("x.plot()")
def plot(array, ax=None, *, section=None, cells=1000, borders=True, units=None, **style):
    """See `DistArray.plot`."""
    dist, comm = array.distribution, array.comm

    def prepare():
        _core._refuse_on_device(array)
        if array.dtype.kind not in "biufc":
            raise TypeError(f"plot draws numbers, but the elements are {array.dtype}: make an array of numbers from "
                            "them")
        if section is None:
            wanted = [None if axis >= dist.ndim - 2 else "first" for axis in range(dist.ndim)]
        elif not isinstance(section, (tuple, list)):
            raise TypeError(f"section is {section!r}, must be a tuple or list with an index or None for each axis")
        else:
            wanted = [None if at is None else integer("an entry of section", at) for at in section]
        if len(wanted) != dist.ndim or sum(at is None for at in wanted) not in (1, 2):
            raise ValueError(f"section is {wanted!r}, but must have one entry for each of the {dist.ndim} axes, and "
                             "one or two of the entries must be None")
        if integer("cells", cells) < 1:
            raise ValueError(f"cells is {cells}, but must be at least 1")
        if not isinstance(units, (str, type(None))):
            raise TypeError(f"units is {units!r}, must be a text for the scale, such as \"m/s\"")
        return {"section": wanted, "cells": int(cells), "units": units, **_same(array)}

    agreed = together(comm, prepare)
    pyplot = _matplotlib(comm)
    cells, section = agreed["cells"], agreed["section"]
    axes = together(comm, lambda: [_Axis(array, axis, cells, at) for axis, at in enumerate(section)], same=False)
    whole = sampled(array, axes)

    def draw():
        if whole is None:
            return None
        on = pyplot.subplots()[1] if ax is None else ax
        _Picture(on, whole, axes, section, units).draw(borders, style)
        return on

    return together(comm, draw, same=False)  # an error of Matplotlib is raised on every process


def _matplotlib(comm):
    """matplotlib.pyplot on process 0; if it cannot be imported there, every process raises."""
    def find():
        if comm is not None and comm.rank != 0:
            return None
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise ImportError(f"plot needs matplotlib: {error}") from error
        return pyplot

    return together(comm, find, same=False)


class _Picture:
    """Draws the elements that were collected, with a scale, a caption, and the borders between processes."""

    def __init__(self, ax, whole, axes, section, units):
        self.ax = ax
        self.shown = [axis for axis, at in enumerate(section) if at is None]
        self.axes = [axes[axis] for axis in self.shown]
        self.values = whole.reshape([axis.extent for axis in self.axes])
        self.whole_numbers = whole.dtype.kind in "biu"
        self.scale = units or ""
        if whole.dtype.kind == "c":
            self.values = np.abs(self.values)
            self.scale = f"magnitude ({units})" if units else "magnitude"
        self.gaps = isinstance(whole, np.ma.MaskedArray)
        self.notes = [_slice_words(axes, section)] if len(self.shown) < len(section) else []

    def draw(self, borders, style):
        names = [f"global index of axis {axis}" for axis in self.shown]
        if self.values.size == 0:
            self.ax.text(0.5, 0.5, "no elements", transform=self.ax.transAxes, ha="center", va="center")
            self.ax.set(xticks=[], yticks=[])
            return
        if len(self.shown) == 1:
            self.line(style)
        else:
            self.image(style)
        down, across = (self.ax.yaxis, self.ax.xaxis)
        for axis, along, name in zip(self.axes, [down, across][-len(self.axes):], names):
            along.set_label_text(name)
            along.set_major_locator(_whole_numbers())
            if axis.step > 1:
                self.notes.append(f"every {_ordinal(axis.step)} index {'down' if along is down else 'across'}")
            if borders:
                self.borders(axis, along is down)
        if self.gaps:
            self.notes.append("blank: indices of no process")
        if not self.ax.get_title():
            self.ax.set_title("; ".join(self.notes), fontsize="medium")

    def line(self, style):
        axis, = self.axes
        style = {"marker": ".", **style} if self.gaps else style  # an element between gaps is no line
        self.ax.plot(axis.low + axis.step * np.arange(axis.extent), self.values, **style)
        self.ax.set_ylabel(self.scale)
        if self.whole_numbers:
            self.ax.yaxis.set_major_locator(_whole_numbers())

    def image(self, style):
        from mpl_toolkits.axes_grid1 import make_axes_locatable

        rows, columns = self.axes
        left, right = columns.low - 0.5, columns.low + columns.step * columns.extent - 0.5
        top, bottom = rows.low - 0.5, rows.low + rows.step * rows.extent - 0.5
        sides = sorted((right - left, bottom - top))
        style = {"extent": (left, right, bottom, top), "interpolation": "nearest",
                 "aspect": "equal" if sides[1] <= _LONGEST * sides[0] else "auto", **style}
        values = self.values.astype(np.uint8) if self.values.dtype.kind == "b" else self.values
        image = self.ax.imshow(values, **style)
        beside = make_axes_locatable(self.ax).append_axes("right", size="4%", pad=0.12)  # as high as the image
        bar = self.ax.figure.colorbar(image, cax=beside, label=self.scale)
        if self.whole_numbers:
            bar.locator = _whole_numbers()
            bar.update_ticks()

    def borders(self, axis, down):
        """Lines between owners. They are black with a white rim, so that they are seen on any colour."""
        from matplotlib.patheffects import withStroke

        places = axis.held[1:][np.diff(axis.owners) != 0] - 0.5
        if places.size > _LINES:
            self.notes.append(f"{places.size} borders {'down' if down else 'across'} are not drawn")
            return
        rim = [withStroke(linewidth=2.4, foreground="white")]
        for place in places:
            line = self.ax.axhline if down else self.ax.axvline
            line(place, color="black", linewidth=0.8, path_effects=rim)


def _slice_words(axes, section):
    """ "slice [3, :, :]", in the order of the axes."""
    return "slice [" + ", ".join(":" if at is None else str(axis.at) for axis, at in zip(axes, section)) + "]"


def _whole_numbers():
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(nbins=9, steps=(1, 2, 5, 10), integer=True, min_n_ticks=1)


def _ordinal(number):
    """ "2nd", "3rd", "11th"."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
