#include "support/parts.hpp"
#include "tpetra/same_dims.hpp"
#include "tpetra/support.hpp"
#include <tridap/make.hpp>

#include <numeric>
#include <random>

using namespace tpetra_test;
using oracle::List;
using tridap::tpetra::as_array;
using tridap::tpetra::Map;
using tridap::tpetra::plan_from;
using tridap::tpetra::plan_to;
using tridap::tpetra::redistribute_from;
using tridap::tpetra::redistribute_to;
using tridap::tpetra::RedistributeOptions;
using PlacedDistribution = tridap::redistribute::PlacedDistribution;
using MapPtr = Teuchos::RCP<const Map>;
using Vector = tridap::tpetra::Vector<double>;

namespace {

constexpr double untouched = -77;

// What stands at a global index: no flat number of any kind.
double value_at(const List& global) {
  double value = 0.25;
  for (const Index g : global) value = 100 * value + static_cast<double>(g);
  return value;
}

enum class Memory { row_major, column_major, strided, backwards };

tridap::Buffer make_buffer(const List& shape, Memory memory) {
  List wide = shape;
  if (memory == Memory::strided)
    for (Index& extent : wide) extent = 2 * extent + 1;
  tridap::Buffer buffer = tridap::allocate(tridap::element_type<double>(), wide);
  std::fill_n(static_cast<double*>(buffer.data), tridap::element_count(buffer), untouched);
  buffer.shape = shape;
  if (memory == Memory::strided)
    for (Index& stride : buffer.strides) stride *= 2;
  if (memory == Memory::column_major) buffer.strides = tridap::column_major_strides(shape, 8);
  if (memory == Memory::backwards) {
    std::vector<Index> axes(shape.size());
    std::iota(axes.begin(), axes.end(), Index{0});
    turn(buffer, axes, std::vector<bool>(shape.size(), true));
  }
  return buffer;
}

// One process's part; padding that others own is never to be read, nor written.
tridap::DistArray part_of(const oracle::Array& array, Memory memory, bool filled, Index place = rank()) {
  tridap::DistArray part;
  part.dim_data = dim_data(array, place);
  part.buffer = make_buffer(array.local_shape(place), memory);
  if (filled)
    for (const auto& element : array.elements(place, tridap::Part::owned))
      element_at(part.buffer, element.local) = value_at(element.global);
  return part;
}

void expect_filled(const oracle::Array& array, const tridap::DistArray& part, bool poisoned, Index place = rank()) {
  std::map<List, double> owned;
  for (const auto& element : array.elements(place, tridap::Part::owned))
    owned[element.local] = value_at(element.global);
  ASSERT_EQ(part.buffer.shape, array.local_shape(place));
  for (const auto& element : array.elements(place, tridap::Part::local)) {
    const auto found = owned.find(element.local);
    if (found != owned.end() || poisoned) {
      EXPECT_EQ(element_at(part.buffer, element.local), found != owned.end() ? found->second : untouched);
    }
  }
}

// By number, what stands there; of the elements that somebody owns.
std::map<Index, double> elements_by_number(const oracle::Array& array, const RedistributeOptions& options) {
  const auto numbers = array.flat_numbers(options.mapping.ravel == tridap::Order::column_major,
                                          options.unstructured_ids == tridap::UnstructuredIds::compact);
  std::map<Index, double> all;
  for (Index place = 0; place < array.processes(); ++place)
    for (const auto& element : array.elements(place, tridap::Part::owned))
      all[numbers.at(element.global)] = value_at(element.global);
  return all;
}

enum class Kind { uniform, uneven, cyclic, shuffled, overlapping, replicated };
constexpr Kind kinds[] = {Kind::uniform,  Kind::uneven,      Kind::cyclic,
                          Kind::shuffled, Kind::overlapping, Kind::replicated};

bool one_to_one(Kind kind) { return processes() == 1 || (kind != Kind::overlapping && kind != Kind::replicated); }

// Which process lists the k-th of all ids.
Index dealt_to(Kind kind, Index k) {
  if (kind == Kind::cyclic || kind == Kind::overlapping) return k % processes();
  if (processes() == 1) return 0;
  return 1 + k % (processes() - 1) * (k % 3 != 0 ? 1 : 0);  // uneven, and process 0 has nothing
}

MapPtr list_map(const List& ids, Index base) {
  std::vector<Map::global_ordinal_type> list(ids.begin(), ids.end());
  return Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                              Teuchos::ArrayView<const Map::global_ordinal_type>(list), id_of(base), world()));
}

MapPtr uneven_map(Index total, Index base) {  // all on two processes, and others with nothing before, between and after
  const Index here = rank() == processes() / 2 ? total - total / 3 : rank() == processes() / 4 ? total / 3 : 0;
  const Index all = processes() < 2 ? total : here;
  return Teuchos::rcp(
      new Map(static_cast<Tpetra::global_size_t>(total), static_cast<std::size_t>(all), id_of(base), world()));
}

// A map of ids; null where they are no range and the kind wants one. `own_base`: lists know of their index base.
MapPtr make_map(Kind kind, const List& numbers, Index base, bool own_base) {
  const auto total = static_cast<Index>(numbers.size());
  const bool range = total == 0 || (numbers.front() == 0 && numbers.back() == total - 1);
  if (kind == Kind::uniform || kind == Kind::uneven || kind == Kind::replicated) {
    if (!range) return {};
    if (kind == Kind::uneven) return uneven_map(total, base);
    return Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(total), id_of(base), world(),
                                kind == Kind::uniform ? Tpetra::GloballyDistributed : Tpetra::LocallyReplicated));
  }
  List all = numbers, ids;
  if (kind != Kind::cyclic) std::shuffle(all.begin(), all.end(), std::minstd_rand(7));
  for (Index k = 0; k < total; ++k) {
    const Index id = all[static_cast<std::size_t>(k)] + base;
    if (dealt_to(kind, k) == rank()) ids.push_back(id);
    if (kind == Kind::overlapping && processes() > 1 && dealt_to(kind, k + 1) == rank()) ids.push_back(id);
  }
  return list_map(ids, own_base ? base : 0);
}

// A whole test of one array over one map, with options that are drawn.
void there_and_back(const oracle::Array& array, Kind kind, unsigned turn) {
  std::minstd_rand draw(turn + 1);
  draw.discard(3);
  const auto one_of = [&](unsigned count) { return static_cast<Index>(draw() / 64 % count); };
  RedistributeOptions options;
  if (const Index order = one_of(3); order > 0)
    options.mapping.ravel = order == 1 ? tridap::Order::column_major : tridap::Order::row_major;
  if (one_of(2) == 0) options.unstructured_ids = tridap::UnstructuredIds::compact;
  if (one_of(4) == 0) options.path = tridap::redistribute::Path::messages;
  const Index base = 5 * one_of(2);
  const bool own_base = one_of(2) == 0 || kind == Kind::uniform || kind == Kind::uneven || kind == Kind::replicated;
  if (!own_base) options.index_base = base;
  const auto memory = static_cast<Memory>(one_of(4));
  const std::map<Index, double> elements = elements_by_number(array, options);
  List numbers;
  for (const auto& element : elements) numbers.push_back(element.first);
  const MapPtr map = make_map(kind, numbers, base, own_base);
  if (map.is_null()) return;
  SCOPED_TRACE("map " + std::to_string(static_cast<int>(kind)) + ", turn " + std::to_string(turn));

  const auto vector = redistribute_to<double>(map, part_of(array, memory, true), options);
  ASSERT_TRUE(vector->getMap() == map);
  const std::vector<Index> ids = ids_of(*map);
  for (std::size_t k = 0; k < ids.size(); ++k) EXPECT_EQ(data_of(*vector)[k], elements.at(ids[k] - base));

  const PlacedDistribution placed(array.distribution());
  if (!one_to_one(kind)) {
    if (!elements.empty()) {
      expect_refused([&] { redistribute_from(vector, placed, options); }, "is listed twice");
    }
    return;
  }
  const tridap::DistArray made = redistribute_from(vector, placed, options);
  EXPECT_EQ(differs(made.dim_data, array.distribution().dim_data(rank())), "");
  expect_filled(array, made, false);
  const tridap::DistArray given = part_of(array, memory, false);
  auto plan = plan_from(map, placed, 8, options);
  plan(as_array(vector), given);
  expect_filled(array, given, true);
}

oracle::Axis with_shared_indices(Index grid) {
  std::vector<List> lists;
  for (Index c = 0; c < grid; ++c) lists.push_back({c + 1, 3 * c + 4, c});
  return oracle::unstructured(lists);
}

oracle::Array rows() {
  return oracle::Array({oracle::cyclic(2 * processes() + 1, 2, processes()), oracle::block({3})});
}
Index count_of_rows() { return 3 * (2 * processes() + 1); }
MapPtr uniform(Index total, Index base = 0) {
  return Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(total), id_of(base), world()));
}
RedistributeOptions partly() {
  RedistributeOptions options;
  options.mapping.partial = true;
  return options;
}

}  // namespace

TEST(Redistribute, EveryKindOfArrayGoesToEveryKindOfMapAndBack) {
  unsigned turn = 0;
  for (const auto& axes : {plain_axes, padded_axes})
    for_each_pair(axes, [&](const oracle::Array& array) {
      for (const Kind kind : kinds) there_and_back(array, kind, turn++);
    });
}

TEST(Redistribute, IndicesOnSeveralProcessesComeOnceAndGoToAll) {
  for (unsigned turn = 0; turn < 8; ++turn)
    for (const Kind kind : kinds) {
      there_and_back(oracle::Array({with_shared_indices(processes())}), kind, turn);
      there_and_back(oracle::Array({oracle::block({2}), with_shared_indices(processes())}), kind, turn);
    }
}

TEST(Redistribute, ArraysOfNothingAreEmptyVectors) {
  for (const Kind kind : kinds)
    there_and_back(oracle::Array({oracle::cyclic(0, 2, processes()), oracle::block({4})}), kind, 0);
}

TEST(Redistribute, APlanMovesAgainAndAgainIntoTheVectorsOwnMemory) {
  const MapPtr map = uniform(count_of_rows());
  const PlacedDistribution placed(rows().distribution());
  auto to = plan_to(map, placed, 8);
  auto back = to.reversed();
  Vector vector(map);
  const auto held = Teuchos::rcpFromRef(vector);
  const double* const memory = data_of(vector);
  const tridap::DistArray part = part_of(rows(), Memory::column_major, true);
  for (int step = 1; step <= 3; ++step) {
    to(part, as_array(held), {2.0, 0});
    EXPECT_EQ(data_of(vector), memory);
    vector.scale(0.5);
    const tridap::DistArray other = part_of(rows(), Memory::strided, false);
    back(as_array(held), other);
    expect_filled(rows(), other, true);
  }
  EXPECT_EQ(to.plan().bytes_kept() + to.plan().bytes_received(), static_cast<Index>(vector.getLocalLength()) * 8);
}

TEST(Redistribute, PartsMayBeOnSomeProcessesInAnyOrder) {
  const Index grid = (processes() + 1) / 2;
  const oracle::Array array({oracle::cyclic(3 * grid + 1, 2, grid), oracle::block({2})});
  std::vector<Index> ranks;  // the last ones, backwards
  for (Index c = 0; c < grid; ++c) ranks.push_back(processes() - 1 - c);
  const PlacedDistribution placed(array.distribution(), ranks);
  const std::optional<Index> place = placed.process(rank());
  const std::map<Index, double> elements = elements_by_number(array, {});
  const auto total = static_cast<Index>(elements.size());
  List shuffled(static_cast<std::size_t>(total)), ids;
  std::iota(shuffled.begin(), shuffled.end(), Index{0});
  std::shuffle(shuffled.begin(), shuffled.end(), std::minstd_rand(3));
  for (std::size_t k = 0; k < shuffled.size(); ++k)
    if (static_cast<Index>(k) % processes() == rank()) ids.push_back(shuffled[k]);
  for (const MapPtr& map : {uniform(total), list_map(ids, 0)}) {
    const auto vector = Teuchos::rcp(new Vector(map));
    const tridap::DistArray part = place ? part_of(array, Memory::row_major, true, *place) : tridap::DistArray{};
    auto plan = plan_to(map, placed, 8);
    plan(part, as_array(vector));
    const auto opposite = plan.reversed();
    for (Index peer = 0; peer < processes(); ++peer) {
      EXPECT_EQ(opposite.plan().bytes_to(peer), plan.plan().bytes_from(peer));
      EXPECT_EQ(opposite.plan().bytes_from(peer), plan.plan().bytes_to(peer));
    }
    const std::vector<Index> listed = ids_of(*map);
    for (std::size_t k = 0; k < listed.size(); ++k) EXPECT_EQ(data_of(*vector)[k], elements.at(listed[k]));
    const tridap::DistArray back = redistribute_from(vector, placed);
    if (place) expect_filled(array, back, false, *place);
  }
}

TEST(Redistribute, ProcessesInAnotherOrderThanTheGridsAreAllowedOnRequest) {
  const Index place = processes() - 1 - rank();
  const tridap::DistArray part = part_of(rows(), Memory::row_major, true, place);
  const MapPtr map = uniform(count_of_rows());
  if (processes() > 1) refusal([&] { redistribute_to<double>(map, part); });
  RedistributeOptions options;
  options.reorder = true;
  const auto vector = redistribute_to<double>(map, part, options);
  const std::map<Index, double> elements = elements_by_number(rows(), {});
  const std::vector<Index> ids = ids_of(*map);
  for (std::size_t k = 0; k < ids.size(); ++k) EXPECT_EQ(data_of(*vector)[k], elements.at(ids[k]));
}

template <class T>
class RedistributeTyped : public testing::Test {};
using EveryElementType = testing::Types<double, float, int, long long, std::int64_t, std::complex<double>>;
TYPED_TEST_SUITE(RedistributeTyped, EveryElementType, );

TYPED_TEST(RedistributeTyped, EveryElementTypeOfTpetraMoves) {
  const auto distribution = tridap::Distribution::make({4 * processes() + 1}, {tridap::cyclic(2)}, {processes()});
  tridap::DistArray part = on::part_of(distribution, rank(), tridap::element_type<TypeParam>());
  auto* const values = static_cast<TypeParam*>(part.buffer.data);
  for (Index i = 0; i < part.buffer.shape[0]; ++i)
    values[i] = static_cast<TypeParam>(static_cast<float>(distribution.global_index(rank(), {i})[0] - 3));
  const auto vector = redistribute_to<TypeParam>(uniform(4 * processes() + 1), part);
  const auto view = vector->getLocalViewHost(Tpetra::Access::ReadOnly);
  for (std::size_t k = 0; k < view.extent(0); ++k) {
    const auto id = static_cast<float>(vector->getMap()->getGlobalElement(static_cast<int>(k)));
    EXPECT_TRUE(view(k, 0) == static_cast<tridap::tpetra::Scalar<TypeParam>>(id - 3));
  }
  const Teuchos::RCP<const tridap::tpetra::Vector<TypeParam>> unwritable = vector;
  const tridap::DistArray back = redistribute_from(unwritable, distribution);
  EXPECT_EQ(back.buffer.type, part.buffer.type);
  for (Index i = 0; i < part.buffer.shape[0]; ++i) EXPECT_EQ(static_cast<TypeParam*>(back.buffer.data)[i], values[i]);
}

TEST(Redistribute, OtherElementTypesAreRefusedUnlessConverted) {
  const tridap::DistArray given = part_of(rows(), Memory::row_major, true);
  tridap::DistArray single = given;
  single.buffer = tridap::allocate(tridap::element_type<float>(), given.buffer.shape);
  for (Index i = 0; i < tridap::element_count(given.buffer); ++i)
    static_cast<float*>(single.buffer.data)[i] = static_cast<float>(static_cast<double*>(given.buffer.data)[i]);
  const MapPtr map = uniform(count_of_rows());
  expect_refused([&] { redistribute_to<double>(map, single); },
                 "the array's elements are float32, the vector's float64");
  RedistributeOptions options;
  options.convert = true;
  const auto vector = redistribute_to<double>(map, single, options);
  const std::map<Index, double> elements = elements_by_number(rows(), {});
  const std::vector<Index> ids = ids_of(*map);
  for (std::size_t k = 0; k < ids.size(); ++k) EXPECT_EQ(data_of(*vector)[k], elements.at(ids[k]));
}

TEST(Redistribute, ArraysAreMadeInTheMemoryOrderThatIsAskedFor) {
  RedistributeOptions options;
  options.order = tridap::Order::column_major;
  const MapPtr map = uniform(count_of_rows());
  const auto vector = redistribute_to<double>(map, part_of(rows(), Memory::row_major, true), options);
  const tridap::DistArray back = redistribute_from(vector, rows().distribution(), options);
  EXPECT_EQ(back.buffer.strides, tridap::column_major_strides(back.buffer.shape, 8));
  expect_filled(rows(), back, false);
}

TEST(Redistribute, WhatOneSideLacksIsRefusedOrLeftOut) {
  const Index total = count_of_rows();
  const tridap::DistArray part = part_of(rows(), Memory::row_major, true);
  const std::map<Index, double> elements = elements_by_number(rows(), {});
  List even;
  for (Index id = 2 * rank(); id < total; id += 2 * processes()) even.push_back(id);
  const auto expect = [&](const MapPtr& map) {
    const auto vector = redistribute_to<double>(map, part, partly());
    const std::vector<Index> ids = ids_of(*map);
    for (std::size_t k = 0; k < ids.size(); ++k)
      EXPECT_EQ(data_of(*vector)[k], elements.count(ids[k]) > 0 ? elements.at(ids[k]) : 0);
  };
  expect_refused([&] { redistribute_to<double>(list_map(even, 0), part); }, "is listed by no process");
  expect(list_map(even, 0));
  for (const Index other : {total - 2, total + 2}) {
    const std::string text = "the map has " + std::to_string(other) + " ids, and the array " + std::to_string(total);
    expect_refused([&] { redistribute_to<double>(uniform(other), part); }, text);
    expect(uniform(other));
  }
  const auto vector = Teuchos::rcp(new Vector(list_map(even, 0)));
  expect_refused([&] { redistribute_from(vector, rows().distribution()); }, "is listed by no process");
}

TEST(Redistribute, IdsThatAreNoElementAreNamed) {
  const Index total = count_of_rows();
  const tridap::DistArray part = part_of(rows(), Memory::row_major, true);
  for (const Index wrong : {Index{-1}, total}) {
    List ids;
    for (Index id = rank(); id < total; id += processes()) ids.push_back(id + 3);
    if (rank() == processes() - 1) ids.push_back(wrong + 3);
    const MapPtr map = list_map(ids, std::min<Index>(wrong + 3, 3));
    RedistributeOptions options = partly();
    options.index_base = 3;
    expect_refused([&] { redistribute_to<double>(map, part, options); },
                   "the map's id " + std::to_string(wrong + 3) + " is not an element of the array");
  }
  RedistributeOptions options;
  for (const Index base : {Index{1}, Index{-1}, std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max()}) {
    options.index_base = base;
    refusal([&] { redistribute_to<double>(uniform(total), part, options); });
  }
}

TEST(Redistribute, DistributionsOverMoreProcessesAreRefused) {
  const PlacedDistribution beyond(rows().distribution(), [] {
    std::vector<Index> ranks(static_cast<std::size_t>(processes()));
    std::iota(ranks.begin(), ranks.end(), Index{1});
    return ranks;
  }());
  refusal([&] { plan_to(uniform(count_of_rows()), beyond, 8); });
  refusal([&] { plan_from(list_map(ids_of(*uniform(count_of_rows())), 0), beyond, 8); });
}

TEST(Redistribute, MapsOverOtherProcessesAreRefused) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  const MapPtr alone = Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(count_of_rows()), 0,
                                            Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_SELF))));
  const tridap::DistArray part = part_of(rows(), Memory::row_major, true);
  EXPECT_THROW(redistribute_to<double>(alone, part), tridap::Error);
  EXPECT_THROW(redistribute_from(Teuchos::rcp(new Vector(alone)), rows().distribution()), tridap::Error);
}

TEST(Redistribute, NoMapOrVectorIsRefused) {
  const tridap::DistArray part = part_of(rows(), Memory::row_major, true);
  expect_refused([&] { redistribute_to<double>(MapPtr(), part); }, "the map is null");
  expect_refused([&] { plan_from(MapPtr(), rows().distribution(), 8); }, "the map is null");
  expect_refused([&] { redistribute_from(Teuchos::RCP<Vector>(), rows().distribution()); }, "is null");
}

TEST(Redistribute, OneBadProcessFailsEveryProcessAndLeavesTheTargetAsItWas) {
  const MapPtr line_map = uniform(count_of_rows()), lists = list_map(ids_of(*line_map), 0);
  const std::vector<std::function<void(tridap::DistArray&)>> faults = {
      [](tridap::DistArray& a) { a = {}; },
      [](tridap::DistArray& a) { a.dim_data.pop_back(); },
      [](tridap::DistArray& a) { a.dim_data[0].size += 1; },
      [](tridap::DistArray& a) { std::get<tridap::Cyclic>(a.dim_data[0].dist).block_size = 0; },
      [](tridap::DistArray& a) { a.buffer.type = tridap::element_type<std::int64_t>(); },
      [](tridap::DistArray& a) { a.buffer.type.native_order = false; },
      [](tridap::DistArray& a) { a.buffer.shape[0] += 1; },
      [](tridap::DistArray& a) { a.buffer.memory.kind = tridap::Memory::Kind::nowhere; },
  };
  for (const MapPtr& map : {line_map, lists})
    for (std::size_t k = 0; k < faults.size(); ++k)
      for (Index bad = 0; bad < processes(); ++bad) {
        SCOPED_TRACE("fault " + std::to_string(k) + " on rank " + std::to_string(bad));
        tridap::DistArray part = part_of(rows(), Memory::row_major, true);
        if (rank() == bad) faults[k](part);
        refusal([&] { redistribute_to<double>(map, part); });
      }
  for (const MapPtr& map : {line_map, lists})
    for (Index bad = 0; bad < processes(); ++bad) {
      auto plan = plan_from(map, rows().distribution(), 8);
      auto vector = Teuchos::rcp(new Vector(map));
      if (rank() == bad) vector.reset();
      const tridap::DistArray part = part_of(rows(), Memory::row_major, false);
      if (line_map->getGlobalNumElements() > 0) refusal([&] { plan(as_array(vector), part); });
      for (Index i = 0; i < tridap::element_count(part.buffer); ++i)
        EXPECT_EQ(static_cast<double*>(part.buffer.data)[i], untouched);
    }
}

TEST(Redistribute, ProcessesThatAskForDifferentThingsAreToldSo) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  const std::vector<std::function<void(RedistributeOptions&)>> faults = {
      [](RedistributeOptions& o) { o.mapping.ravel = tridap::Order::column_major; },
      [](RedistributeOptions& o) { o.mapping.partial = true; },
      [](RedistributeOptions& o) { o.index_base = 1; },
      [](RedistributeOptions& o) { o.unstructured_ids = tridap::UnstructuredIds::compact; },
      [](RedistributeOptions& o) { o.path = tridap::redistribute::Path::messages; },
  };
  std::vector<List> lists;
  for (Index c = 0; c < processes(); ++c) lists.push_back({3 * c, 3 * c + 1});
  const oracle::Array gappy({oracle::unstructured(lists)});
  const MapPtr line_map = uniform(2 * processes()), own = list_map(lists[static_cast<std::size_t>(rank())], 0);
  for (std::size_t k = 0; k < faults.size(); ++k)
    for (const MapPtr& map : {line_map, own}) {
      SCOPED_TRACE("fault " + std::to_string(k));
      RedistributeOptions options;
      if (rank() == processes() - 1) faults[k](options);
      expect_refused([&] { plan_to(map, gappy.distribution(), 8, options); }, "");
      const oracle::Array mine = rank() == 0 ? gappy : oracle::Array({oracle::cyclic(2 * processes(), 1, processes())});
      refusal([&] { plan_from(map, mine.distribution(), 8); });
    }
}
