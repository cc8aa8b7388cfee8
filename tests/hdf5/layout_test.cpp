#include "hdf5_support.hpp"
#include <tridap/compare.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/read.hpp>
#include <tridap/slabs.hpp>

#include <filesystem>
#include <functional>
#include <numeric>

namespace {

using namespace hdf5_test;

Distribution lists(Index size, std::vector<List> all) {
  const auto grid = static_cast<Index>(all.size());
  return Distribution::make({size}, {tridap::unstructured(std::move(all))}, {grid});
}

/// Every dictionary of every coordinate, as text.
std::vector<std::string> dictionaries(const Distribution& distribution) {
  std::vector<std::string> all;
  for (Index i = 0; i < distribution.ndim(); ++i)
    for (Index c = 0; c < distribution.axis(i).proc_grid_size(); ++c)
      all.push_back(tridap::to_value(distribution.axis(i).dimension(c)).json());
  return all;
}

/// Gives each element of a part the number of its position in the file, plus 1.
void number_part(const DistArray& array, const Distribution& distribution, Part part,
                 const std::function<void(double&, double)>& visit) {
  for (const auto& slab : distribution.slabs(rank(), part)) {
    List extents;
    for (const tridap::AxisSlab& axis : slab) extents.push_back(axis.size());
    oracle::for_each_index(extents, [&](const List& in) {
      List file, local;
      for (std::size_t i = 0; i < in.size(); ++i) {
        file.push_back(slab[i].start + in[i] / slab[i].block * slab[i].stride + in[i] % slab[i].block);
        local.push_back(slab[i].local.begin + in[i]);
      }
      visit(at(array.buffer, local), static_cast<double>(number(distribution.shape(), file) + 1));
    });
  }
}

DistArray numbered(const Distribution& distribution) {
  DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), tridap::IndexList(distribution.local_shape(rank())));
  array.dim_data = distribution.dim_data(rank());
  number_part(array, distribution, Part::local, [](double& element, double value) { element = value; });
  return array;
}

void expect_numbered(const DistArray& array, const Distribution& distribution) {
  number_part(array, distribution, Part::local, [](const double& element, double value) { EXPECT_EQ(element, value); });
}

/// Changes a file on rank 0, with HDF5's own calls.
void change(const std::string& path, const std::function<void(hid_t file)>& step) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank() == 0) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    step(file);
    EXPECT_GE(H5Fclose(file), 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

struct SavedAs {
  std::string name;
  Distribution distribution;
};

// tests/hdf5/data: what 2 processes have saved with the dictionaries of all coordinates in the attribute dim_data.
std::vector<SavedAs> saved_with_dictionaries() {
  tridap::BlockSpec padded = tridap::padded_block(1);
  padded.edges = {2, 1};
  return {{"apart", lists(5, {{-7, 100}, {3, 8, 100000}})},
          {"grid", Distribution::make({9, 5}, {padded, tridap::cyclic(2)}, {2, 1})},
          {"irregular", Distribution::make({7}, {tridap::block_at({0, 5})}, {2})},
          {"lists", lists(6, {{5, 0, 3}, {1, 4, 2}})},
          {"shared", lists(5, {{0, 1, 2}, {2, 3}})}};
}

const std::string older_files = TRIDAP_OLDER_FILES;

TEST(Layout, FilesWithDictionariesOfAllCoordinatesAreRead) {
  const std::string path = older_files + "dictionaries.h5";
  for (const auto& [name, distribution] : saved_with_dictionaries()) {
    const h5::Stored stored = h5::find(path, name, MPI_COMM_WORLD);
    ASSERT_TRUE(stored.distribution) << name;
    EXPECT_EQ(dictionaries(*stored.distribution), dictionaries(distribution)) << name;
    const Distribution to = h5::default_distribution(stored, processes());
    if (processes() == 2) {
      EXPECT_EQ(dictionaries(to), dictionaries(distribution)) << name;
    }
    if (name != "shared") expect_numbered(h5::load(path, name, MPI_COMM_WORLD), to);
  }
}

TEST(Layout, StepsAreAddedToFilesWithDictionaries) {
  const TemporaryFile file;
  if (rank() == 0) std::filesystem::copy_file(older_files + "dictionaries_with_steps.h5", file.path());
  MPI_Barrier(MPI_COMM_WORLD);
  const h5::Stored before = h5::find(file.path(), "series", MPI_COMM_WORLD);
  EXPECT_EQ(before.shape, (List{2, 4}));
  const auto cyclic = Distribution::make({2, 4}, {tridap::cyclic(1, 1), tridap::whole()}, {2, 1});
  EXPECT_EQ(dictionaries(*before.distribution), dictionaries(cyclic));
  std::vector<List> dealt(static_cast<std::size_t>(processes()));
  for (Index i = 0; i < 2; ++i) dealt[static_cast<std::size_t>((i + 1) % processes())].push_back(i);
  const auto now = Distribution::make({2, 4}, {tridap::unstructured(dealt), tridap::whole()}, {processes(), 1});
  h5::SaveOptions options;
  options.step = 3;
  h5::save(file.path(), {{"series", numbered(now)}}, MPI_COMM_WORLD, options);
  const h5::Stored after = h5::find(file.path(), "series", MPI_COMM_WORLD);
  EXPECT_EQ(dictionaries(*after.distribution), dictionaries(now));
  for (const Index step : {0, 2, 3}) {
    h5::LoadOptions of;
    of.step = step;
    expect_numbered(h5::load(file.path(), "series", MPI_COMM_WORLD, now, of), now);
  }
}

TEST(Layout, GivesBackEveryDictionaryOfEveryCoordinate) {
  Random random(21);
  for (int round = 0; round < effort::of(100, 25); ++round) {
    const oracle::Array saved = some_array(random, {pick(random, 8), pick(random, 12)}, processes());
    const Distribution distribution = saved.distribution();
    const TemporaryFile file;
    h5::save(file.path(), {{"g/a", numbered(distribution), distribution}}, MPI_COMM_WORLD);
    const h5::Stored stored = h5::find(file.path(), "", MPI_COMM_WORLD);
    EXPECT_EQ(stored.name, "g/a");
    ASSERT_TRUE(stored.distribution);
    EXPECT_EQ(dictionaries(*stored.distribution), dictionaries(distribution));
  }
}

/// An attribute with a list of integers for each axis, by HDF5's own calls.
std::vector<List> number_lists(hid_t dataset, const char* name) {
  if (H5Aexists(dataset, name) <= 0) return {};
  const hid_t attribute = H5Aopen(dataset, name, H5P_DEFAULT), space = H5Aget_space(attribute);
  const hid_t type = H5Tvlen_create(H5T_NATIVE_INT64);
  std::vector<hvl_t> all(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Aread(attribute, type, all.data()), 0);
  std::vector<List> found;
  for (const hvl_t& each : all)
    found.emplace_back(static_cast<const Index*>(each.p), static_cast<const Index*>(each.p) + each.len);
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, all.data());
  for (const hid_t id : {type}) H5Tclose(id);
  H5Sclose(space);
  H5Aclose(attribute);
  return found;
}

std::string dim_data_of(hid_t dataset) {
  const hid_t attribute = H5Aopen(dataset, "dim_data", H5P_DEFAULT), type = H5Aget_type(attribute);
  char* text = nullptr;
  EXPECT_GE(H5Aread(attribute, type, &text), 0);
  const std::string found = text;
  H5free_memory(text);
  H5Tclose(type);
  H5Aclose(attribute);
  return found;
}

TEST(Layout, IsIntegersThatOtherProgramsRead) {
  const Index p = processes();
  List starts;
  std::vector<List> of_coordinates;
  for (Index c = 0; c < p; ++c) {
    starts.push_back(c * (c + 1) / 2);
    of_coordinates.push_back({2 * c + 1, 2 * c});
  }
  const Index size = p * (p + 1) / 2;
  const auto irregular = Distribution::make({size, 4}, {tridap::block_at(starts), tridap::cyclic(2)}, {p, 1});
  const auto listed = Distribution::make({2 * p, 3}, {tridap::unstructured(of_coordinates), tridap::whole()}, {p, 1});
  const TemporaryFile file;
  h5::save(file.path(), {{"a", numbered(irregular)}, {"g/b", numbered(listed)}}, MPI_COMM_WORLD);
  EXPECT_EQ(h5::dataset_names(file.path()), (std::vector<std::string>{"a", "g/b"}));
  const auto found = read_serially<Index>(file.path(), "/__dim_data__/g/b/0", H5T_NATIVE_INT64);
  if (rank() == 0) {
    const hid_t id = H5Fopen(file.path().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t a = H5Dopen2(id, "a", H5P_DEFAULT), b = H5Dopen2(id, "g/b", H5P_DEFAULT);
    starts.push_back(size);
    if (p > 2) {
      EXPECT_EQ(number_lists(a, "axis_bounds"), (std::vector<List>{starts, {}}));
    }
    EXPECT_EQ(dim_data_of(a).find("[{\"dist_type\":\"b\",\"size\":" + std::to_string(size)), 0u) << dim_data_of(a);
    List bounds, all;
    for (Index c = 0; c <= p; ++c) bounds.push_back(2 * c);
    for (const List& list : of_coordinates) all.insert(all.end(), list.begin(), list.end());
    EXPECT_EQ(number_lists(b, "axis_bounds"), (std::vector<List>{bounds, {}}));
    EXPECT_NE(dim_data_of(b).find("\"indices\":\"/__dim_data__/g/b/0\""), std::string::npos) << dim_data_of(b);
    EXPECT_EQ(found, all);
    EXPECT_LT(H5Aexists(a, "axis_padding") + H5Aexists(b, "axis_padding"), 1);
    H5Dclose(a);
    H5Dclose(b);
    H5Fclose(id);
  }
}

tridap::Reading spread() {
  tridap::Reading reading;
  reading.most_listed = 0;
  return reading;
}

/// Lists over all processes or, with 4 or 6, over some of a grid: dealt in any order, with holes, and shared.
std::vector<Distribution> listed_distributions() {
  const Index p = processes(), rows = p % 2 == 0 ? p / 2 : p;
  std::mt19937_64 random(7);
  std::vector<List> dealt(static_cast<std::size_t>(rows)), shared = dealt;
  for (Index i = 0; i < 30; ++i) dealt[random() % dealt.size()].push_back(i);
  for (List& list : dealt) std::shuffle(list.begin(), list.end(), random);
  for (Index c = 0; c < rows; ++c) shared[static_cast<std::size_t>(c)] = {c + 1, c, 2 * rows};
  const List grid{rows, p / rows};
  return {Distribution::make({30, 7}, {tridap::unstructured(dealt, true), tridap::padded_block(1)}, grid),
          Distribution::make({3 * rows, 4}, {tridap::unstructured(shared), tridap::cyclic()}, grid)};
}

/// The same in the directory form, but on one process.
Distribution spread_of(const Distribution& distribution) {
  return tridap::mpi::gather_distribution(numbered(distribution), MPI_COMM_WORLD, spread());
}

TEST(Layout, AProcessWritesAndReadsItsOwnLists) {
  for (const Distribution& whole : listed_distributions()) {
    const Distribution own = spread_of(whole);
    const bool directory = whole.axis(0).proc_grid_size() > 1;
    ASSERT_EQ(own.axis(0).unstructured()->own() != nullptr, directory);
    const TemporaryFile one, other;
    h5::save(one.path(), {{"a", numbered(whole), own}}, MPI_COMM_WORLD);
    h5::save(other.path(), {{"a", numbered(whole), whole}}, MPI_COMM_WORLD);
    for (const std::string name : {"/__dim_data__/a/0"})
      EXPECT_EQ(read_serially<Index>(one.path(), name, H5T_NATIVE_INT64),
                read_serially<Index>(other.path(), name, H5T_NATIVE_INT64));
    EXPECT_EQ(read_serially<double>(one.path(), "a", H5T_NATIVE_DOUBLE),
              read_serially<double>(other.path(), "a", H5T_NATIVE_DOUBLE));
    const h5::Stored all = h5::find(one.path(), "a", MPI_COMM_WORLD);
    ASSERT_TRUE(all.distribution);
    EXPECT_EQ(dictionaries(*all.distribution), dictionaries(whole));

    const h5::Stored stored = h5::find(one.path(), "a", MPI_COMM_WORLD, false, 0);
    ASSERT_TRUE(stored.distribution);
    EXPECT_EQ(stored.distribution->axis(0).unstructured()->own() != nullptr, directory);
    const Index c = whole.coordinates(rank())[0];
    EXPECT_EQ(stored.distribution->axis(0).unstructured()->list(c), whole.axis(0).unstructured()->list(c));
    EXPECT_TRUE(tridap::compare(*stored.distribution, own).same_places);
    h5::LoadOptions options;
    options.most_listed = 0;
    expect_numbered(h5::load(one.path(), "a", MPI_COMM_WORLD, {}, options), whole);
    expect_numbered(h5::load(one.path(), "a", MPI_COMM_WORLD, own, options), whole);
    const DistArray into = numbered(whole);
    h5::load_into(into.buffer, one.path(), stored, own, MPI_COMM_WORLD);
    expect_numbered(into, whole);
  }
}

/// Three indices of each process, negative and too large ones among them; `shift` is added to each.
std::vector<List> apart(Index processes, Index shift = 0) {
  std::vector<List> all;
  for (Index p = 0; p < processes; ++p) all.push_back({1000 - 7 * p + shift, -5 - p + shift, 3 * p + shift});
  return all;
}

/// The same, of which the last process has none.
std::vector<List> apart_but_of_the_last(Index processes) {
  std::vector<List> all = apart(processes - 1);
  all.emplace_back();
  return all;
}

/// Lists without gaps that begin below 0, the last index of a process and the first one of the next being the same.
std::vector<List> shared(Index processes) {
  std::vector<List> all;
  for (Index p = 0; p < processes; ++p) all.push_back({2 * p - 3, 2 * p - 1, 2 * p - 2});
  return all;
}

TEST(Layout, ElementsInTheOrderOfTheirIndicesNeedOnlyOwnLists) {
  for (const Distribution& whole :
       {lists(3 * processes(), apart(processes())), lists(3 * processes(), shared(processes())),
        lists(3 * (processes() - 1), apart_but_of_the_last(processes()))}) {
    const Distribution own = spread_of(whole);
    const TemporaryFile one, other;
    h5::save(one.path(), {{"a", numbered(whole), own}}, MPI_COMM_WORLD);
    h5::save(other.path(), {{"a", numbered(whole), whole}}, MPI_COMM_WORLD);
    for (const char* name : {"a", "/__dim_data__/a/0"})
      EXPECT_EQ(read_serially<double>(one.path(), name, H5T_NATIVE_DOUBLE),
                read_serially<double>(other.path(), name, H5T_NATIVE_DOUBLE));
    h5::LoadOptions options;
    options.most_listed = 0;
    expect_numbered(h5::load(one.path(), "a", MPI_COMM_WORLD, {}, options), whole);
    expect_numbered(h5::load(one.path(), "a", MPI_COMM_WORLD, own, options), whole);
    expect_numbered(h5::load(one.path(), "a", MPI_COMM_WORLD, own), whole);
    expect_numbered(h5::load(one.path(), "a", MPI_COMM_WORLD, whole, options), whole);
    const DistArray into = numbered(whole);
    h5::load_into(into.buffer, one.path(), h5::find(one.path(), "a", MPI_COMM_WORLD, false, 0), own, MPI_COMM_WORLD);
    expect_numbered(into, whole);
  }
}

TEST(Layout, OtherIndicesThanTheFilesAreRefused) {
  const Distribution whole = lists(3 * processes(), apart(processes())),
                     others = lists(3 * processes(), apart(processes(), 1));
  const TemporaryFile file;
  h5::save(file.path(), {{"a", numbered(whole), whole}}, MPI_COMM_WORLD);
  h5::LoadOptions options;
  for (const Index most : {Index{0}, Index{1000000}}) {
    options.most_listed = most;
    for (const Distribution& to : {others, spread_of(others)})
      on::expect_refused([&] { h5::load(file.path(), "a", MPI_COMM_WORLD, to, options); }, "other indices");
  }
}

TEST(Layout, EqualPartsOfLongListsTellWhichIndicesThereAre) {
  if (processes() < 3) GTEST_SKIP() << "needs at least 3 processes";
  const TemporaryFile file;
  MPI_Comm two = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank() < 2 ? 0 : MPI_UNDEFINED, 0, &two);
  std::vector<List> halves(2), dealt(static_cast<std::size_t>(processes()));
  for (Index i = 0; i < 6 * processes(); ++i) {
    halves[static_cast<std::size_t>(i % 2)].push_back(100 - 7 * i);
    dealt[static_cast<std::size_t>(i * 5 % processes())].push_back(100 - 7 * i);
  }
  if (two != MPI_COMM_NULL) {
    h5::save(file.path(), {{"a", numbered(lists(6 * processes(), halves))}}, two);
    MPI_Comm_free(&two);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const Distribution whole = lists(6 * processes(), dealt);
  h5::LoadOptions options;
  options.most_listed = 0;
  for (const Distribution& to : {whole, spread_of(whole)})
    expect_numbered(h5::load(file.path(), "a", MPI_COMM_WORLD, to, options), whole);
  dealt[0].front() = 99;
  on::expect_refused([&] { h5::load(file.path(), "a", MPI_COMM_WORLD, lists(6 * processes(), dealt), options); },
                     "other indices");
  const h5::Stored stored = h5::find(file.path(), "a", MPI_COMM_WORLD, false, 0);
  EXPECT_FALSE(stored.distribution);
  ASSERT_EQ(stored.indices.size(), 1U);
  EXPECT_EQ(stored.indices[0].value().count, 6 * processes());
}

TEST(Layout, LongListsOfAnotherNumberOfProcessesAreNotRead) {
  if (processes() < 3) GTEST_SKIP() << "needs at least 3 processes";
  const TemporaryFile file;
  MPI_Comm two = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank() < 2 ? 0 : MPI_UNDEFINED, 0, &two);
  const auto saved =
      Distribution::make({6, 8}, {tridap::unstructured({{5, 0, 3}, {1, 4, 2}}), tridap::cyclic(2)}, {2, 1});
  if (two != MPI_COMM_NULL) {
    h5::save(file.path(), {{"a", numbered(saved)}}, two);
    MPI_Comm_free(&two);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const h5::Stored stored = h5::find(file.path(), "a", MPI_COMM_WORLD, false, 5);
  EXPECT_FALSE(stored.distribution);
  const Distribution to = h5::default_distribution(stored, processes());
  EXPECT_EQ(to.axis(0).dist_type(), 'b');
  EXPECT_EQ(to.axis(1).dist_type(), 'c');
  const h5::Stored all = h5::find(file.path(), "a", MPI_COMM_WORLD, false, 6);
  ASSERT_TRUE(all.distribution);
  EXPECT_EQ(dictionaries(h5::default_distribution(all, processes())), dictionaries(to));
  h5::LoadOptions options;
  options.most_listed = 5;
  expect_numbered(h5::load(file.path(), "a", MPI_COMM_WORLD, {}, options), to);
}

TEST(Layout, AStepOfAnotherDistributionReplacesTheLists) {
  const TemporaryFile file;
  h5::SaveOptions options;
  List all(12);
  std::iota(all.begin(), all.end(), 0);
  const auto dealt = [&](Index shift) {
    std::vector<List> some(static_cast<std::size_t>(processes()));
    for (const Index i : all) some[static_cast<std::size_t>((i + shift) % processes())].push_back(i);
    return lists(12, some);
  };
  const auto blocks = Distribution::make({12}, {tridap::block()}, {processes()});
  for (const Distribution& now : {dealt(0), dealt(1), spread_of(dealt(2)), blocks, dealt(1)}) {
    options.step = options.step.value_or(-1) + 1;
    h5::save(file.path(), {{"a", numbered(now), now}}, MPI_COMM_WORLD, options);
    const h5::Stored stored = h5::find(file.path(), "a", MPI_COMM_WORLD);
    ASSERT_TRUE(stored.distribution);
    EXPECT_TRUE(tridap::compare(*stored.distribution, now).same_places);
  }
}

/// A dataset of integers in place of one in the file.
void put_list(hid_t file, const char* name, const List& values, bool square = false) {
  H5Ldelete(file, name, H5P_DEFAULT);
  const hsize_t extents[2] = {values.size(), 1};
  const hid_t space = H5Screate_simple(square ? 2 : 1, extents, nullptr);
  const hid_t dataset = H5Dcreate2(file, name, H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Dclose(dataset);
  H5Sclose(space);
}

void put_bounds(hid_t file, const char* name, List values) {
  const hid_t dataset = H5Dopen2(file, "a", H5P_DEFAULT);
  if (H5Aexists(dataset, name) > 0) H5Adelete(dataset, name);
  const hid_t type = H5Tvlen_create(H5T_NATIVE_INT64);
  const hsize_t one = 1;
  const hid_t space = H5Screate_simple(1, &one, nullptr);
  const hid_t attribute = H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  hvl_t list{values.size(), values.data()};
  EXPECT_GE(H5Awrite(attribute, type, &list), 0);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(dataset);
}

void put_text(hid_t file, const std::string& from, const std::string& to) {
  const hid_t dataset = H5Dopen2(file, "a", H5P_DEFAULT);
  std::string text = dim_data_of(dataset);
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, from.size(), to);
  const hid_t attribute = H5Aopen(dataset, "dim_data", H5P_DEFAULT), type = H5Aget_type(attribute);
  const char* const characters = text.c_str();
  EXPECT_GE(H5Awrite(attribute, type, &characters), 0);
  H5Tclose(type);
  H5Aclose(attribute);
  H5Dclose(dataset);
}

struct Damage {
  std::function<void(hid_t)> make;
  std::string words;
};

// All processes get the same error, with a remedy; and if the array is loaded in blocks, what is wrong with the lists
// does not matter.
void expect_refused(const Distribution& saved, const std::vector<Damage>& all) {
  for (const auto& [make, words] : all) {
    const TemporaryFile file;
    h5::save(file.path(), {{"a", numbered(saved)}}, MPI_COMM_WORLD);
    change(file.path(), make);
    for (const Index most : {Index{1000}, Index{0}}) {
      h5::LoadOptions options;
      options.most_listed = most;
      on::expect_refused([&] { h5::load(file.path(), "a", MPI_COMM_WORLD, {}, options); }, words);
      const auto error = on::expect_refused([&] { h5::find(file.path(), "a", MPI_COMM_WORLD, false, most); }, words);
      ASSERT_TRUE(error);
    }
  }
}

TEST(Layout, WrongListsAreAnErrorOnAllProcesses) {
  std::vector<List> dealt(static_cast<std::size_t>(processes()));
  for (Index i = 0; i < 12; ++i) dealt[static_cast<std::size_t>(i % processes())].push_back(i);
  const Distribution saved = Distribution::make({12}, {tridap::unstructured(dealt, true)}, {processes()});
  const char* const name = "/__dim_data__/a/0";
  const List same(12, 3);
  List bounds(static_cast<std::size_t>(processes()) + 1, 12);
  expect_refused(saved, {{[&](hid_t f) { H5Ldelete(f, name, H5P_DEFAULT); }, "is missing, must be in the file"},
                         {[&](hid_t f) {
                            put_list(f, name, {1, 2});
                          },
                          "has 2 indices, must have 12, as 'axis_bounds'"},
                         {[&](hid_t f) { put_list(f, name, List(12, 0), true); }, "is no list, must have 12"},
                         {[&](hid_t f) { put_list(f, name, same); }, "[unstructured.unique]"},
                         {[&](hid_t f) {
                            put_bounds(f, "axis_bounds", {0, 1, 2, 3, 4, 5, 6, 7, 12});
                          },
                          "'axis_bounds' has 9 numbers, must be one more than proc_grid_size"},
                         {[&](hid_t f) { put_bounds(f, "axis_bounds", bounds); },
                          "'axis_bounds' begins with 12, must be ascending numbers from 0 on"},
                         {[&](hid_t f) { put_text(f, "/__dim_data__/a/0", "a"); }, "with the lists of the axis"},
                         {[&](hid_t f) { put_text(f, "\"u\"", "\"x\""); }, "must be 'b', 'c' or 'u'"},
                         {[&](hid_t f) { put_text(f, "\"size\":12", "\"size\":11"); }, "of another shape"},
                         {[&](hid_t f) { put_text(f, "[0,11]", "[0]"); }, "must be two integers"}});
  const TemporaryFile file;
  h5::save(file.path(), {{"a", numbered(saved)}}, MPI_COMM_WORLD);
  change(file.path(), [&](hid_t f) { H5Ldelete(f, name, H5P_DEFAULT); });
  const auto blocks = Distribution::make({12}, {tridap::block()}, {processes()});
  expect_numbered(h5::load(file.path(), "a", MPI_COMM_WORLD, blocks), blocks);
}

TEST(Layout, WrongBoundsAndPaddingAreAnErrorOnAllProcesses) {
  const Index p = processes();
  tridap::BlockSpec padded = tridap::padded_block(1);
  const Distribution saved = Distribution::make({3 * p}, {padded}, {p});
  const auto last = [&](Index first, Index rest, Index end) {
    List all(static_cast<std::size_t>(p) + 1, rest);
    all.front() = first;
    all.back() = end;
    return all;
  };
  expect_refused(
      saved, {{[&](hid_t f) { put_bounds(f, "axis_bounds", last(0, 0, 3 * p + 1)); }, "must end with size"},
              {[&](hid_t f) { put_bounds(f, "axis_bounds", last(-1, 0, 3 * p)); }, "begins with -1, must be ascending"},
              {[&](hid_t f) { put_bounds(f, "axis_padding", {1}); }, "'axis_padding' has 1 numbers, must be two for"},
              {[&](hid_t f) { put_bounds(f, "axis_padding", List(static_cast<std::size_t>(2 * p), -1)); },
               "'axis_padding' has a width of -1, must be from 0"},
              {[&](hid_t f) { put_bounds(f, "axis_padding", List(static_cast<std::size_t>(2 * p), 3 * p)); },
               p == 1 ? "padding" : "[block."},
              {[&](hid_t f) { put_text(f, "\"block_size\":", "\"block_size\":-"); }, "must be at least 1"},
              {[&](hid_t f) { put_text(f, "[{", "{\"x\": {"), put_text(f, "}]", "}}"); }, "must be a list"}});
}

TEST(Layout, TheGroupOfListsHasNoArrays) {
  const TemporaryFile file;
  const auto blocks = Distribution::make({12}, {tridap::block()}, {processes()});
  for (const std::string name : {"__dim_data__", "__dim_data__/a"})
    on::expect_refused(
        [&] {
          h5::save(file.path(), {{name, numbered(blocks)}}, MPI_COMM_WORLD);
        },
        "must not begin with '__dim_data__', the group of lists");
  h5::save(file.path(), {{"__dim_data__a", numbered(blocks)}}, MPI_COMM_WORLD);
  EXPECT_EQ(h5::dataset_names(file.path()), (std::vector<std::string>{"__dim_data__a"}));
}

}  // namespace
