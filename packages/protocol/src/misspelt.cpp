#include <tridap/internal/misspelt.hpp>
#include <tridap/text.hpp>

#include <algorithm>
#include <cstddef>

namespace tridap {

namespace {

// The letters and digits alone, in lower case.
std::string plain(const std::string& text) {
  std::string letters;
  for (const char c : text)
    if (c != '_' && c != '-' && c != ' ') letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return letters;
}

// How many letters are added, left out, replaced, or exchanged with the next one: the restricted distance of Damerau
// and Levenshtein.
std::size_t changes(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> to(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        to[i][j] = i + j;
        continue;
      }
      to[i][j] = std::min({to[i - 1][j] + 1, to[i][j - 1] + 1, to[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        to[i][j] = std::min(to[i][j], to[i - 2][j - 2] + 1);
    }
  return to[a.size()][b.size()];
}

}  // namespace

std::string misspelt(const std::string& key, const std::vector<std::string>& given) {
  const std::string wanted = plain(key);
  const std::size_t most = wanted.size() > 5 ? 2 : 1;
  std::string nearest;
  std::size_t fewest = most + 1;
  for (const std::string& one : given) {
    const std::string letters = plain(shortened(one, 100));
    if (letters.size() > wanted.size() + most || letters.size() + most < wanted.size()) continue;
    const std::size_t changed = changes(letters, wanted);
    if (changed >= fewest) continue;
    fewest = changed;
    nearest = one;
  }
  return nearest;
}

std::string rename_remedy(const std::string& key, const std::vector<std::string>& given) {
  const std::string found = misspelt(key, given);
  return found.empty() ? "" : "rename '" + found + "' to '" + key + "'";
}

}  // namespace tridap
