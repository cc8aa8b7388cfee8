#include "map_parts.hpp"
#include <tridap/check.hpp>
#include <tridap/compare.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/needs.hpp>
#include <tridap/tpetra/import.hpp>

#include <algorithm>

namespace tridap::tpetra::detail {

namespace {

using Form = ImportRequest::Form;

bool aligned(const Buffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.data) % static_cast<std::uintptr_t>(buffer.type.bytes) == 0;
}

// memory_flags(), and `shareable` if row-major memory fits the request; for an array that may still be wrong.
Index flags_of(const DistArray& array, const ArrayMapOptions& options, const ImportRequest& wanted) {
  const Index flags = memory_flags(array, options.vectors_axis);
  const Buffer& buffer = array.buffer;
  const bool shared = (flags & row_major) != 0 && wanted.form != Form::multivector && wanted.copy != Copy::always &&
                      buffer.type == wanted.type && buffer.memory.is_on_host() && aligned(buffer) &&
                      wanted.node.on_host && !(buffer.read_only && wanted.writable) && Kokkos::is_initialized();
  for (const Dimension& dimension : array.dim_data)
    if (!dimension.extras.empty()) return flags;
  return shared ? flags | shareable : flags;
}

const char* name(const ImportRequest& wanted) {
  if (wanted.argument != nullptr) return wanted.argument;
  const Form form = wanted.form;
  return form == Form::vector ? "a Vector" : form == Form::multivector ? "a MultiVector" : "a BlockMultiVector";
}

// Why columns cannot be the memory of the requested vectors; empty: they can. `interior` is one vector, or all blocks.
std::string obstacle(const Buffer& interior, const Buffer& columns, const ImportRequest& wanted) {
  const std::string needs = std::string(name(wanted)) + " needs ";
  if (element_count(interior) == 0) return "";
  if (interior.read_only && wanted.writable && wanted.node.holds(interior.memory))
    return std::string(name(wanted)) + " is writable and the buffer is read-only";
  if (!aligned(interior))
    return needs + "aligned elements and the buffer's address is not a multiple of " +
           std::to_string(wanted.type.bytes);
  const Index bytes = columns.type.bytes, last = columns.ndim() - 1;
  Buffer column = columns;  // all but the vectors' axis, which is the last one
  if (wanted.form == Form::multivector) {
    column.shape.pop_back();
    column.strides.pop_back();
  }
  if (!is_row_major(column)) {
    if (!memory_order(column).is_contiguous)
      return needs + "contiguous elements and " + memory_order(interior).obstacle;
    return wanted.form == Form::blocks ? needs + "the last axis to vary fastest in memory"
                                       : "the buffer's memory order is not that of the map";
  }
  if (wanted.form != Form::multivector || columns.shape.back() == 1) return "";
  const Index apart = columns.strides[static_cast<std::size_t>(last)], rows = element_count(column);
  if (apart % bytes != 0 || apart < rows * bytes)
    return needs + "vectors that are at least " + std::to_string(rows * bytes) + " bytes apart, and they are " +
           std::to_string(apart) + " bytes apart";
  if (!wanted.node.on_host && apart != rows * bytes)
    return needs + "vectors without memory between them, because a device and the host copy them as one piece";
  return "";
}

std::string remedy(const ImportRequest& wanted, const Buffer& interior) {
  if (!wanted.node.holds(interior.memory))
    return interior.memory.is_on_host() ? "pass copy=if_needed, or take a node type whose vectors are in host memory"
           : wanted.node.on_host        ? "pass copy=if_needed, or copy it to host memory"
                                        : "copy it to the node's memory";
  if (interior.read_only && wanted.writable)
    return "import it as const elements, pass copy=if_needed, or a contiguous writable buffer";
  if (wanted.form == Form::multivector)
    return "pass copy=if_needed, a column-major buffer, or import row-major memory as a block vector";
  if (wanted.form == Form::vector && aligned(interior) && memory_order(interior).is_contiguous)
    return "pass copy=if_needed, or make an ArrayMap of this array, which has the order of its memory";
  return "pass copy=if_needed, or a contiguous writable buffer";
}

// The memory order of all axes: that of the map's rows, with the vectors' axis outermost, or innermost for blocks.
MemoryOrder whole_order(const ArrayMap& array_map, Form form) {
  MemoryOrder order = array_map.order();
  if (!array_map.options().vectors_axis) return order;
  const Index left_out = *array_map.options().vectors_axis;
  for (Index& axis : order.axes) axis += axis >= left_out ? 1 : 0;
  order.axes.insert(form == Form::blocks ? order.axes.end() : order.axes.begin(), left_out);
  order.reversed.insert(order.reversed.begin() + left_out, false);
  return order;
}

// The interior in the axis order of the requested form: the map's rows in their memory order, the vectors' axis last.
Buffer in_columns(const Buffer& interior, const ArrayMap& array_map, Form form) {
  Buffer seen = in_order(interior, whole_order(array_map, form));
  if (form != Form::multivector) return seen;
  std::rotate(seen.shape.begin(), seen.shape.begin() + 1, seen.shape.end());
  std::rotate(seen.strides.begin(), seen.strides.begin() + 1, seen.strides.end());
  return seen;
}

// The number of elements of each vector, also if there are no vectors.
Index rows_of(const Buffer& columns, Form form) {
  if (form != Form::multivector) return element_count(columns);
  Buffer column = columns;
  column.shape.back() = 1;
  return element_count(column);
}

// The memory of `columns` as the data of a MultiVector. It is never read-only, since Tpetra has no vectors over const
// elements: a caller that asks for const elements gets a const vector.
Buffer as_data(const Buffer& columns, Form form) {
  Buffer data;
  data.data = columns.data;
  data.type = columns.type;
  data.memory = columns.memory;
  data.owner = columns.owner;
  const Index vectors = form == Form::multivector ? columns.shape.back() : 1;
  const Index rows = rows_of(columns, form);
  data.shape = {rows, vectors};
  data.strides = {columns.type.bytes,
                  vectors > 1 ? columns.strides.back() : std::max<Index>(rows, 1) * columns.type.bytes};
  return data;
}

}  // namespace

void check_belongs(const DistArray& array, const ArrayMap& array_map) {
  throw_if_wrong(check(array));
  if (const auto found = mismatch(array, array_map.distribution(), array_map.process()))
    refuse("the array has " + found->given + ", the map was made for " + found->expected, "",
           "give an array with the distribution of the map, or make an ArrayMap of this array", found->axis);
}

void add_losses(const DistArray& array, const ArrayMap& array_map, const MemoryOrder& order, Receipt& receipt) {
  if (array_map.rows().ndim() != 1) receipt.losses.push_back("the shape");
  receipt.losses.insert(receipt.losses.end(), array_map.losses().begin(), array_map.losses().end());
  if (!std::is_sorted(order.axes.begin(), order.axes.end())) receipt.losses.push_back("the storage order");
  add_lost_keys(array.dim_data, receipt);
}

void check_memory(const Buffer& buffer, const ImportRequest& wanted) {
  if (buffer.type != wanted.type)
    refuse("the array's elements are " + buffer.type.name() + ", the vector's " + wanted.type.name(), "",
           "import it as a vector of the array's own element type");
  if (buffer.memory.kind == Memory::Kind::nowhere)
    refuse("the array is described only, and its memory is 'nowhere'", "", "pass an array that has memory");
  if (!Kokkos::is_initialized()) refuse("Kokkos is not initialised", "", "create a Tpetra::ScopeGuard first");
}

Dense dense(const void* whole, const Buffer& part, const Buffer& columns, const ImportRequest& wanted) {
  std::string why = obstacle(part, columns, wanted);
  const bool dense_already = why.empty(), from_host = part.memory.is_on_host();
  const bool elsewhere = element_count(part) > 0 && !wanted.node.holds(part.memory);
  if (elsewhere)
    why = (wanted.argument != nullptr ? "the vector of " + std::string(wanted.argument)
                                      : name(wanted) + std::string(" of this node")) +
          " is in " + wanted.node.name + " memory and the buffer is in " + part.memory.name() + " memory";
  if (wanted.copy == Copy::never && !why.empty()) refuse("copy=never, but " + why, "", remedy(wanted, part));
  if (elsewhere && !from_host && !wanted.node.on_host)
    refuse(why, "must be memory that the node's vectors can use", "copy it to the node's memory");
  if (elsewhere && from_host && dense_already) {
    Dense seen{as_data(columns, wanted.form), {}};
    seen.receipt.shared = seen.receipt.same_address = false;
    seen.receipt.bytes_copied = element_count(columns) * columns.type.bytes;
    return seen;
  }
  const auto wait = [&] {
    if (!from_host && element_count(part) > 0) wait_for(part.memory, wanted.stream);
  };
  if (wanted.copy != Copy::always && why.empty()) {
    wait();
    Dense shared{as_data(columns, wanted.form), {}};
    shared.receipt.same_address = shared.buffer.data == whole;
    return shared;
  }
  Buffer packed = columns;  // with the vectors' axis outermost, so that each vector is dense
  if (wanted.form == Form::multivector) {
    std::rotate(packed.shape.begin(), packed.shape.end() - 1, packed.shape.end());
    std::rotate(packed.strides.begin(), packed.strides.end() - 1, packed.strides.end());
  }
  const bool to_host = from_host || wanted.node.on_host;
  Dense made{wanted.copy_memory && to_host
                 ? wanted.copy_memory(wanted.type, packed.shape)
                 : allocate_in(to_host ? Memory{} : of_device(part.memory), wanted.type, packed.shape),
             {}};
  made.receipt.shared = made.receipt.same_address = false;
  wait();
  copy_elements(packed, made.buffer);
  made.receipt.bytes_copied = element_count(packed) * packed.type.bytes;
  const Index vectors = wanted.form == Form::multivector ? packed.shape.front() : 1;
  made.buffer.shape = {rows_of(columns, wanted.form), vectors};
  made.buffer.strides = column_major_strides(made.buffer.shape, wanted.type.bytes);
  return made;
}

Dense dense_interior(const DistArray& array, const ArrayMap& array_map, const ImportRequest& wanted) {
  check_memory(array.buffer, wanted);
  const Buffer interior = sub_buffer(array.buffer, array_map.distribution().part(array_map.process(), Part::interior));
  Buffer one = interior;
  if (wanted.form == Form::multivector) {
    Index& vectors = one.shape[static_cast<std::size_t>(*array_map.options().vectors_axis)];
    vectors = std::min<Index>(vectors, 1);
  }
  Dense made = dense(array.buffer.data, one, in_columns(interior, array_map, wanted.form), wanted);
  add_losses(array, array_map, array_map.order(), made.receipt);
  const Distribution& whole = array_map.distribution();
  if (whole.count(array_map.process(), Part::interior) != whole.count(array_map.process(), Part::local))
    made.receipt.losses.push_back("padding");
  return made;
}

// Throws Error if the map is not one for the requested form; the same on every process.
void PreparedImport::check_form() {
  const Form form = wanted.form;
  const std::optional<Index> axis = array_map.options().vectors_axis;
  if (form == Form::vector && axis)
    refuse("the ArrayMap has an axis for the vectors of a MultiVector", "", "import it as a MultiVector", *axis);
  if (form != Form::vector && !axis)
    refuse("the ArrayMap has no axis for the vectors", "", "set vectors_axis in its options");
  if (form == Form::blocks && *axis != array_map.distribution().ndim() - 1)
    refuse("the last axis is distributed, but one process must hold each whole block of a BlockMultiVector", "",
           "import it as a vector");
  if (form != Form::blocks) return;
  const Index length = array_map.distribution().axis(*axis).size(), span = array_map.numbers().count();
  // The ids of the elements: Tpetra multiplies those of the blocks, or counts from the index base of a contiguous map.
  const bool one_range = array_map.map()->isContiguous();
  const Index base = array_map.options().index_base;
  const std::optional<Index> first = one_range ? base : checked_multiply(base, length);
  check_limits({first.value_or(0), first ? checked_multiply(span, length) : std::nullopt,
                largest_part(array_map.distribution(), Part::interior), array_map.distribution().processes(),
                one_range});
}

PreparedImport::Made::Made(const DistArray& of, const Communicator& comm, const ArrayMapOptions& options,
                           const ImportRequest& request)
    : map(of, comm, options, request.form != Form::vector, flags_of(of, options, request), Collective(comm, "import")) {
}

PreparedImport::PreparedImport(const DistArray& of, const Communicator& comm, const ArrayMapOptions& options,
                               const ImportRequest& request)
    : begin(now()), array(of), wanted(request), made(std::in_place, of, comm, options, request), array_map(made->map) {
  check_form();
}

PreparedImport::PreparedImport(const DistArray& of, const ArrayMap& given, const ImportRequest& request)
    : begin(now()), array(of), wanted(request), array_map(given) {
  check_form();
}

bool PreparedImport::is_shared_everywhere() const { return made && (array_map.agreed_ & shareable) != 0; }

Dense PreparedImport::dense() const {
  if (!made) check_belongs(array, array_map);
  if (!is_shared_everywhere()) return dense_interior(array, array_map, wanted);
  Dense shared{as_data(array.buffer, wanted.form), {}};
  add_losses(array, array_map, array_map.order(), shared.receipt);
  return shared;
}

Receipt PreparedImport::receipt(Dense&& dense) const {
  dense.receipt.seconds = now() - begin;
  return std::move(dense.receipt);
}

}  // namespace tridap::tpetra::detail
