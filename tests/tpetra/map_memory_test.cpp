#include "support/memory_meter.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include <tridap/make.hpp>
#include <tridap/tpetra.hpp>

#include <gtest/gtest.h>
#include <malloc.h>

// What a process holds for the map of 10^6 elements of its own.
namespace {

using namespace tridap;
using tpetra::ArrayMap;
using tpetra::Numbering;

constexpr Index side = 1000;
constexpr std::size_t little = 64 * 1024, a_list = 8 * side * side;

/// This process's part of blocks x blocks.
DistArray part_of(const std::vector<AxisSpec>& specs) {
  const Index processes = on::processes(MPI_COMM_WORLD), rows = processes % 2 == 0 ? 2 : 1, columns = processes / rows;
  const Distribution all = Distribution::make({rows * side, columns * side}, specs, {rows, columns});
  return on::part_of(all, on::rank(MPI_COMM_WORLD));
}

tpetra::ArrayMapOptions numbered(Numbering numbering) {
  tpetra::ArrayMapOptions options;
  options.numbering = numbering;
  return options;
}

/// The bytes that are allocated now, also by Kokkos, which does not call operator new.
std::size_t allocated() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// What a step adds: all of it that stays, and the most that operator new gives at a time.
struct Added {
  std::size_t held, most_held;
};

/// `step` returns what it makes, and is made once before with other memory of MPI's and Trilinos' own.
template <class Step>
Added added_by(const Step& step) {
  { const auto first = step(); }
  const std::size_t before = allocated(), metered = memory_meter::held;
  memory_meter::most_held = metered;
  const auto made = step();
  return {allocated() - before, memory_meter::most_held - metered};
}

void expect_little(const Added& added) {
  EXPECT_LE(added.held, little);
  EXPECT_LE(added.most_held, little);
}

Added added_by_map(const DistArray& array, Numbering numbering) {
  return added_by([&] { return ArrayMap(array, MPI_COMM_WORLD, numbered(numbering)); });
}

}  // namespace

TEST(MapMemory, OfBlocksByProcessIsThatOfNoList) {
  for (const std::vector<AxisSpec>& specs :
       {std::vector<AxisSpec>{block(), block()}, {cyclic(), block()}, {cyclic(7), cyclic(1, 0)}}) {
    const DistArray array = part_of(specs);
    expect_little(added_by_map(array, Numbering::by_process));
  }
}

TEST(MapMemory, IsMeteredIfThereIsAList) {
  if (on::processes(MPI_COMM_WORLD) < 4) GTEST_SKIP() << "needs blocks along two axes";
  EXPECT_GE(added_by_map(part_of({block(), block()}), Numbering::row_major).held, a_list);
}

TEST(MapMemory, OfPaddedBlocksListsOnlyWhatIsAskedFor) {
  const DistArray array = part_of({padded_block(1), padded_block(1)});
  for (const bool known : {false, true}) {
    const auto make = [&] {
      const tpetra::PaddedArrayMap made(array, MPI_COMM_WORLD, numbered(Numbering::by_process));
      if (known) made.importer();
      return made;
    };
    const Added added = added_by(make);
    if (known) {
      EXPECT_GE(added.held, a_list);
    } else {
      expect_little(added);
    }
  }
}

TEST(MapMemory, OfAnOverlapMapIsTpetrasOwn) {
  const DistArray array = part_of({padded_block(1), padded_block(1)});
  const tpetra::PaddedArrayMap made(array, MPI_COMM_WORLD, numbered(Numbering::by_process));
  const auto ids = tpetra::compat::local_ids(*made.overlap_map());
  const std::vector<tpetra::Map::global_ordinal_type> list(ids.begin(), ids.end());
  const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  const Added expected = added_by([&] {
    return Teuchos::rcp(new tpetra::Map(any, Teuchos::ArrayView<const tpetra::Map::global_ordinal_type>(list), 0,
                                        made.interior().communicator().teuchos()));
  });
  const Added added = added_by([&] {
    const tpetra::PaddedArrayMap again(array, MPI_COMM_WORLD, numbered(Numbering::by_process));
    again.overlap_map();
    return again;
  });
  EXPECT_LE(added.held, expected.held + little);
  EXPECT_LE(added.most_held, expected.most_held + little);
}
