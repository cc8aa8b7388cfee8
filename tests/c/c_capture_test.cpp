#include "calls.hpp"

#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;

namespace {

const fs::path data = TRIDAP_TEST_DATA;

std::vector<fs::path> captures(const char* folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(data / folder))
    if (entry.path().extension() == ".json" && entry.path().parent_path().filename() != "as_printed")
      files.push_back(entry.path());
  return files;
}

struct Verdict {
  std::int64_t errors = -1;
  std::string text;
};

Verdict verdict(const fs::path& file) {
  Verdict found;
  size_t length = 0;
  EXPECT_EQ(tridap_check_capture(file.c_str(), &found.errors, nullptr, 0, &length), TRIDAP_OK) << tridap_message();
  std::vector<char> text(length + 1);
  EXPECT_EQ(tridap_check_capture(file.c_str(), &found.errors, text.data(), text.size(), nullptr), TRIDAP_OK);
  found.text = text.data();
  return found;
}

}  // namespace

TEST(CCaptures, TheFilesOfEachRuleBreakIt) {
  const std::vector<fs::path> files = captures("rules");
  EXPECT_GT(files.size(), 50u);
  for (const fs::path& file : files) {
    const Verdict found = verdict(file);
    // The name begins with the rule, the text has it in brackets.
    const std::string name = file.filename();
    bool named = false;
    for (std::size_t dot = name.find('.'); dot != std::string::npos && !named; dot = name.find('.', dot + 1))
      named = found.text.find("[" + name.substr(0, dot) + "]") != std::string::npos;
    EXPECT_TRUE(named) << file << ": " << found.text;
  }
}

TEST(CCaptures, ValidFilesAndTheExamplesOfBothTextsAreRight) {
  for (const char* const folder : {"valid", "examples"}) {
    const std::vector<fs::path> files = captures(folder);
    EXPECT_GE(files.size(), 3u);
    for (const fs::path& file : files) EXPECT_EQ(verdict(file).errors, 0) << file << verdict(file).text;
  }
}

TEST(CCaptures, FilesThatAreNotThereOrNoJsonAreRefused) {
  std::int64_t errors = 0;
  EXPECT_REFUSED(tridap_check_capture("no such file.json", &errors, nullptr, 0, nullptr), "cannot be read");
  EXPECT_REFUSED(tridap_check_capture(nullptr, &errors, nullptr, 0, nullptr), "path is NULL");
}
