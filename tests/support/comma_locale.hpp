#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <locale>
#include <stdexcept>
#include <string>

/// While it exists, the C library and the streams of C++ write numbers as in Germany: "1.000,5" for 1000.5. Few
/// machines have such a locale, and so it makes one by localedef, which Debian has with the sources in the package
/// `locales`.
class CommaLocale {
 public:
  CommaLocale() {
    std::error_code ignored;
    std::filesystem::create_directories(folder_, ignored);
    const std::string make = "localedef -i de_DE -f UTF-8 '" + (folder_ / name).string() + "' >/dev/null 2>&1";
    if (std::system(make.c_str()) != 0 && !std::filesystem::exists(folder_ / name)) return;
    setenv("LOCPATH", folder_.c_str(), 1);
    try {
      std::locale::global(std::locale(name));
      is_set_ = true;
    } catch (const std::runtime_error&) {  // there is no such locale
    }
  }
  CommaLocale(const CommaLocale&) = delete;
  ~CommaLocale() {
    std::error_code ignored;
    if (is_set_) std::locale::global(before_);
    unsetenv("LOCPATH");
    std::filesystem::remove_all(folder_, ignored);
  }
  bool is_set() const { return is_set_; }

  static constexpr const char* reason = "needs localedef and the package locales";

 private:
  static constexpr const char* name = "de_DE.UTF-8";

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("tridap-locale-" + std::to_string(getpid()));
  std::locale before_;
  bool is_set_ = false;
};
