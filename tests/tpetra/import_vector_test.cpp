#include "tpetra/support.hpp"

#include <cstring>

using namespace tpetra_test;
using tridap::Copy;
using tridap::tpetra::ArrayMap;
using tridap::tpetra::import_vector;

namespace {

oracle::Array rows_of_three() {
  return oracle::Array({oracle::block(oracle::List(static_cast<std::size_t>(processes()), 2)), oracle::block({3})});
}

// The same elements with room between them: rows of 5 of which 3 are used.
tridap::DistArray strided(const oracle::Array& array) {
  tridap::DistArray part = stamped(array);
  tridap::Buffer wide = tridap::allocate(part.buffer.type, {part.buffer.shape[0], 5});
  wide.shape[1] = 3;
  for (const auto& element : array.elements(rank(), tridap::Part::local))
    *reinterpret_cast<double*>(oracle::address(wide, element.local)) =
        *reinterpret_cast<double*>(oracle::address(part.buffer, element.local));
  part.buffer = wide;
  return part;
}

}  // namespace

TEST(ImportVector, IsTheArraysMemoryForEveryKind) {
  for_each_array(plain_axes, [](const oracle::Array& array) {
    const tridap::DistArray part = stamped(array);
    const auto imported = import_vector<double>(part, MPI_COMM_WORLD);
    EXPECT_TRUE(imported.receipt.shared);
    EXPECT_EQ(imported.receipt.bytes_copied, 0);
    if (tridap::element_count(part.buffer) > 0) {
      EXPECT_EQ(data_of(*imported.vector), part.buffer.data);
    }
    const std::vector<Index> ids = ids_of(*imported.vector->getMap());
    for (std::size_t i = 0; i < ids.size(); ++i)
      EXPECT_EQ(data_of(*imported.vector)[i], static_cast<double>(ids[i]) + 0.5);
  });
}

TEST(ImportVector, AWriteOnOneSideIsReadOnTheOther) {
  const tridap::DistArray part = stamped(rows_of_three());
  const auto imported = import_vector<double>(part, MPI_COMM_WORLD);
  static_cast<double*>(part.buffer.data)[4] = -3;
  EXPECT_EQ(data_of(*imported.vector)[4], -3);
  imported.vector->putScalar(7);
  EXPECT_EQ(static_cast<double*>(part.buffer.data)[5], 7);
  imported.vector->scale(2);
  EXPECT_EQ(static_cast<double*>(part.buffer.data)[0], 14);
}

TEST(ImportVector, EveryDenseMemoryOrderIsSharedBackwardsTooAndNormsAgree) {
  const oracle::Array array = rows_of_three();
  oracle::for_each_memory_order(2, [&](const std::vector<Index>& axes, const std::vector<bool>& backwards) {
    tridap::DistArray part = stamped(array);
    const void* lowest = part.buffer.data;
    turn(part.buffer, axes, backwards);
    const auto imported = import_vector<double>(part, MPI_COMM_WORLD);
    EXPECT_EQ(data_of(*imported.vector), lowest);
    const Index n = 6 * processes();
    EXPECT_DOUBLE_EQ(imported.vector->norm1(), static_cast<double>(n * n) / 2);  // 0.5 + 1.5 + ...
  });
}

TEST(ImportVector, AStridedBufferIsCopiedOnlyWhereAllowedAndCounted) {
  const oracle::Array array = rows_of_three();
  const tridap::DistArray part = strided(array);
  const std::string text = refusal([&] { import_vector<double>(part, MPI_COMM_WORLD); });
  expect_says(text,
              "copy=never, but a Vector needs contiguous elements and axis 0 has stride 40 bytes where 24 "
              "would leave no holes");
  expect_says(text, "pass copy=if_needed, or a contiguous");

  const auto imported = import_vector<double>(part, MPI_COMM_WORLD, Copy::if_needed);
  EXPECT_FALSE(imported.receipt.shared);
  EXPECT_EQ(imported.receipt.bytes_copied, 6 * 8);
  const std::vector<Index> ids = ids_of(*imported.vector->getMap());
  ASSERT_EQ(ids.size(), 6U);
  for (std::size_t i = 0; i < ids.size(); ++i)
    EXPECT_EQ(data_of(*imported.vector)[i], static_cast<double>(ids[i]) + 0.5);
  imported.vector->putScalar(0);
  EXPECT_NE(*static_cast<double*>(part.buffer.data), 0) << "a copy takes no part in changes";
}

TEST(ImportVector, AlwaysCopiesWhatCouldBeShared) {
  const tridap::DistArray part = stamped(rows_of_three());
  const auto imported = import_vector<double>(part, MPI_COMM_WORLD, Copy::always);
  EXPECT_NE(data_of(*imported.vector), part.buffer.data);
  EXPECT_EQ(imported.receipt.bytes_copied, 48);
  EXPECT_EQ(data_of(*imported.vector)[5], static_cast<double*>(part.buffer.data)[5]);
}

TEST(ImportVector, OneProcessThatMustCopyRefusesOnAllUnderNever) {
  for (Index bad = 0; bad < processes(); ++bad) {
    const tridap::DistArray part = rank() == bad ? strided(rows_of_three()) : stamped(rows_of_three());
    expect_refused([&] { import_vector<double>(part, MPI_COMM_WORLD); },
                   "(rank " + std::to_string(bad) + "): copy=never");
    const auto imported = import_vector<double>(part, MPI_COMM_WORLD, Copy::if_needed);
    EXPECT_EQ(imported.receipt.bytes_copied, rank() == bad ? 48 : 0);
  }
}

TEST(ImportVector, MisalignedMemoryIsRefusedOrCopied) {
  tridap::DistArray part = stamped(rows_of_three());
  const tridap::Buffer room = tridap::allocate(part.buffer.type, {7});
  std::byte* odd = static_cast<std::byte*>(room.data) + 4;
  std::memcpy(odd, part.buffer.data, 48);
  part.buffer.data = odd;
  expect_refused([&] { import_vector<double>(part, MPI_COMM_WORLD); }, "aligned");
  const auto imported = import_vector<double>(part, MPI_COMM_WORLD, Copy::if_needed);
  EXPECT_EQ(data_of(*imported.vector)[1], static_cast<double>(6 * rank() + 1) + 0.5);
}

TEST(ImportVector, DeviceMemoryIsNeverTakenForHostMemory) {
  tridap::DistArray part = stamped(rows_of_three());
  part.buffer.memory = {tridap::Memory::Kind::cuda, 1};
  expect_refused([&] { import_vector<double>(part, MPI_COMM_WORLD, Copy::always); }, "cuda:1");
}

TEST(ImportVector, ThePaddedPartOfAOneDimensionalArrayIsSkippedInPlace) {
  for (const oracle::Axis& axis : padded_axes(processes())) {
    const oracle::Array array({axis});
    const tridap::DistArray part = stamped(array);
    const auto imported = import_vector<double>(part, MPI_COMM_WORLD);
    const Index first = axis.part(rank(), tridap::Part::interior).begin;
    EXPECT_EQ(data_of(*imported.vector), static_cast<double*>(part.buffer.data) + first);
    imported.vector->putScalar(-1);
    for (Index l = 0; l < part.buffer.shape[0]; ++l)
      EXPECT_EQ(static_cast<double*>(part.buffer.data)[l] == -1, axis.part(rank(), tridap::Part::interior).contains(l));
  }
}

TEST(ImportVector, PaddingInsideRowsNeedsACopyAndSaysSo) {
  const Index p = processes();
  const oracle::Array array({oracle::block({2}), padded_axes(p)[1]});
  const tridap::DistArray part = stamped(array);
  if (p > 1) {
    expect_refused([&] { import_vector<double>(part, MPI_COMM_WORLD); }, "axis 0 has stride");
  }
  const auto imported = import_vector<double>(part, MPI_COMM_WORLD, Copy::if_needed);
  const std::vector<Index> ids = ids_of(*imported.vector->getMap());
  for (std::size_t i = 0; i < ids.size(); ++i)
    EXPECT_EQ(data_of(*imported.vector)[i], static_cast<double>(ids[i]) + 0.5);
}

TEST(ImportVector, ALayoutServesEveryArrayOfItsDistribution) {
  const oracle::Array array = rows_of_three();
  const tridap::DistArray first = stamped(array), second = stamped(array);
  const ArrayMap layout(first, MPI_COMM_WORLD);
  EXPECT_EQ(data_of(*import_vector<double>(second, layout).vector), second.buffer.data);
  tridap::DistArray fortran = stamped(array);
  fortran.buffer.strides = tridap::column_major_strides(fortran.buffer.shape, 8);
  expect_refused([&] { import_vector<double>(fortran, layout); }, "memory order is not that of the map");
  const auto copied = import_vector<double>(fortran, layout, Copy::if_needed);
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 3; ++j)
      EXPECT_EQ(data_of(*copied.vector)[3 * i + j],
                *reinterpret_cast<double*>(oracle::address(fortran.buffer, {i, j})));
}

TEST(ImportVector, AnArrayOfAnotherDistributionIsRefusedOnEveryProcess) {
  const Index p = processes();
  const ArrayMap layout(stamped(rows_of_three()), MPI_COMM_WORLD);
  const auto refused = [&](const tridap::DistArray& part) {
    return refusal([&] { import_vector<double>(part, layout); });
  };
  const oracle::List two(static_cast<std::size_t>(p), 2);
  if (p > 1) {
    const oracle::Array cyclic({oracle::cyclic(2 * p, 1, p), oracle::block({3})});
    expect_says(refused(stamped(cyclic)),
                "axis 0 (rank 0): the array has dist_type 'c', the map was made for dist_type 'b' [conversion]: "
                "give an array with the distribution of the map");
  }
  const oracle::Array wider({oracle::block(two), oracle::block({4})}), flat({oracle::block(two)});
  expect_says(refused(stamped(wider)), "axis 1 (rank 0): the array has size 4, the map was made for size 3");
  expect_says(refused(stamped(flat)), "the array has 1 axis, the map was made for 2 axes");
}

TEST(ImportVector, AnArrayThatDiffersInOneValueIsRefusedWithBothValues) {
  const Index p = processes();
  if (p == 1) GTEST_SKIP() << "needs at least 2 processes";
  std::vector<oracle::List> lists, swapped;
  for (Index c = 0; c < p; ++c) lists.push_back({2 * c, 2 * c + 1}), swapped.push_back({2 * c + 1, 2 * c});
  const oracle::List owned(static_cast<std::size_t>(p), 4), one(static_cast<std::size_t>(p - 1), 1);
  const oracle::List shifted_right(static_cast<std::size_t>(p - 1), 2);
  struct Pair {
    oracle::Axis mine, other;
    const char* message;
  };
  const std::vector<Pair> pairs = {
      {oracle::cyclic(2 * p, 1, p), oracle::cyclic(2 * p, 1, p, 1), "the map was made for start "},
      {oracle::cyclic(4 * p, 2, p), oracle::cyclic(4 * p, 1, p),
       "the array has block_size 1, the map was made for block_size 2"},
      {oracle::unstructured(lists, true), oracle::unstructured(swapped, true),
       "the array has index 1 at local index 0, the map was made for index 0 there"},
      {oracle::block(owned, one), oracle::block(owned, shifted_right),
       "the array has padding (0, 2), the map was made for padding (0, 1)"},
      {oracle::block(owned, one, {1, 2}, true), oracle::block(owned, one, {2, 1}, true),
       "the array has padding (2, 1), the map was made for padding (1, 1)"}};
  for (const auto& [mine, other, message] : pairs) {
    const ArrayMap layout(stamped(oracle::Array({mine})), MPI_COMM_WORLD);
    import_vector<double>(stamped(oracle::Array({mine})), layout, Copy::if_needed);
    const tridap::DistArray changed = stamped(oracle::Array({other}));
    expect_refused([&] { import_vector<double>(changed, layout, Copy::if_needed); }, message);
  }
}

TEST(ImportVector, ShapeAndPaddingAreNamedAsLost) {
  EXPECT_EQ(import_vector<double>(stamped(rows_of_three()), MPI_COMM_WORLD).receipt.losses,
            std::vector<std::string>{"the shape"});
  const oracle::Array line({oracle::block(oracle::List(static_cast<std::size_t>(processes()), 2))});
  EXPECT_TRUE(import_vector<double>(stamped(line), MPI_COMM_WORLD).receipt.losses.empty());
}

TEST(ImportVector, BoundaryPaddingMayDifferBetweenProcessesAtOneCoordinate) {
  const Index p = processes();
  const oracle::Array array(
      {oracle::block({4}, {}, {1, 1}), oracle::block(oracle::List(static_cast<std::size_t>(p), 2))});
  tridap::DistArray part = stamped(array);
  if (rank() == p - 1) std::get<tridap::Block>(part.dim_data[0].dist).padding = std::array<Index, 2>{2, 0};
  EXPECT_EQ(data_of(*import_vector<double>(part, MPI_COMM_WORLD).vector), part.buffer.data);
}

TEST(ImportVector, APeriodicLayoutTakesNoArrayThatIsNot) {
  const oracle::List owned(static_cast<std::size_t>(processes()), 3);
  const oracle::List widths(static_cast<std::size_t>(processes() - 1), 0);
  const ArrayMap layout(stamped(oracle::Array({oracle::block(owned, widths, {1, 1}, true)})), MPI_COMM_WORLD);
  const tridap::DistArray plain = stamped(oracle::Array({oracle::block(owned, widths, {1, 1}, false)}));
  expect_refused([&] { import_vector<double>(plain, layout); },
                 "the array has periodic false, the map was made for periodic true");
}

TEST(ImportVector, KeysThatTheProtocolDoesNotKnowAreNamedAsLost) {
  tridap::DistArray part =
      stamped(oracle::Array({oracle::block(oracle::List(static_cast<std::size_t>(processes()), 2))}));
  part.dim_data[0].extras = {{"units", "\"m\""}};
  EXPECT_EQ(import_vector<double>(part, MPI_COMM_WORLD).receipt.losses, std::vector<std::string>{"the key 'units'"});
}

TEST(ImportVector, AReadOnlyEmptyPartDoesNotPreventSharing) {
  const Index p = processes();
  oracle::List counts(static_cast<std::size_t>(p), 2);
  counts[0] = 0;
  tridap::DistArray part = stamped(oracle::Array({oracle::block(counts)}));
  if (rank() == 0) part.buffer.read_only = true;
  EXPECT_TRUE(import_vector<double>(part, MPI_COMM_WORLD).receipt.shared);
}
