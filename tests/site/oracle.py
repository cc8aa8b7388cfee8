"""What a page must say, found slowly: the elements of a capture are dealt like cards, one at a time."""

import itertools
import json
import math


class Axis:
    """By coordinate the global indices of its buffer, in local order, and those that it owns."""

    def __init__(self, dims):
        self.dims = dims
        self.held = [[] for _ in dims]
        self.owned = [[] for _ in dims]
        {"b": self.cut, "c": self.deal, "u": self.list}[dims[0]["dist_type"]]()

    def cut(self):
        for c, dim in enumerate(self.dims):
            left, right = dim.get("padding", (0, 0))
            self.held[c] = list(range(dim["start"], dim["stop"]))
            first = left if c > 0 else 0
            last = len(self.held[c]) - (right if c < len(self.dims) - 1 else 0)
            self.owned[c] = self.held[c][first:last]

    def deal(self):
        size, block = self.dims[0]["size"], self.dims[0].get("block_size", 1)
        player = [dim["start"] for dim in self.dims].index(0)
        in_hand = 0
        for card in range(size):
            self.held[player].append(card)
            in_hand += 1
            if in_hand == block:
                player, in_hand = (player + 1) % len(self.dims), 0
        self.owned = self.held

    def list(self):
        self.held = self.owned = [list(dim["indices"]) for dim in self.dims]

    def places(self, index, lists):
        """(coordinate, local) for each coordinate in whose list the index is."""
        return [(c, self.held[c].index(index)) for c in range(len(self.dims)) if index in lists[c]]

    @property
    def indices(self):
        return sorted(set(itertools.chain(*self.held)))


class Array:
    """A capture. The dimensions of process r are those of the r-th combination of coordinates, in row-major order."""

    def __init__(self, capture):
        self.processes = json.loads(capture)["processes"]
        dims = [process["dim_data"] for process in self.processes]
        self.grid = [dim.get("proc_grid_size", 1) for dim in dims[0]]
        ranks = list(itertools.product(*map(range, self.grid)))
        self.axes = []
        for axis, extent in enumerate(self.grid):
            of_coordinate = {rank[axis]: dims[process][axis] for process, rank in enumerate(ranks)}
            self.axes.append(Axis([of_coordinate[c] for c in range(extent)]))
        self.ranks = {rank: process for process, rank in enumerate(ranks)}

    def places(self, index, which):
        """(process, local index) of all processes that have an element, ascending."""
        by_axis = [axis.places(i, getattr(axis, which)) for axis, i in zip(self.axes, index)]
        found = []
        for place in itertools.product(*by_axis):
            found.append((self.ranks[tuple(c for c, _ in place)], tuple(local for _, local in place)))
        return sorted(found)

    def owners(self, index):
        return self.places(index, "owned")

    def padding(self, index):
        owners = {process for process, _ in self.owners(index)}
        return [place for place in self.places(index, "held") if place[0] not in owners]

    def process_sentence(self, process):
        """What the page says of a process: the ranges of global indices that it owns, at most four for each axis."""
        at = sorted(self.ranks)[process]
        owned = [axis.owned[c] for axis, c in zip(self.axes, at)]
        held = math.prod(len(axis.held[c]) for axis, c in zip(self.axes, at))
        count = math.prod(map(len, owned))
        parts = [f"process {process} at {at} owns {count} element{'' if count == 1 else 's'}"]
        for number, indices in enumerate(owned):
            parts.append(f"axis {number}: {ranges(indices)}")
        if held > count:
            parts.append(f"{held - count} of communication padding")
        return "; ".join(parts)

    def elements(self):
        return itertools.product(*(axis.indices for axis in self.axes))

    def sentence(self, index):
        """What the page says of an element, without what it says of boundary padding."""
        parts = [f"element {index}: owner {listed(self.owners(index))}"]
        if self.padding(index):
            parts.append(f"padding of {listed(self.padding(index))}")
        return "; ".join(parts)


def ranges(indices):
    found = []
    for index in indices:
        if found and found[-1][1] + 1 == index:
            found[-1][1] = index
        else:
            found.append([index, index])
    words = [str(first) if first == last else f"{first} to {last}" for first, last in found[:4]]
    words += ["others"] if len(found) > 4 else []
    return "none" if not words else words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def listed(places):
    words = [f"process {process}, local {local}" for process, local in places]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def traffic(source, target, bytes_of_element):
    """{(sender, receiver): bytes}, one element at a time."""
    sent = {}
    for element in source.elements():
        sender = source.owners(element)[0][0]
        for receiver, _ in target.owners(element):
            sent[sender, receiver] = sent.get((sender, receiver), 0) + bytes_of_element
    return sent
