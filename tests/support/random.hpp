#pragma once

#include <tridap/index.hpp>

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace on {

using tridap::Index;

/// The same numbers on every process.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  Index below(Index end) { return static_cast<Index>(engine_() % static_cast<unsigned long>(end)); }
  Index between(Index least, Index most) { return least + below(most - least + 1); }
  bool one_in(Index n) { return between(1, n) == 1; }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t k = list.size(); k > 1; --k)
      std::swap(list[k - 1], list[static_cast<std::size_t>(below(static_cast<Index>(k)))]);
  }
  std::mt19937& engine() { return engine_; }

 private:
  std::mt19937 engine_;
};

}  // namespace on
