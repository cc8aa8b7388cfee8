#include "array.hpp"
#include "bindings.hpp"
#include "comm.hpp"
#include "device.hpp"
#include "gil.hpp"
#include "python_methods.hpp"
#include "user_call.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/region.hpp>
#include <tridap/redistribute/padding.hpp>

namespace tridap::python {

namespace {

using namespace py::literals;

// The plan stays with the array, so that the next update needs one reduction. **Collective.**
void update_with_kept_plan(const Array& array, MPI_Comm comm, const py::object& on_stream) {
  std::optional<tridap::redistribute::PaddingUpdate>& plan = array.padding_plan();
  Buffer buffer;
  DeviceStream stream;
  const Begun begun(comm, [&](mpi::Record& record) {
    buffer = array.movable().buffer;
    if (!on_stream.is_none()) {
      const WithPython held;
      stream = device_stream(on_stream);
    }
    record.add(plan ? plan->number() : -1);
  });
  const bool all_have_it = begun.call().is_same(0) && begun.call().smallest(0) >= 0;
  if (!all_have_it) plan.emplace(std::move(buffer), *array.distribution(), comm);
  plan->update(stream);
}

void update_padding(const Array& array, const py::object& on_stream) {
  const mpi::Region region("tridap::redistribute::PaddingUpdate::update");
  if (!array.is_whole() || array.comm().is_none()) {
    if (array.is_whole() && array.distribution()->processes() == 1) {
      need_mpi();
      tridap::redistribute::PaddingUpdate(array.movable().buffer, *array.distribution(), MPI_COMM_SELF)
          .update(device_stream(on_stream));
      array.changed();
      return;
    }
    refuse("the array does not know the other processes, which update_padding needs", "",
           "make it with tridap.asarray(array, comm), on every process");
  }
  const MPI_Comm comm = comm_of(array.comm());
  const UserCall user_call("x.update_padding()");
  {
    const WithoutPython released;
    on_all(comm, [&] { update_with_kept_plan(array, comm, on_stream); });
  }
  array.changed();
}

const PythonMethod array_calls[] = {
    {"gather", "tridap._gather", R"(gather(root=0, *, stream=None) -> numpy.ndarray or None

The whole array without padding and mirrors on process `root`, and None on the others. Collective. `root` needs memory for
the whole array. An unstructured axis has an element for each different index, in ascending order; of an index that
several processes hold, the element of the lowest one. `stream` as in update_padding().)"},
    {"allgather", "tridap._gather", R"(allgather(*, stream=None) -> numpy.ndarray

What gather() returns, on every process; each has its own copy. Collective.)"},
    {"redistribute", "tridap._move", R"(redistribute(to=None, out=None, **options) -> DistArray

tridap.redistribute() of this array. Collective.)"},
    {"plot", "tridap._plot",
     R"(plot(ax=None, *, section=None, cells=1000, borders=True, units=None, **style) -> matplotlib Axes or None

Draws the array on process 0, and returns the Axes there and None on the others. Collective. One axis is drawn as a line,
two as an image with a colour scale, both with the borders between processes. Complex numbers are drawn by magnitude. Every
array that gather() takes is drawn: an index that no process has is left blank, and of an index that several processes have,
the element of the lowest one is drawn.

Args:
    ax: Axes to draw in; None: a new figure. It only matters on process 0. The other arguments must be the same on every
        process, except `style`.
    section: an entry for each axis: the global index at which it is fixed, or None if it is drawn. None: the last two
        axes are drawn, and the others are fixed at their first index. The title names the slice.
    cells: if an axis is longer, every k-th element is drawn, and the title says so. On an axis with gaps it is the first
        one of each k indices that a process has.
    borders: whether to draw lines at the borders between processes, up to 64 along an axis.
    units: a text for the scale of the values, such as "m/s".
    style: passed to Axes.plot or Axes.imshow.

Raises:
    ProtocolError: on every process, if it fails on any process, for example because process 0 has no matplotlib. An
        array without comm raises the error itself, such as ImportError.)"},
    {"write_capture", "tridap._capture", R"(write_capture(path) -> None

Writes the descriptions of all processes, without the elements, to a file that the command `tridap` reads. Collective:
process 0 writes it. ProtocolError, on every process, if it cannot be written. tridap.write_capture has the details, and
also takes arrays that are wrong.)"},
    {"to_html", "tridap._html", R"(to_html(to=None, title="") -> str

Distribution.to_html() of this array's distribution; of `to`, it counts bytes in place of elements. Local: every process
returns the same text. ProtocolError if only this process's part is known.)",
     "page"},
    {"_repr_html_", "tridap._html", "", "array"},
    {"__enter__", "tridap._replicas", "", "enter"},
    {"__exit__", "tridap._replicas", "", "leave"},
};

}  // namespace

void bind_array_calls(py::class_<Array>& type) {
  type.def("update_padding", &update_padding, py::kw_only(), "stream"_a = py::none(),
           R"(update_padding(*, stream=None) -> None

Fills the padding of every process from the elements that it repeats: communication padding from its owners, the mirrors
of a periodic axis from the elements that they mirror, corners included. The first call makes a plan, which stays with the
array, with memory for the messages that it packs. `stream`: on which memory of a GPU was last used, a number as in
``__dlpack__``; the update waits for it, and for the legacy default stream. Collective. ProtocolError, on every process, if memory is read-only, or
only this process's part is known.)");
  for (const PythonMethod& method : array_calls) define(type, method);
}

}  // namespace tridap::python
