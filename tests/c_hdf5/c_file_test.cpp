#include "c/calls.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>

using namespace c;

namespace {

/// A file of a test, which is removed at its end.
struct TestFile {
  std::string path;
  explicit TestFile(const char* name) : path(std::string("c_file_test_") + name + ".h5") {}
  ~TestFile() {
    MPI_Barrier(world);
    if (rank() == 0) std::remove(path.c_str());
    MPI_Barrier(world);
  }
  const char* name() const { return path.c_str(); }
};

int save(const TestFile& file, const char* name, tridap_array array, const tridap_save_options* options = nullptr,
         tridap_receipt* receipt = nullptr) {
  return tridap_save(file.name(), 1, &name, &array, options, receipt);
}

/// Expects that each owned element of an array is what Field has there, plus `more`.
void expect_values(tridap_array array, double more = 0) {
  tridap_memory memory{};
  OK(tridap_array_memory(array, &memory));
  tridap_distribution layout{};
  OK(tridap_distribution_of(array, &layout));
  std::int64_t begin[2], end[2];
  OK(tridap_bounds(layout, TRIDAP_HERE, TRIDAP_LOCAL, begin, end));
  for (std::int64_t i = begin[0]; i < end[0]; ++i)
    for (std::int64_t j = begin[1]; j < end[1]; ++j) {
      const std::int64_t at[2] = {i, j};
      std::int64_t global[2];
      OK(tridap_global_index(layout, TRIDAP_HERE, at, global));
      const auto* const element = reinterpret_cast<const double*>(static_cast<const char*>(memory.data) +
                                                                  i * memory.strides[0] + j * memory.strides[1]);
      EXPECT_EQ(*element, Field::value(global) + more) << global[0] << ", " << global[1];
    }
  OK(tridap_release(layout.number));
}

bool is_last() { return rank() == processes() - 1; }

}  // namespace

TEST(CFile, AnArrayComesBackInEachDistributionAndOrder) {
  const TestFile file("round_trip");
  Field u({12, 9}, "b,b", 1);
  tridap_receipt receipt{};
  OK(save(file, "fields/u", u.array, nullptr, &receipt));
  tridap_array loaded{};
  OK(tridap_load(file.name(), "fields/u", world, {}, nullptr, &loaded));
  expect_values(loaded);
  tridap_distribution layout{};
  OK(tridap_distribution_of(loaded, &layout));
  int equal = 0;
  OK(tridap_equal(layout, u.layout, &equal));
  EXPECT_EQ(equal, 1);
  OK(tridap_release(loaded.number));
  OK(tridap_release(layout.number));
  for (const char* const dist : {"c,b", "b,c:2", "*,b"})
    for (const tridap_order order : {TRIDAP_ROW_MAJOR, TRIDAP_COLUMN_MAJOR}) {
      const tridap_distribution other = distributed({12, 9}, dist);
      tridap_load_options options{};
      options.order = order;
      OK(tridap_load(file.name(), "", world, other, &options, &loaded));
      expect_values(loaded);
      tridap_memory memory{};
      OK(tridap_array_memory(loaded, &memory));
      EXPECT_EQ(memory.strides[order == TRIDAP_ROW_MAJOR ? 1 : 0], 8);
      OK(tridap_release(loaded.number));
      OK(tridap_release(other.number));
    }
}

TEST(CFile, LoadsIntoMemoryOfTheProgram) {
  const TestFile file("into");
  Field u({12, 9}, "b,b");
  OK(save(file, "u", u.array));
  Field v({12, 9}, "c,b");
  std::fill(v.memory.begin(), v.memory.end(), 0.0);
  tridap_receipt receipt{};
  OK(tridap_load_into(file.name(), "u", v.array, nullptr, &receipt));
  EXPECT_EQ(receipt.bytes_copied, static_cast<std::int64_t>(8 * v.memory.size()));
  expect_values(v.array);
}

TEST(CFile, AListOfChunksIsAsLongAsTheShape) {
  const TestFile file("chunks");
  Field u({12, 9}, "b,*");
  const std::int64_t chunks[] = {4, 9, 1};
  tridap_save_options options{};
  options.chunks = chunks;
  for (const std::int64_t count : {1, 3}) {
    options.chunk_count = on::rank(world) == 0 ? 2 : count;
    if (processes() == 1) options.chunk_count = count;
    EXPECT_REFUSED(save(file, "u", u.array, &options),
                   ("'chunks' is a list of " + std::to_string(count) + ", must have 2 extents").c_str());
  }
  options.chunk_count = 2;
  OK(save(file, "u", u.array, &options));
}

TEST(CFile, StepsAreAddedAndFound) {
  const TestFile file("steps");
  Field u({12, 9}, "b,*");
  for (std::int64_t step = 0; step < 3; ++step) {
    tridap_save_options options{};
    options.has_step = 1;
    options.step = step;
    options.compression = 4;
    const std::int64_t chunks[2] = {4, 9};
    options.chunks = chunks;
    OK(save(file, "u", u.array, &options));
    for (double& element : u.memory) element += 0.25;
  }
  tridap_stored stored{};
  tridap_distribution layout{};
  OK(tridap_find(file.name(), "u", world, &stored, &layout));
  EXPECT_EQ(stored.ndim, 2);
  EXPECT_EQ(stored.shape[0], 12);
  EXPECT_EQ(stored.shape[1], 9);
  EXPECT_EQ(stored.steps, 3);
  EXPECT_EQ(stored.type, TRIDAP_FLOAT64);
  tridap_array loaded{};
  OK(tridap_load(file.name(), "u", world, layout, nullptr, &loaded));
  expect_values(loaded, 0.5);
  OK(tridap_release(loaded.number));
  tridap_load_options options{};
  options.has_step = 1;
  options.step = 1;
  OK(tridap_load(file.name(), "u", world, layout, &options, &loaded));
  expect_values(loaded, 0.25);
  OK(tridap_release(loaded.number));
  options.step = 3;
  EXPECT_REFUSED(tridap_load(file.name(), "u", world, layout, &options, &loaded), "'step' is 3");
  OK(tridap_release(loaded.number));
  OK(tridap_release(layout.number));
}

TEST(CFile, AttributesAreTextsAndNumbers) {
  const TestFile file("attributes");
  Field u({12, 9}, "b,*"), v({5, 4}, "*,b");
  const double time = 0.75;
  const std::int32_t sizes[2] = {12, 9};
  const tridap_attribute attributes[] = {{"title", "a field", nullptr, TRIDAP_FLOAT64, 0},
                                         {"time", nullptr, &time, TRIDAP_FLOAT64, 0},
                                         {"sizes", nullptr, sizes, TRIDAP_INT32, 2}};
  tridap_save_options options{};
  options.attribute_count = 3;
  options.attributes = attributes;
  const char* const names[] = {"u", "v"};
  const tridap_array arrays[] = {u.array, v.array};
  OK(tridap_save(file.name(), 2, names, arrays, &options, nullptr));
  char text[20];
  size_t length = 0;
  OK(tridap_attribute_text(file.name(), "/", "title", text, sizeof text, &length));
  EXPECT_STREQ(text, "a field");
  EXPECT_EQ(length, 7u);
  double numbers[2] = {};
  std::int64_t count = 0;
  OK(tridap_attribute_numbers(file.name(), "/", "time", numbers, 1, &count));
  EXPECT_EQ(count, 1);
  EXPECT_EQ(numbers[0], 0.75);
  OK(tridap_attribute_numbers(file.name(), "/", "sizes", numbers, 2, &count));
  EXPECT_EQ(count, 2);
  EXPECT_EQ(numbers[1], 9);
  EXPECT_REFUSED(tridap_attribute_text(file.name(), "/", "time", text, sizeof text, nullptr), "has numbers");
  EXPECT_REFUSED(tridap_attribute_text(file.name(), "/", "tite", text, sizeof text, nullptr), "has no attribute");
  tridap_array loaded{};
  OK(tridap_load(file.name(), "v", world, {}, nullptr, &loaded));
  expect_values(loaded);
  OK(tridap_release(loaded.number));
  EXPECT_REFUSED(tridap_load(file.name(), "", world, {}, nullptr, &loaded), "2 datasets");
  OK(tridap_release(loaded.number));
}

TEST(CFile, WritesAnXdmfFileBesideTheFile) {
  const TestFile file("xdmf");
  const std::string beside = "c_file_test_xdmf.xdmf";
  const auto text = [&] {
    std::ifstream written(beside);
    return std::string{std::istreambuf_iterator<char>(written), {}};
  };
  Field u({12, 9}, "b,b", 1);
  const double origin[] = {1, 2}, spacing[] = {0.25, 0.5};
  tridap_xdmf_options xdmf{};
  xdmf.axes = 2;
  xdmf.origin = origin;
  xdmf.spacing = spacing;
  xdmf.cells = 1;
  tridap_save_options options{};
  options.has_step = options.has_time = 1;
  options.time = 0.125;
  options.xdmf = &xdmf;
  OK(save(file, "u", u.array, &options));
  if (rank() == 0) {
    const std::string first = text();
    EXPECT_NE(first.find("<Time Value=\"0.125\"/>"), std::string::npos) << first;
    EXPECT_NE(first.find("Dimensions=\"13 10\""), std::string::npos) << first;
    EXPECT_NE(first.find(">1 1.25 1.5 "), std::string::npos) << first;
    std::remove(beside.c_str());
    const char* const name = "u";
    OK(tridap_xdmf(file.name(), 1, &name, &xdmf));
    EXPECT_EQ(text(), first);
    OK(tridap_xdmf(file.name(), 0, nullptr, nullptr));
    EXPECT_NE(text().find("3DCoRectMesh\" Dimensions=\"1 12 9\""), std::string::npos) << text();
    std::remove(beside.c_str());
  }
  const char* const none = "none";
  xdmf = {};
  xdmf.coordinate_count = 1;
  xdmf.coordinates = &none;
  EXPECT_REFUSED(save(file, "u", u.array, &options), "must be names of saved arrays");
  xdmf = {};
  if (is_last()) xdmf.coordinate_count = 1;
  EXPECT_REFUSED(save(file, "u", u.array, &options), "coordinates is NULL");
  xdmf = {};
  if (is_last()) xdmf.spacing = spacing;
  EXPECT_REFUSED(save(file, "u", u.array, &options), "must be from 1 to 3");
  options.has_step = 0;
  xdmf = {};
  EXPECT_REFUSED(save(file, "u", u.array, &options), "give step, too");
}

TEST(CFile, OneWrongProcessFailsEachCallOnAll) {
  const TestFile file("wrong");
  Field u({12, 9}, "b,*");
  OK(save(file, "u", u.array));
  const char* const path = is_last() ? nullptr : file.name();
  EXPECT_REFUSED(tridap_save(path, 1, &path, &u.array, nullptr, nullptr), "path is NULL");
  const tridap_array none{};
  const char* const name = "u";
  EXPECT_REFUSED(tridap_save(file.name(), 1, &name, is_last() ? &none : &u.array, nullptr, nullptr),
                 "has the number 0");
  tridap_array loaded{};
  EXPECT_REFUSED(tridap_load(path, "u", world, {}, nullptr, &loaded), "path is NULL");
  EXPECT_REFUSED(tridap_update_padding(loaded), "path is NULL");
  OK(tridap_release(loaded.number));
  EXPECT_REFUSED(tridap_load_into(file.name(), "u", is_last() ? none : u.array, nullptr, nullptr), "has the number 0");
  tridap_stored stored{};
  EXPECT_REFUSED(tridap_find(path, "u", world, &stored, nullptr), "path is NULL");
  if (processes() > 1) {
    EXPECT_REFUSED(tridap_find(file.name(), is_last() ? "v" : "u", world, &stored, nullptr), "different paths, names");
    const tridap_distribution ours = distributed({12, 9}, is_last() ? "b,*" : "*,b");
    EXPECT_REFUSED(tridap_load(file.name(), "u", world, ours, nullptr, &loaded), "distributions");
    OK(tridap_release(loaded.number));
    OK(tridap_release(ours.number));
  }
  EXPECT_REFUSED(tridap_find("no such file.h5", "u", world, &stored, nullptr), "cannot be read");
}
