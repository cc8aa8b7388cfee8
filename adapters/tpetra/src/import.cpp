#include "map_parts.hpp"
#include <tridap/check.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/tpetra/import.hpp>

#include <algorithm>

namespace tridap::tpetra::detail {

namespace {

using Form = ImportRequest::Form;

bool aligned(const Buffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.data) % static_cast<std::uintptr_t>(buffer.type.bytes) == 0;
}

// What row-major memory without padding lacks to be what is wanted, for an array that may yet be wrong.
Index flags_of(const DistArray& array, const ImportRequest& wanted) {
  Index flags = memory_flags(array);
  const Buffer& buffer = array.buffer;
  const bool shared = flags != 0 && wanted.form != Form::multivector && wanted.copy != Copy::always &&
                      buffer.type == wanted.type && buffer.memory.kind == Memory::Kind::host && aligned(buffer) &&
                      wanted.node_memory == nullptr && !(buffer.read_only && wanted.writable) &&
                      Kokkos::is_initialized();
  for (const Dimension& dimension : array.dim_data)
    if (!dimension.extras.empty()) return flags;
  return shared ? flags | shareable : flags;
}

const char* name(Form form) {
  return form == Form::vector ? "a Vector" : form == Form::multivector ? "a MultiVector" : "a BlockMultiVector";
}

// What keeps columns from being the wanted vectors' memory; empty: nothing. `interior` is one vector, or all blocks.
std::string obstacle(const Buffer& interior, const Buffer& columns, const ImportRequest& wanted) {
  const std::string needs = std::string(name(wanted.form)) + " needs ";
  if (element_count(interior) == 0) return "";
  if (interior.read_only && wanted.writable && wanted.node_memory == nullptr)
    return std::string(name(wanted.form)) + " can be written and the buffer is read-only";
  if (!aligned(interior))
    return needs + "aligned elements and the buffer's address is no multiple of " + std::to_string(wanted.type.bytes);
  const Index bytes = columns.type.bytes, last = columns.ndim() - 1;
  Buffer column = columns;  // all but the vectors' axis, which is the last one
  if (wanted.form == Form::multivector) {
    column.shape.pop_back();
    column.strides.pop_back();
  }
  if (!is_row_major(column)) {
    if (!memory_order(column).is_contiguous)
      return needs + "its elements in a row and " + memory_order(interior).obstacle;
    return wanted.form == Form::blocks ? needs + "the last axis to vary fastest in memory"
                                       : "the buffer's memory order is not that of the layout";
  }
  if (wanted.form != Form::multivector || columns.shape.back() == 1) return "";
  const Index apart = columns.strides[static_cast<std::size_t>(last)], rows = element_count(column);
  if (apart % bytes != 0 || apart < rows * bytes)
    return needs + "its vectors one after the other, " + std::to_string(rows * bytes) +
           " bytes or more apart, and they are " + std::to_string(apart) + " apart";
  return "";
}

std::string remedy(const ImportRequest& wanted, const Buffer& interior) {
  if (wanted.node_memory != nullptr) return "pass copy=if_needed, or take a node type whose vectors are in host memory";
  if (interior.read_only && wanted.writable)
    return "import it as const elements, pass copy=if_needed, or a contiguous writable buffer";
  if (wanted.form == Form::multivector)
    return "pass copy=if_needed, a column-major buffer, or import row-major memory as a block vector";
  return "pass copy=if_needed, or a contiguous writable buffer";
}

// True where two processes that say this of an axis say the same of what they hold.
bool same(const Dimension& a, const Dimension& b, Version version) {
  Report ignored;
  const auto extent = check_dimension(a, 0, ignored, version);
  if (a.dist_type() != b.dist_type() || a.size != b.size || a.proc_grid_size != b.proc_grid_size ||
      a.proc_grid_rank != b.proc_grid_rank || extent != check_dimension(b, 0, ignored, version))
    return false;
  if (const auto* block = std::get_if<Block>(&a.dist)) {
    const auto& other = std::get<Block>(b.dist);
    const std::array<Index, 2> none{0, 0}, mine = block->padding.value_or(none), theirs = other.padding.value_or(none);
    const bool left = a.periodic || a.proc_grid_rank > 0;  // elsewhere it is boundary padding, which is owned
    const bool right = a.periodic || a.proc_grid_rank < a.proc_grid_size - 1;
    return a.periodic == b.periodic && (*extent == 0 || block->start == other.start) &&
           (!left || mine[0] == theirs[0]) && (!right || mine[1] == theirs[1]);
  }
  if (const auto* cyclic = std::get_if<Cyclic>(&a.dist)) {
    const auto& other = std::get<Cyclic>(b.dist);
    return cyclic->block_size == other.block_size && (*extent == 0 || cyclic->start == other.start);
  }
  return read_indices(std::get<Unstructured>(a.dist).indices) == read_indices(std::get<Unstructured>(b.dist).indices);
}

// The memory order of all axes: that of the layout's rows, with the vectors' axis outermost, or innermost for blocks.
MemoryOrder whole_order(const ArrayMap& layout, Form form) {
  MemoryOrder order = layout.order();
  if (!layout.options().vectors_axis) return order;
  const Index left_out = *layout.options().vectors_axis;
  for (Index& axis : order.axes) axis += axis >= left_out ? 1 : 0;
  order.axes.insert(form == Form::blocks ? order.axes.end() : order.axes.begin(), left_out);
  order.reversed.insert(order.reversed.begin() + left_out, false);
  return order;
}

// The interior seen as the wanted form walks it: the layout's rows in their memory order, the vectors' axis last.
Buffer in_columns(const Buffer& interior, const ArrayMap& layout, Form form) {
  Buffer seen = in_order(interior, whole_order(layout, form));
  if (form != Form::multivector) return seen;
  std::rotate(seen.shape.begin(), seen.shape.begin() + 1, seen.shape.end());
  std::rotate(seen.strides.begin(), seen.strides.begin() + 1, seen.strides.end());
  return seen;
}

// How many elements each vector has, though there be no vectors.
Index rows_of(const Buffer& columns, Form form) {
  if (form != Form::multivector) return element_count(columns);
  Buffer column = columns;
  column.shape.back() = 1;
  return element_count(column);
}

// What stands in the memory of `columns` as the data of a MultiVector; never read-only, since Tpetra has no vectors
// over const elements: who asked for them gets a const vector.
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

void check_belongs(const DistArray& array, const ArrayMap& layout) {
  throw_if_wrong(check(array));
  Report ignored;  // a version that is read, now
  const Version version = read_version(array.version, ignored).value();
  const DimData expected = layout.distribution().dim_data(layout.process(), version);
  for (std::size_t axis = 0; axis < std::max(expected.size(), array.dim_data.size()); ++axis)
    if (expected.size() != array.dim_data.size() || !same(array.dim_data[axis], expected[axis], version))
      refuse("the array is not distributed as the layout is", "", "make a ArrayMap of this array",
             static_cast<Index>(axis));
}

void add_losses(const DistArray& array, const ArrayMap& layout, const MemoryOrder& order, Receipt& receipt) {
  if (layout.rows().ndim() != 1) receipt.losses.push_back("the shape");
  receipt.losses.insert(receipt.losses.end(), layout.losses().begin(), layout.losses().end());
  if (!std::is_sorted(order.axes.begin(), order.axes.end())) receipt.losses.push_back("the storage order");
  for (const Dimension& dimension : array.dim_data)
    for (const Extra& extra : dimension.extras) receipt.losses.push_back("the key '" + extra.key + "'");
}

void check_memory(const Buffer& buffer, const ImportRequest& wanted) {
  if (buffer.type != wanted.type)
    refuse("the array holds " + buffer.type.name() + ", the vector " + wanted.type.name(), "",
           "import it as a vector of the array's own element type");
  if (buffer.memory.kind != Memory::Kind::host)
    refuse("the buffer is in " + buffer.memory.name() + " memory, the vector in host memory", "", "export host memory");
  if (!Kokkos::is_initialized()) refuse("Kokkos is not initialised", "", "create a Tpetra::ScopeGuard first");
}

Dense dense(const void* whole, const Buffer& part, const Buffer& columns, const ImportRequest& wanted) {
  std::string why = obstacle(part, columns, wanted);
  const bool dense_already = why.empty();
  const bool apart = wanted.node_memory != nullptr && element_count(part) > 0;
  if (apart)
    why = std::string(name(wanted.form)) + " of this node is in " + wanted.node_memory +
          " memory and the buffer is in host memory";
  if (wanted.copy == Copy::never && !why.empty()) refuse("copy=never, but " + why, "", remedy(wanted, part));
  if (apart && dense_already) {
    Dense seen{as_data(columns, wanted.form), {}};
    seen.receipt.shared = seen.receipt.same_address = false;
    seen.receipt.bytes_copied = element_count(columns) * columns.type.bytes;
    return seen;
  }
  if (wanted.copy != Copy::always && why.empty()) {
    Dense shared{as_data(columns, wanted.form), {}};
    shared.receipt.same_address = shared.buffer.data == whole;
    return shared;
  }
  Buffer packed = columns;  // with the vectors' axis outermost, so that each vector is dense
  if (wanted.form == Form::multivector) {
    std::rotate(packed.shape.begin(), packed.shape.end() - 1, packed.shape.end());
    std::rotate(packed.strides.begin(), packed.strides.end() - 1, packed.strides.end());
  }
  Dense made{allocate(wanted.type, packed.shape), {}};
  made.receipt.shared = made.receipt.same_address = false;
  made.receipt.bytes_copied = pack(packed, made.buffer.data);
  const Index vectors = wanted.form == Form::multivector ? packed.shape.front() : 1;
  made.buffer.shape = {rows_of(columns, wanted.form), vectors};
  made.buffer.strides = column_major_strides(made.buffer.shape, wanted.type.bytes);
  return made;
}

Dense dense_interior(const DistArray& array, const ArrayMap& layout, const ImportRequest& wanted) {
  check_memory(array.buffer, wanted);
  const Buffer interior = sub_buffer(array.buffer, layout.distribution().part(layout.process(), Part::interior));
  Buffer one = interior;
  if (wanted.form == Form::multivector) {
    Index& vectors = one.shape[static_cast<std::size_t>(*layout.options().vectors_axis)];
    vectors = std::min<Index>(vectors, 1);
  }
  Dense made = dense(array.buffer.data, one, in_columns(interior, layout, wanted.form), wanted);
  add_losses(array, layout, layout.order(), made.receipt);
  const Distribution& whole = layout.distribution();
  if (whole.count(layout.process(), Part::interior) != whole.count(layout.process(), Part::local))
    made.receipt.losses.push_back("padding");
  return made;
}

// Whether the layout is one of the wanted form; the same on every process.
void PreparedImport::check_form() {
  const Form form = wanted.form;
  const std::optional<Index> axis = layout.options().vectors_axis;
  if (form == Form::vector && axis)
    refuse("the layout has an axis for the vectors of a MultiVector", "", "import it as a MultiVector", *axis);
  if (form != Form::vector && !axis)
    refuse("the layout has no axis for the vectors", "", "name the vectors' axis in the layout's options");
  if (form == Form::blocks && *axis != layout.distribution().ndim() - 1)
    refuse("the blocks of a BlockMultiVector are rows, and the last axis is distributed", "", "import it as a vector");
  if (form != Form::blocks) return;
  run_alike(layout.comm(), [&] {
    const Index length = layout.distribution().axis(*axis).size(), span = layout.numbers().count();
    check_limits(checked_multiply(span, length), largest_part(layout.distribution(), Part::interior),
                 layout.distribution().processes(), layout.map()->isContiguous());
    points = Teuchos::rcp(new Map);
  });
}

PreparedImport::PreparedImport(const DistArray& of, const Communicator& comm, const ArrayMapOptions& options,
                               const ImportRequest& request)
    : begin(now()),
      array(of),
      wanted(request),
      made(ArrayMap(of, comm, options, request.form != Form::vector, flags_of(of, request))),
      layout(*made) {
  check_form();
}

PreparedImport::PreparedImport(const DistArray& of, const ArrayMap& given, const ImportRequest& request)
    : begin(now()), array(of), wanted(request), layout(given) {
  check_form();
}

Dense PreparedImport::dense() const {
  if (!made) check_belongs(array, layout);
  if (!made || (layout.agreed_ & shareable) == 0) return dense_interior(array, layout, wanted);
  Dense shared{as_data(array.buffer, wanted.form), {}};
  add_losses(array, layout, layout.order(), shared.receipt);
  return shared;
}

Receipt PreparedImport::receipt(Dense&& dense) const {
  dense.receipt.seconds = now() - begin;
  return std::move(dense.receipt);
}

}  // namespace tridap::tpetra::detail
