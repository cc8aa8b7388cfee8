#include "support/padded_axes.hpp"
#include "tpetra/same_dims.hpp"
#include "tpetra/support.hpp"
#include <tridap/compare.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <algorithm>

using namespace tpetra_test;
using oracle::List;
using oracle::of;
using tridap::Copy;
using tridap::tpetra::ArrayMap;
using tridap::tpetra::ArrayMapOptions;
using tridap::tpetra::export_array;
using tridap::tpetra::import_vector;
using tridap::tpetra::make_map;
using tridap::tpetra::Numbering;
using tridap::tpetra::PaddedArrayMap;

namespace {

constexpr const char* loss =
    "the row-major numbers of the elements: ids count process after process, and numbers() translates them";

ArrayMapOptions by_process(Index base = 0) {
  ArrayMapOptions options;
  options.numbering = Numbering::by_process;
  options.index_base = base;
  return options;
}

/// The global indices of this process's interior, by ascending address.
std::vector<List> in_memory(const oracle::Array& array, const tridap::Buffer& buffer, Index place = rank()) {
  std::map<const std::byte*, List> by_address;
  for (const auto& element : array.elements(place, tridap::Part::interior))
    by_address[oracle::address(buffer, element.local)] = element.global;
  std::vector<List> globals;
  for (const auto& [address, global] : by_address) globals.push_back(global);
  return globals;
}

/// What every process has, in the order of the ranks.
struct Everything {
  std::vector<List> elements;
  Index first = 0;  // of this process

  Everything(const std::vector<List>& own, std::size_t ndim) {
    std::vector<Index> sent;
    for (const List& global : own) sent.insert(sent.end(), global.begin(), global.end());
    const auto count = static_cast<int>(own.size());
    std::vector<int> counts(static_cast<std::size_t>(processes())), lengths, starts;
    MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
    int total = 0;
    for (std::size_t r = 0; r < counts.size(); ++r) {
      if (static_cast<Index>(r) < rank()) first += counts[r];
      lengths.push_back(counts[r] * static_cast<int>(ndim));
      starts.push_back(total);
      total += lengths.back();
    }
    std::vector<Index> all(static_cast<std::size_t>(total));
    MPI_Allgatherv(sent.data(), static_cast<int>(sent.size()), MPI_INT64_T, all.data(), lengths.data(), starts.data(),
                   MPI_INT64_T, MPI_COMM_WORLD);
    for (auto at = all.begin(); at != all.end(); at += static_cast<std::ptrdiff_t>(ndim))
      elements.emplace_back(at, at + static_cast<std::ptrdiff_t>(ndim));
  }
};

bool has_loss(const ArrayMap& layout) {
  const auto& losses = layout.losses();
  return std::count(losses.begin(), losses.end(), loss) > 0;
}

/// The map and both ways of its numbers, of elements of all processes.
void expect_numbered(const oracle::Array& array, const tridap::DistArray& part, const ArrayMap& layout, Index place) {
  const Everything all(in_memory(array, part.buffer, place), array.axes.size());
  const Index base = layout.options().index_base, count = static_cast<Index>(all.elements.size());
  std::vector<Index> expected;
  for (std::size_t i = 0; i < in_memory(array, part.buffer, place).size(); ++i)
    expected.push_back(base + all.first + static_cast<Index>(i));
  ASSERT_EQ(ids_of(*layout.map()), expected);
  ASSERT_TRUE(layout.map()->isContiguous());
  ASSERT_TRUE(layout.map()->isOneToOne());
  ASSERT_EQ(layout.map()->getIndexBase(), base);
  ASSERT_EQ(static_cast<Index>(layout.map()->getGlobalNumElements()), count);

  const auto numbers = layout.numbers();
  ASSERT_EQ(numbers.count(), count);
  const auto flat = array.flat_numbers();
  bool same = true;
  for (Index number = 0; number < count; ++number) {
    const List& global = all.elements[static_cast<std::size_t>(number)];
    ASSERT_EQ(numbers.global_index(number), global);
    ASSERT_EQ(numbers.number(global), number);
    same = same && flat.at(global) == number;
  }
  for (const Index number : {Index{-1}, count, count + 5}) ASSERT_EQ(numbers.global_index(number), std::nullopt);
  ASSERT_EQ(numbers.number(List(array.axes.size(), -100)), std::nullopt);
  if (!same) {
    ASSERT_TRUE(has_loss(layout));
  }
}

std::vector<oracle::Axis> all_axes(Index grid) {
  std::vector<oracle::Axis> axes = plain_axes(grid);
  for (const oracle::Axis& axis : padded_axes(grid)) axes.push_back(axis);
  axes.push_back(oracle::block(of(grid, grid == 1 ? 1 : 0)));                               // one element, or none
  axes.push_back(oracle::block(grid == 1 ? List{3} : of(grid, 2), {}, {1, 0}, grid == 1));  // mirrors at one end
  return axes;
}

}  // namespace

TEST(ByProcess, NumbersEveryProcessAfterTheOther) {
  Index count = 0;
  for_each_pair(all_axes, [&](const oracle::Array& array) {
    SCOPED_TRACE(tridap::describe(array.distribution()));
    const tridap::DistArray part = stamped(array);
    const ArrayMap layout(part, MPI_COMM_WORLD, by_process(3 * (count++ % 2)));
    ASSERT_NO_FATAL_FAILURE(expect_numbered(array, part, layout, rank()));
  });
}

TEST(ByProcess, NumbersMemoryInAnyOrder) {
  const Index p = processes();
  for (const oracle::Array& array :
       {oracle::Array({oracle::block(of(p, 2)), oracle::block({3})}),
        oracle::Array({oracle::block({2}), oracle::cyclic(2 * p + 1, 1, p)}),
        oracle::Array({oracle::block(of(p, 2), List(static_cast<std::size_t>(p - 1), 1)), oracle::block({2})}),
        oracle::Array({oracle::block({1}), oracle::block(of(p, 1)), oracle::block({2})})}) {
    std::vector<std::pair<List, std::vector<bool>>> orders;
    oracle::for_each_memory_order(array.axes.size(), [&](const List& axes, const std::vector<bool>& backwards) {
      orders.emplace_back(axes, backwards);
    });
    const std::size_t next = array.axes.size() == 2 ? 1 : 7;  // of three axes, some orders of all kinds
    for (std::size_t i = 0; i < orders.size(); i += next)
      for (const std::size_t step : {0, 5}) {  // the same on all processes, or another one on each
        const auto& [axes, backwards] = orders[(i + step * static_cast<std::size_t>(rank())) % orders.size()];
        tridap::DistArray part = stamped(array);
        turn(part.buffer, axes, backwards);
        const ArrayMap layout(part, MPI_COMM_WORLD, by_process());
        ASSERT_NO_FATAL_FAILURE(expect_numbered(array, part, layout, rank()));
        if (layout.distribution().count(rank(), tridap::Part::local) !=
            layout.distribution().count(rank(), tridap::Part::interior))
          continue;
        const auto imported = import_vector<double>(part, layout);
        EXPECT_TRUE(imported.receipt.shared);
        const tridap::Buffer out = export_array(imported.vector, layout).array.buffer;
        EXPECT_EQ(oracle::addresses(out), oracle::addresses(part.buffer));
      }
  }
}

TEST(ByProcess, NumbersByRankIfTheProcessesAreReordered) {
  const Index p = processes();
  ArrayMapOptions options = by_process(2);
  options.reorder = true;
  for_each_pair(plain_axes, [&](const oracle::Array& array) {
    for (const Index place : {p - 1 - rank(), (rank() + 1) % p}) {
      const tridap::DistArray part = stamped(array, place);
      const ArrayMap layout(part, MPI_COMM_WORLD, options);
      ASSERT_NO_FATAL_FAILURE(expect_numbered(array, part, layout, place));
    }
  });
}

TEST(ByProcess, OfDistributionsThatAreKnownIsTheSame) {
  for_each_pair(plain_axes, [&](const oracle::Array& array) {
    const tridap::DistArray part = stamped(array);
    const tridap::Distribution all = tridap::mpi::gather_distribution(part, MPI_COMM_WORLD);
    const ArrayMap layout(part, all, MPI_COMM_WORLD, by_process(1));
    ASSERT_NO_FATAL_FAILURE(expect_numbered(array, part, layout, rank()));
  });
}

TEST(ByProcess, IsNoLossIfTheNumbersAreRowMajor) {
  const Index p = processes();
  const oracle::Axis blocks = oracle::block(of(p, 3)), whole = oracle::block({2});
  const auto loses = [](const std::vector<oracle::Axis>& axes) {
    const tridap::DistArray part = stamped(oracle::Array(axes));
    const auto imported = import_vector<double>(part, MPI_COMM_WORLD, Copy::if_needed, by_process());
    const auto& losses = imported.receipt.losses;
    return std::count(losses.begin(), losses.end(), loss) > 0;
  };
  EXPECT_FALSE(loses({blocks}));
  EXPECT_FALSE(loses({blocks, whole}));
  EXPECT_FALSE(loses({oracle::block({1}), blocks, whole}));
  EXPECT_EQ(loses({whole, blocks}), p > 1);
  EXPECT_TRUE(loses({oracle::block(of(p, 3), {}, {1, 1}, true)})) << "the mirrors have no numbers";
}

TEST(ByProcess, ServesEveryImport) {
  const Index p = processes();
  const oracle::Array array({oracle::cyclic(3 * p + 1, 2, p), oracle::block({2})});
  const tridap::DistArray part = stamped(array);
  const auto blocks = tridap::tpetra::import_block_vector<double>(part, MPI_COMM_WORLD, Copy::never, by_process());
  EXPECT_TRUE(blocks.receipt.shared);
  EXPECT_TRUE(blocks.block_vector->getMap()->isContiguous());
  const auto several = tridap::tpetra::import_multivector<double>(part, MPI_COMM_WORLD, Copy::if_needed, by_process());
  EXPECT_TRUE(several.multivector->getMap()->isContiguous());
  EXPECT_EQ(several.multivector->getNumVectors(), 2U);
  EXPECT_TRUE(make_map(part.dim_data, MPI_COMM_WORLD, by_process())->isContiguous());
  const ArrayMap layout(part, MPI_COMM_WORLD, by_process(4));
  const auto imported = import_vector<double>(part, layout);
  double sum = 0;
  for (const auto& [global, number] : array.flat_numbers()) sum += static_cast<double>(number) + 0.5;
  EXPECT_DOUBLE_EQ(imported.vector->norm1(), sum);
  const auto out = export_array(imported.vector, layout);
  EXPECT_EQ(differs(out.array.dim_data, part.dim_data), "");
  EXPECT_EQ(out.array.buffer.data, part.buffer.data);
}

TEST(ByProcess, NeedsNoDirectoryOfIds) {
  const Index p = processes(), n = long_ids ? Index{1} << 30 : (Index{1} << 30) / p;
  tridap::Dimension rows = oracle::dimension(n * p, p, rank()), columns = oracle::dimension(n, 1, 0);
  rows.dist = tridap::Cyclic{rank(), 1};
  const auto map = make_map({rows}, MPI_COMM_WORLD, by_process());
  EXPECT_TRUE(map->isContiguous());
  EXPECT_EQ(static_cast<Index>(map->getGlobalNumElements()), n * p);
  columns.dist = tridap::Block{0, n, {}};
  expect_refused([&] { make_map({rows, columns}, MPI_COMM_WORLD, by_process()); }, "a process has");
}

TEST(ByProcess, RefusesIndicesOnSeveralProcesses) {
  const Index p = processes();
  if (p == 1) GTEST_SKIP() << "needs at least 2 processes";
  std::vector<List> lists;
  for (Index c = 0; c < p; ++c) lists.push_back({c + 1, c});
  const tridap::DistArray part = stamped(oracle::Array({oracle::unstructured(lists)}));
  ArrayMapOptions options = by_process();
  expect_refused([&] { ArrayMap(part, MPI_COMM_WORLD, options); }, "so that a vector would hold its element twice");
  options.shared = true;
  expect_refused([&] { ArrayMap(part, MPI_COMM_WORLD, options); }, "set numbering = row_major");
}

TEST(ByProcess, OnSomeProcessesOnlyIsRefusedOnAll) {
  const Index p = processes();
  if (p == 1) GTEST_SKIP() << "needs at least 2 processes";
  for (const oracle::Array& array :
       {oracle::Array({oracle::block(of(p, 3))}), oracle::Array({oracle::cyclic(3 * p, 1, p), oracle::block({2})})}) {
    const tridap::DistArray part = stamped(array);
    const ArrayMapOptions options = rank() == p - 1 ? by_process() : ArrayMapOptions();
    expect_refused([&] { ArrayMap(part, MPI_COMM_WORLD, options); }, "the processes have different options");
    const tridap::Distribution all = tridap::mpi::gather_distribution(part, MPI_COMM_WORLD);
    expect_refused([&] { ArrayMap(part, all, MPI_COMM_WORLD, options); }, "the processes have different options");
  }
}

namespace {

/// The overlap map has the ids of all elements that it repeats, and one of its own for each mirror.
void expect_overlap(const oracle::Array& array, const tridap::DistArray& part, const PaddedArrayMap& padded) {
  const Everything all(in_memory(array, part.buffer), array.axes.size());
  std::map<List, Index> numbers;
  for (const List& global : all.elements) numbers.emplace(global, static_cast<Index>(numbers.size()));
  const Index base = padded.interior().options().index_base, count = static_cast<Index>(numbers.size());
  const auto flat = array.flat_numbers();
  std::map<const std::byte*, List> by_address;
  for (const auto& element : array.elements(rank(), tridap::Part::local))
    by_address[oracle::address(part.buffer, element.local)] = element.global;
  const std::vector<Index> ids = ids_of(*padded.overlap_map());
  ASSERT_EQ(ids.size(), by_address.size());
  std::vector<List> mirrors;
  std::size_t i = 0;
  for (const auto& [address, global] : by_address) {
    const Index number = ids[i++] - base;
    if (const auto found = numbers.find(global); found != numbers.end()) {
      ASSERT_EQ(number, found->second);
    } else {
      ASSERT_GE(number, count);
      mirrors.push_back({flat.at(global), number});
    }
  }
  std::map<Index, Index> there, back;  // one id for each mirror on all processes
  for (const List& mirror : Everything(mirrors, 2).elements) {
    ASSERT_EQ(there.emplace(mirror[0], mirror[1]).first->second, mirror[1]);
    ASSERT_EQ(back.emplace(mirror[1], mirror[0]).first->second, mirror[0]);
  }
}

}  // namespace

TEST(ByProcessPadded, OverlapMapsHaveTheIdsOfTheirElements) {
  Index count = 0;
  for_each_pair(all_axes, [&](const oracle::Array& array) {
    SCOPED_TRACE(tridap::describe(array.distribution()));
    const tridap::DistArray part = stamped(array);
    const PaddedArrayMap padded(part, MPI_COMM_WORLD, by_process(3 * (count++ % 2)));
    ASSERT_NO_FATAL_FAILURE(expect_overlap(array, part, padded));
    EXPECT_EQ(padded.overlap_map().get(), PaddedArrayMap(padded).overlap_map().get()) << "a copy shares it";
  });
}

TEST(ByProcessPadded, MemoryInAnyOrderIsNumberedInThisOrder) {
  const Index p = processes();
  const oracle::Array array({oracle::block(of(p, 3), List(static_cast<std::size_t>(p - 1), 1), {1, 1}, true),
                             oracle::block({5}, {}, {1, 2}, true)});
  oracle::for_each_memory_order(2, [&](const List& axes, const std::vector<bool>& backwards) {
    tridap::DistArray part = stamped(array);
    turn(part.buffer, axes, backwards);
    const PaddedArrayMap padded(part, MPI_COMM_WORLD, by_process());
    ASSERT_NO_FATAL_FAILURE(expect_numbered(array, part, padded.interior(), rank()));
    ASSERT_NO_FATAL_FAILURE(expect_overlap(array, part, padded));
  });
}

TEST(ByProcessPadded, TheImporterAndTheUpdateFillThePadding) {
  for_each_pair(padded_axes, [&](const oracle::Array& array) {
    const auto flat = array.flat_numbers();
    const auto expect_filled = [&](const tridap::Buffer& buffer) {
      for (const auto& element : array.elements(rank(), tridap::Part::local))
        ASSERT_EQ(element_at(buffer, element.local),
                  static_cast<double>(flat.at(oracle::repeats(array, element.global))) + 0.5);
    };
    const tridap::DistArray part = stamped(array);
    auto padded = tridap::tpetra::import_padded<double>(part, MPI_COMM_WORLD, Copy::never, by_process());
    padded.update_padding();
    expect_filled(part.buffer);
    const auto& layout = padded.array_map();
    tridap::tpetra::Vector<double> inside(layout.interior().map());
    const auto whole = Teuchos::rcp(new tridap::tpetra::Vector<double>(layout.overlap_map()));
    std::vector<List> elements = in_memory(array, part.buffer);
    for (std::size_t i = 0; i < elements.size(); ++i)
      data_of(inside)[i] = static_cast<double>(flat.at(elements[i])) + 0.5;
    whole->doImport(inside, layout.importer(), Tpetra::INSERT);
    const auto out = export_array(whole, layout);
    expect_filled(out.array.buffer);
  });
}
