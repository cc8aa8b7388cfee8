#include "hdf5_support.hpp"

namespace {

using namespace hdf5_test;

void save_numbers(const std::string& path, const oracle::Array& array, Random& random, MPI_Comm comm,
                  const h5::SaveOptions& options = {}) {
  const Index process = on::rank(comm);
  const Local local = some_memory(random, array, process);
  fill(local, array, process, Part::owned);
  h5::save(path, {{"a", local.array}}, comm, options);
}

// Every element of the buffer, padding included, has its number; nothing else was written.
void expect_numbers(const Local& local, const oracle::Array& array, Random random) {
  Local wanted = some_memory(random, array, rank());
  fill(wanted, array, rank(), Part::local);
  EXPECT_EQ(local.memory, wanted.memory);
}

TEST(Load, AnyDistributionReadsWhatAnyOtherHasSaved) {
  Random random(11);
  for (int round = 0; round < effort::of(100, 25); ++round) {
    List shape;
    for (Index axes = 1 + pick(random, 3); axes > 0; --axes) shape.push_back(pick(random, 8));
    const oracle::Array from = some_array(random, shape, processes()), to = some_array(random, shape, processes());
    const TemporaryFile file;
    save_numbers(file.path(), from, random, MPI_COMM_WORLD);
    const Random memory = random;
    const Local local = some_memory(random, to, rank());
    const h5::Stored stored = h5::find(file.path(), "", MPI_COMM_WORLD);
    EXPECT_EQ(stored.shape, shape);
    h5::load_into(local.array.buffer, file.path(), stored, to.distribution(), MPI_COMM_WORLD);
    expect_numbers(local, to, memory);
  }
}

TEST(Load, GivesBackWhatWasSaved) {
  Random random(12);
  for (int round = 0; round < effort::of(40, 10); ++round) {
    const oracle::Array from = some_array(random, {5, 1 + pick(random, 5)}, processes());
    const TemporaryFile file;
    save_numbers(file.path(), from, random, MPI_COMM_WORLD);
    const DistArray array = h5::load(file.path(), "a", MPI_COMM_WORLD);
    const DistArray wanted = described(from, rank());
    ASSERT_EQ(array.ndim(), wanted.ndim());
    EXPECT_EQ(array.buffer.shape, wanted.buffer.shape);
    const auto stored = h5::find(file.path(), "a", MPI_COMM_WORLD);
    ASSERT_TRUE(stored.distribution);
    for (const auto& [place, global] : from.elements(rank(), Part::local)) {
      List in_file;
      for (std::size_t i = 0; i < global.size(); ++i) in_file.push_back(position(from.axes[i], global[i]));
      EXPECT_EQ(at(array.buffer, place), static_cast<double>(number(shape_of(from), in_file) + 1));
      EXPECT_EQ(stored.distribution->global_index(rank(), place), global);
    }
  }
}

TEST(Load, FilesOfFewerProcessesByAll) {
  Random random(13);
  for (Index writers = 1; writers <= std::min<Index>(processes(), 3); ++writers)
    for (int round = 0; round < effort::of(8, 3); ++round) {
      const List shape{5, 4};
      const oracle::Array from = some_array(random, shape, writers);
      Random own = random;
      const TemporaryFile file;
      MPI_Comm some = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, rank() < writers ? 0 : MPI_UNDEFINED, 0, &some);
      if (some != MPI_COMM_NULL) {
        save_numbers(file.path(), from, own, some);
        MPI_Comm_free(&some);
      }
      MPI_Barrier(MPI_COMM_WORLD);
      random.discard(1000);
      const DistArray array = h5::load(file.path(), "a", MPI_COMM_WORLD);
      const auto stored = h5::find(file.path(), "a", MPI_COMM_WORLD);
      const Distribution to = h5::default_distribution(stored, processes());
      ASSERT_EQ(to.processes(), processes());
      const std::vector<Index> extents = to.local_shape(rank());
      EXPECT_EQ(array.buffer.shape, tridap::IndexList(extents));
      oracle::for_each_index(extents, [&](const List& local) {
        List in_file;
        for (std::size_t i = 0; i < local.size(); ++i) {
          const Index global = to.global_index(rank(), local)[i];
          in_file.push_back(global);
        }
        if (to.axis(0).dist_type() != 'u' && to.axis(1).dist_type() != 'u') {
          EXPECT_EQ(at(array.buffer, local), static_cast<double>(number(shape, in_file) + 1));
        }
      });
    }
}

TEST(Load, AFileThatHdf5Wrote) {
  const TemporaryFile file;
  if (rank() == 0) {
    const hid_t id = H5Fcreate(file.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t extents[2] = {6, 5}, chunk[2] = {4, 3};
    const hid_t space = H5Screate_simple(2, extents, nullptr), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 2, chunk);
    H5Pset_deflate(list, 3);
    const hid_t dataset = H5Dcreate2(id, "x", H5T_IEEE_F64BE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    std::vector<double> values(30);
    std::iota(values.begin(), values.end(), 0.0);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(dataset);
    H5Pclose(list);
    H5Sclose(space);
    H5Fclose(id);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const auto to = Distribution::make({6, 5}, {tridap::cyclic(2), tridap::whole()}, {processes(), 1});
  const DistArray array = h5::load(file.path(), "", MPI_COMM_WORLD, to);
  EXPECT_EQ(array.buffer.type.name(), ">f8");
  oracle::for_each_index(to.local_shape(rank()), [&](const List& local) {
    const List global = to.global_index(rank(), local);
    std::array<std::byte, 8> bytes{};
    std::memcpy(bytes.data(), oracle::address(array.buffer, local), 8);
    std::reverse(bytes.begin(), bytes.end());
    double value = 0;
    std::memcpy(&value, bytes.data(), 8);
    EXPECT_EQ(value, static_cast<double>(5 * global[0] + global[1]));
  });
}

// The numbers from 0 on, in a virtual dataset "v" over another file, and in a dataset "e" with an external file.
void write_over_other_files(const std::string& path, const std::string& source, const std::string& bytes) {
  const hsize_t extents[2] = {6, 5};
  std::vector<double> values(30);
  std::iota(values.begin(), values.end(), 0.0);
  const hid_t space = H5Screate_simple(2, extents, nullptr);
  const auto write = [&](hid_t file, const char* name, hid_t list, bool elements) {
    const hid_t dataset = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (elements) {
      EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    }
    EXPECT_GE(H5Dclose(dataset), 0);
  };
  const hid_t other = H5Fcreate(source.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  write(other, "s", H5P_DEFAULT, true);
  H5Fclose(other);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t is_virtual = H5Pcreate(H5P_DATASET_CREATE), external = H5Pcreate(H5P_DATASET_CREATE);
  EXPECT_GE(H5Pset_virtual(is_virtual, space, source.c_str(), "s", space), 0);
  write(file, "v", is_virtual, false);
  EXPECT_GE(H5Pset_external(external, bytes.c_str(), 0, 30 * sizeof(double)), 0);
  write(file, "e", external, true);
  for (const hid_t list : {is_virtual, external}) H5Pclose(list);
  H5Fclose(file);
  H5Sclose(space);
}

TEST(Load, ElementsThatAreInOtherFiles) {
  const TemporaryFile file, source, bytes;
  if (rank() == 0) write_over_other_files(file.path(), source.path(), bytes.path());
  MPI_Barrier(MPI_COMM_WORLD);
  const tridap::BlockSpec padded = tridap::padded_block(processes() < 6 ? 1 : 0);
  for (const auto& to : {Distribution::make({6, 5}, {tridap::cyclic(2), tridap::whole()}, {processes(), 1}),
                         Distribution::make({6, 5}, {padded, tridap::whole()}, {processes(), 1})})
    for (const std::string name : {"v", "e"}) {
      EXPECT_TRUE(h5::find(file.path(), name, MPI_COMM_WORLD).in_other_files);
      const DistArray array = h5::load(file.path(), name, MPI_COMM_WORLD, to);
      oracle::for_each_index(to.local_shape(rank()), [&](const List& local) {
        const List global = to.global_index(rank(), local);
        EXPECT_EQ(at(array.buffer, local), static_cast<double>(5 * global[0] + global[1])) << name;
      });
    }
}

TEST(Load, StepsThatAnotherProgramAppendedCountAsSaved) {
  const TemporaryFile file;
  const auto layout = Distribution::make({7}, {tridap::block()}, {processes()});
  DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), tridap::IndexList(layout.local_shape(rank())));
  array.dim_data = layout.dim_data(rank());
  h5::SaveOptions options;
  options.step = 1;
  h5::save(file.path(), {{"a", array}}, MPI_COMM_WORLD, options);
  const auto change = [&](const char* name, hsize_t steps, bool record) {
    if (rank() == 0) {
      const hid_t id = H5Fopen(file.path().c_str(), H5F_ACC_RDWR, H5P_DEFAULT), a = H5Dopen2(id, name, H5P_DEFAULT);
      const hsize_t extents[2] = {steps, 7};
      EXPECT_GE(H5Dset_extent(a, extents), 0);
      if (!record) {
        EXPECT_GE(H5Adelete(a, "saved_steps"), 0);
      }
      H5Dclose(a);
      H5Fclose(id);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  };
  const auto saved = [&] {
    const h5::Stored found = h5::find(file.path(), "a", MPI_COMM_WORLD);
    List all;
    for (const tridap::Range& range : found.saved_steps.value_or(std::vector<tridap::Range>{}))
      for (Index step = range.begin; step < range.end; ++step) all.push_back(step);
    return all;
  };
  EXPECT_EQ(saved(), (List{1}));
  change("a", 4, true);
  EXPECT_EQ(saved(), (List{1, 2, 3}));
  options.step = 6;
  h5::save(file.path(), {{"a", array}}, MPI_COMM_WORLD, options);
  EXPECT_EQ(saved(), (List{1, 2, 3, 6}));
  change("a", 5, true);  // shorter
  EXPECT_EQ(saved(), (List{1, 2, 3}));
  h5::load(file.path(), "a", MPI_COMM_WORLD);  // the last one that was saved
  change("a", 5, false);
  EXPECT_EQ(saved(), List{});
  h5::LoadOptions first;
  first.step = 0;
  h5::load(file.path(), "a", MPI_COMM_WORLD, {}, first);
  h5::save(file.path(), {{"a", array}}, MPI_COMM_WORLD, options);
  EXPECT_EQ(saved(), (List{0, 1, 2, 3, 4, 6}));
  options.step = 3;
  h5::save(file.path(), {{"b", array}}, MPI_COMM_WORLD, options);
  change("b", 2, true);  // before its first step
  on::expect_says(thrown([&] { h5::load(file.path(), "b", MPI_COMM_WORLD); }), "'b' has no steps");
}

TEST(Load, TheStepThatIsAskedFor) {
  Random random(14);
  const auto layout = Distribution::make({7}, {tridap::block()}, {processes()});
  const TemporaryFile file;
  for (Index step = 0; step < 3; ++step) {
    DistArray array;
    array.buffer = tridap::allocate(tridap::element_type<double>(), tridap::IndexList(layout.local_shape(rank())));
    array.dim_data = layout.dim_data(rank());
    for (Index i = 0; i < array.buffer.shape[0]; ++i) at(array.buffer, {i}) = static_cast<double>(step);
    h5::SaveOptions options;
    options.step = step;
    options.compression = 2;
    h5::save(file.path(), {{"a", array}}, MPI_COMM_WORLD, options);
  }
  for (const auto& [step, value] :
       std::vector<std::pair<std::optional<Index>, double>>{{0, 0}, {1, 1}, {2, 2}, {{}, 2}}) {
    h5::LoadOptions options;
    options.step = step;
    const DistArray array = h5::load(file.path(), "a", MPI_COMM_WORLD, {}, options);
    for (Index i = 0; i < array.buffer.shape[0]; ++i) EXPECT_EQ(at(array.buffer, {i}), value);
  }
}

TEST(Load, EveryElementType) {
  for (const char* const name :
       {"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
        "float64", "longdouble", "complex64", "complex128", ">f8", ">i4", ">c16", "V5"}) {
    tridap::ElementType type = std::string(name) == "longdouble" ? tridap::element_type<long double>()
                                                                 : *tridap::element_type(std::string(name));
    if (type.kind == tridap::ElementType::Kind::opaque) type.description = "<U1 or so";
    const auto layout = Distribution::make({5}, {tridap::cyclic()}, {processes()});
    DistArray array;
    array.buffer = tridap::allocate(type, tridap::IndexList(layout.local_shape(rank())));
    array.dim_data = layout.dim_data(rank());
    auto* bytes = static_cast<unsigned char*>(array.buffer.data);
    const Index count = array.buffer.shape[0] * type.bytes;
    for (Index i = 0; i < count; ++i) bytes[i] = static_cast<unsigned char>(name[0] == 'b' ? i % 2 : 17 * i + rank());
    const TemporaryFile file;
    h5::save(file.path(), {{"a", array}}, MPI_COMM_WORLD);
    const DistArray back = h5::load(file.path(), "a", MPI_COMM_WORLD);
    EXPECT_EQ(back.buffer.type, type) << name;
    EXPECT_EQ(std::memcmp(back.buffer.data, bytes, static_cast<std::size_t>(count)), 0) << name;
  }
}

}  // namespace
