"""A plan as a picture: who sends what to whom."""

import numpy as np

from ._agree import together
from ._plot import _matplotlib

_WRITTEN = 12  # processes up to which each number of bytes is written into its cell


def plot(plan, ax=None, **style):
    """See `Redistribution.plot`."""
    comm = None if plan._alone else plan.comm
    pyplot = _matplotlib(comm)

    def draw():
        if pyplot is None:
            return None
        on = pyplot.subplots()[1] if ax is None else ax
        bytes_sent = plan.traffic()
        image = on.imshow(bytes_sent, **{"interpolation": "nearest", "cmap": "viridis", **style})
        on.figure.colorbar(image, ax=on, label="bytes")
        on.set_xlabel("to process")
        on.set_ylabel("from process")
        kept, total = int(np.trace(bytes_sent)), int(bytes_sent.sum())
        on.set_title(f"{total - kept} of {total} bytes are sent")
        if len(bytes_sent) <= _WRITTEN:
            on.set_xticks(range(len(bytes_sent)))
            on.set_yticks(range(len(bytes_sent)))
            _write(on, image, bytes_sent)
        return on

    return together(comm, draw, same=False)


def _write(ax, image, bytes_sent):
    for (sender, receiver), number in np.ndenumerate(bytes_sent):
        if number:
            red, green, blue, _ = image.cmap(image.norm(number))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
            ax.text(receiver, sender, str(number), ha="center", va="center", color="white" if dark else "black")
