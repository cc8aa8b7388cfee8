#include "kokkos/kokkos_environment.hpp"
#include <tridap/kokkos/lifetime.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct Outcome {
  std::string said;
  int status = -1;

  bool says(const std::string& text) const { return said.find(text) != std::string::npos; }
  int times(const std::string& text) const {
    int count = 0;
    for (std::size_t at = 0; (at = said.find(text, at)) != std::string::npos; ++at) ++count;
    return count;
  }
};

/// What a program says in which `what` outlives Kokkos::finalize. Leaks are what it is about.
Outcome outlive(const std::string& what) {
  setenv("PROGRAM", OUTLIVES_KOKKOS, 1);  // its folder may have any name
  const std::string command = "ASAN_OPTIONS=detect_leaks=0 \"$PROGRAM\" '" + what + "' 2>&1";
  Outcome outcome;
  FILE* const pipe = popen(command.c_str(), "r");
  char line[512];
  while (pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr) outcome.said += line;
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  EXPECT_EQ(outcome.status, 0) << what << ": " << outcome.said;
  EXPECT_TRUE(outcome.says("the end")) << what << ": " << outcome.said;
  EXPECT_LE(outcome.times("tridap: "), 2) << outcome.said;
  return outcome;
}

class Lifetime : public testing::Test {
 protected:
  void SetUp() override {
    const std::string why = support::why_no_kokkos();
    if (!why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(Lifetime, WhatEndsBeforeKokkosIsReleasedWithoutAWord) {
  const Outcome outcome = outlive("clean");
  EXPECT_EQ(outcome.times("tridap: "), 0) << outcome.said;
  EXPECT_TRUE(outcome.says("owner released\nalive: 0 imported, 0 exported")) << outcome.said;
}

TEST_F(Lifetime, ImportedViewsThatOutliveKokkosAreCountedAndKept) {
  const Outcome outcome = outlive("view");
  EXPECT_TRUE(outcome.says("alive: 2 imported, 0 exported")) << outcome.said;
  EXPECT_TRUE(outcome.says("tridap: 2 imported views and 0 exported buffers exist at Kokkos::finalize"))
      << outcome.said;
  EXPECT_EQ(outcome.times("owner released"), 1) << outcome.said;  // that of the view refused at the end
  EXPECT_EQ(outlive("subview").times("tridap: 1 imported views and"), 1);
}

TEST_F(Lifetime, ExportedBuffersThatOutliveKokkosAreCountedAndSaySoOnce) {
  const Outcome outcome = outlive("two buffers");
  EXPECT_TRUE(outcome.says("tridap: 0 imported views and 2 exported buffers exist at")) << outcome.said;
  EXPECT_EQ(outcome.times("released after Kokkos::finalize"), 1) << outcome.said;
  EXPECT_TRUE(outlive("both").says("tridap: 2 imported views and 1 exported buffers exist at"));
}

TEST_F(Lifetime, BuffersThatKeepNoKokkosViewOutliveItInPeace) {
  for (const char* what : {"round trip", "unmanaged"}) {
    const Outcome outcome = outlive(what);
    EXPECT_EQ(outcome.times("tridap: "), 0) << outcome.said;
    EXPECT_TRUE(outcome.says("finalised\nowner released")) << outcome.said;
  }
}

TEST_F(Lifetime, CopiedIndicesOfAnAxisAreKeptToo) {
  const Outcome outcome = outlive("axis");
  EXPECT_TRUE(outcome.says("tridap: 1 imported views and")) << outcome.said;
  EXPECT_TRUE(outcome.says("axis: 3")) << outcome.said;
}

TEST_F(Lifetime, SharingAfterKokkosIsAnErrorOfOurs) {
  EXPECT_TRUE(outlive("clean").says("refused: Kokkos is finalised"));
  EXPECT_TRUE(outlive("nothing").says("refused: Kokkos is "));
}

}  // namespace
