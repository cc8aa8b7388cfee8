#include "tpetra/same_dims.hpp"
#include "tpetra/support.hpp"

#include <cstring>
#include <limits>

using namespace tpetra_test;
using oracle::List;
using tridap::Copy;
using tridap::tpetra::ArrayMap;
using tridap::tpetra::ArrayMapOptions;
using tridap::tpetra::export_array;
using tridap::tpetra::import_block_vector;
using tridap::tpetra::import_multivector;
using MultiVector = tridap::tpetra::MultiVector<double>;

namespace {

ArrayMapOptions vectors_on(Index axis) {
  ArrayMapOptions options;
  options.vectors_axis = axis;
  return options;
}

List with(List at, std::size_t axis, Index value) {
  at.insert(at.begin() + static_cast<std::ptrdiff_t>(axis), value);
  return at;
}

// `rows` with an axis of `vectors` put in at `axis`.
oracle::Array with_vectors(const oracle::Array& rows, std::size_t axis, Index vectors) {
  std::vector<oracle::Axis> axes = rows.axes;
  axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(axis), oracle::block({vectors}));
  return oracle::Array(axes);
}

// The same values in dense memory with the axes in another order, outermost first.
tridap::DistArray stamped_as(const oracle::Array& array, const List& axes) {
  tridap::DistArray part = stamped(array);
  const tridap::Buffer row_major = part.buffer;
  part.buffer = tridap::allocate(row_major.type, row_major.shape);
  turn(part.buffer, axes, std::vector<bool>(axes.size(), false));
  for (const auto& element : array.elements(rank(), tridap::Part::local))
    std::memcpy(oracle::address(part.buffer, element.local), oracle::address(row_major, element.local), 8);
  return part;
}

// Memory in which the vectors stand `apart` elements from one another, and what is between them is NaN.
tridap::DistArray apart(const oracle::Array& array, std::size_t vectors_axis, Index rows_extent, Index distance) {
  tridap::DistArray part = stamped(array);
  const tridap::Buffer dense = part.buffer;
  List rows_shape = dense.shape;
  const Index vectors = rows_shape[vectors_axis];
  rows_shape.erase(rows_shape.begin() + static_cast<std::ptrdiff_t>(vectors_axis));
  tridap::Buffer room = tridap::allocate(dense.type, {vectors * distance});
  for (Index i = 0; i < vectors * distance; ++i)
    static_cast<double*>(room.data)[i] = std::numeric_limits<double>::quiet_NaN();
  part.buffer = room;
  part.buffer.shape = dense.shape;
  part.buffer.strides = with(tridap::row_major_strides(rows_shape, 8), vectors_axis, 8 * distance);
  for (const auto& element : array.elements(rank(), tridap::Part::local))
    std::memcpy(oracle::address(part.buffer, element.local), oracle::address(dense, element.local), 8);
  EXPECT_LE(rows_extent, distance);
  return part;
}

tridap::Buffer one_vector(const tridap::Buffer& buffer, std::size_t axis) {
  tridap::Buffer column = buffer;
  column.shape.erase(column.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  column.strides.erase(column.strides.begin() + static_cast<std::ptrdiff_t>(axis));
  return column;
}

// Element (i, j) is row i, in the order of `order`'s memory, of vector j: the same memory where it is shared, else the
// same value.
void expect_columns(const MultiVector& made, const oracle::Array& rows, const tridap::Buffer& order,
                    const tridap::Buffer& buffer, std::size_t axis, bool shared) {
  EXPECT_EQ(ids_of(*made.getMap()), ids_by_address(rows, one_vector(order, axis)));
  ASSERT_EQ(static_cast<Index>(made.getNumVectors()), buffer.shape[axis]);
  const auto view = made.getLocalViewHost(Tpetra::Access::ReadOnly);
  std::map<std::byte*, List> by_address;
  for (const auto& element : rows.elements(rank(), tridap::Part::interior))
    by_address[oracle::address(one_vector(order, axis), element.local)] = element.local;
  ASSERT_EQ(view.extent(0), by_address.size());
  std::size_t i = 0;
  for (const auto& [ignored, local] : by_address) {
    for (Index j = 0; j < buffer.shape[axis]; ++j) {
      const double* there = reinterpret_cast<double*>(oracle::address(buffer, with(local, axis, j)));
      const double& here = view(i, static_cast<std::size_t>(j));
      EXPECT_EQ(&here == there, shared);
      EXPECT_EQ(std::memcmp(&here, there, 8), 0);
    }
    ++i;
  }
}

std::vector<oracle::Array> rows_of_all_kinds() {
  std::vector<oracle::Array> all;
  for_each_array(plain_axes, [&](const oracle::Array& array) { all.push_back(array); });
  return all;
}

oracle::Array twos(Index other) {
  return oracle::Array({oracle::block(List(static_cast<std::size_t>(processes()), 2)), oracle::block({other})});
}

}  // namespace

TEST(ImportMultiVector, OutermostVectorsShareMemoryAndComeBackUnchanged) {
  for (const oracle::Array& rows : rows_of_all_kinds())
    for (std::size_t axis = 0; axis <= rows.axes.size(); ++axis)
      for (const Index vectors : {Index{0}, Index{1}, Index{3}}) {
        const oracle::Array array = with_vectors(rows, axis, vectors);
        List order;
        for (std::size_t i = 0; i < array.axes.size(); ++i)
          if (i != axis) order.push_back(static_cast<Index>(i));
        order.insert(order.begin(), static_cast<Index>(axis));
        const tridap::DistArray part = stamped_as(array, order);
        const ArrayMap layout(part, MPI_COMM_WORLD, vectors_on(static_cast<Index>(axis)));
        const auto imported = import_multivector<double>(part, layout);
        EXPECT_TRUE(imported.receipt.shared);
        EXPECT_EQ(imported.receipt.bytes_copied, 0);
        expect_columns(*imported.multivector, rows, part.buffer, part.buffer, axis, true);

        const auto exported = export_array(imported.multivector, layout);
        EXPECT_EQ(exported.array.buffer.shape, part.buffer.shape);
        EXPECT_EQ(oracle::addresses(exported.array.buffer), oracle::addresses(part.buffer));
        EXPECT_EQ(differs(exported.array.dim_data, part.dim_data), "");
        EXPECT_EQ(exported.receipt.bytes_copied, 0);
        EXPECT_TRUE(exported.receipt.shared);
      }
}

TEST(ImportMultiVector, OnlyDenseVectorsAreSharedAndOthersRefusedOrCopied) {
  const Index p = processes();
  const oracle::Array rows({oracle::cyclic(3 * p + 1, 2, p), oracle::block({2})});
  for (std::size_t axis = 0; axis <= 2; ++axis) {
    const oracle::Array array = with_vectors(rows, axis, 3);
    List order{0, 1, 2};
    do {
      const tridap::DistArray part = stamped_as(array, order);
      const bool outermost = order[0] == static_cast<Index>(axis);
      const ArrayMapOptions options = vectors_on(static_cast<Index>(axis));
      if (outermost) {
        const auto imported = import_multivector<double>(part, MPI_COMM_WORLD, Copy::never, options);
        expect_columns(*imported.multivector, rows, part.buffer, part.buffer, axis, true);
      } else {
        expect_refused([&] { import_multivector<double>(part, MPI_COMM_WORLD, Copy::never, options); },
                       "copy=never, but a MultiVector needs contiguous elements");
      }
      for (const Copy copy : {Copy::if_needed, Copy::always}) {
        const auto imported = import_multivector<double>(part, MPI_COMM_WORLD, copy, options);
        const bool shared = outermost && copy == Copy::if_needed;
        expect_columns(*imported.multivector, rows, part.buffer, part.buffer, axis, shared);
        EXPECT_EQ(imported.receipt.shared, shared);
        EXPECT_EQ(imported.receipt.bytes_copied, shared ? 0 : 8 * tridap::element_count(part.buffer));
        EXPECT_EQ(imported.multivector->getStride(), imported.multivector->getLocalLength());
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(ImportMultiVector, ALeadingDimensionIsSharedAndItsGapsAreUntouched) {
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}})
    for (const Index distance : {Index{2}, Index{3}, Index{7}}) {
      const oracle::Array rows({oracle::block(List(static_cast<std::size_t>(processes()), 2))});
      const oracle::Array array = with_vectors(rows, axis, 3);
      const tridap::DistArray part = apart(array, axis, 2, distance);
      const ArrayMap layout(part, MPI_COMM_WORLD, vectors_on(static_cast<Index>(axis)));
      const auto imported = import_multivector<double>(part, layout);
      MultiVector& made = *imported.multivector;
      EXPECT_EQ(static_cast<Index>(made.getStride()), distance);
      expect_columns(made, rows, part.buffer, part.buffer, axis, true);

      const auto exported = export_array(imported.multivector, layout);
      EXPECT_EQ(exported.array.buffer.strides, part.buffer.strides);
      EXPECT_EQ(exported.array.buffer.data, part.buffer.data);

      made.putScalar(1);
      made.scale(2);
      made.update(3, MultiVector(made, Teuchos::Copy), 1);
      std::vector<double> norms(3);
      made.norm1(Teuchos::ArrayView<double>(norms));
      for (const double norm : norms) EXPECT_EQ(norm, 8.0 * 2 * static_cast<double>(processes()));
      const auto* memory = static_cast<const double*>(part.buffer.data);
      for (Index i = 0; i < 3 * distance; ++i) EXPECT_EQ(std::isnan(memory[i]), i % distance >= 2) << i;
    }
}

TEST(ImportMultiVector, VectorsThatOverlapOrRunBackwardsAreRefusedOrCopied) {
  const oracle::Array array = twos(3);
  tridap::DistArray backwards = stamped_as(array, {1, 0});
  turn(backwards.buffer, {1, 0}, {false, true});
  expect_refused([&] { import_multivector<double>(backwards, MPI_COMM_WORLD, Copy::never, vectors_on(1)); },
                 "vectors that are at least 16 bytes apart, and they are -16 bytes apart");
  tridap::DistArray same = stamped_as(array, {1, 0});
  same.buffer.strides[1] = 0;
  same.buffer.read_only = true;
  expect_refused([&] { import_multivector<const double>(same, MPI_COMM_WORLD, Copy::never, vectors_on(1)); },
                 "and they are 0 bytes apart");
  for (const tridap::DistArray& part : {backwards, same}) {
    const auto imported = import_multivector<const double>(part, MPI_COMM_WORLD, Copy::if_needed, vectors_on(1));
    expect_columns(*imported.multivector, oracle::Array({array.axes[0]}), part.buffer, part.buffer, 1, false);
  }
}

TEST(ImportMultiVector, RowMajorIsRefusedWithTheStrideAndTheBlockVectorAsRemedy) {
  const std::string text =
      refusal([&] { import_multivector<double>(stamped(twos(3)), MPI_COMM_WORLD, Copy::never, vectors_on(1)); });
  expect_says(
      text,
      "copy=never, but a MultiVector needs contiguous elements and axis 0 has stride 24 bytes for "
      "8-byte elements [conversion]: pass copy=if_needed, a column-major buffer, or import row-major memory as a "
      "block vector");
  expect_says(text, "(rank 0)");
}

TEST(ImportMultiVector, OneProcessThatMustCopyRefusesOnAllAndCopiesAlone) {
  for (Index bad = 0; bad < processes(); ++bad) {
    const tridap::DistArray part = rank() == bad ? stamped(twos(3)) : stamped_as(twos(3), {1, 0});
    expect_refused([&] { import_multivector<double>(part, MPI_COMM_WORLD, Copy::never, vectors_on(1)); },
                   "(rank " + std::to_string(bad) + "): copy=never, but a MultiVector");
    const auto imported = import_multivector<double>(part, MPI_COMM_WORLD, Copy::if_needed, vectors_on(1));
    EXPECT_EQ(imported.receipt.bytes_copied, rank() == bad ? 48 : 0);
    EXPECT_EQ(imported.receipt.shared, rank() != bad);
  }
}

TEST(ImportMultiVector, TheVectorsAreTheLastAxisThatIsNotDistributedWhereNoneIsNamed) {
  const Index p = processes();
  const oracle::Array first({oracle::block({3}), oracle::cyclic(2 * p, 1, p)});
  if (p > 1) {
    const auto imported = import_multivector<double>(stamped(first), MPI_COMM_WORLD);
    EXPECT_EQ(imported.multivector->getNumVectors(), 3U);
  }
  const oracle::Array last({oracle::block({3}), oracle::cyclic(2 * p, 1, p), oracle::block({4})});
  EXPECT_EQ(import_multivector<double>(stamped_as(last, {2, 0, 1}), MPI_COMM_WORLD).multivector->getNumVectors(), 4U);
}

/// The error of an import whose vectors are along this axis.
std::string axis_refusal(const tridap::DistArray& array, std::optional<Index> axis) {
  ArrayMapOptions options;
  options.vectors_axis = axis;
  return refusal([&] { import_multivector<double>(array, MPI_COMM_WORLD, Copy::if_needed, options); });
}

TEST(ImportMultiVector, AnAxisThatIsMirroredListedOrNotThereIsRefused) {
  const Index p = processes();
  const tridap::DistArray part = stamped_as(twos(3), {1, 0});
  expect_says(axis_refusal(part, 2),
              "there is no axis 2 for the vectors [conversion]: the array has 2 axes: set vectors_axis to one of them");
  expect_says(axis_refusal(part, -1), "there is no axis -1 for the vectors");
  expect_refused([&] { ArrayMap(part, MPI_COMM_WORLD, vectors_on(7)); }, "there is no axis 7");
  const oracle::Array listed({oracle::block(List(static_cast<std::size_t>(p), 2)), oracle::unstructured({{4, 2}})});
  expect_says(axis_refusal(stamped(listed), 1), "axis 1: the vectors' axis is distributed");
  const oracle::Array mirrored(
      {oracle::block(List(static_cast<std::size_t>(p), 2)), oracle::block({4}, {}, {1, 1}, true)});
  expect_says(axis_refusal(stamped(mirrored), 1), "axis 1: the vectors' axis is distributed");
}

TEST(ImportMultiVector, ADistributedAxisIsRefused) {
  const Index p = processes();
  if (p == 1) GTEST_SKIP() << "needs at least 2 processes";
  const tridap::DistArray part = stamped_as(twos(3), {1, 0});
  expect_says(
      axis_refusal(part, 0),
      "axis 0: the vectors' axis is distributed [conversion]: set vectors_axis to an axis that is not distributed");
  const tridap::DistArray line = stamped(oracle::Array({oracle::cyclic(2 * p, 1, p)}));
  expect_says(axis_refusal(line, {}), "every axis is distributed");
}

TEST(ImportMultiVector, ALayoutServesEveryArrayOfItsDistribution) {
  const ArrayMap layout(stamped_as(twos(3), {1, 0}), MPI_COMM_WORLD, vectors_on(1));
  const oracle::Array rows({twos(3).axes[0]});
  const tridap::DistArray wide = apart(twos(3), 1, 2, 5), narrow = stamped_as(twos(3), {1, 0});
  for (const tridap::DistArray& part : {wide, narrow}) {
    const auto imported = import_multivector<double>(part, layout);
    expect_columns(*imported.multivector, rows, part.buffer, part.buffer, 1, true);
  }
  const auto copied = import_multivector<double>(stamped(twos(3)), layout, Copy::if_needed);
  EXPECT_EQ(copied.receipt.bytes_copied, 48);
  const tridap::DistArray more = stamped_as(twos(4), {1, 0});
  expect_refused([&] { import_multivector<double>(more, layout); },
                 "axis 1 (rank 0): the array has size 4, the map was made for size 3");
}

TEST(ImportMultiVector, ALayoutOfOneFormIsRefusedForAnother) {
  const tridap::DistArray part = stamped_as(twos(3), {1, 0});
  const ArrayMap plain(part, MPI_COMM_WORLD), vectors(part, MPI_COMM_WORLD, vectors_on(1));
  expect_refused([&] { import_multivector<double>(part, plain); }, "has no axis for the vectors");
  expect_refused([&] { tridap::tpetra::import_vector<double>(part, vectors); },
                 "axis 1: the ArrayMap has an axis for the vectors of a MultiVector");
}

TEST(ImportMultiVector, AMultiVectorThatDoesNotFitTheLayoutIsRefused) {
  const tridap::DistArray three = stamped_as(twos(3), {1, 0}), four = stamped_as(twos(4), {1, 0});
  const ArrayMap of_three(three, MPI_COMM_WORLD, vectors_on(1)), of_four(four, MPI_COMM_WORLD, vectors_on(1));
  const ArrayMap plain(stamped(oracle::Array({twos(3).axes[0]})), MPI_COMM_WORLD);
  const auto vectors = import_multivector<double>(three, of_three).multivector;
  expect_refused([&] { export_array(vectors, of_four); }, "the ArrayMap has 4 vectors, the MultiVector 3");
  expect_refused([&] { export_array(vectors, plain); }, "the ArrayMap has no axis for 3 vectors");
  const auto one = Teuchos::rcp(new MultiVector(plain.map(), 1));
  EXPECT_EQ(export_array(one, plain).array.ndim(), 1);
}

TEST(ImportMultiVector, ReadOnlyMemoryIsAMultiVectorThatCannotBeWritten) {
  tridap::DistArray part = stamped_as(twos(3), {1, 0});
  part.buffer.read_only = true;
  expect_refused([&] { import_multivector<double>(part, MPI_COMM_WORLD, Copy::never, vectors_on(1)); },
                 "a MultiVector is writable and the buffer is read-only [conversion]: import it as const elements");
  const ArrayMap layout(part, MPI_COMM_WORLD, vectors_on(1));
  const auto imported = import_multivector<const double>(part, layout);
  static_assert(std::is_same_v<decltype(imported.multivector), Teuchos::RCP<const MultiVector>>);
  expect_columns(*imported.multivector, oracle::Array({twos(3).axes[0]}), part.buffer, part.buffer, 1, true);
  const tridap::DistArray out = export_array(imported.multivector, layout).array;
  EXPECT_TRUE(out.buffer.read_only);
  EXPECT_EQ(out.buffer.data, part.buffer.data);
}

TEST(ImportMultiVector, EmptySharesAndNoRowsAtAllAreFine) {
  List counts(static_cast<std::size_t>(processes()), 2);
  counts[0] = 0;
  for (const List& of : {counts, List(counts.size(), 0)}) {
    const oracle::Array rows({oracle::block(of)});
    const oracle::Array array = with_vectors(rows, 1, 3);
    for (const List& order : {List{0, 1}, List{1, 0}}) {
      const tridap::DistArray part = stamped_as(array, order);
      const auto imported = import_multivector<double>(part, MPI_COMM_WORLD, Copy::if_needed, vectors_on(1));
      EXPECT_EQ(imported.multivector->getNumVectors(), 3U);
      EXPECT_EQ(static_cast<Index>(imported.multivector->getLocalLength()), of[static_cast<std::size_t>(rank())]);
      std::vector<double> norms(3);
      imported.multivector->norm1(Teuchos::ArrayView<double>(norms));
    }
  }
}

TEST(ImportMultiVector, ItsColumnsKeepTheExportersMemory) {
  bool released = false;
  {
    Teuchos::RCP<tridap::tpetra::Vector<double>> column;
    {
      tridap::DistArray part = stamped_as(twos(3), {1, 0});
      part.buffer.owner = std::shared_ptr<void>(
          &released, [kept = part.buffer.owner](void* flag) { *static_cast<bool*>(flag) = true; });
      column = import_multivector<double>(part, MPI_COMM_WORLD, Copy::never, vectors_on(1))
                   .multivector->getVectorNonConst(2);
    }
    EXPECT_FALSE(released);
    EXPECT_EQ(column->getData(0)[1], static_cast<double>(3 * (2 * rank() + 1) + 2) + 0.5);
  }
  EXPECT_TRUE(released);
}

TEST(ImportBlockVector, RowMajorRowsAreBlocksInTheSameMemory) {
  for (const oracle::Array& rows : rows_of_all_kinds()) {
    const oracle::Array array = with_vectors(rows, rows.axes.size(), 3);
    const tridap::DistArray part = stamped(array);
    const auto imported = import_block_vector<double>(part, MPI_COMM_WORLD);
    EXPECT_TRUE(imported.receipt.shared);
    EXPECT_EQ(imported.receipt.bytes_copied, 0);
    auto& blocks = *imported.block_vector;
    EXPECT_EQ(blocks.getBlockSize(), 3);
    EXPECT_EQ(blocks.getNumVectors(), 1);
    const std::vector<Index> ids = ids_of(*blocks.getMap());
    EXPECT_EQ(ids, ids_by_address(rows, one_vector(part.buffer, rows.axes.size())));
    double sum = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto block = blocks.getLocalBlockHost(static_cast<int>(i), 0, Tpetra::Access::ReadOnly);
      for (int j = 0; j < 3; ++j) {
        EXPECT_EQ(&block(j), static_cast<const double*>(part.buffer.data) + 3 * i + static_cast<std::size_t>(j));
        EXPECT_EQ(block(j), static_cast<double>(3 * ids[i] + j) + 0.5);
        sum += std::abs(block(j));
      }
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_DOUBLE_EQ(blocks.getMultiVectorView().getVector(0)->norm1(), sum);
  }
}

TEST(ImportBlockVector, OtherMemoryIsRefusedOrCopiedBlockByBlock) {
  const tridap::DistArray part = stamped_as(twos(3), {1, 0});
  expect_refused([&] { import_block_vector<double>(part, MPI_COMM_WORLD); }, "copy=never, but a BlockMultiVector");
  const auto copied = import_block_vector<double>(part, MPI_COMM_WORLD, Copy::if_needed);
  EXPECT_EQ(copied.receipt.bytes_copied, 48);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_EQ(copied.block_vector->getLocalBlockHost(i, 0, Tpetra::Access::ReadOnly)(j),
                static_cast<double>(3 * (2 * rank() + i) + j) + 0.5);
}

TEST(ImportBlockVector, ADistributedLastAxisIsRefused) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  const Index p = processes();
  const tridap::DistArray part = stamped(oracle::Array({oracle::block({3}), oracle::cyclic(2 * p, 1, p)}));
  expect_refused([&] { import_block_vector<double>(part, MPI_COMM_WORLD); }, "the last axis is distributed");
  ArrayMapOptions options;
  options.vectors_axis = 1;
  expect_refused([&] { import_block_vector<double>(part, MPI_COMM_WORLD, Copy::never, options); },
                 "axis 1: the vectors' axis is distributed");
}

TEST(ImportBlockVector, KeepsTheExportersMemory) {
  bool released = false;
  {
    Teuchos::RCP<Tpetra::BlockMultiVector<double>> blocks;
    {
      tridap::DistArray part = stamped(twos(3));
      part.buffer.owner = std::shared_ptr<void>(
          &released, [kept = part.buffer.owner](void* flag) { *static_cast<bool*>(flag) = true; });
      blocks = import_block_vector<double>(part, MPI_COMM_WORLD).block_vector;
    }
    EXPECT_FALSE(released);
    EXPECT_EQ(blocks->getLocalBlockHost(1, 0, Tpetra::Access::ReadOnly)(2), static_cast<double>(6 * rank() + 5) + 0.5);
  }
  EXPECT_TRUE(released);
}
