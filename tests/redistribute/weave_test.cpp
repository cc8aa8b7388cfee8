#include "weave.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <vector>

namespace {

using tridap::redistribute::StreamCopy;
using tridap::redistribute::Weave;

/// Random bytes to copy, and where they go, between bytes that must stay.
class Runs {
 public:
  Runs(std::mt19937& random, std::size_t count, std::size_t bytes) : bytes_(bytes) {
    for (std::size_t k = 0; k < count; ++k) {
      from_.emplace_back(bytes + 64);
      std::generate(from_.back().begin(), from_.back().end(), [&] { return static_cast<std::byte>(random() % 255); });
      to_.emplace_back(bytes + 2 * margin, untouched);
      from_shift_.push_back(random() % 64);
      to_shift_.push_back(margin - random() % 64);
    }
  }

  std::byte* to(std::size_t k) { return to_[k].data() + to_shift_[k]; }
  const std::byte* from(std::size_t k) const { return from_[k].data() + from_shift_[k]; }
  std::size_t count() const { return to_.size(); }
  std::size_t bytes() const { return bytes_; }

  void expect_copied() const {
    for (std::size_t k = 0; k < count(); ++k) {
      const auto begin = to_[k].begin() + static_cast<std::ptrdiff_t>(to_shift_[k]),
                 end = begin + static_cast<std::ptrdiff_t>(bytes_);
      EXPECT_TRUE(std::equal(begin, end, from(k))) << k << " of " << count() << ", " << bytes_ << " bytes";
      const auto stays = [](std::byte one) { return one == untouched; };
      EXPECT_TRUE(std::all_of(to_[k].begin(), begin, stays) && std::all_of(end, to_[k].end(), stays))
          << k << " of " << count() << ", " << bytes_ << " bytes";
    }
  }

 private:
  static constexpr std::size_t margin = 64;
  static constexpr auto untouched = static_cast<std::byte>(255);
  std::size_t bytes_;
  std::vector<std::vector<std::byte>> from_, to_;
  std::vector<std::size_t> from_shift_, to_shift_;
};

}  // namespace

TEST(Weave, CopiesRunsThatBeginAnywhere) {
  std::mt19937 random(1);
  for (int turn = 0; turn < 3000; ++turn) {
    const std::size_t longest = turn % 3 == 0 ? 100 : turn % 3 == 1 ? 1100 : 20'000;
    Runs runs(random, random() % (Weave::most + 1), random() % longest);
    std::array<std::byte*, Weave::most> to{};
    std::array<const std::byte*, Weave::most> from{};
    for (std::size_t k = 0; k < runs.count(); ++k) {
      to[k] = runs.to(k);
      from[k] = runs.from(k);
    }
    Weave::run(to.data(), from.data(), runs.count(), runs.bytes());
    StreamCopy::finish();
    runs.expect_copied();
  }
}

TEST(Weave, KnowsWhereTheNextLineBegins) {
  alignas(Weave::line) std::array<std::byte, 2 * Weave::line> lines;
  EXPECT_EQ(Weave::to_line(&lines[0]), 0);
  EXPECT_EQ(Weave::to_line(&lines[1]), 63);
  EXPECT_EQ(Weave::to_line(&lines[40]), 24);
  EXPECT_EQ(Weave::to_line(&lines[63]), 1);
  EXPECT_EQ(Weave::to_line(&lines[64]), 0);
}

TEST(Weave, CopiesALongRunInParts) {
  std::mt19937 random(2);
  for (const std::size_t bytes : {0, 1, 63, 65'535, 65'536, 65'599, 131'072, 270'000, 270'336, 270'400, 1'000'003}) {
    for (int turn = 0; turn < 5; ++turn) {
      Runs run(random, 1, bytes);
      Weave::run(run.to(0), run.from(0), bytes);
      StreamCopy::finish();
      run.expect_copied();
    }
  }
}
