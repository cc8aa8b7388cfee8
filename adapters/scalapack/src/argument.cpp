#include "argument.hpp"

#include "memory.hpp"
#include "python_line.hpp"
#include "routines.hpp"
#include <tridap/check.hpp>
#include <tridap/compare.hpp>
#include <tridap/detail/refuse.hpp>
#include <tridap/internal/call.hpp>
#include <tridap/internal/needs.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tridap::scalapack {

namespace {

constexpr Index best_length = 64;  // of blocks, at most: ScaLAPACK's panels then use level 3 of BLAS

std::string called(const char* name) { return "the array " + std::string(name); }

void check_here(const Given& given) {
  const auto& [name, array, distribution, overwritten, vectors, matrix] = given;
  throw_if_wrong(check(array));
  const Buffer& buffer = array.buffer;
  if (array.ndim() != 2 && !(vectors && array.ndim() == 1))
    refuse(called(name) + " has " + std::to_string(array.ndim()) + " axes",
           vectors ? "must have 1 or 2" : "must have 2", "slice or reshape it");
  if (!is_scalar(buffer.type))
    refuse("the elements of " + called(name) + " are " + buffer.type.name(),
           "must be float32, float64, complex64 or complex128",
           std::string("convert them (in Python ") + (name[0] == 'a' ? "A = A" : "b = b") + ".astype(float))");
  need_host_memory(buffer, called(name));
  if (overwritten && buffer.read_only)
    refuse(called(name) + " is read-only", "must be writable to be overwritten",
           "do not pass overwrite_" + std::string(name));
}

// A vector as a matrix of one column.
DistArray as_matrix(const DistArray& array) {
  DistArray matrix = array;
  if (array.ndim() != 1) return matrix;
  const Buffer& buffer = array.buffer;
  matrix.buffer.shape.push_back(1);
  matrix.buffer.strides.push_back(std::max<Index>(buffer.shape[0], 1) * buffer.type.bytes);
  matrix.dim_data.push_back(undistributed(1));
  return matrix;
}

// The distribution of a vector as that of a matrix of one column.
Distribution column(const Distribution& vector) { return Distribution({vector.axis(0), Axis(BlockKind(1, 1, 1))}); }

// Where the first element is that is not finite, as local indices; nothing: all are finite.
template <class Number>
std::optional<std::array<Index, 2>> first_not_finite(const Buffer& part, Index numbers) {
  const auto* const begin = static_cast<const char*>(part.data);
  for (Index i = 0; i < part.shape[0]; ++i)
    for (Index j = 0; j < part.shape[1]; ++j) {
      const auto* const element = reinterpret_cast<const Number*>(begin + i * part.strides[0] + j * part.strides[1]);
      for (Index k = 0; k < numbers; ++k)
        if (!std::isfinite(element[k])) return std::array<Index, 2>{i, j};
    }
  return std::nullopt;
}

// The blocks of both axes if ScaLAPACK can use them for a routine. An axis over one process has blocks of any length.
std::optional<std::array<Blocks, 2>> usable(const Distribution& whole, Need need) {
  std::array<Blocks, 2> blocks;
  std::array<bool, 2> any_length{};
  for (std::size_t i = 0; i < 2; ++i) {
    const Axis& axis = whole.axis(static_cast<Index>(i));
    const auto found = blocks_of(axis);
    if (!found) return std::nullopt;
    any_length[i] = axis.proc_grid_size() == 1;
    blocks[i] = any_length[i] ? Blocks{block_length(axis.size(), 1), 0} : *found;
    if (need == Need::squares_from_zero && blocks[i].first != 0) return std::nullopt;
  }
  if (need == Need::blocks || blocks[0].length == blocks[1].length) return blocks;
  if (!any_length[0] && !any_length[1]) return std::nullopt;
  if (any_length[0] && any_length[1])
    blocks[0].length = blocks[1].length = std::max(blocks[0].length, blocks[1].length);
  else if (any_length[0])
    blocks[0].length = blocks[1].length;
  else
    blocks[1].length = blocks[0].length;
  return blocks;
}

// The most elements that a process has if an axis is in even blocks.
Index even_share(const Axis& axis) { return (axis.size() + axis.proc_grid_size() - 1) / axis.proc_grid_size(); }

// Square blocks over the same process grid, of a length that the axes have already; nothing: some process would have
// none of an axis.
std::optional<Distribution> squares_of_own_length(const Distribution& whole) {
  std::optional<Index> best;
  for (Index i = 0; i < 2; ++i) {
    const auto blocks = blocks_of(whole.axis(i));
    if (!blocks) return std::nullopt;
    const Index length = blocks->length;
    if (length <= even_share(whole.axis(0)) && length <= even_share(whole.axis(1)) && length > best.value_or(0))
      best = length;
  }
  if (!best) return std::nullopt;
  return Distribution::make(whole.shape(), {cyclic(*best), cyclic(*best)},
                            {whole.axis(0).proc_grid_size(), whole.axis(1).proc_grid_size()});
}

// Where a matrix is moved that a routine cannot use as it is.
Distribution best_place(const Distribution& whole, Need need, Copy copy) {
  if (need != Need::blocks && copy != Copy::always)
    if (const auto own = squares_of_own_length(whole)) return *own;
  return squares(whole.shape(), whole.processes());
}

Axis resized_axis(const Axis& axis, Index size) {
  if (axis.size() == size) return axis;
  const Index grid = axis.proc_grid_size();
  if (const auto* cyclic = axis.cyclic()) return Axis(CyclicKind(size, grid, cyclic->block_size(), cyclic->first()));
  const auto blocks = blocks_of(axis);
  const Index even = std::max<Index>((size + grid - 1) / grid, 1);
  return Axis(BlockKind(size, grid, blocks && grid > 1 && blocks->length >= even ? blocks->length : even));
}

}  // namespace

Index block_length(Index size, Index processes) {
  return std::clamp<Index>((size + processes - 1) / processes, 1, best_length);
}

void add(mpi::Record& record, MPI_Comm comm, Index options, Given& a, Given* b) {
  record.add(options);
  for (Given* const given : {&a, b}) {
    if (given == nullptr) continue;
    check_here(*given);
    if (given->distribution) {
      need_processes(*given->distribution, mpi::processes_of(comm), "the distribution of " + called(given->name));
      need_part(given->array.buffer, *given->distribution, mpi::rank_of(comm), "the buffer of " + called(given->name));
    }
    given->matrix = as_matrix(given->array);
    const Buffer& buffer = given->matrix.buffer;
    record.add((static_cast<Index>(buffer.type.kind) * 16 + buffer.type.bytes - 1) * 2 + given->array.ndim() - 1);
    for (const std::size_t along : {std::size_t{0}, std::size_t{1}})
      record.add(leading_dimension(buffer, along) ? 1 : 0);
    record.add(given->distribution ? 1 : 0);
  }
}

Index number_of(const DenseOptions& options, Index flags) {
  return ((flags * 4 + static_cast<Index>(options.copy)) * 2 + Index{options.overwrite_a}) * 2 +
         Index{options.overwrite_b};
}

void need_same_options(const mpi::Call& call) {
  if (!call.is_same(0))
    refuse("the processes pass different options", "must be the same on all",
           "pass the same copy, overwrite_a, overwrite_b and lower on every process");
}

void need_square(const Argument& matrix, const char* remedy) {
  if (matrix.size(0) == matrix.size(1)) return;
  refuse("the matrix " + std::string(matrix.name) + " is " + std::to_string(matrix.size(0)) + " x " +
             std::to_string(matrix.size(1)),
         "must be square", remedy);
}

void need_one_type(const Argument& a, const Argument& b) {
  const ElementType &of_a = a.array.buffer.type, &of_b = b.array.buffer.type;
  if (of_a == of_b) return;
  const auto is_complex = [](const ElementType& type) { return type.kind == ElementType::Kind::complex; };
  const bool first = is_complex(of_a) == is_complex(of_b) ? of_a.bytes < of_b.bytes : is_complex(of_b);
  refuse("the elements of b are " + of_b.name() + ", and those of a " + of_a.name(), "must be the same",
         std::string("convert one of the arrays (in Python ") +
             (first ? "A = A.astype(b.dtype)" : "b = b.astype(A.dtype)") + ")");
}

DistArray as_given(DistArray array, Index axes) {
  if (axes == 2) return array;
  array.buffer.shape = {array.buffer.shape[0]};
  array.buffer.strides = {array.buffer.strides[0]};
  array.dim_data = {array.dim_data[0]};
  return array;
}

Argument read_argument(Given& given, const mpi::Call& call, std::size_t i) {
  enum { type, columns, rows, known };
  const std::size_t first = 1 + 4 * i;
  if (!call.is_same(first + type))
    refuse("the processes pass parts of different element types or numbers of axes", "must be the same on all",
           "pass parts of one array");
  const bool vector = given.array.ndim() == 1;
  Distribution whole = call.smallest(first + known) == 0 ? mpi::gather_distribution(given.matrix, call.comm())
                       : vector                          ? column(*given.distribution)
                                                         : *given.distribution;
  if (whole.axis(0).shares_indices() || whole.axis(1).shares_indices())
    refuse("an element of " + called(given.name) + " is on several processes", "must be on one",
           "redistribute it to lists without common indices");
  return {given.name,
          std::move(given.matrix),
          std::move(whole),
          call.smallest(first + columns) != 0,
          call.smallest(first + rows) != 0,
          given.overwritten,
          vector};
}

void check_finite(const Argument& argument, Index process) {
  const std::vector<Range> owned = argument.whole.part(process, Part::owned);
  const Buffer part = sub_buffer(argument.array.buffer, owned);
  const auto found = with_scalar(part.type, [&](auto* of) {
    using T = std::remove_pointer_t<decltype(of)>;
    return first_not_finite<Real<T>>(part, is_complex_v<T> ? 2 : 1);
  });
  if (!found) return;
  const Indices global =
      argument.whole.global_index(process, {(*found)[0] + owned[0].begin, (*found)[1] + owned[1].begin});
  const std::string column = !argument.vector ? ", " + std::to_string(global[1]) : "";
  refuse("the element (" + std::to_string(global[0]) + column + ") of " + called(argument.name) + " is not finite",
         "all elements must be finite", "replace NaN and infinite values");
}

Place place_of(const Argument& argument, Need need, bool transposable, Copy copy) {
  const Distribution& whole = argument.whole;
  const auto blocks = usable(whole, need);
  if (!blocks || copy == Copy::always) {
    const Distribution best = best_place(whole, need, copy);
    if (copy == Copy::never)
      refuse(called(argument.name) + " is " + describe(whole),
             need == Need::blocks ? "ScaLAPACK needs blocks of one length"
                                  : "ScaLAPACK needs square blocks for this routine",
             "move it to " + describe(best) + " (in Python " + python_line("A", best) + "), or pass copy=if_needed");
    const Blocks length = *blocks_of(best.axis(0));
    return {Way::moved,
            best.axis(0).proc_grid_size(),
            best.axis(1).proc_grid_size(),
            {length.length, 0},
            {length.length, 0}};
  }
  Place place{Way::copied, whole.axis(0).proc_grid_size(), whole.axis(1).proc_grid_size(), (*blocks)[0], (*blocks)[1]};
  if (!argument.overwritten) return place;
  if (argument.columns)
    place.way = Way::in_place;
  else if (argument.rows && transposable)
    place.way = Way::transposed;
  else if (copy == Copy::never)
    refuse("the memory of " + called(argument.name) + " is not column-major on every process",
           "must be, to be overwritten", "pass copy=if_needed, or do not pass overwrite_" + std::string(argument.name));
  return place;
}

Distribution resized(const Distribution& whole, Index rows, Index columns) {
  return Distribution({resized_axis(whole.axis(0), rows), resized_axis(whole.axis(1), columns)});
}

DistArray empty_answer(const Distribution& to, const ElementType& type, Index rank) {
  DistArray made;
  made.buffer = allocate(type, to.local_shape(rank));
  made.dim_data = to.dim_data(rank);
  return made;
}

Distribution squares(const std::vector<Index>& shape, Index processes) {
  if (shape.size() != 2)
    refuse("the shape has " + std::to_string(shape.size()) + " axes", "must have 2", "give rows and columns");
  const std::vector<Index> grid = near_square_grid(processes, 2);
  const Index of_rows = (shape[0] + grid[0] - 1) / grid[0], of_columns = (shape[1] + grid[1] - 1) / grid[1];
  const Index least = std::min(best_length / 4, std::max(of_rows, of_columns));  // of a narrow matrix, too
  const Index length = std::clamp<Index>(std::max(std::min(of_rows, of_columns), least), 1, best_length);
  return Distribution::make(shape, {cyclic(length), cyclic(length)}, grid);
}

Distribution nearest_square(const Distribution& distribution) {
  if (distribution.ndim() != 2) return squares(distribution.shape(), distribution.processes());
  return usable(distribution, Need::squares) ? distribution : best_place(distribution, Need::squares, Copy::if_needed);
}

}  // namespace tridap::scalapack
