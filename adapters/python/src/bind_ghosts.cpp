#include "array.hpp"
#include "bindings.hpp"
#include "comm.hpp"
#include "device.hpp"
#include "gil.hpp"
#include "memory.hpp"
#include "together.hpp"
#include <tridap/ghosts/ghost_update.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/device_moves.hpp>
#include <tridap/internal/driver.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <cstring>

namespace tridap::python {

namespace {

/// The content of a `tridap.GhostedArray`. None as communicator: this process alone.
class Ghosts {
 public:
  /// `local` and `ghosts` were read on all processes together. `distribution`: of the owned part; None: blocks.
  /// **Collective.**
  Ghosts(const py::object& local, const py::array_t<Index>& ghosts, const py::object& distribution, py::object comm)
      : comm_(std::move(comm)) {
    need_mpi();
    const MPI_Comm with = processes();
    struct Given {
      Buffer local;
      DimData dim_data;
      std::vector<Index> ghosts;
    };
    const Given given = together(with, [&] {
      Given made;
      if (py::isinstance<py::array>(local)) refuse_objects(local);
      made.local = buffer_of_part(local);
      if (redistribute::device_engine() == nullptr) refuse_on_device(made.local.memory);
      if (!distribution.is_none()) made.dim_data = dim_data(value_in<Distribution>(distribution), with);
      made.ghosts.assign(ghosts.data(), ghosts.data() + ghosts.size());
      return made;
    });
    {
      const WithoutPython released;
      on_all(with, [&] {
        array_.emplace(distribution.is_none() ? make_ghosted(given.local, given.ghosts, with)
                                              : make_ghosted(given.local, given.dim_data, given.ghosts, with));
        update_.emplace(*array_, with);
      });
      of_owned_ = std::make_shared<const Distribution>(mpi::gather_distribution(array_->owned(), with));
    }
    owned_ = together(with, [&] {
      return py::cast(over(part_of(array_->owned().buffer), of_owned_, mpi::rank_of(with), comm_.object()));
    });
  }
  Ghosts(Ghosts&&) = default;

  const py::object& owned() const { return owned_; }
  /// Begins an operation, which the processes begin together, after what is on a stream.
  void begin(void (GhostUpdate::*operation)(DeviceStream), const py::object& on_stream) {
    need_mpi();
    const MPI_Comm with = processes();
    {
      const WithoutPython released;
      DeviceStream stream;
      on_all(with, [&] {
        Begun(with, [&](mpi::Record&) {
          if (on_stream.is_none()) return;
          const WithPython held;
          stream = device_stream(on_stream);
        });
      });
      ((*update_).*operation)(stream);
    }
    if (const Array* const owned = array_behind(owned_)) owned->changed();
  }
  void wait() {
    need_mpi();
    {
      const WithoutPython released;
      update_->wait();
    }
    if (const Array* const owned = array_behind(owned_)) owned->changed();
  }

  /// For Python's garbage collector.
  int traverse(visitproc visit, void* argument) const {
    const int seen = comm_.traverse(visit, argument);
    return seen != 0 || owned_.ptr() == nullptr ? seen : visit(owned_.ptr(), argument);
  }
  void clear() {
    comm_.clear();
    owned_ = py::none();
  }

 private:
  MPI_Comm processes() const { return comm_.is_none() ? MPI_COMM_SELF : comm_.handle(); }
  static DimData dim_data(const Distribution& distribution, MPI_Comm comm) {
    const int size = mpi::processes_of(comm);
    if (distribution.processes() != size)
      refuse("distribution is over " + std::to_string(distribution.processes()) + " processes",
             "must be over the " + std::to_string(size) + " of the communicator",
             "pass comm=comm, the communicator of the processes of the distribution");
    return distribution.dim_data(mpi::rank_of(comm));
  }

  HeldComm comm_;
  py::object owned_;
  std::optional<GhostedArray> array_;
  std::optional<GhostUpdate> update_;
  std::shared_ptr<const Distribution> of_owned_;
};

// A copy of an array on a device with its first axes as one, in new memory with room for so many ghosts, which are 0.
py::object with_room(const Array& array, Index numbered, Index ghosts) {
  const Buffer& from = array.array().buffer;
  Buffer made = from;
  Index count = 1;
  for (Index axis = 0; axis < numbered; ++axis) count *= from.shape[static_cast<std::size_t>(axis)];
  made.shape = {count + ghosts};
  for (Index axis = numbered; axis < from.ndim(); ++axis)
    made.shape.push_back(from.shape[static_cast<std::size_t>(axis)]);
  made.strides = row_major_strides(made.shape, made.type.bytes);
  made.read_only = false;
  made.owner = driver::allocate(made.memory, element_count(made) * made.type.bytes, true);
  made.data = made.owner.get();
  Buffer owned = made;
  owned.shape = from.shape;
  owned.strides = row_major_strides(owned.shape, owned.type.bytes);
  if (element_count(owned) > 0) driver::copy(from, owned);
  return part_of(std::move(made));
}

}  // namespace

void bind_ghosts(py::module_& module) {
  using Operation = void (GhostUpdate::*)(DeviceStream);
  py::class_<Ghosts> type(module, "_Ghosts", py::custom_type_setup(let_collect<Ghosts>));
  type.def(py::init<const py::object&, const py::array_t<Index>&, const py::object&, py::object>())
      .def_property_readonly("owned", [](const Ghosts& ghosts) { return ghosts.owned(); });
  const std::pair<const char*, Operation> operations[] = {{"update", &GhostUpdate::update_ghosts},
                                                          {"sum", &GhostUpdate::sum_ghosts},
                                                          {"start_update", &GhostUpdate::start_update},
                                                          {"start_sum", &GhostUpdate::start_sum}};
  for (const auto& [name, operation] : operations)
    type.def(name, [begun = operation](Ghosts& ghosts, const py::object& stream) { ghosts.begin(begun, stream); });
  type.def("wait", &Ghosts::wait);
  module.def("_with_room", &with_room);
}

}  // namespace tridap::python
