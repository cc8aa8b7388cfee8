#include "mpi/gathered_whole.hpp"
#include "mpi/support.hpp"
#include "support/parts.hpp"
#include <tridap/capture.hpp>
#include <tridap/compare.hpp>
#include <tridap/draw.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/mpi/write_capture.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace {

using tridap::Capture;
using tridap::DistArray;
using tridap::Index;
using tridap::Report;
using tridap::mpi::write_capture;

/// A new folder that every process sees. Its destructor removes it. Collective.
class SharedFolder {
 public:
  SharedFolder() {
    path_ = std::filesystem::current_path() / "tridap-capture-XXXXXX";  // /tmp may be each node's own
    if (first() && mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << path_;
    MPI_Bcast(path_.data(), static_cast<int>(path_.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  SharedFolder(const SharedFolder&) = delete;
  ~SharedFolder() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (first()) std::filesystem::remove_all(path_);
  }

  static bool first() { return on::rank(MPI_COMM_WORLD) == 0; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::string path_;
};

std::string text_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

int this_rank() { return on::rank(MPI_COMM_WORLD); }
int world_size() { return on::processes(MPI_COMM_WORLD); }

/// A column of `2 * processes` rows of 3 elements.
DistArray blocks(MPI_Comm comm = MPI_COMM_WORLD) {
  return on::stamped(oracle::Array({oracle::block(oracle::List(static_cast<std::size_t>(on::processes(comm)), 2)),
                                    oracle::block({3})}),
                     on::rank(comm));
}

/// Writes it, reads it on every process, and expects the capture to say what the array says.
void expect_captured(const DistArray& array, MPI_Comm comm, const std::string& file) {
  write_capture(array, file, comm);
  const Capture capture = tridap::read_capture(text_of_file(file));
  const tridap::Distribution truth = on::gathered_whole(array, comm);
  const tridap::Comparison same = tridap::compare(truth, tridap::gather_distribution(capture));
  EXPECT_TRUE(same.same_owners && same.same_places) << same.difference;
  EXPECT_EQ(tridap::check(capture).text(), tridap::mpi::check(array, comm).text());
  const auto rank = static_cast<std::size_t>(on::rank(comm));
  ASSERT_EQ(capture.processes.size(), static_cast<std::size_t>(on::processes(comm)));
  const DistArray& ours = capture.processes[rank].read.array;
  EXPECT_EQ(ours.version, array.version);
  EXPECT_EQ(ours.buffer.type, array.buffer.type);
  EXPECT_EQ(ours.buffer.shape, array.buffer.shape);
  EXPECT_EQ(ours.buffer.strides, array.buffer.strides);
  EXPECT_EQ(tridap::draw_text(tridap::gather_distribution(capture)), tridap::draw_text(truth));
  MPI_Barrier(comm);  // before the next file of this name
}

TEST(WriteCapture, ArraysOfEveryKindOverEveryGridAreReadAgain) {
  const SharedFolder folder;
  for (const oracle::List& grid : on::grids(world_size(), 2)) {
    const auto rows = static_cast<std::size_t>(grid[0]);
    std::vector<oracle::List> lists;
    for (Index c = 0; c < grid[1]; ++c) lists.push_back({9 * c, -5 * c - 1, 4 * c + 2});
    const oracle::Axis block = oracle::block(oracle::List(rows, 3), oracle::List(rows - 1, 1), {1, 2}),
                       ring = oracle::block(oracle::List(rows, 3), oracle::List(rows - 1, 1), {1, 1}, true),
                       cyclic = oracle::cyclic(2 * grid[1] + 3, 2, grid[1], grid[1] - 1),
                       none = oracle::block(oracle::List(static_cast<std::size_t>(grid[1]), 0));
    for (const oracle::Axis& first : {block, ring})
      for (const oracle::Axis& second : {cyclic, none, oracle::unstructured(lists)})
        expect_captured(on::stamped(oracle::Array({first, second}), this_rank()), MPI_COMM_WORLD,
                        folder / "array.json");
  }
  expect_captured(on::stamped(oracle::Array({}), 0), MPI_COMM_SELF, folder / (std::to_string(this_rank()) + ".json"));
}

TEST(WriteCapture, SaysWhatTheWriterOfDistributionsSays) {
  const SharedFolder folder;
  const tridap::Distribution layout = tridap::Distribution::make(
      {6 * world_size(), 5}, {tridap::padded_block(2), tridap::cyclic(2)}, {world_size(), 1});
  for (const tridap::Version version : {tridap::Version::v0_10, tridap::Version::v0_9}) {
    DistArray array;
    array.version = stamp(version);
    array.dim_data = layout.dim_data(this_rank(), version);
    array.buffer = tridap::allocate(tridap::element_type<float>(), layout.local_shape(this_rank()));
    write_capture(array, folder / "array.json", MPI_COMM_WORLD);
    std::ostringstream out;
    tridap::write_capture(out, layout, version, array.buffer.type);
    std::string text = text_of_file(folder / "array.json");
    for (std::size_t at; (at = text.find(",\"strides\":")) != std::string::npos;)
      text.erase(at, text.find(']', at) + 1 - at);
    EXPECT_EQ(text, out.str());
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST(WriteCapture, PendingReceivesOfTheCallerTakeNoMessages) {
  const SharedFolder folder;
  on::every_communicator([&](MPI_Comm comm) {
    int name = this_rank();
    MPI_Bcast(&name, 1, MPI_INT, 0, comm);
    const on::PendingReceive pending(comm);
    expect_captured(blocks(comm), comm, folder / ("of " + std::to_string(name) + ".json"));
  });
}

/// What may be wrong with an array on one process.
struct Fault {
  const char* name;
  void (*spoil)(DistArray&);
  bool needs_others = false;  ///< it is a fault only beside other processes
};

const Fault faults[] = {
    {"stop", [](DistArray& a) { std::get<tridap::Block>(a.dim_data[0].dist).stop = 1000; }},
    {"start", [](DistArray& a) { std::get<tridap::Block>(a.dim_data[0].dist).start = -7; }},
    {"size", [](DistArray& a) { a.dim_data[0].size = 1; }},
    {"rank", [](DistArray& a) { a.dim_data[0].proc_grid_rank = 77; }},
    {"grid", [](DistArray& a) { a.dim_data[1].proc_grid_size = 5; }},
    {"padding",
     [](DistArray& a) {
       std::get<tridap::Block>(a.dim_data[0].dist).padding = {-1, 99};
     }},
    {"kind",
     [](DistArray& a) {
       a.dim_data[0].dist = tridap::Cyclic{3, 0};
     }},
    {"fewer axes", [](DistArray& a) { a.dim_data.pop_back(); }},
    {"version", [](DistArray& a) { a.version = "1.2\n\xff"; }},
    {"extent", [](DistArray& a) { a.buffer.shape[0] = -1; }},
    {"strides", [](DistArray& a) { a.buffer.strides.pop_back(); }},
    {"type", [](DistArray& a) { a.buffer.type = tridap::element_type<float>(); }, true},
    {"description",
     [](DistArray& a) {
       a.buffer.type = {tridap::ElementType::Kind::opaque, 8, true, "<M8[s]"};
     },
     true},
    {"shared indices",
     [](DistArray& a) {
       a.dim_data[0].dist = tridap::Unstructured{{{0, 0}}, true};
     }},
    {"extras",
     [](DistArray& a) {
       a.dim_data[1].extras = {{"units", "\"m\""}};
     }},
};

TEST(WriteCapture, WhatCheckComplainsOfIsCaptured) {
  const SharedFolder folder;
  for (const Fault& fault : faults)
    for (int bad = 0; bad < world_size(); ++bad) {
      DistArray array = blocks();
      if (this_rank() == bad) fault.spoil(array);
      write_capture(array, folder / "bad.json", MPI_COMM_WORLD);
      const Report live = tridap::mpi::check(array, MPI_COMM_WORLD);
      const Report read = tridap::check(tridap::read_capture(text_of_file(folder / "bad.json")));
      EXPECT_EQ(on::all_of(read.counts()), on::all_of(live.counts())) << fault.name << "\n" << live.text();
      EXPECT_EQ(live.counts().empty(), world_size() == 1 && fault.needs_others) << fault.name;
      MPI_Barrier(MPI_COMM_WORLD);
    }
}

TEST(WriteCapture, TypeThatNumPyHasNoNameForIsAnErrorOfTheCapture) {
  const SharedFolder folder;
  DistArray array = blocks();
  array.buffer.type.bytes = 5;
  write_capture(array, folder / "bad.json", MPI_COMM_WORLD);
  const Report read = tridap::check(tridap::read_capture(text_of_file(folder / "bad.json")));
  EXPECT_EQ(read.counts(), (oracle::Counts{{tridap::Rule::buffer_type, world_size()}})) << read.text();
}

TEST(WriteCapture, IndicesThatCannotBeReadAreText) {
  const SharedFolder folder;
  const double numbers[] = {1, 2};
  const Index rectangle[] = {1, 2};
  for (tridap::Buffer list : {tridap::row_major(numbers, {2}), tridap::row_major(rectangle, {1, 2})}) {
    DistArray array = blocks();
    if (this_rank() == world_size() - 1) array.dim_data[0].dist = tridap::Unstructured{list};
    write_capture(array, folder / "bad.json", MPI_COMM_WORLD);
    const Report read = tridap::check(tridap::read_capture(text_of_file(folder / "bad.json")));
    EXPECT_EQ(read.count(tridap::Rule::unstructured_indices), 1) << read.text();
    EXPECT_EQ(read.findings().at(0).process, world_size() - 1);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST(WriteCapture, KeysThatNoCaptureCanHoldMakeItNotUnreadable) {
  const SharedFolder folder;
  DistArray array = blocks();
  const std::string nested = std::string(61, '[') + std::string(61, ']');
  array.dim_data[1].extras = {{"size", "1"},
                              {"a", "1"},
                              {"a", "2"},
                              {"\xff", "3"},
                              {"\xfe", "4"},
                              {"no json", "{]"},
                              {"text", "it", false},
                              {"deep", nested},
                              {"big", "123456789012345678901"},
                              {"fits", nested.substr(4, 114)}};
  write_capture(array, folder / "keys.json", MPI_COMM_WORLD);
  const Capture capture = tridap::read_capture(text_of_file(folder / "keys.json"));
  EXPECT_TRUE(tridap::check(capture).ok()) << tridap::check(capture).text();
  std::map<std::string, std::string> read;
  for (const tridap::Extra& extra : capture.processes.at(0).read.array.dim_data[1].extras)
    read[extra.key] = extra.value;
  EXPECT_EQ(read.count("size"), 0u);
  EXPECT_EQ(read["a"], "1");
  EXPECT_EQ(read["no json"], "\"{]\"");
  EXPECT_EQ(read["text"], "\"it\"");
  EXPECT_EQ(read["big"], "123456789012345678901");
  EXPECT_EQ(read["fits"], nested.substr(4, 114));
  EXPECT_EQ(read.size(), 7u);  // one of the two keys that are not UTF-8
}

TEST(WriteCapture, EntriesOfManyPiecesArriveWhole) {
  const SharedFolder folder;
  const Index longest = 300000;
  std::vector<oracle::List> lists;
  for (Index c = 0; c < world_size(); ++c) {
    lists.emplace_back();
    for (Index i = 0; i < (c == world_size() - 1 ? longest : 3); ++i) lists.back().push_back(i * world_size() + c);
  }
  const tridap::Distribution layout =
      tridap::Distribution::make({longest + 3 * (world_size() - 1)}, {tridap::unstructured(lists)}, {world_size()});
  DistArray array = on::part_of(layout, this_rank());
  write_capture(array, folder / "long.json", MPI_COMM_WORLD);
  const std::string text = text_of_file(folder / "long.json");
  EXPECT_GT(text.size(), std::size_t{1} << 20);
  EXPECT_TRUE(tridap::compare(layout, tridap::gather_distribution(tridap::read_capture(text))).same_places);
}

/// Expects the same Error on every process, with these words, and neither a change of the folder nor rests in it.
void expect_refused(const SharedFolder& folder, const std::string& path, const std::string& words,
                    const DistArray& array = blocks()) {
  const std::size_t before = folder.files();
  MPI_Barrier(MPI_COMM_WORLD);
  const auto error = on::error_of([&] { write_capture(array, path, MPI_COMM_WORLD); });
  ASSERT_TRUE(error.has_value()) << path;
  EXPECT_TRUE(on::same_everywhere(error->what(), MPI_COMM_WORLD));
  on::expect_says(error->what(), words);
  EXPECT_EQ(error->report().findings().at(0).process, 0);
  EXPECT_EQ(folder.files(), before);
  MPI_Barrier(MPI_COMM_WORLD);  // before the folder changes
}

TEST(WriteCapture, AnUnwritableFileFailsEveryProcessWithTheReason) {
  const SharedFolder folder;
  expect_refused(folder, folder / "none/array.json",
                 "the file " + folder / "none/array.json" + " cannot be written: No such file or directory");
  expect_refused(folder, folder / "", "it is a folder");
  expect_refused(folder, "", "the file \"\" cannot be written");
  expect_refused(folder, folder / std::string("a\0b", 3), "zero byte");
  expect_refused(folder, folder / "a\x1b[1m/b", "a\xEF\xBF\xBD[1m/b");
  if (SharedFolder::first()) {
    EXPECT_EQ(symlink("nowhere", (folder / "link").c_str()), 0);
    EXPECT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);  // never a device: a wrong program would replace it
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect_refused(folder, folder / "link", "it is a link to a file that does not exist");
  expect_refused(folder, folder / "pipe", "pipe cannot be written: it is not a regular file");
}

/// While it exists, a file cannot grow beyond these bytes on this process, as on a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  SmallDisk(const SmallDisk&) = delete;
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

TEST(WriteCapture, FullDiskFailsEveryProcessAndLeavesTheFileThatWasThere) {
  const SharedFolder folder;
  if (SharedFolder::first()) std::ofstream(folder / "array.json") << "before";
  MPI_Barrier(MPI_COMM_WORLD);
  DistArray large = blocks();  // the first write fails, and not only the last one
  large.dim_data[1].extras = {{"note", '"' + std::string(100000, 'x') + '"'}};
  for (const rlim_t bytes : {rlim_t{10}, rlim_t{200}})
    for (const DistArray& array : {blocks(), large}) {
      const SmallDisk disk(bytes);
      expect_refused(folder, folder / "array.json", "array.json cannot be written: File too large", array);
      EXPECT_EQ(text_of_file(folder / "array.json"), "before");
      MPI_Barrier(MPI_COMM_WORLD);
    }
  expect_captured(blocks(), MPI_COMM_WORLD, folder / "array.json");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(WriteCapture, PathsThatDifferAreRefusedOnEveryProcess) {
  if (world_size() == 1) GTEST_SKIP() << "needs at least 2 processes";
  const SharedFolder folder;
  const auto error =
      on::error_of([&] { write_capture(blocks(), folder / (std::to_string(this_rank()) + ".json"), MPI_COMM_WORLD); });
  ASSERT_TRUE(error.has_value());
  on::expect_says(error->what(), "must be the same on every process");
  EXPECT_TRUE(on::same_everywhere(error->what(), MPI_COMM_WORLD));
  EXPECT_EQ(folder.files(), 0u);
}

TEST(WriteCapture, KeepsALinkAndThePermissionsOfTheFileThatWasThere) {
  const SharedFolder folder;
  if (SharedFolder::first()) {
    std::ofstream(folder / "array.json") << "before";
    EXPECT_EQ(chmod((folder / "array.json").c_str(), 0600), 0);
    EXPECT_EQ(symlink("array.json", (folder / "link").c_str()), 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect_captured(blocks(), MPI_COMM_WORLD, folder / "link");
  struct stat found {};
  ASSERT_EQ(lstat((folder / "link").c_str(), &found), 0);
  EXPECT_TRUE(S_ISLNK(found.st_mode));
  ASSERT_EQ(stat((folder / "array.json").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  EXPECT_EQ(folder.files(), 2u);
}

}  // namespace
