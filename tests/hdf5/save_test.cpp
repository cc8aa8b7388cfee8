#include "hdf5_support.hpp"

namespace {

using namespace hdf5_test;

// What the file must hold: the number of each element that a process owns, 0 elsewhere.
std::vector<double> expected(const oracle::Array& array) {
  const List shape = shape_of(array);
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  std::vector<double> values(static_cast<std::size_t>(count), 0);
  for (Index p = 0; p < array.processes(); ++p)
    for (const auto& [place, global] : array.elements(p, Part::owned)) {
      List in_file;
      for (std::size_t i = 0; i < global.size(); ++i) in_file.push_back(position(array.axes[i], global[i]));
      values[static_cast<std::size_t>(number(shape, in_file))] = static_cast<double>(number(shape, in_file) + 1);
    }
  return values;
}

void expect_saved(const oracle::Array& array, Random& random) {
  const Local local = some_memory(random, array, rank());
  fill(local, array, rank(), Part::owned);
  const std::vector<double> before = local.memory;
  const TemporaryFile file;
  h5::save(file.path(), {{"a", local.array}}, MPI_COMM_WORLD);
  EXPECT_EQ(local.memory, before);
  List shape;
  const auto values = read_serially<double>(file.path(), "a", H5T_NATIVE_DOUBLE, &shape);
  if (rank() == 0) {
    EXPECT_EQ(shape, shape_of(array));
    EXPECT_EQ(values, expected(array));
  }
}

TEST(Save, EveryProcessWritesWhatItOwnsFromAnyMemory) {
  Random random(1);
  for (int round = 0; round < effort::of(150, 40); ++round) {
    List shape;
    for (Index axes = 1 + pick(random, 3); axes > 0; --axes) shape.push_back(pick(random, 8));
    expect_saved(some_array(random, shape, processes()), random);
  }
}

TEST(Save, ListsOfAnyIndicesAreWrittenByTheirOrder) {
  Random random(2);
  std::vector<List> sparse(static_cast<std::size_t>(processes())), shared = sparse, gaps = sparse;
  for (Index p = 0; p < processes(); ++p) {
    sparse[static_cast<std::size_t>(p)] = {1000 - 7 * p, -5 - p, 3 * p};
    shared[static_cast<std::size_t>(p)] = {p, p + 1};
    gaps[static_cast<std::size_t>(p)] = {0, 2 * processes() - 1};
  }
  expect_saved(oracle::Array({oracle::unstructured(sparse)}), random);
  expect_saved(oracle::Array({oracle::unstructured(shared)}), random);
  expect_saved(oracle::Array({oracle::unstructured(gaps)}), random);
  expect_saved(oracle::Array({oracle::unstructured(sparse), oracle::block({3})}), random);
}

TEST(Save, ManyElementsInBoundedPieces) {
  Random random(3);
  const Index size = 2000;
  std::vector<List> lists(static_cast<std::size_t>(processes()));
  List all;
  for (Index i = 0; i < size; ++i) all.push_back(i);
  std::shuffle(all.begin(), all.end(), random);
  for (Index i = 0; i < size; ++i)
    lists[static_cast<std::size_t>(i % processes())].push_back(all[static_cast<std::size_t>(i)]);
  for (const Index columns : {1, 9}) {
    List one(1, columns);
    expect_saved(oracle::Array({oracle::unstructured(lists), oracle::block(one)}), random);
    expect_saved(oracle::Array({oracle::block(one), oracle::unstructured(lists)}), random);
  }
}

TEST(Save, ALongCyclicAxisWithAShorterLastBlock) {
  const auto distribution = Distribution::make({1'000'003}, {tridap::cyclic(2)}, {processes()});
  std::vector<std::int32_t> memory(static_cast<std::size_t>(distribution.count(rank())));
  distribution.axis(0).for_each(rank(), Part::owned, [&](Index local, Index global) {
    memory[static_cast<std::size_t>(local)] = static_cast<std::int32_t>(global);
  });
  DistArray array;
  array.buffer = tridap::row_major(memory.data(), tridap::IndexList(distribution.local_shape(rank())));
  array.dim_data = distribution.dim_data(rank());
  const TemporaryFile file;
  h5::save(file.path(), {{"a", array, distribution}}, MPI_COMM_WORLD);
  const auto values = read_serially<std::int32_t>(file.path(), "a", H5T_NATIVE_INT32);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<std::int32_t>(i));
}

TEST(Save, SeveralArraysWithGroupsAndAttributes) {
  Random random(4);
  const oracle::Array first = some_array(random, {5, 4}, processes()), second = some_array(random, {7}, processes());
  const Local a = some_memory(random, first, rank()), b = some_memory(random, second, rank());
  fill(a, first, rank(), Part::owned);
  fill(b, second, rank(), Part::owned);
  double time = 2.5;
  std::vector<std::int64_t> numbers{3, -4};
  h5::SaveOptions options;
  options.attributes = {
      {"title", "from C++"}, {"time", tridap::row_major(&time, {})}, {"n", tridap::row_major(numbers.data(), {2})}};
  const TemporaryFile file;
  h5::save(file.path(), {{"fields/a", a.array}, {"b", b.array}}, MPI_COMM_WORLD, options);
  const auto values = read_serially<double>(file.path(), "/fields/a", H5T_NATIVE_DOUBLE);
  if (rank() == 0) {
    EXPECT_EQ(values, expected(first));
    EXPECT_EQ(h5::dataset_names(file.path()), (std::vector<std::string>{"b", "fields/a"}));
    const auto found = h5::read_attributes(file.path());
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].name, "n");
    const auto& n = std::get<tridap::Buffer>(found[0].value);
    EXPECT_EQ(static_cast<const std::int64_t*>(n.data)[1], -4);
    EXPECT_EQ(*static_cast<const double*>(std::get<tridap::Buffer>(found[1].value).data), 2.5);
    EXPECT_EQ(std::get<std::string>(found[2].value), "from C++");
  }
  const auto of_second = read_serially<double>(file.path(), "b", H5T_NATIVE_DOUBLE);
  if (rank() == 0) {
    EXPECT_EQ(of_second, expected(second));
  }
}

TEST(Save, AStepAfterTheOther) {
  Random random(5);
  const oracle::Array layout = some_array(random, {5, 6}, processes());
  const TemporaryFile file;
  h5::SaveOptions options;
  for (const Index step : {0, 1, 3, 1}) {
    const Local local = some_memory(random, layout, rank());
    fill(local, layout, rank(), Part::owned);
    options.step = step;
    h5::save(file.path(), {{"a", local.array}}, MPI_COMM_WORLD, options);
  }
  List shape;
  const auto values = read_serially<double>(file.path(), "a", H5T_NATIVE_DOUBLE, &shape);
  if (rank() == 0) {
    EXPECT_EQ(shape, (List{4, 5, 6}));
    const std::vector<double> one = expected(layout);
    for (std::size_t step = 0; step < 4; ++step)
      for (std::size_t i = 0; i < one.size(); ++i) ASSERT_EQ(values[step * one.size() + i], step == 2 ? 0 : one[i]);
  }
}

TEST(Save, InChunksAndCompressed) {
  Random random(6);
  for (int round = 0; round < effort::of(20, 6); ++round) {
    const oracle::Array layout = some_array(random, {9, 7}, processes());
    const Local local = some_memory(random, layout, rank());
    fill(local, layout, rank(), Part::owned);
    h5::SaveOptions options;
    options.chunks = {1 + pick(random, 4), 1 + pick(random, 9)};
    MPI_Bcast(options.chunks->data(), 2, MPI_INT64_T, 0, MPI_COMM_WORLD);
    options.compression = round % 2 == 0 ? 4 : 0;
    const TemporaryFile file;
    h5::save(file.path(), {{"a", local.array}}, MPI_COMM_WORLD, options);
    const auto values = read_serially<double>(file.path(), "a", H5T_NATIVE_DOUBLE);
    if (rank() == 0) {
      EXPECT_EQ(values, expected(layout));
    }
  }
}

TEST(Save, TheReceiptCountsTheBytesThatThisProcessOwns) {
  const TemporaryFile file;
  std::vector<Index> starts;  // process p owns p + 1 elements
  for (Index p = 0; p < processes(); ++p) starts.push_back(p * (p + 1) / 2);
  const auto distribution =
      Distribution::make({processes() * (processes() + 1) / 2}, {tridap::block_at(starts)}, {processes()});
  DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), tridap::IndexList(distribution.local_shape(rank())));
  array.dim_data = distribution.dim_data(rank());
  const tridap::Receipt receipt = h5::save(file.path(), {{"a", array}, {"b", array}}, MPI_COMM_WORLD);
  EXPECT_EQ(receipt.bytes_copied, 2 * (rank() + 1) * static_cast<Index>(sizeof(double)));
}

}  // namespace
