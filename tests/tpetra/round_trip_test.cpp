#include "support/padded_axes.hpp"
#include "tpetra/same_dims.hpp"
#include "tpetra/support.hpp"
#include <tridap/compare.hpp>
#include <tridap/mpi/gather_distribution.hpp>

#include <cstring>

using namespace tpetra_test;
using oracle::all_padded;
using oracle::List;
using oracle::of;
using tridap::Copy;
using tridap::tpetra::ArrayMap;
using tridap::tpetra::export_array;
using tridap::tpetra::import_vector;
using tridap::tpetra::Map;
using tridap::tpetra::Reshape;
using MultiVector = tridap::tpetra::MultiVector<double>;
using Vector = tridap::tpetra::Vector<double>;

namespace {

// The array with each unstructured axis counted from its smallest index, as ids count it.
oracle::Array from_zero(const oracle::Array& array) {
  std::vector<oracle::Axis> axes;
  for (const oracle::Axis& axis : array.axes) {
    axes.push_back(axis);
    if (axis.dims[0].dist_type() != 'u') continue;
    std::vector<List> lists = axis.held;
    Index smallest = lists[0][0];
    for (const List& list : lists)
      for (const Index index : list) smallest = std::min(smallest, index);
    for (List& list : lists)
      for (Index& index : list) index -= smallest;
    axes.back() = oracle::unstructured(lists, true);
  }
  return oracle::Array(axes);
}

// How many numbers each axis counts.
List shape_of(const oracle::Array& array) {
  List shape;
  for (const oracle::Axis& axis : array.axes) {
    Index extent = axis.size();
    if (axis.dims[0].dist_type() == 'u') {
      extent = 0;
      for (const List& list : axis.held)
        for (const Index index : list) extent = std::max(extent, index + 1);
    }
    shape.push_back(extent);
  }
  return shape;
}

List grid_of(const oracle::Array& array) {
  List grid;
  for (const oracle::Axis& axis : array.axes) grid.push_back(axis.grid());
  return grid;
}

// Whether every axis is said in the shortest way there is.
bool is_simplest(const oracle::Array& array) {
  for (const oracle::Axis& axis : array.axes) {
    const tridap::Axis simple = tridap::simplest(tridap::Axis(axis.dims));
    for (Index c = 0; c < axis.grid(); ++c)
      if (!differs(simple.dimension(c), axis.dims[static_cast<std::size_t>(c)]).empty()) return false;
  }
  return true;
}

bool holds_everything(const oracle::Array& array) {  // no process without elements, which may stand anywhere
  for (Index process = 0; process < array.processes(); ++process)
    if (array.elements(process, tridap::Part::owned).empty()) return false;
  return true;
}

void expect_same(const oracle::Array& array, const tridap::DistArray& out, bool places) {
  const tridap::Comparison comparison =
      tridap::compare(tridap::mpi::gather_distribution(out, MPI_COMM_WORLD), array.distribution());
  EXPECT_TRUE(comparison.same_owners) << comparison.difference;
  if (places) {
    EXPECT_TRUE(comparison.same_places) << comparison.difference;
  }
}

Teuchos::RCP<const Map> uniform_map(Index each, Index base = 0) {
  return Teuchos::rcp(new Map(static_cast<Tpetra::global_size_t>(each * processes()), id_of(base), world()));
}

Teuchos::RCP<MultiVector> numbered(const Teuchos::RCP<const Map>& map, std::size_t vectors) {
  const auto made = Teuchos::rcp(new MultiVector(map, vectors));
  const auto view = made->getLocalViewHost(Tpetra::Access::OverwriteAll);
  for (std::size_t j = 0; j < vectors; ++j)
    for (std::size_t i = 0; i < view.extent(0); ++i)
      view(i, j) = static_cast<double>(map->getGlobalElement(static_cast<int>(i))) + 1000.0 * static_cast<double>(j);
  return made;
}

// Element i of vector j of an exported array of n x k.
double& at(const tridap::DistArray& array, Index i, Index j) {
  return *reinterpret_cast<double*>(oracle::address(array.buffer, {i, j}));
}

}  // namespace

TEST(RoundTrip, WithoutAShapeEveryArrayOfOneAxisComesBackAsItWas) {
  for (const oracle::Axis& axis : plain_axes(processes())) {
    const oracle::Array array = from_zero(oracle::Array({axis}));
    const tridap::DistArray part = stamped(array);
    const auto out = export_array(import_vector<double>(part, MPI_COMM_WORLD).vector);
    EXPECT_EQ(out.receipt.bytes_copied, 0);
    EXPECT_TRUE(out.receipt.shared);
    if (tridap::element_count(part.buffer) > 0) {
      EXPECT_EQ(out.array.buffer.data, part.buffer.data);
    }
    EXPECT_EQ(out.array.buffer.strides, part.buffer.strides);
    expect_same(array, out.array, true);
    if (is_simplest(array)) {
      EXPECT_EQ(differs(out.array.dim_data, part.dim_data), "");
    }
  }
}

TEST(RoundTrip, WithoutAShapeEveryArrayIsOneAxisOfItsNumbers) {
  for_each_array(plain_axes, [](const oracle::Array& given) {
    const oracle::Array array = from_zero(given);
    const tridap::DistArray part = stamped(array);
    const auto out = export_array(import_vector<double>(part, MPI_COMM_WORLD).vector);
    ASSERT_EQ(out.array.ndim(), 1);
    const tridap::Distribution line = tridap::mpi::gather_distribution(out.array, MPI_COMM_WORLD);
    const std::vector<Index> ids = ids_by_address(array, part.buffer);
    ASSERT_EQ(out.array.buffer.shape[0], static_cast<Index>(ids.size()));
    for (std::size_t i = 0; i < ids.size(); ++i)
      EXPECT_EQ(line.global_index(rank(), {static_cast<Index>(i)})[0], ids[i]);
    if (line.axis(0).dist_type() == 'u') {
      EXPECT_TRUE(std::get<tridap::Unstructured>(out.array.dim_data[0].dist).one_to_one);
    }
    EXPECT_EQ(differs(tridap::tpetra::dim_data(*tridap::tpetra::make_map(part, MPI_COMM_WORLD)), out.array.dim_data),
              "");
  });
}

TEST(RoundTrip, WithItsShapeEveryArrayComesBackOwnedAsItWas) {
  for_each_array(plain_axes, [](const oracle::Array& given) {
    const oracle::Array array = from_zero(given);
    const tridap::DistArray part = stamped(array);
    const auto vector = import_vector<double>(part, MPI_COMM_WORLD).vector;
    Reshape how;
    how.shape = shape_of(array);
    for (const bool with_grid : {false, true}) {
      if (with_grid) how.grid = grid_of(array);
      const auto out = export_array(vector, how);
      EXPECT_EQ(oracle::addresses(out.array.buffer), oracle::addresses(part.buffer));
      EXPECT_EQ(out.receipt.bytes_copied, 0);
      if (with_grid || holds_everything(array)) {
        expect_same(array, out.array, true);
      }
      if (with_grid && is_simplest(array)) {
        EXPECT_EQ(differs(out.array.dim_data, part.dim_data), "");
      }
      EXPECT_EQ(differs(tridap::tpetra::dim_data(*vector->getMap(), how), out.array.dim_data), "");
      if (with_grid) {
        EXPECT_TRUE(tridap::tpetra::make_map(out.array, MPI_COMM_WORLD)->isSameAs(*vector->getMap()));
        EXPECT_TRUE(tridap::tpetra::make_map(out.array.dim_data, MPI_COMM_WORLD)->isSameAs(*vector->getMap()));
      }
    }
  });
}

TEST(RoundTrip, EveryMemoryOrderComesBackWithTheShape) {
  const Index p = processes();
  for (Index a = 1; a <= p; ++a) {
    if (p % a != 0) continue;
    const oracle::Array array({oracle::cyclic(2 * a + 1, 1, a), oracle::block(of(p / a, 2))});
    Reshape how;
    how.shape = shape_of(array);
    how.grid = grid_of(array);
    oracle::for_each_memory_order(2, [&](const std::vector<Index>& axes, const std::vector<bool>& backwards) {
      tridap::DistArray part = stamped(array);
      turn(part.buffer, axes, backwards);
      const auto vector = import_vector<double>(part, MPI_COMM_WORLD).vector;
      const auto out = export_array(vector, how);
      EXPECT_EQ(oracle::addresses(out.array.buffer), oracle::addresses(part.buffer));
      expect_same(array, out.array, true);
      EXPECT_TRUE(tridap::tpetra::make_map(out.array, MPI_COMM_WORLD)->isSameAs(*vector->getMap()));
    });
  }
}

TEST(RoundTrip, AnIndexBaseComesBackWithTheShapeAndIsNamed) {
  for_each_array(plain_axes, [](const oracle::Array& given) {
    const oracle::Array array = from_zero(given);
    const tridap::DistArray part = stamped(array);
    const auto vector = import_vector<double>(part, MPI_COMM_WORLD, Copy::never, based(4)).vector;
    Reshape how;
    how.shape = shape_of(array);
    how.grid = grid_of(array);
    const auto out = export_array(vector, how);
    EXPECT_EQ(std::count(out.receipt.losses.begin(), out.receipt.losses.end(), "the index base 4"), 1);
    expect_same(array, out.array, true);
    EXPECT_TRUE(tridap::tpetra::make_map(out.array, MPI_COMM_WORLD, based(4))->isSameAs(*vector->getMap()));
  });
}

TEST(RoundTrip, TheOverlapOfCommunicationPaddingIsPaddedAgain) {
  const Index p = processes();
  for (Index a = 1; a <= p; ++a) {
    if (p % a != 0) continue;
    for (const oracle::Array& array :
         {oracle::Array({oracle::block(of(a, 3), of(a - 1, 1)), oracle::block(of(p / a, 4), of(p / a - 1, 1))}),
          oracle::Array({oracle::block(of(a, 5), of(a - 1, 2)), oracle::cyclic(3 * (p / a), 1, p / a)}),
          oracle::Array({oracle::block(of(a, 3), of(a - 1, 1), {1, 2}), oracle::block(of(p / a, 2))}),
          oracle::Array({oracle::block(of(a, 4), of(a - 1, 1), {1, 1}, true), oracle::block(of(p / a, 2))})}) {
      const tridap::DistArray part = stamped(array);
      const auto padded = tridap::tpetra::import_padded<double>(part, MPI_COMM_WORLD);
      Reshape how;
      how.shape = shape_of(array);
      for (const bool with_grid : {false, true}) {
        if (with_grid) how.grid = grid_of(array);
        const auto out = export_array(padded.overlap(), how);
        EXPECT_EQ(oracle::addresses(out.array.buffer), oracle::addresses(part.buffer));
        expect_same(array, out.array, true);
        for (std::size_t i = 0; i < 2; ++i) {
          if (array.axes[i].grid() == 1 || array.axes[i].dims[0].dist_type() != 'b') continue;
          const auto& block = std::get<tridap::Block>(out.array.dim_data[i].dist);
          const auto& given = std::get<tridap::Block>(part.dim_data[i].dist);
          EXPECT_EQ(block.start, given.start);
          EXPECT_EQ(block.stop, given.stop);
        }
      }
      if (array.axes[0].part(0, tridap::Part::owned) == array.axes[0].part(0, tridap::Part::interior)) {
        const auto again =
            tridap::tpetra::import_padded<double>(export_array(padded.overlap(), how).array, MPI_COMM_WORLD);
        EXPECT_TRUE(again.array_map().overlap_map()->isSameAs(*padded.array_map().overlap_map()));
        EXPECT_TRUE(again.array_map().interior().map()->isSameAs(*padded.array_map().interior().map()));
        EXPECT_EQ(data_of(*again.overlap()), data_of(*padded.overlap()));
      }
    }
  }
}

TEST(RoundTrip, TheOverlapOfAnyPaddingIsOneArrayOverTheSameMemory) {
  for (const oracle::Axis& axis : all_padded(processes())) {
    const oracle::Array array({axis});
    const tridap::DistArray part = stamped(array);
    const auto padded = tridap::tpetra::import_padded<double>(part, MPI_COMM_WORLD);
    const auto out = export_array(padded.overlap());
    EXPECT_EQ(oracle::addresses(out.array.buffer), oracle::addresses(part.buffer));
    const tridap::Distribution d = tridap::mpi::gather_distribution(out.array, MPI_COMM_WORLD);
    const std::vector<Index> ids = ids_of(*padded.array_map().overlap_map());
    for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(d.global_index(rank(), {static_cast<Index>(i)})[0], ids[i]);
  }
}

TEST(RoundTrip, IdsThatAreNoArrayOfTheShapeAreRefusedOnEveryProcess) {
  const auto vector = Teuchos::rcp(new Vector(uniform_map(6)));
  const auto refused = [&](const List& shape, std::optional<List> grid = {}) {
    Reshape how;
    how.shape = shape;
    how.grid = std::move(grid);
    EXPECT_FALSE(refusal([&] { tridap::tpetra::dim_data(*vector->getMap(), how); }).empty());
    return refusal([&] { export_array(vector, how); });
  };
  EXPECT_FALSE(refused({processes(), 5}).empty());
  EXPECT_FALSE(refused({2, -3}).empty());
  EXPECT_FALSE(refused({6 * processes()}, List{processes() + 1}).empty());
  EXPECT_FALSE(refused({6 * processes()}, List{1, processes()}).empty());
  EXPECT_FALSE(refused({6 * processes()}, List{0}).empty());
  if (processes() > 1) {
    EXPECT_FALSE(refused({3 * processes(), 2}, List{1, processes()}).empty());
  }
}

TEST(ExportMap, ThatIsReplicatedOnOneProcessIsABlock) {
  const auto self = Teuchos::rcp(new Teuchos::MpiComm<int>(MPI_COMM_SELF));
  const auto map = Teuchos::rcp(new Map(5, 0, self, Tpetra::LocallyReplicated));
  EXPECT_EQ(export_array(Teuchos::rcp(new Vector(map))).array.dim_data[0].size, 5);
}

TEST(ExportMap, ThatRepeatsEveryIdIsRefused) {
  if (processes() == 1) GTEST_SKIP() << "needs at least 2 processes";
  const auto map = Teuchos::rcp(new Map(5, 0, world(), Tpetra::LocallyReplicated));
  const auto vector = Teuchos::rcp(new Vector(map));
  expect_refused([&] { export_array(vector); }, "the map repeats every id on every process");
  expect_refused([&] { tridap::tpetra::dim_data(*map); }, "the protocol has no replication");
  const auto vectors = Teuchos::rcp(new MultiVector(map, 2));
  expect_refused([&] { export_array(vectors); }, "the map repeats every id on every process");
}

TEST(ExportMap, ItsDimDataAloneAreThoseOfItsVectors) {
  for (const Index base : {Index{0}, Index{1}}) {
    const auto map = uniform_map(5, base);
    const auto dims = tridap::tpetra::dim_data(*map);
    ASSERT_EQ(dims.size(), 1U);
    EXPECT_EQ(std::get<tridap::Block>(dims[0].dist).start, 5 * rank());
    EXPECT_EQ(std::get<tridap::Block>(dims[0].dist).stop, 5 * rank() + 5);
    EXPECT_TRUE(tridap::tpetra::make_map(dims, MPI_COMM_WORLD, based(base))->isSameAs(*map));
  }
}

TEST(ExportMap, WithEmptyProcessesIsBlock) {
  for (Index only = 0; only < processes(); ++only) {
    const auto map = Teuchos::rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                          static_cast<std::size_t>(rank() == only ? 4 : 0), 0, world()));
    const auto out = export_array(numbered(map, 2)).array;
    EXPECT_EQ(out.dim_data[0].dist_type(), 'b');
    const tridap::Distribution d = tridap::mpi::gather_distribution(out, MPI_COMM_WORLD);
    EXPECT_EQ(d.owner({3, 1}), only);
    EXPECT_TRUE(tridap::tpetra::make_map({out.dim_data[0]}, MPI_COMM_WORLD)->isSameAs(*map));
  }
  const auto none = Teuchos::rcp(new Vector(uniform_map(0)));
  EXPECT_EQ(export_array(none).array.dim_data[0].size, 0);
}

TEST(ExportMultiVector, HasTheVectorsAsItsLastAxis) {
  for (const std::size_t vectors : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
    const auto made = numbered(uniform_map(4), vectors);
    const auto out = export_array(made);
    ASSERT_EQ(out.array.ndim(), 2);
    EXPECT_EQ(differs({out.array.dim_data[1]}, {tridap::undistributed(static_cast<Index>(vectors))}), "");
    EXPECT_EQ(out.receipt.bytes_copied, 0);
    for (Index j = 0; j < static_cast<Index>(vectors); ++j)
      for (Index i = 0; i < 4; ++i) {
        EXPECT_EQ(at(out.array, i, j), static_cast<double>(4 * rank() + i + 1000 * j));
        EXPECT_EQ(&at(out.array, i, j), made->getData(static_cast<std::size_t>(j)).getRawPtr() + i);
      }
    expect_same(oracle::Array({oracle::block(of(processes(), 4)), oracle::block({static_cast<Index>(vectors)})}),
                out.array, true);
  }
}

TEST(ExportMultiVector, WithAShapeHasTheVectorsAfterIt) {
  const auto made = numbered(uniform_map(6), 2);
  Reshape how;
  how.shape = List{2 * processes(), 3};
  const auto out = export_array(made, how);
  ASSERT_EQ(out.array.ndim(), 3);
  expect_same(oracle::Array({oracle::block(of(processes(), 2)), oracle::block({3}), oracle::block({2})}), out.array,
              true);
  EXPECT_EQ(*reinterpret_cast<double*>(oracle::address(out.array.buffer, {1, 2, 1})),
            static_cast<double>(6 * rank() + 5 + 1000));
}

TEST(ExportMultiVector, ARangeOfItsVectorsIsShared) {
  const auto made = numbered(uniform_map(4), 5);
  const auto view = made->subViewNonConst(Teuchos::Range1D(1, 3));
  const auto out = export_array(view);
  EXPECT_TRUE(out.receipt.shared);
  EXPECT_EQ(out.array.buffer.shape, (List{4, 3}));
  for (Index j = 0; j < 3; ++j)
    for (Index i = 0; i < 4; ++i)
      EXPECT_EQ(&at(out.array, i, j), made->getData(static_cast<std::size_t>(j + 1)).getRawPtr() + i);
  const auto seen = made->subView(Teuchos::Range1D(1, 3));
  EXPECT_TRUE(export_array(seen).array.buffer.read_only);
}

TEST(ExportMultiVector, VectorsAtUnevenDistancesAreRefusedOrCopied) {
  const auto made = numbered(uniform_map(4), 5);
  const std::vector<std::size_t> chosen{0, 1, 4};
  const auto view = made->subViewNonConst(Teuchos::ArrayView<const std::size_t>(chosen));
  expect_refused([&] { export_array(view); }, "copy=never, but the vectors are not evenly spaced");
  expect_refused([&] { export_array(view); }, "or export one vector at a time");
  for (const Copy copy : {Copy::if_needed, Copy::always}) {
    const auto out = export_array(view, {}, copy);
    EXPECT_FALSE(out.receipt.shared);
    EXPECT_EQ(out.receipt.bytes_copied, 4 * 3 * 8);
    EXPECT_EQ(out.array.buffer.shape, (List{4, 3}));
    for (std::size_t j = 0; j < 3; ++j)
      for (Index i = 0; i < 4; ++i)
        EXPECT_EQ(at(out.array, i, static_cast<Index>(j)),
                  static_cast<double>(4 * rank() + i + 1000 * static_cast<Index>(chosen[j])));
    at(out.array, 0, 0) = -1;
    EXPECT_EQ(made->getData(0)[0], static_cast<double>(4 * rank())) << "a copy takes no part in changes";
  }
}

TEST(ExportMultiVector, EachOfItsColumnsIsAVectorInPlace) {
  const auto made = numbered(uniform_map(4), 3);
  for (std::size_t j = 0; j < 3; ++j) {
    const auto out = export_array(made->getVectorNonConst(j));
    EXPECT_EQ(out.array.ndim(), 1);
    EXPECT_EQ(out.array.buffer.data, made->getData(j).getRawPtr());
    EXPECT_FALSE(out.array.buffer.read_only);
    EXPECT_TRUE(export_array(made->getVector(j)).array.buffer.read_only);
  }
}

TEST(ExportMultiVector, AnOffsetViewIsThoseRowsInPlace) {
  const auto made = numbered(uniform_map(4), 3);
  const auto rows = uniform_map(2);
  const auto view = made->offsetViewNonConst(rows, 1);
  const auto out = export_array(view);
  EXPECT_EQ(out.array.buffer.shape, (List{2, 3}));
  for (Index j = 0; j < 3; ++j)
    for (Index i = 0; i < 2; ++i)
      EXPECT_EQ(&at(out.array, i, j), made->getData(static_cast<std::size_t>(j)).getRawPtr() + 1 + i);
  EXPECT_EQ(out.array.buffer.strides[1], static_cast<Index>(8 * made->getStride()));
}

TEST(ExportCopies, AreDenseMemoryOfTheirOwn) {
  const auto made = numbered(uniform_map(4), 3);
  const auto out = export_array(made, {}, Copy::always);
  EXPECT_FALSE(out.receipt.shared);
  EXPECT_EQ(out.receipt.bytes_copied, 4 * 3 * 8);
  for (Index j = 0; j < 3; ++j)
    for (Index i = 0; i < 4; ++i) EXPECT_EQ(at(out.array, i, j), static_cast<double>(4 * rank() + i + 1000 * j));
  made->putScalar(0);
  EXPECT_EQ(at(out.array, 3, 2), static_cast<double>(4 * rank() + 3 + 2000));

  const oracle::Array array({oracle::cyclic(2 * processes(), 1, processes()), oracle::block({3})});
  const tridap::DistArray part = stamped(array);
  const ArrayMap layout(part, MPI_COMM_WORLD);
  const auto vector = import_vector<double>(part, layout).vector;
  const auto copied = export_array(vector, layout, Copy::always);
  EXPECT_NE(copied.array.buffer.data, part.buffer.data);
  EXPECT_EQ(copied.receipt.bytes_copied, 48);
  for (const auto& element : array.elements(rank(), tridap::Part::local))
    EXPECT_EQ(std::memcmp(oracle::address(copied.array.buffer, element.local),
                          oracle::address(part.buffer, element.local), 8),
              0);
}

TEST(ExportLifetime, TheArrayKeepsTheMemoryOfWhateverViewItCameFrom) {
  std::vector<tridap::DistArray> arrays;
  {
    const auto made = numbered(uniform_map(4), 5);
    arrays.push_back(export_array(made).array);
    arrays.push_back(export_array(made->subView(Teuchos::Range1D(1, 3))).array);
    arrays.push_back(export_array(made->getVector(4)).array);
    arrays.push_back(export_array(made->offsetView(uniform_map(2), 2)).array);
    arrays.push_back(export_array(made->getVectorNonConst(4)->offsetViewNonConst(uniform_map(2), 2)).array);
  }
  const auto first = [&](std::size_t i) { return *static_cast<double*>(arrays[i].buffer.data); };
  const auto own = static_cast<double>(4 * rank());
  EXPECT_EQ(first(0), own);
  EXPECT_EQ(first(1), own + 1000);
  EXPECT_EQ(first(2), own + 4000);
  EXPECT_EQ(first(3), own + 2);
  EXPECT_EQ(first(4), own + 4002);
  arrays.erase(arrays.begin(), arrays.begin() + 4);
  EXPECT_EQ(first(0), own + 4002);
}

TEST(ExportLifetime, ImportedMemoryIsKeptThroughViewsAndOutAgain) {
  bool released = false;
  {
    tridap::DistArray out;
    {
      tridap::DistArray part = stamped(oracle::Array({oracle::block(of(processes(), 4)), oracle::block({3})}));
      part.buffer.strides = tridap::column_major_strides(part.buffer.shape, 8);
      part.buffer.owner = std::shared_ptr<void>(
          &released, [kept = part.buffer.owner](void* flag) { *static_cast<bool*>(flag) = true; });
      const auto imported = tridap::tpetra::import_multivector<double>(part, MPI_COMM_WORLD);
      part = {};
      out = export_array(imported.multivector->subViewNonConst(Teuchos::Range1D(1, 2))
                             ->getVectorNonConst(1)
                             ->offsetViewNonConst(uniform_map(2), 2))
                .array;
    }
    EXPECT_FALSE(released);
    static_cast<double*>(out.buffer.data)[1] = 8;
  }
  EXPECT_TRUE(released);
}

TEST(ExportCopies, TheReceiptSaysThatTheAddressIsAnother) {
  const auto made = numbered(uniform_map(4), 3);
  for (const Copy copy : {Copy::never, Copy::always}) {
    const auto out = export_array(made, {}, copy);
    EXPECT_EQ(out.receipt.shared, copy == Copy::never);
    EXPECT_EQ(out.receipt.same_address, copy == Copy::never);
  }
}

TEST(ExportMap, AnEmptyProcessOfAUniformMapIsInItsPlace) {
  const auto one = Teuchos::rcp(new const Map(Tpetra::global_size_t{1}, 0, world()));
  const tridap::DimData dim_data = tridap::tpetra::dim_data(*one);
  const auto& block = std::get<tridap::Block>(dim_data[0].dist);
  EXPECT_EQ(block.start, rank() == 0 ? 0 : 1);
  EXPECT_EQ(block.stop, 1);
  EXPECT_TRUE(tridap::tpetra::make_map(dim_data, MPI_COMM_WORLD)->isSameAs(*one));
}
