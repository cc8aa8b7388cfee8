#include "array.hpp"

#include "bindings.hpp"
#include "comm.hpp"
#include "device.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "text_argument.hpp"
#include "together.hpp"
#include "value.hpp"
#include <tridap/check.hpp>
#include <tridap/detail/clock.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/gather_distribution.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/collective_check.hpp>
#include <tridap/internal/device_moves.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/duplicates.hpp>
#include <tridap/internal/fingerprint.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/quick_gather.hpp>
#include <tridap/local_part.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <algorithm>
#include <functional>
#include <new>
#include <utility>

namespace tridap::python {

namespace {

// What all processes of `comm` found about an array; its Distribution, if it is correct. **Collective.**
Checked confer_over(Given& given, MPI_Comm comm, const Reading& reading, bool warnings_count) {
  mpi::MpiCollectives collectives(comm);
  CheckOutcome outcome = check_collectively(
      {{mpi::rank_of(comm), &given.read.array, &given.read.report, given.comparable}}, collectives, reading, true);
  const bool agrees = !outcome.distribution || warnings_count;
  Checked checked{agrees ? mpi::agree(std::move(outcome.reports.front()), comm) : Report(), nullptr};
  if (outcome.distribution)
    checked.distribution = std::make_shared<const Distribution>(std::move(*outcome.distribution));
  return checked;
}

// True if no axis is distributed, padded or periodic. Then an array that is correct on this process is correct.
bool is_undistributed(const DimData& dims) {
  return std::all_of(dims.begin(), dims.end(), [](const Dimension& d) {
    const auto* block = std::get_if<Block>(&d.dist);
    return block != nullptr && d.proc_grid_size == 1 && block->start == 0 && block->stop == d.size && !block->padding &&
           !d.periodic;
  });
}

Checked check_alone(Given& given, bool want_distribution, const Reading& reading) {
  Checked checked{given.read.report, nullptr};
  if (!given.comparable && checked.report.ok()) throw std::bad_alloc();  // there was no memory to report why
  if (!given.comparable) return checked;
  if (!want_distribution && is_undistributed(given.read.array.dim_data)) {
    checked.report.merge(check(given.read.array, reading));
    return checked;
  }
  const std::vector<DistArray> all{given.read.array};  // these are all parts if the grid has one process
  const DimData& dims = all.front().dim_data;
  const bool whole = std::all_of(dims.begin(), dims.end(), [](const Dimension& d) { return d.proc_grid_size == 1; });
  Report alone = check(all.front(), reading);
  if (whole && alone.ok())
    if (Report together = check(all, reading); !together.ok()) alone = std::move(together);
  checked.report.merge(alone);
  if (whole && want_distribution && checked.report.ok())
    checked.distribution = std::make_shared<const Distribution>(gather_distribution(all, reading));
  return checked;
}

// Whether an object is an array of a library whose parts have places of their own among the processes: tridap._foreign.
bool is_placed(py::handle object) {
  if (PyDict_Check(object.ptr()) ||
      PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())), "__distarray__"))
    return false;
  bool placed = false;
  succeeds([&] {
    try {
      placed = py::cast<bool>(py::module_::import("tridap._foreign").attr("is_placed")(object));
    } catch (const py::error_already_set&) {  // then ask() says what is wrong
    }
  });
  return placed;
}

enum class Kind : Index { other, known, placed };

// What the objects of all processes are: parts of one array that the processes checked together before, or arrays of
// which is_placed() is true. Any other mixture is `other`. **Collective.**
Kind kind_together(const Array* array, bool placed, MPI_Comm comm) {
  Index layout = 0;  // if there is no memory to find it, the array counts as unknown
  const bool known = array != nullptr && succeeds([&] { layout = array->layout(); });
  const Kind kind = known ? Kind::known : placed ? Kind::placed : Kind::other;
  const WithoutPython released;
  return on_all(comm, [&] {
    const Begun begun(comm, [&](mpi::Record& record) {
      record.add(static_cast<Index>(kind));
      record.add(layout);
    });
    const mpi::Call& call = begun.call();
    return call.is_same(0) && call.is_same(1) ? kind : Kind::other;
  });
}

// What all processes find about an array that was given, by one message of each if quick_gather() knows its kind.
// `known`: this process's part if it is right. **Collective.**
Checked checked_by_all(Given& given, const DistArray* known, MPI_Comm comm) {
  const WithoutPython released;
  const MPI_Comm ours = mpi::duplicates_of(comm)->ours();
  return mpi::or_end_job(mpi::said_name("tridap.asarray()"), ours, [&] {
    if (std::optional<Distribution> quick = mpi::quick_gather(known, ours, {}, nullptr))
      return Checked{{}, std::make_shared<const Distribution>(std::move(*quick))};
    return confer_over(given, ours, {}, false);
  });
}

// The same for every kind of array, with its warnings. **Collective.**
Checked conferred(Given& given, MPI_Comm comm, const Reading& reading) {
  const WithoutPython released;
  const MPI_Comm ours = mpi::duplicates_of(comm)->ours();
  return mpi::or_end_job(mpi::said_name("tridap.check()"), ours,
                         [&] { return confer_over(given, ours, reading, true); });
}

// How an error about objects is raised: on each process of `comm` alike, which must all call this, or here alone.
Raising how_raised(const Report& report, const std::optional<py::error_already_set>& raised, MPI_Comm comm) {
  const ErrorKind kind = error_kind_of(raised);
  if (report.ok() || comm == MPI_COMM_NULL) return {kind, false};
  const WithoutPython released;
  return agree_kind(raised.has_value(), kind, comm);
}

}  // namespace

bool flag_of(const py::object& flag, const char* name) {
  static py::handle type;
  int overflow = 0;
  const bool is_flag = PyLong_Check(flag.ptr()) && PyLong_AsLongAndOverflow(flag.ptr(), &overflow) >> 1 == 0;
  if ((is_flag && overflow == 0) || py::isinstance(flag, imported(type, "numpy", "bool_")))
    return PyObject_IsTrue(flag.ptr()) == 1;
  throw py::type_error(std::string(name) + " is " + utf8_text(py::repr(flag)) + ", must be True or False");
}

void throw_if_wrong(const Report& report, std::optional<py::error_already_set>& raised, const Raising& how) {
  if (raised && !raised->matches(PyExc_Exception)) throw std::move(*raised);
  if (!report.ok()) throw_protocol_error(Error(report), raised ? py::object(raised->value()) : py::object(), how);
}

Array::Array(DistArray array, py::object local, py::object comm, std::shared_ptr<const Distribution> distribution,
             Receipt receipt)
    : array_(std::move(array)),
      local_(std::move(local)),
      comm_(std::move(comm)),
      undistributed_(is_undistributed(array_.dim_data)),
      distribution_(std::move(distribution)),
      receipt_(std::move(receipt)) {
  Report unsaid;
  version_ = read_version(array_.version, unsaid).value_or(Version::v0_10);
  for (const Dimension& dimension : array_.dim_data)
    process_ = process_ * dimension.proc_grid_size + dimension.proc_grid_rank;
}

Array Array::from(Given given, py::object comm, std::shared_ptr<const Distribution> distribution) {
  Array made(std::move(given.read.array), std::move(given.local), std::move(comm), std::move(distribution));
  made.extras_ = std::move(given.extras);
  made.axis_extras_ = std::move(given.axis_extras);
  made.receipt_ = std::move(given.receipt);
  return made;
}

void Array::replace_local(py::object local) {
  array_.buffer.read_only = buffer_of_part(local).read_only;
  local_ = std::move(local);
}

void Array::complete(std::shared_ptr<const Distribution> distribution, double seconds) noexcept {
  distribution_ = std::move(distribution);
  receipt_.seconds = seconds;
}

const std::shared_ptr<const Distribution>& Array::distribution() const {
  if (undistributed_ && !distribution_)
    distribution_ = std::make_shared<const Distribution>(
        Distribution::make(array_.buffer.shape, std::vector<AxisSpec>(array_.dim_data.size(), whole()),
                           std::vector<Index>(array_.dim_data.size(), 1)));
  if (!distribution_)
    refuse("only this process's part of the array is known", "",
           "make it with tridap.asarray(array, comm), on every process");
  return distribution_;
}

Index Array::processes() const {
  Index processes = 1;
  for (const Dimension& dimension : array_.dim_data) processes *= dimension.proc_grid_size;
  return processes;
}

Index Array::places() const {
  if (!places_) places_ = fingerprint(*distribution());
  return *places_;
}

Index Array::layout() const {
  if (layout_) return *layout_;
  const ElementType& type = array_.buffer.type;
  Digest digest;
  digest.add(type.text());
  digest.add(type.bytes);
  digest.add(places());
  return *(layout_ = digest.value());
}

Indices Array::shift() const {
  Indices shift(array_.dim_data.size(), 0);
  for (std::size_t i = 0; version_ == Version::v0_9 && i < shift.size(); ++i)
    if (array_.dim_data[i].periodic) shift[i] = distribution()->axis(static_cast<Index>(i)).edges()[0];
  return shift;
}

std::optional<Indices> Array::in_distribution(Indices global) const {
  const Indices shifts = shift();
  for (std::size_t i = 0; i < global.size(); ++i) {
    if (shifts[i] != 0 && (global[i] < 0 || global[i] >= array_.dim_data[i].size)) return std::nullopt;
    global[i] += shifts[i];
  }
  return global;
}

Indices Array::global_index(const Indices& local) const {
  Indices global;
  for (std::size_t i = 0; i < local.size(); ++i) {
    const Dimension& d = array_.dim_data[i];
    const auto* block = std::get_if<Block>(&d.dist);
    if (version_ == Version::v0_9 && block != nullptr) {
      const Index index = block->start + local[i] - local_part(d, Part::owned, version_).begin;
      const bool wraps = d.periodic && d.size > 0;
      global.push_back(wraps ? (index % d.size + d.size) % d.size : index);
    } else if (is_whole()) {
      const Axis& axis = distribution()->axis(static_cast<Index>(i));
      global.push_back(axis.global_index(d.proc_grid_rank, local[i]));
    } else {
      global.push_back(tridap::global_index(d, local[i]));
    }
  }
  return global;
}

const py::object& Array::local() const {
  refuse_on_device(array_.buffer.memory);
  return local_;
}

const DistArray& Array::host_array() const {
  refuse_on_device(array_.buffer.memory);
  return array_;
}

const DistArray& Array::movable() const { return redistribute::device_engine() == nullptr ? host_array() : array_; }

py::object Array::part(Part part) const {
  if (!is_on_device(array_.buffer.memory)) return view(part);
  if (part == Part::local) return local_;
  std::vector<Range> box;
  for (const Dimension& dimension : array_.dim_data) box.push_back(local_part(dimension, part, version_));
  return part_of(sub_buffer(array_.buffer, box));
}

py::array Array::view(Part part) const {
  refuse_on_device(array_.buffer.memory);
  const auto whole = py::reinterpret_borrow<py::array>(local_);
  std::vector<py::ssize_t> shape(whole.shape(), whole.shape() + whole.ndim());
  const std::vector<py::ssize_t> strides(whole.strides(), whole.strides() + whole.ndim());
  const auto* data = static_cast<const char*>(whole.data());
  if (part != Part::local) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const Range range = local_part(array_.dim_data[i], part, version_);
      shape[i] = range.size();
      if (range.size() > 0) data += range.begin * strides[i];
    }
  }
  return py::array(whole.dtype(), shape, strides, data, whole);
}

DistArray Array::in(Version version) const {
  DistArray array = array_;
  array.version = stamp(version);
  if (version == version_) return array;
  if (distribution_) {
    DimData dims = distribution_->dim_data(process_, version);
    for (std::size_t i = 0; i < dims.size(); ++i) dims[i].extras = array.dim_data[i].extras;
    array.dim_data = std::move(dims);
    return array;
  }
  for (std::size_t i = 0; i < array.dim_data.size(); ++i)
    array.dim_data[i] = in_version(std::move(array.dim_data[i]), version_, version, static_cast<Index>(i));
  return array;
}

py::tuple Array::dim_data(Version version) const {
  const auto tuple_of = [this](const DimData& dims) {
    py::tuple tuple(dims.size());
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const bool known = i < axis_extras_.size();
      py::dict dict = known ? plain_dictionary(dims[i]) : dictionary(dims[i]);
      if (known) dict.attr("update")(axis_extras_[i]);
      tuple[i] = std::move(dict);
    }
    return tuple;
  };
  return version == version_ ? tuple_of(array_.dim_data) : tuple_of(in(version).dim_data);
}

py::dict Array::describe(Version version) const {
  if (!is_on_device(array_.buffer.memory)) refuse_no_buffer(view(Part::local));
  return own_dictionary(version);
}

py::dict Array::own_dictionary(Version version) const {
  py::dict dict;
  dict["__version__"] = stamp(version);
  dict["buffer"] = part(Part::local);
  dict["dim_data"] = dim_data(version);
  for (const auto& [key, value] : extras_) dict[key] = value;
  return dict;
}

Array Array::over_copy(py::object local, Receipt receipt) const {
  DistArray array = array_;
  array.buffer = buffer_of_part(local);
  Array made(std::move(array), std::move(local), comm(), distribution_, std::move(receipt));
  made.extras_ = extras_;
  made.axis_extras_ = axis_extras_;
  return made;
}

void Array::watch(const py::object& watcher) const {
  const auto is_watcher = [&](const py::object& other) { return other.is(watcher); };
  if (std::none_of(watchers_->begin(), watchers_->end(), is_watcher)) watchers_->push_back(watcher);
}

void Array::changed() const noexcept {
  const auto has_ended = [](const py::object& watcher) {
    try {
      return !py::cast<bool>(watcher());
    } catch (py::error_already_set& error) {
      error.discard_as_unraisable("tridap.DistArray");
    } catch (const std::exception&) {  // the call that wrote has succeeded
    }
    return true;
  };
  watchers_->erase(std::remove_if(watchers_->begin(), watchers_->end(), has_ended), watchers_->end());
}

int Array::traverse(visitproc visit, void* arg) const {
  Py_VISIT(local_.ptr());
  if (const int seen = comm_.traverse(visit, arg); seen != 0) return seen;
  Py_VISIT(extras_.ptr());
  Py_VISIT(axis_extras_.ptr());
  return 0;
}

void Array::clear() {
  extras_ = py::dict();
  axis_extras_ = py::list();
  comm_.clear();
}

py::object asarray(py::object object, py::object comm, py::object copy, bool placed_too) {
  const UserCall user_call("tridap.asarray()");
  const double begin = detail::now();
  const MPI_Comm handle = comm.is_none() ? MPI_COMM_NULL : comm_of(comm);
  const std::optional<Copy> policy = copy_named(copy);
  const Array* const array = policy && *policy != Copy::always ? array_behind(object) : nullptr;
  if (comm.is_none() && array != nullptr) return object;
  if (!comm.is_none()) {
    const bool checked = array != nullptr && array->is_whole() && array->comm().is(comm);
    const bool placed = placed_too && array == nullptr && is_placed(object);
    const Kind kind = kind_together(checked ? array : nullptr, placed, handle);
    if (kind == Kind::known) return object;
    if (kind == Kind::placed) return py::module_::import("tridap._readers").attr("placed")(object, comm, copy);
  }
  Given given = ask(object, copy);
  const auto make = [&] {
    Array whole = Array::from(given, comm, nullptr);
    if (const Array* const same = policy == Copy::always ? nullptr : array_behind(given.array))
      whole.share_watchers(*same);
    return py::cast(std::move(whole));
  };
  py::object made;
  if (given.comparable && given.read.report.ok())
    made = comm.is_none() ? make() : mpi::or_end_job(mpi::said_name("tridap.asarray()"), handle, make);
  Array* const part = made ? &py::cast<Array&>(made) : nullptr;
  const bool undistributed = is_undistributed(given.read.array.dim_data);
  Checked checked = comm.is_none() ? check_alone(given, !undistributed, {})
                                   : checked_by_all(given, part != nullptr ? &part->array() : nullptr, handle);
  throw_if_wrong(checked.report, given.raised, how_raised(checked.report, given.raised, handle));
  part->complete(std::move(checked.distribution), detail::now() - begin);
  return made;
}

Checked check_object(py::object object, py::object comm, const py::object& raise_on_error,
                     const py::object& trust_extent) {
  const UserCall user_call("tridap.check()");
  MPI_Comm handle = comm.is_none() ? MPI_COMM_NULL : comm_of(comm);
  struct Flags {
    bool raises, trusts;
  };
  std::string asked;
  const auto read_flags = [&] {
    const auto words = [](bool flag) { return flag ? "True" : "False"; };
    const Flags flags{flag_of(raise_on_error, "raise_on_error"), flag_of(trust_extent, "trust_extent")};
    asked = std::string("raise_on_error=") + words(flags.raises) + ", trust_extent=" + words(flags.trusts);
    return flags;
  };
  const Flags flags = comm.is_none() ? read_flags() : together(handle, read_flags, &asked);
  const Reading reading{flags.trusts};
  Given given = ask(object, py::none());
  Checked checked = comm.is_none() ? check_alone(given, true, reading) : conferred(given, handle, reading);
  const Raising how = flags.raises ? how_raised(checked.report, given.raised, handle) : Raising{};
  if (given.raised && !given.raised->matches(PyExc_Exception)) throw std::move(*given.raised);
  if (flags.raises) throw_if_wrong(checked.report, given.raised, how);
  return checked;
}

py::object run_together(const py::object& comm, const py::object& step, bool same) {
  if (comm.is_none()) return step();
  std::string asked;
  const auto run = [&] {
    py::object result = step();
    if (same) asked = utf8_text(py::repr(result));
    return result;
  };
  return together(comm_of(comm), run, &asked);
}

const Array* array_behind(py::handle object) {
  const py::handle type = py::type::handle_of<Array>();
  if (PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(type.ptr())) == 0) return nullptr;
  return holds_value(object.ptr(), typeid(Array)) ? &py::cast<const Array&>(object) : nullptr;
}

Array over(py::object local, std::shared_ptr<const Distribution> distribution, Index process, py::object comm,
           Receipt receipt) {
  if (py::isinstance<py::array>(local)) refuse_objects(local);
  DistArray array;
  array.buffer = buffer_of_part(local);
  array.dim_data = distribution->dim_data(process);
  tridap::throw_if_wrong(check(array));
  return Array(std::move(array), std::move(local), std::move(comm), std::move(distribution), std::move(receipt));
}

Version version_named(const std::string& name) {
  Report report;
  const std::optional<Version> version = read_version(name, report);
  tridap::throw_if_wrong(report);
  return version.value();
}

Indices indices_of(const py::args& given, const std::vector<Index>& extents, const char* what) {
  py::tuple numbers = given;
  if (given.size() == 1 && py::isinstance<py::tuple>(given[0])) numbers = given[0];
  if (numbers.size() != extents.size())
    throw py::index_error("the " + std::string(what) + " has length " + std::to_string(numbers.size()) +
                          ", must have length " + std::to_string(extents.size()) + ": give one integer for each axis");
  Indices indices;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const Value value = to_value(numbers[axis]);
    const auto* index = value.as<Index>();
    if (index == nullptr)
      throw py::type_error("axis " + std::to_string(axis) + ": the index is " + value.text() + ", must be an integer");
    if (extents[axis] >= 0 && (*index < 0 || *index >= extents[axis]))
      throw py::index_error("axis " + std::to_string(axis) + ": the " + what + " is " + std::to_string(*index) +
                            ", must be at least 0 and less than " + std::to_string(extents[axis]));
    indices.push_back(*index);
  }
  return indices;
}

}  // namespace tridap::python
