#include "support/test_files.hpp"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace test_files {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

/// The name of a test's source file without its folder and ending.
std::string file_of(const testing::TestInfo& test) {
  std::string path = test.file();
  path = path.substr(path.find_last_of('/') + 1);
  return path.substr(0, path.find_last_of('.'));
}

std::string name_of(const testing::TestInfo& test) { return std::string(test.test_suite_name()) + "." + test.name(); }

void for_each_test(const std::function<void(const testing::TestInfo&)>& visit) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s)
    for (int t = 0; t < all.GetTestSuite(s)->total_test_count(); ++t) visit(*all.GetTestSuite(s)->GetTestInfo(t));
}

bool matches_any(const std::string& name, const std::string& patterns) {
  for (const std::string& pattern : split(patterns, ':'))
    if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
  return false;
}

/// As GoogleTest reads a filter: patterns, then those to leave out behind a '-'.
bool passes(const std::string& name, const std::string& filter) {
  const std::size_t minus = filter.find('-');
  const std::string wanted = filter.substr(0, minus);
  const std::string unwanted = minus == std::string::npos ? "" : filter.substr(minus + 1);
  return (wanted.empty() || matches_any(name, wanted)) && !matches_any(name, unwanted);
}

}  // namespace

bool select(int* argc, char** argv) {
  const std::string option = "--files=";
  std::set<std::string> unknown, wanted;
  int kept = 0;
  for (int i = 0; i < *argc; ++i) {
    const std::string argument = argv[i];
    if (argument.compare(0, option.size(), option) != 0) {
      argv[kept++] = argv[i];
      continue;
    }
    for (const std::string& file : split(argument.substr(option.size()), ',')) wanted.insert(file);
  }
  *argc = kept;
  if (wanted.empty()) return true;
  unknown = wanted;
  std::string names;
  for_each_test([&](const testing::TestInfo& test) {
    unknown.erase(file_of(test));
    if (wanted.count(file_of(test)) != 0 && passes(name_of(test), testing::GTEST_FLAG(filter)))
      names += name_of(test) + ":";
  });
  if (!unknown.empty()) {
    std::fprintf(stderr, "this program has no tests of a file %s\n", unknown.begin()->c_str());
    return false;
  }
  testing::GTEST_FLAG(filter) = names.empty() ? "-*" : names;
  return true;
}

void print_again(int processes) {
  std::string names;
  for_each_test([&](const testing::TestInfo& test) {
    if (test.result()->Failed()) names += (names.empty() ? "" : ":") + name_of(test);
  });
  if (names.empty()) return;
  const auto folder = std::filesystem::canonical("/proc/self/exe").parent_path().filename();  // as in tests/
  std::string command = "./dev test '" + folder.string() + ":" + names + "'";
  if (processes > 0) command += " -n " + std::to_string(processes);
#ifdef __SANITIZE_ADDRESS__
  command += " --sanitized";
#endif
  std::printf("again: %s\n", command.c_str());
}

}  // namespace test_files
