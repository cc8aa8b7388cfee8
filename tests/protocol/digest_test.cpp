#include <tridap/internal/digest.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace {

using tridap::Digest;
using tridap::Index;
using List = std::vector<Index>;

Index digest_of(const std::vector<List>& lists) {
  Digest digest;
  for (const List& list : lists) digest.add_all(list);
  return digest.value();
}

TEST(Digest, ListsThatJoinToTheSameNumbersDiffer) {
  const std::vector<std::vector<List>> all = {{{1, 2, 3}},       {{1}, {2, 3}},       {{1, 2}, {3}},
                                              {{1}, {2}, {3}},   {{}, {1, 2, 3}},     {{1, 2, 3}, {}},
                                              {{1}, {}, {2, 3}}, {{}, {}, {1, 2, 3}}, {{1}, {2}, {}, {3}}};
  std::set<Index> digests;
  for (const auto& lists : all) {
    EXPECT_EQ(digest_of(lists), digest_of(lists));
    digests.insert(digest_of(lists));
  }
  EXPECT_EQ(digests.size(), all.size());
}

TEST(Digest, TextsThatJoinToTheSameTextDiffer) {
  const auto digest_of_texts = [](const std::vector<std::string>& texts) {
    Digest digest;
    for (const std::string& text : texts) digest.add(text);
    return digest.value();
  };
  EXPECT_EQ(digest_of_texts({"ab", "c"}), digest_of_texts({"ab", "c"}));
  EXPECT_NE(digest_of_texts({"ab", "c"}), digest_of_texts({"a", "bc"}));
  EXPECT_NE(digest_of_texts({"abc"}), digest_of_texts({"abc", ""}));
}

TEST(Digest, OneNumberOrTheOrderOfTwoChangesIt) {
  const Index reference = digest_of({{3, -1, 0, 7}});
  EXPECT_GE(reference, 0);
  for (const List& other : {List{3, -1, 0, 8}, List{3, 1, 0, 7}, List{3, -1, 1, 7}, List{2, -1, 0, 7},
                            List{-1, 3, 0, 7}, List{3, -1, 7, 0}, List{3, -1, 0, 7 + (Index{1} << 40)}})
    EXPECT_NE(digest_of({other}), reference);
}

}  // namespace
