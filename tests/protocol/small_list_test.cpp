#include "support/memory_meter.hpp"
#include <tridap/buffer.hpp>
#include <tridap/small_list.hpp>

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>

namespace {

using tridap::Index;
using tridap::IndexList;
using tridap::SmallList;

/// An element that counts how many there are, and whose copies fail when told to.
struct Counted {
  static inline int alive = 0, copies_left = -1;  // below 0: no end
  std::string text;

  Counted(const std::string& of = "") : text(of) { ++alive; }  // NOLINT: a text is one
  Counted(const Counted& other) : text(other.text) {
    if (copies_left == 0) throw std::runtime_error("no more copies");
    --copies_left;
    ++alive;
  }
  Counted(Counted&& other) noexcept : text(std::move(other.text)) { ++alive; }
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&&) = default;
  ~Counted() { --alive; }
  friend bool operator==(const Counted& a, const Counted& b) { return a.text == b.text; }
};

template <class T>
T element(int number);
template <>
Index element<Index>(int number) {
  return number;
}
template <>
Counted element<Counted>(int number) {
  return Counted(std::string(30, 'x') + std::to_string(number));  // too long to stand in a std::string itself
}

template <class List, class T>
void expect_same(const List& list, const std::vector<T>& truth) {
  ASSERT_EQ(list.size(), truth.size());
  EXPECT_EQ(list.empty(), truth.empty());
  EXPECT_TRUE(std::equal(list.begin(), list.end(), truth.begin()));
  EXPECT_TRUE(list == truth);
  EXPECT_FALSE(list != truth);
  EXPECT_TRUE(static_cast<std::vector<T>>(list) == truth);
  for (std::size_t i = 0; i < truth.size(); ++i) EXPECT_TRUE(list[i] == truth[i] && list.at(i) == truth[i]);
  EXPECT_THROW(list.at(truth.size()), std::out_of_range);
  if (truth.empty()) return;
  EXPECT_TRUE(list.front() == truth.front());
  EXPECT_TRUE(list.back() == truth.back());
}

/// One random call after the other on a list and on a std::vector, and copies of them.
template <class T>
class Twins {
 public:
  explicit Twins(unsigned seed) : random_(seed) {}

  void step() {
    switch (below(13)) {
      case 0:
      case 1:
      case 2: {
        const T value = element<T>(below(100));
        list_.push_back(value);
        truth_.push_back(value);
        break;
      }
      case 3:
        EXPECT_TRUE(list_.emplace_back() == T());
        truth_.emplace_back();
        break;
      case 4:
        if (truth_.empty()) break;
        list_.pop_back();
        truth_.pop_back();
        break;
      case 5: {
        const int place = below(static_cast<int>(truth_.size()) + 1);
        const T value = element<T>(below(100));
        EXPECT_EQ(list_.insert(list_.begin() + place, value) - list_.begin(), place);
        truth_.insert(truth_.begin() + place, value);
        break;
      }
      case 6: {
        if (truth_.empty()) break;
        const int place = below(static_cast<int>(truth_.size()));
        EXPECT_EQ(list_.erase(list_.begin() + place) - list_.begin(), place);
        truth_.erase(truth_.begin() + place);
        break;
      }
      case 7:
        resize(static_cast<std::size_t>(below(8)));
        break;
      case 8:
        list_.assign(other_truth_.begin(), other_truth_.end());
        truth_.assign(other_truth_.begin(), other_truth_.end());
        break;
      case 9:
        other_ = list_;
        other_truth_ = truth_;
        break;
      case 10:
        std::swap(list_, other_);
        std::swap(truth_, other_truth_);
        break;
      case 11:
        list_ = SmallList<T, 3>(truth_);
        list_.reserve(static_cast<std::size_t>(below(10)));
        break;
      default: {
        const auto size = static_cast<std::size_t>(below(6));
        const T value = element<T>(below(100));
        list_.assign(size, value);
        truth_.assign(size, value);
      }
    }
    expect_same(list_, truth_);
    expect_same(other_, other_truth_);
    expect_same(SmallList<T, 3>(list_), truth_);
  }

 private:
  int below(int end) { return end == 0 ? 0 : static_cast<int>(random_() % static_cast<unsigned>(end)); }
  void resize(std::size_t size) {
    if (below(2) == 0) {
      list_.resize(size);
      truth_.resize(size);
    } else if (!truth_.empty()) {
      list_.resize(size, list_.front());  // of an element of its own
      truth_.resize(size, truth_.front());
    }
  }

  std::mt19937 random_;
  SmallList<T, 3> list_, other_;
  std::vector<T> truth_, other_truth_;
};

TEST(SmallList, DoesWhatAVectorDoes) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Twins<Index> numbers(seed);
    for (int step = 0; step < 60; ++step) numbers.step();
  }
}

TEST(SmallList, DoesWhatAVectorDoesWithElementsThatOwn) {
  ASSERT_EQ(Counted::alive, 0);
  for (unsigned seed = 0; seed < 200; ++seed) {
    Twins<Counted> texts(seed);
    for (int step = 0; step < 60; ++step) texts.step();
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(SmallList, WhatIsMovedIsTakenAndLeavesNothing) {
  for (const std::size_t size : {0u, 2u, 3u, 4u, 9u}) {
    SmallList<Counted, 3> from(size, element<Counted>(1));
    const Counted* const stood = from.data();
    const SmallList<Counted, 3> to = std::move(from);
    EXPECT_EQ(to.size(), size);
    EXPECT_TRUE(from.empty());  // NOLINT: that is what is asked
    EXPECT_EQ(to.data() == stood, size > 3);
    from.push_back(element<Counted>(7));
    EXPECT_TRUE(from.back() == element<Counted>(7));
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(SmallList, AssignedToItselfStaysAsItIs) {
  for (const std::size_t size : {2u, 5u}) {
    SmallList<Counted, 3> list(size, element<Counted>(4));
    auto& same = list;
    list = same;
    list = std::move(same);
    list.assign(size, list.front());
    EXPECT_EQ(list.size(), size);
    EXPECT_TRUE(list.back() == element<Counted>(4));
  }
}

TEST(SmallList, KeepsItsRoomWhereAnotherIsCopiedIntoIt) {
  IndexList list;
  list.reserve(20);
  const Index* const stood = list.data();
  list = IndexList{1, 2, 3, 4, 5};
  EXPECT_NE(list.data(), stood);  // what is moved brings its own
  list.reserve(20);
  const Index* const stands = list.data();
  const IndexList five{5, 4, 3, 2, 1};
  list = five;
  list.assign(7, 6);
  EXPECT_EQ(list.data(), stands);
}

TEST(SmallList, AVectorTakesWhatIsGivenUp) {
  SmallList<Counted, 3> list{element<Counted>(1), element<Counted>(2)};
  Counted::copies_left = 0;
  const std::vector<Counted> taken = std::move(list);
  Counted::copies_left = -1;
  EXPECT_TRUE(taken[1] == element<Counted>(2));
}

TEST(SmallList, AnElementOfItsOwnMayBeAppended) {
  SmallList<Counted, 3> list{element<Counted>(1), element<Counted>(2), element<Counted>(3)};
  list.emplace_back(list.front());  // where it grows
  list.push_back(list[1]);
  EXPECT_TRUE(list[3] == element<Counted>(1));
  EXPECT_TRUE(list[4] == element<Counted>(2));
}

TEST(SmallList, ACopyThatFailsLeavesNothingBehind) {
  for (const std::size_t size : {3u, 6u})
    for (int copies = 0; copies < static_cast<int>(size); ++copies) {
      const std::vector<Counted> of(size, element<Counted>(1));
      const int before = Counted::alive;
      Counted::copies_left = copies;
      EXPECT_THROW((SmallList<Counted, 3>(of)), std::runtime_error);
      Counted::copies_left = -1;
      EXPECT_EQ(Counted::alive, before);
    }
}

TEST(SmallList, BracesListElementsAndParenthesesCountThem) {
  EXPECT_EQ((IndexList{5, 7}), (std::vector<Index>{5, 7}));
  EXPECT_EQ(IndexList(5, 7), (std::vector<Index>{7, 7, 7, 7, 7}));
  EXPECT_EQ(IndexList(3), (std::vector<Index>{0, 0, 0}));
}

TEST(SmallList, FewElementsNeedNoAllocation) {
  memory_meter::largest_allocation = 0;
  tridap::Buffer buffer;
  buffer.shape = {2, 3, 4, 5};
  buffer.strides = tridap::row_major_strides(buffer.shape, 8);
  const tridap::Buffer copied = buffer;
  EXPECT_EQ(copied.strides.front(), 480);
  EXPECT_EQ(memory_meter::largest_allocation, 0U);
  buffer.shape.push_back(6);
  EXPECT_GE(memory_meter::largest_allocation, 5 * sizeof(Index));
}

}  // namespace
