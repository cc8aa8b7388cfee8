#include "support/padded_axes.hpp"
#include "tpetra/support.hpp"

#include <cstring>
#include <limits>
#include <set>

using namespace tpetra_test;
using oracle::all_padded;
using oracle::List;
using oracle::of;
using tridap::Copy;
using tridap::tpetra::ArrayMapOptions;
using tridap::tpetra::import_padded;
using tridap::tpetra::PaddedArrayMap;
using tridap::tpetra::PaddedVector;
using Vector = tridap::tpetra::Vector<double>;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<oracle::Axis> padded_and_plain(Index grid) {
  const auto padded = all_padded(grid), plain = plain_axes(grid);
  return {padded[0], padded[3], plain[0], plain[3], plain[4]};
}

/// Fills padding with NaN.
void poison(const oracle::Array& array, const tridap::DistArray& part, Index place) {
  for (const auto& element : array.elements(place, tridap::Part::local))
    if (!inside(array, place, element.local)) element_at(part.buffer, element.local) = nan;
}

/// Every element of the buffer has the number of what it stands for, and a half.
void expect_filled(const oracle::Array& array, const tridap::Buffer& buffer, Index place) {
  const auto numbers = array.flat_numbers();
  for (const auto& element : array.elements(place, tridap::Part::local))
    EXPECT_EQ(element_at(buffer, element.local), static_cast<double>(numbers.at(repeats(array, element.global))) + 0.5);
}

/// A value for each element of each buffer; sums of them are exact.
double own_value(Index place, std::size_t i) { return static_cast<double>(1000 * (place + 1) + static_cast<Index>(i)); }

/// All padding of all processes added up by hand, by what it repeats.
std::map<List, double> padding_sums(const oracle::Array& array) {
  std::map<List, double> sums;
  for (Index place = 0; place < array.processes(); ++place) {
    const auto elements = array.elements(place, tridap::Part::local);
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (!inside(array, place, elements[i].local)) sums[repeats(array, elements[i].global)] += own_value(place, i);
  }
  return sums;
}

void expect_sums(const oracle::Array& array, const tridap::Buffer& buffer, PaddedVector<double>& padded, Index place) {
  const auto elements = array.elements(place, tridap::Part::local);
  for (std::size_t i = 0; i < elements.size(); ++i) element_at(buffer, elements[i].local) = own_value(place, i);
  padded.sum_padding();
  const auto sums = padding_sums(array);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto sum = sums.find(elements[i].global);
    const bool grows = inside(array, place, elements[i].local) && sum != sums.end();
    EXPECT_EQ(element_at(buffer, elements[i].local), own_value(place, i) + (grows ? sum->second : 0));
  }
}

bool in_one_piece(const oracle::Array& array, const tridap::Buffer& buffer, Index place) {
  std::set<std::byte*> all;
  for (const auto& element : array.elements(place, tridap::Part::interior))
    all.insert(oracle::address(buffer, element.local));
  return all.empty() || *all.rbegin() - *all.begin() == 8 * static_cast<std::ptrdiff_t>(all.size() - 1);
}

bool everywhere(bool here) {
  int all = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all != 0;
}

/// Everything that a padded vector promises, for one array in the memory that it has.
void expect_whole_picture(const oracle::Array& array, const tridap::DistArray& part, Index place,
                          const ArrayMapOptions& options = {}) {
  poison(array, part, place);
  PaddedVector<double> padded = import_padded<double>(part, MPI_COMM_WORLD, Copy::never, options);
  EXPECT_TRUE(padded.receipt().shared);
  EXPECT_EQ(padded.receipt().bytes_copied, 0);
  const auto count = tridap::element_count(part.buffer);
  ASSERT_EQ(static_cast<Index>(padded.overlap()->getLocalLength()), count);
  const double* lowest = nullptr;
  for (std::byte* element : oracle::addresses(part.buffer))
    if (lowest == nullptr || reinterpret_cast<double*>(element) < lowest) lowest = reinterpret_cast<double*>(element);
  if (count > 0) {
    EXPECT_EQ(data_of(*padded.overlap()), lowest);
  }

  const auto shifted = [&](std::vector<Index> ids) {
    for (Index& id : ids) id += options.index_base;
    return ids;
  };
  const std::vector<Index> ids = ids_of(*padded.array_map().overlap_map());
  EXPECT_EQ(ids, shifted(ids_by_address(array, part.buffer, place, tridap::Part::local)));
  EXPECT_EQ(std::set<Index>(ids.begin(), ids.end()).size(), ids.size());
  EXPECT_EQ(padded.overlap()->getMap().get(), padded.array_map().overlap_map().get());
  EXPECT_EQ(ids_of(*padded.array_map().interior().map()), shifted(ids_by_address(array, part.buffer, place)));
  EXPECT_TRUE(padded.array_map().interior().map()->isOneToOne());

  EXPECT_EQ(!padded.interior().is_null(), everywhere(in_one_piece(array, part.buffer, place)));
  EXPECT_EQ(padded.interior().is_null(), !padded.interior_obstacle().empty());
  if (!padded.interior().is_null()) {
    EXPECT_EQ(padded.interior()->getMap().get(), padded.array_map().interior().map().get());
    std::set<std::byte*> inner;
    for (const auto& element : array.elements(place, tridap::Part::interior))
      inner.insert(oracle::address(part.buffer, element.local));
    ASSERT_EQ(padded.interior()->getLocalLength(), inner.size());
    if (!inner.empty()) {
      EXPECT_EQ(data_of(*padded.interior()), reinterpret_cast<double*>(*inner.begin()));
    }
  }

  padded.update_padding();
  expect_filled(array, part.buffer, place);
  padded.overlap()->scale(2);
  poison(array, part, place);
  padded.update_padding();  // and again
  padded.overlap()->scale(0.5);
  expect_filled(array, part.buffer, place);

  poison(array, part, place);
  Vector apart(padded.array_map().interior().map());
  const std::vector<Index> own = ids_of(*padded.array_map().interior().map());
  for (std::size_t i = 0; i < own.size(); ++i)
    data_of(apart)[i] = static_cast<double>(own[i] - options.index_base) + 0.5;
  for (int twice = 0; twice < 2; ++twice) {
    for (std::byte* element : oracle::addresses(part.buffer)) *reinterpret_cast<double*>(element) = nan;
    padded.overlap()->doImport(apart, padded.array_map().importer(), Tpetra::INSERT);
    expect_filled(array, part.buffer, place);
  }
  EXPECT_EQ(&padded.array_map().importer(), &padded.array_map().importer());

  expect_sums(array, part.buffer, padded, place);
}

oracle::Array square(bool periodic) {
  const oracle::Axis axis = oracle::block(of(processes(), 3), of(processes() - 1, 1), {1, 1}, periodic);
  return oracle::Array({axis, oracle::block({4}, {}, {1, 1}, periodic)});
}

}  // namespace

TEST(Padded, EveryPaddedAxisAndPairsOfThemAreFilledAndSummed) {
  for_each_pair(all_padded, [](const oracle::Array& array) { expect_whole_picture(array, stamped(array), rank()); });
}

TEST(Padded, PaddedAxesBesideOthersOfEveryKindAreFilledAndSummed) {
  for_each_pair(padded_and_plain,
                [](const oracle::Array& array) { expect_whole_picture(array, stamped(array), rank()); });
}

TEST(Padded, ThreeAxesAreFilledAndSummed) {
  const Index p = processes();
  for (Index a = 1; a <= p; ++a)
    for (Index b = 1; a * b <= p; ++b) {
      if (p % (a * b) != 0) continue;
      const oracle::Array array({all_padded(a)[2], all_padded(b)[0], all_padded(p / (a * b))[4]});
      tridap::DistArray part = stamped(array);
      expect_whole_picture(array, part, rank());
      turn(part.buffer, {2, 0, 1}, {false, true, false});
      expect_whole_picture(array, stamped(array), rank());
    }
}

TEST(Padded, EveryMemoryOrderIsFilledAndSummedAndEachProcessMayHaveItsOwn) {
  const Index p = processes();
  for (Index a = 1; a <= p; ++a) {
    if (p % a != 0) continue;
    const oracle::Array array({all_padded(a)[3], all_padded(p / a)[2]});
    std::vector<std::pair<std::vector<Index>, std::vector<bool>>> orders;
    oracle::for_each_memory_order(2, [&](const std::vector<Index>& axes, const std::vector<bool>& backwards) {
      orders.emplace_back(axes, backwards);
    });
    for (std::size_t i = 0; i < orders.size(); ++i)
      for (const bool alike : {true, false}) {
        const auto& [axes, backwards] = orders[(i + (alike ? 0 : static_cast<std::size_t>(rank()))) % orders.size()];
        const tridap::DistArray given = stamped(array);
        tridap::DistArray part = given;
        part.buffer = tridap::allocate(given.buffer.type, given.buffer.shape);
        turn(part.buffer, axes, backwards);
        for (const auto& element : array.elements(rank(), tridap::Part::local))
          element_at(part.buffer, element.local) = element_at(given.buffer, element.local);
        expect_whole_picture(array, part, rank());
      }
  }
}

TEST(Padded, ProcessesInAnotherOrderFillOneAnotherToo) {
  const Index p = processes();
  ArrayMapOptions options;
  options.reorder = true;
  for (Index a = 1; a <= p; ++a) {
    if (p % a != 0) continue;
    const oracle::Array array({all_padded(a)[3], all_padded(p / a)[5]});
    for (const Index place : {p - 1 - rank(), (rank() + 1) % p, rank()})
      expect_whole_picture(array, stamped(array, place), place, options);
  }
}

TEST(Padded, ArraysOfVersion09AreFilledAndServeALayoutAsWell) {
  const Index p = processes();
  for (const std::size_t kind : {std::size_t{0}, std::size_t{1}, std::size_t{2}})
    for (Index a = 1; a <= p; ++a) {
      if (p % a != 0) continue;
      const oracle::Array array({all_padded(a)[kind], all_padded(p / a)[2]});
      const tridap::DistArray part = as_of_0_9(stamped(array), array);
      expect_whole_picture(array, part, rank());
      const tridap::tpetra::ArrayMap layout(part, MPI_COMM_WORLD);
      const auto imported = tridap::tpetra::import_vector<double>(part, layout, Copy::if_needed);
      EXPECT_EQ(ids_of(*imported.vector->getMap()), ids_by_address(array, part.buffer));
      tridap::tpetra::import_vector<double>(stamped(array), layout, Copy::if_needed);
    }
}

TEST(Padded, AnIndexBaseShiftsBothMaps) {
  ArrayMapOptions options;
  options.index_base = 7;
  const oracle::Array array = square(true);
  expect_whole_picture(array, stamped(array), rank(), options);
  const PaddedArrayMap layout(stamped(array), MPI_COMM_WORLD, options);
  EXPECT_EQ(layout.overlap_map()->getIndexBase(), 7);
}

TEST(Padded, AnArrayWithoutPaddingIsItsOwnOverlap) {
  for_each_pair(plain_axes, [](const oracle::Array& array) {
    expect_whole_picture(array, stamped(array), rank());
    const PaddedArrayMap layout(stamped(array), MPI_COMM_WORLD);
    EXPECT_EQ(layout.overlap_map().get(), layout.interior().map().get());
  });
}

TEST(Padded, EmptyPartsOnAllProcessesAreImported) {
  const oracle::Array array({oracle::block(of(processes(), 0)), oracle::block({3}, {}, {1, 1}, true)});
  expect_whole_picture(array, stamped(array), rank());
}

TEST(Padded, InteriorIsAViewOrItsObstacleIsNamedOnEveryProcess) {
  const Index p = processes();
  const oracle::Axis rows = oracle::block(of(p, 3), of(p - 1, 1), {1, 1}, true);
  const oracle::Array outside({rows, oracle::block({4})});
  auto padded = import_padded<double>(stamped(outside), MPI_COMM_WORLD);
  ASSERT_FALSE(padded.interior().is_null());
  padded.interior()->putScalar(3);
  padded.update_padding();
  EXPECT_EQ(padded.overlap()->normInf(), 3);
  EXPECT_EQ(padded.interior()->norm1(), 3.0 * 4 * static_cast<double>(3 * p - 2));

  const oracle::Array inside({oracle::block(of(p, 4), of(p - 1, 1), {1, 1}, true), square(true).axes[1]});
  const auto within = import_padded<double>(stamped(inside), MPI_COMM_WORLD);
  EXPECT_TRUE(within.interior().is_null());
  expect_says(within.interior_obstacle(), "a Vector needs contiguous elements and axis 0 has stride 32 bytes");
  expect_says(within.interior_obstacle(), "(rank " + std::to_string(p - 1) + ")");
}

TEST(Padded, SeveralVectorsShareOneLayout) {
  const oracle::Array array = square(true);
  const tridap::DistArray first = stamped(array), second = stamped(array);
  const PaddedArrayMap layout(first, MPI_COMM_WORLD);
  PaddedVector<double> a(first, layout), b(second, layout);
  EXPECT_EQ(&a.array_map().importer(), &b.array_map().importer());
  poison(array, first, rank());
  poison(array, second, rank());
  a.update_padding();
  expect_filled(array, first.buffer, rank());
  if (processes() > 1) {
    EXPECT_NE(b.overlap()->norm1(), b.overlap()->norm1()) << "only the first one was to be filled";
  }
  b.update_padding();
  expect_filled(array, second.buffer, rank());
  b.overlap()->update(1, *a.overlap(), -1);
  EXPECT_EQ(b.overlap()->norm1(), 0);
}

TEST(Padded, AnArrayThatIsNotTheLayoutsIsRefusedOnEveryProcess) {
  const PaddedArrayMap layout(stamped(square(true)), MPI_COMM_WORLD);
  expect_refused([&] { PaddedVector<double>(stamped(square(false)), layout); },
                 "the array has periodic false, the map was made for periodic true");
  for (Index bad = 0; bad < processes(); ++bad) {
    tridap::DistArray part = stamped(square(true));
    if (rank() == bad) turn(part.buffer, {1, 0}, {false, false});
    expect_refused([&] { PaddedVector<double>(part, layout); }, "memory order is not that of the map");
  }
}

TEST(Padded, OtherTypesAreRefusedByNameOnEveryProcess) {
  for (Index bad = 0; bad < processes(); ++bad) {
    const PaddedArrayMap layout(stamped(square(true)), MPI_COMM_WORLD);
    tridap::DistArray part = stamped(square(true));
    if (rank() == bad) part.buffer.type = tridap::element_type<std::int64_t>();
    expect_refused([&] { PaddedVector<double>(part, layout, Copy::always); },
                   "(rank " + std::to_string(bad) + "): the array's elements are int64, the vector's float64");
  }
}

TEST(Padded, AVectorsAxisIsRefused) {
  ArrayMapOptions options;
  options.vectors_axis = 1;
  const oracle::Array array({square(true).axes[0], oracle::block({3})});
  expect_refused([&] { PaddedArrayMap(stamped(array), MPI_COMM_WORLD, options); }, "cannot have a vectors' axis");
}

TEST(Padded, MemoryWithHolesIsRefusedOrCopiedAndTheCopyIsPaddedAsWell) {
  const oracle::Array array = square(true);
  for (Index bad = 0; bad < processes(); ++bad) {
    tridap::DistArray part = stamped(array);
    if (rank() == bad) {
      tridap::Buffer wide = tridap::allocate(part.buffer.type, {part.buffer.shape[0], 9});
      wide.shape[1] = 4;
      for (const auto& element : array.elements(rank(), tridap::Part::local))
        element_at(wide, element.local) = element_at(part.buffer, element.local);
      part.buffer = wide;
    }
    poison(array, part, rank());
    expect_refused([&] { import_padded<double>(part, MPI_COMM_WORLD); },
                   "(rank " + std::to_string(bad) + "): copy=never, but a Vector needs contiguous elements");
    auto padded = import_padded<double>(part, MPI_COMM_WORLD, Copy::if_needed);
    EXPECT_EQ(padded.receipt().shared, rank() != bad);
    EXPECT_EQ(padded.receipt().bytes_copied, rank() != bad ? 0 : 8 * tridap::element_count(part.buffer));
    padded.update_padding();
    tridap::Buffer filled = tridap::row_major(data_of(*padded.overlap()), part.buffer.shape);
    expect_filled(array, filled, rank());
    if (rank() == bad) {
      EXPECT_TRUE(std::isnan(element_at(part.buffer, {0, 0})));
    }
    expect_sums(array, filled, padded, rank());
  }
}

TEST(Padded, TheInteriorOfACopyIsAViewOfTheCopy) {
  const oracle::Array array({square(true).axes[0], oracle::block({4})});
  const tridap::DistArray part = stamped(array);
  auto padded = import_padded<double>(part, MPI_COMM_WORLD, Copy::always);
  EXPECT_FALSE(padded.receipt().shared);
  EXPECT_NE(data_of(*padded.overlap()), part.buffer.data);
  ASSERT_FALSE(padded.interior().is_null());
  EXPECT_EQ(data_of(*padded.interior()), data_of(*padded.overlap()) + 4);  // after a row of padding, or of mirrors
}

TEST(Padded, ReadOnlyMemoryIsRefusedOrCopied) {
  tridap::DistArray part = stamped(square(true));
  poison(square(true), part, rank());
  part.buffer.read_only = true;
  expect_refused([&] { import_padded<double>(part, MPI_COMM_WORLD); }, "the buffer is read-only");
  auto padded = import_padded<double>(part, MPI_COMM_WORLD, Copy::if_needed);
  padded.update_padding();
  expect_filled(square(true), tridap::row_major(data_of(*padded.overlap()), part.buffer.shape), rank());
  EXPECT_TRUE(std::isnan(element_at(part.buffer, {0, 0})));
}

TEST(Padded, OtherElementTypesAreFilledAndSummed) {
  const oracle::Array array = square(true);
  const auto filled = [&](auto zero) {
    using T = decltype(zero);
    tridap::DistArray part;
    part.dim_data = dim_data(array, rank());
    part.buffer = tridap::allocate(tridap::element_type<T>(), array.local_shape(rank()));
    const auto numbers = array.flat_numbers();
    const auto value = [&](const List& local) -> T& {
      return *reinterpret_cast<T*>(oracle::address(part.buffer, local));
    };
    for (const auto& element : array.elements(rank(), tridap::Part::interior))
      value(element.local) = static_cast<T>(static_cast<float>(numbers.at(element.global)));
    auto padded = import_padded<T>(part, MPI_COMM_WORLD);
    padded.update_padding();
    for (const auto& element : array.elements(rank(), tridap::Part::local))
      EXPECT_EQ(value(element.local), static_cast<T>(static_cast<float>(numbers.at(repeats(array, element.global)))));
    std::map<List, int> copies;
    for (Index place = 0; place < array.processes(); ++place)
      for (const auto& element : array.elements(place, tridap::Part::local)) ++copies[repeats(array, element.global)];
    padded.sum_padding();
    for (const auto& element : array.elements(rank(), tridap::Part::interior))
      EXPECT_EQ(value(element.local), static_cast<T>(static_cast<float>(numbers.at(element.global))) *
                                          static_cast<T>(static_cast<float>(copies[element.global])));
  };
  filled(0);
  filled(0.F);
  filled(0LL);
  filled(0L);
  filled(std::complex<double>{});
}

namespace {

tridap::DistArray told(const oracle::Array& array, bool& released) {
  tridap::DistArray part = stamped(array);
  part.buffer.owner =
      std::shared_ptr<void>(&released, [kept = part.buffer.owner](void* flag) { *static_cast<bool*>(flag) = true; });
  return part;
}

}  // namespace

TEST(Padded, TheVectorAloneKeepsTheExportersMemoryAndIsStillFilled) {
  bool released = false;
  {
    std::optional<PaddedVector<double>> padded;
    {
      tridap::DistArray part = told(square(true), released);
      poison(square(true), part, rank());
      padded.emplace(part, PaddedArrayMap(part, MPI_COMM_WORLD));
    }
    EXPECT_FALSE(released);
    padded->update_padding();
    expect_filled(square(true), tridap::row_major(data_of(*padded->overlap()), square(true).local_shape(rank())),
                  rank());
    padded->sum_padding();
  }
  EXPECT_TRUE(released);
}

TEST(Padded, EachOfItsVectorsAloneKeepsTheExportersMemory) {
  const oracle::Array array({square(true).axes[0], oracle::block({4})});
  for (const bool inner : {true, false}) {
    bool released = false;
    {
      Teuchos::RCP<const Vector> left;
      {
        const auto padded = import_padded<double>(told(array, released), MPI_COMM_WORLD);
        left = inner ? padded.interior() : padded.overlap();
      }
      EXPECT_FALSE(released);
      EXPECT_GT(left->norm1(), 0);
      EXPECT_GT(left->getData(0)[0], 0);
    }
    EXPECT_TRUE(released);
  }
}

TEST(Padded, AFailedImportReleasesWhatItHeld) {
  bool released = false;
  {
    tridap::DistArray part = told(square(true), released);
    part.buffer.read_only = rank() == processes() - 1;
    refusal([&] { import_padded<double>(part, MPI_COMM_WORLD); });
  }
  EXPECT_TRUE(released);
}

TEST(Padded, TheImporterOutlivesTheLayoutItCameFrom) {
  const oracle::Array array = square(true);
  Teuchos::RCP<const tridap::tpetra::Map> source;
  Teuchos::RCP<Vector> whole;
  std::optional<PaddedArrayMap> copy;
  {
    const PaddedArrayMap layout(stamped(array), MPI_COMM_WORLD);
    copy = layout;
    whole = Teuchos::rcp(new Vector(layout.overlap_map()));
    source = layout.interior().map();
  }
  Vector ones(source);
  ones.putScalar(1);
  whole->doImport(ones, copy->importer(), Tpetra::INSERT);
  EXPECT_EQ(whole->norm1(), static_cast<double>(whole->getGlobalLength()));
}
