// That the values stand at their places is tested in Python, by its parser of XML and h5py, and by ParaView itself.

#include "hdf5_support.hpp"
#include <tridap/hdf5/xdmf.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

using namespace hdf5_test;
using tridap::allocate;
using tridap::block;
using tridap::ElementType;
using tridap::near_square_grid;

h5::Named named(const std::string& name, const List& shape, const ElementType& type = tridap::element_type<double>()) {
  const auto axes = static_cast<Index>(shape.size());
  const auto layout = tridap::Distribution::make(shape, std::vector<tridap::AxisSpec>(shape.size(), block()),
                                                 near_square_grid(processes(), axes));
  h5::Named made;
  made.name = name;
  made.array.buffer = allocate(type, tridap::IndexList(layout.local_shape(rank())));
  made.distribution = layout;
  return made;
}

std::string beside(const TemporaryFile& file) {
  return std::filesystem::path(file.path()).replace_extension(".xdmf").string();
}

/// The text of a file, on rank 0.
std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

h5::SaveOptions with_xdmf(const h5::Xdmf& xdmf = {}) {
  h5::SaveOptions options;
  options.xdmf = xdmf;
  return options;
}

/// Expects that all processes refuse to save with these words, and that there is neither of the two files.
void expect_refused(const std::vector<h5::Named>& arrays, const h5::SaveOptions& options, const std::string& words) {
  const TemporaryFile file;
  try {
    h5::save(file.path(), arrays, MPI_COMM_WORLD, options);
    FAIL() << words;
  } catch (const tridap::Error& error) {
    EXPECT_TRUE(has(error.what(), words)) << error.what();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_FALSE(std::filesystem::exists(file.path()));
  EXPECT_FALSE(std::filesystem::exists(beside(file)));
}

TEST(Xdmf, NamesTheDatasetsAndTheirExtents) {
  const TemporaryFile file;
  h5::Xdmf xdmf;
  xdmf.origin = {{1, 2, 3}};
  xdmf.spacing = {{0.1, 1, 1e-9}};
  h5::save(file.path(), {named("t", {5, 6, 7}), named("g/<p>", {5, 6, 7}, tridap::element_type<std::uint64_t>())},
           MPI_COMM_WORLD, with_xdmf(xdmf));
  if (rank() == 0) {
    const std::string text = text_of(beside(file)), name = std::filesystem::path(file.path()).filename().string();
    EXPECT_TRUE(has(text, "TopologyType=\"3DCoRectMesh\" Dimensions=\"5 6 7\"")) << text;
    EXPECT_TRUE(has(text, ">1 2 3<") && has(text, ">0.1 1 1e-09<")) << text;
    EXPECT_TRUE(has(text, "NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">" + name + ":/t<")) << text;
    EXPECT_TRUE(has(text, "NumberType=\"Int\" Precision=\"8\" Format=\"HDF\">" + name + ":/g/&lt;p&gt;<")) << text;
    EXPECT_EQ(h5::write_xdmf(file.path(), {"t", "g/<p>"}, xdmf), beside(file));
    EXPECT_EQ(text_of(beside(file)), text);
    std::filesystem::remove(beside(file));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Xdmf, HasEveryStepWithItsTime) {
  const TemporaryFile file;
  h5::SaveOptions options = with_xdmf();
  for (const Index step : {0, 2, 3}) {
    options.step = step;
    options.time = step == 2 ? std::nullopt : std::optional<double>(0.1 * static_cast<double>(step + 1));
    h5::save(file.path(), {named("t", {4, 4})}, MPI_COMM_WORLD, options);
  }
  if (rank() == 0) {
    const std::string text = text_of(beside(file));
    EXPECT_EQ(count(text, "<Time "), 3);
    for (const char* const time : {"\"0.1\"", "\"2\"", "\"0.4\""})
      EXPECT_TRUE(has(text, std::string("<Time Value=") + time)) << text;
    EXPECT_TRUE(has(text, ">2 0 0 1 1 1 1 4 4<") && has(text, ":/t|2 0 0:1 1 1:1 4 4:4 4 4<")) << text;
    const auto attributes = h5::read_attributes(file.path());
    ASSERT_EQ(attributes.size(), 1U);
    const auto& times = std::get<tridap::Buffer>(attributes[0].value);
    ASSERT_EQ(times.shape, (tridap::IndexList{4}));
    EXPECT_TRUE(std::isnan(static_cast<const double*>(times.data)[1]));
    EXPECT_EQ(static_cast<const double*>(times.data)[3], 0.4);
    std::filesystem::remove(beside(file));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Xdmf, CoordinatesMayBeOfAnEarlierStep) {
  const TemporaryFile file;
  h5::SaveOptions options = with_xdmf();
  options.xdmf->coordinates = {"x", "y"};
  options.step = 0;
  h5::save(file.path(), {named("t", {4, 4}), named("x", {4, 4}), named("y", {4, 4})}, MPI_COMM_WORLD, options);
  options.step = 2;
  h5::save(file.path(), {named("t", {4, 4})}, MPI_COMM_WORLD, options);
  if (rank() == 0) {
    const std::string text = text_of(beside(file));
    EXPECT_EQ(count(text, "<Time "), 2);
    EXPECT_EQ(count(text, ":/x|0 0 0:1 1 1:1 4 4:1 4 4<"), 2) << text;
    EXPECT_FALSE(has(text, ":/x|2")) << text;
    std::filesystem::remove(beside(file));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Xdmf, WhereTheFirstAxisIsXThePointsAreSaved) {
  const TemporaryFile file;
  h5::Xdmf xdmf;
  xdmf.x_first = true;
  xdmf.origin = {{1, 10, 100}};
  xdmf.spacing = {{2, 3, 4}};
  xdmf.centers = h5::Xdmf::Centers::cells;
  h5::save(file.path(), {named("t", {3, 4, 5})}, MPI_COMM_WORLD, with_xdmf(xdmf));
  List shape;
  const auto points = read_serially<double>(file.path(), "__points__", H5T_NATIVE_DOUBLE, &shape);
  if (rank() == 0) {
    EXPECT_EQ(shape, (List{4, 5, 6, 3}));
    std::size_t at = 0;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 5; ++j)
        for (int k = 0; k < 6; ++k)
          for (const int number : {1 + 2 * i, 10 + 3 * j, 100 + 4 * k}) EXPECT_EQ(points[at++], number);
    const std::string text = text_of(beside(file));
    EXPECT_TRUE(has(text, "GeometryType=\"XYZ\"") && has(text, ":/__points__<")) << text;
    EXPECT_EQ(h5::write_xdmf(file.path(), {}, xdmf), beside(file));
    EXPECT_EQ(text_of(beside(file)), text);
    std::filesystem::remove(beside(file));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect_refused({named("t", {3, 4, 5}), named("u", {3, 4, 6})}, with_xdmf(xdmf), "must have one shape");
  expect_refused({named("__points__", {3, 4, 5})}, with_xdmf(xdmf), "give the array another name");
}

TEST(Xdmf, WhatParaViewCannotShowIsRefusedByName) {
  using Kind = ElementType::Kind;
  const std::pair<ElementType, const char*> types[] = {
      {tridap::element_type<std::complex<double>>(), "save its parts as two arrays"},
      {tridap::element_type<bool>(), "save it as uint8"},
      {{Kind::floating, 2, true}, "save it as float32"},
      {{Kind::bfloat, 2, true}, "elements of bfloat16"},
      {tridap::element_type<long double>(), "save it as float64"},
      {{Kind::opaque, 12, true, "<U3"}, "records, texts or other elements"}};
  for (const auto& [type, words] : types) expect_refused({named("x", {4, 4}, type)}, with_xdmf(), words);
  expect_refused({named("x", {2, 2, 2, 2})}, with_xdmf(), "4 axes of space");
  expect_refused({named("a:b", {4, 4})}, with_xdmf(), "must be text without ':'");
  expect_refused({named("x", {4, 0})}, with_xdmf(), "no elements");
  h5::Xdmf xdmf;
  xdmf.vectors = true;
  expect_refused({named("x", {4, 4})}, with_xdmf(xdmf), "4 components in its last axis");
  xdmf = {};
  xdmf.centers = h5::Xdmf::Centers::cells;
  expect_refused({named("x", {4})}, with_xdmf(xdmf), "one axis of cells");
}

TEST(Xdmf, WrongOptionsAreRefused) {
  const std::vector<h5::Named> arrays = {named("t", {4, 5}), named("x", {4, 5})};
  h5::Xdmf xdmf;
  xdmf.origin = {{1}};
  expect_refused(arrays, with_xdmf(xdmf), "must be 2 numbers");
  xdmf.origin = {{1, std::nan("")}};
  expect_refused(arrays, with_xdmf(xdmf), "must be finite");
  xdmf.origin = {{1, 1}};
  xdmf.coordinates = {"x", "y"};
  expect_refused(arrays, with_xdmf(xdmf), "leave out one of them");
  xdmf.origin = {};
  expect_refused(arrays, with_xdmf(xdmf), "must be names of saved arrays: 't', 'x'");
  xdmf.coordinates = {"x", "x"};
  xdmf.centers = h5::Xdmf::Centers::cells;
  expect_refused(arrays, with_xdmf(xdmf), "must have 5 6, those of the points");
  xdmf.x_first = true;
  expect_refused(arrays, with_xdmf(xdmf), "leave out x_first");
  h5::SaveOptions options;
  options.time = 1;
  expect_refused(arrays, options, "give step, too");
  options.step = 8000;
  expect_refused(arrays, options, "leave out time, or begin another file");
}

TEST(Xdmf, ProcessesThatAskForDifferentFilesAllFail) {
  if (processes() == 1) GTEST_SKIP() << "one process cannot differ from itself";
  h5::Xdmf xdmf;
  if (rank() == 1) xdmf.spacing = {{1, 2}};
  expect_refused({named("t", {4, 5})}, with_xdmf(xdmf), "must be the same on every process");
  h5::SaveOptions options = with_xdmf();
  if (rank() == 1) options.xdmf->spacing = {{1, std::nan("")}};
  expect_refused({named("t", {4, 5})}, options, "must be finite");
  h5::SaveOptions timed;
  timed.step = 0;
  timed.time = rank() == 1 ? 2.5 : 2;
  expect_refused({named("t", {4, 5})}, timed, "must be the same on every process");
}

TEST(Xdmf, AFileThatCannotBeWrittenFailsBeforeTheOtherChanges) {
  const TemporaryFile file;
  h5::save(file.path(), {named("before", {4, 5})}, MPI_COMM_WORLD);
  if (rank() == 0) std::filesystem::create_directory(beside(file));
  MPI_Barrier(MPI_COMM_WORLD);
  try {
    h5::save(file.path(), {named("t", {4, 5})}, MPI_COMM_WORLD, with_xdmf());
    FAIL();
  } catch (const tridap::Error& error) {
    EXPECT_TRUE(has(error.what(), ".xdmf cannot be written: it is a folder")) << error.what();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank() == 0) {
    EXPECT_EQ(h5::dataset_names(file.path()), std::vector<std::string>{"before"});
    std::filesystem::remove(beside(file));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
