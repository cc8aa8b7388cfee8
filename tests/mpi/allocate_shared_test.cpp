#include "mpi/support.hpp"
#include <tridap/internal/shared_allocation.hpp>
#include <tridap/mpi/allocate_shared.hpp>

#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <thread>

namespace {

using tridap::Buffer;
using tridap::element_type;
using tridap::Error;
using tridap::Index;
using tridap::Order;
using tridap::Rule;
using tridap::mpi::allocate_shared;
using tridap::mpi::allocate_shared_bytes;
using tridap::mpi::find_shared;
using tridap::mpi::on_this_node;
using tridap::mpi::SharedAllocation;
using Shared = std::shared_ptr<const SharedAllocation>;

constexpr Index megabyte = Index{1} << 20;

std::byte* own(const Shared& piece, MPI_Comm comm) { return piece->base(on::rank(comm)); }

/// What process `from` leaves at byte `at` of what is meant for `to`.
std::byte letter(Index from, Index to, Index at) { return static_cast<std::byte>(7 * from + 31 * to + at + 1); }

/// Every process writes a stretch into the memory of all processes of its node, and finds in its own what they wrote
/// there. It reaches no memory of another node.
void expect_shared(const Shared& piece, Index stretch, MPI_Comm comm) {
  const std::vector<int> node = on::ranks_of_node(comm);
  const int here = on::rank(comm);
  for (int rank = 0; rank < on::processes(comm); ++rank) {
    const bool near = std::count(node.begin(), node.end(), rank) != 0;
    ASSERT_EQ(piece->base(rank) != nullptr, near) << rank;
    ASSERT_TRUE(near || piece->bytes(rank) == 0) << rank;
  }
  MPI_Barrier(comm);
  for (const int to : node)
    for (Index at = 0; at < stretch; ++at) piece->base(to)[here * stretch + at] = letter(here, to, at);
  MPI_Barrier(comm);
  for (const int to : node)
    for (const int from : node)
      for (Index at = 0; at < stretch; ++at)
        ASSERT_EQ(piece->base(to)[from * stretch + at], letter(from, to, at)) << from << " " << to << " " << at;
  MPI_Barrier(comm);
}

bool same_number(Index number, MPI_Comm comm) { return on::same_everywhere(std::to_string(number), comm); }

/// The error is the same everywhere, and says all of `words`.
void expect_refusal(const std::function<void()>& step, const std::vector<std::string>& words, MPI_Comm comm) {
  const std::optional<Error> error = on::error_of(step);
  ASSERT_TRUE(error.has_value());
  EXPECT_TRUE(on::same_everywhere(error->what(), comm)) << error->what();
  for (const std::string& word : words) on::expect_says(error->what(), word);
}

TEST(Share, EveryProcessReachesTheMemoryOfItsNode) {
  on::every_communicator([](MPI_Comm comm) {
    const Index all = on::processes(comm);
    for (const Index stretch : {1, 3, 4096, 50000}) {
      const Shared piece = allocate_shared_bytes(all * stretch, comm);
      EXPECT_TRUE(same_number(piece->number(), comm));
      for (const int rank : on::ranks_of_node(comm)) {
        EXPECT_GE(piece->bytes(rank), all * stretch);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece->base(rank)) % 4096, 0u);
      }
      expect_shared(piece, stretch, comm);
    }
  });
}

TEST(Share, LengthsMayDifferAndBeNothing) {
  on::every_communicator([](MPI_Comm comm) {
    const std::vector<int> node = on::ranks_of_node(comm);
    const int here = on::rank(comm), all = on::processes(comm);
    const auto length = [all](int rank, int turn) { return Index{(rank + turn) % all} * 70001; };
    std::vector<Shared> pieces;
    for (int turn = 0; turn <= all; ++turn) {
      pieces.push_back(allocate_shared_bytes(length(here, turn), comm));
      for (const int rank : node) {
        EXPECT_NE(pieces.back()->base(rank), nullptr);
        EXPECT_GE(pieces.back()->bytes(rank), length(rank, turn));
      }
      std::memset(own(pieces.back(), comm), 10 * here + turn, static_cast<std::size_t>(pieces.back()->bytes(here)));
    }
    MPI_Barrier(comm);
    for (int turn = 0; turn <= all; ++turn)
      for (const int rank : node)
        for (Index at = 0; at < pieces[static_cast<std::size_t>(turn)]->bytes(rank); ++at)
          ASSERT_EQ(pieces[static_cast<std::size_t>(turn)]->base(rank)[at], static_cast<std::byte>(10 * rank + turn));
    MPI_Barrier(comm);
  });
}

TEST(Share, WhatAllLetGoIsTakenAgain) {
  on::every_communicator([](MPI_Comm comm) {
    Shared piece = allocate_shared_bytes(5 * megabyte, comm);
    const Index number = piece->number();
    std::byte* const base = own(piece, comm);
    for (const Index bytes : {5 * megabyte, 3 * megabyte, 4 * megabyte + 1}) {
      piece.reset();
      piece = allocate_shared_bytes(bytes, comm);
      EXPECT_EQ(piece->number(), number);
      EXPECT_EQ(own(piece, comm), base);
      EXPECT_GE(piece->bytes(on::rank(comm)), bytes);
    }
  });
}

TEST(Share, TooSmallOrMuchTooLargeIsNotTaken) {
  on::every_communicator([](MPI_Comm comm) {
    for (const Index bytes : {9 * megabyte, 3 * megabyte, Index{0}}) {
      Shared piece = allocate_shared_bytes(8 * megabyte, comm);
      const Index number = piece->number();
      piece.reset();
      const Shared other = allocate_shared_bytes(bytes, comm);
      EXPECT_NE(other->number(), number) << bytes;
      EXPECT_GE(other->bytes(on::rank(comm)), bytes);
    }
  });
}

TEST(Share, OneProcessThatNeedsMoreGivesAllANewPiece) {
  on::every_communicator([](MPI_Comm comm) {
    for (int rank = 0; rank < on::processes(comm); ++rank) {
      Shared piece = allocate_shared_bytes(2 * megabyte, comm);
      const Index number = piece->number();
      piece.reset();
      piece = allocate_shared_bytes(on::rank(comm) == rank ? 9 * megabyte : 2 * megabyte, comm);
      EXPECT_NE(piece->number(), number);
      EXPECT_TRUE(same_number(piece->number(), comm));
      if (on_this_node(rank, comm)) {
        EXPECT_GE(piece->bytes(rank), 9 * megabyte);
      }
    }
  });
}

TEST(Share, TheSmallestThatSuitsIsTaken) {
  Shared large = allocate_shared_bytes(30 * megabyte, MPI_COMM_WORLD),
         small = allocate_shared_bytes(20 * megabyte, MPI_COMM_WORLD);
  const Index number = small->number();
  large.reset();
  small.reset();
  EXPECT_EQ(allocate_shared_bytes(19 * megabyte, MPI_COMM_WORLD)->number(), number);
}

TEST(Share, WhatOneProcessHoldsIsNotTaken) {
  on::every_communicator([](MPI_Comm comm) {
    const std::vector<int> node = on::ranks_of_node(comm);
    for (int holder = 0; holder < on::processes(comm); ++holder) {
      Shared piece = allocate_shared_bytes(1000, comm);
      const Index number = piece->number();
      std::memset(own(piece, comm), 77, 1000);
      if (on::rank(comm) != holder) piece.reset();
      std::vector<Shared> others;
      for (int i = 0; i < 3; ++i) {
        others.push_back(allocate_shared_bytes(1000, comm));
        EXPECT_NE(others.back()->number(), number);
        EXPECT_TRUE(same_number(others.back()->number(), comm));
        std::memset(own(others.back(), comm), 1, 1000);
      }
      MPI_Barrier(comm);
      if (piece) {
        for (const int rank : node)
          for (Index at = 0; at < 1000; ++at) ASSERT_EQ(piece->base(rank)[at], std::byte{77});
      }
      others.clear();
      piece.reset();
      std::set<Index> numbers;
      for (int i = 0; i < 4; ++i) numbers.insert(others.emplace_back(allocate_shared_bytes(1000, comm))->number());
      EXPECT_EQ(numbers.count(number), 1u) << "it is free again";
    }
  });
}

TEST(Share, AnyThreadLetsGo) {
  for (int turn = 0; turn < 20; ++turn) {
    Shared piece = allocate_shared_bytes(2000000, MPI_COMM_WORLD);
    const Index number = piece->number();
    std::memset(own(piece, MPI_COMM_WORLD), turn, 2000000);
    std::thread([last = std::move(piece)]() mutable { last.reset(); }).join();
    EXPECT_EQ(allocate_shared_bytes(2000000, MPI_COMM_WORLD)->number(), number);
  }
}

TEST(Share, ManyAtATime) {
  on::every_communicator([](MPI_Comm comm) {
    for (int turn = 0; turn < 2; ++turn) {
      std::vector<Shared> pieces;
      std::set<Index> numbers;
      std::set<std::byte*> bases;
      for (int i = 0; i < 150; ++i) {
        pieces.push_back(allocate_shared_bytes(i % 7 * 100, comm));
        numbers.insert(pieces.back()->number());
        bases.insert(own(pieces.back(), comm));
        *own(pieces.back(), comm) = static_cast<std::byte>(i);
      }
      EXPECT_EQ(numbers.size(), 150u);
      EXPECT_EQ(bases.size(), 150u);
      EXPECT_TRUE(same_number(pieces[140]->number(), comm));
      for (int i = 0; i < 150; ++i) {
        const Shared& piece = pieces[static_cast<std::size_t>(i)];
        EXPECT_EQ(*own(piece, comm), static_cast<std::byte>(i));
        EXPECT_EQ(find_shared(own(piece, comm), comm), piece.get());
      }
    }
  });
}

TEST(Share, ManyOneAfterAnother) {
  on::every_communicator([](MPI_Comm comm) {
    Shared kept = allocate_shared_bytes(10, comm);
    *own(kept, comm) = std::byte{42};
    for (Index i = 0; i < 100; ++i) {
      std::vector<Shared> pieces;
      for (Index k = 0; k < 3; ++k) pieces.push_back(allocate_shared_bytes(i * i * 500 % 600000 * (k + 1), comm));
      for (const Shared& piece : pieces) {
        ASSERT_NE(piece->number(), kept->number());
        ASSERT_TRUE(same_number(piece->number(), comm));
      }
    }
    EXPECT_EQ(*own(kept, comm), std::byte{42});
  });
}

/// Bytes that the folder behind shared windows has left.
Index room() {
  struct statvfs system = {};
  return statvfs("/dev/shm", &system) == 0 ? static_cast<Index>(system.f_bavail * system.f_frsize) : 0;
}

TEST(Share, OneProcessAllocatesNoSharedMemory) {
  if (on::processes(MPI_COMM_WORLD) > 1) GTEST_SKIP() << "needs 1 process";
  const Index before = room();
  const auto piece = allocate_shared_bytes(64 * megabyte, MPI_COMM_WORLD);
  EXPECT_GT(room(), before - 32 * megabyte);
}

TEST(Share, MuchFreeMemoryIsGivenBack) {
  if (on::processes(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "needs at least 2 processes";  // one has memory of its own
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const Index before = room();
  std::byte letters{};
  for (Index size = 1; size <= 15; ++size) {  // each too large for the one before, or much too small
    const Shared piece = allocate_shared_bytes((size % 2 ? 40 - size : size) * megabyte, comm);
    letters |= *own(piece, comm);
  }
  MPI_Barrier(comm);
  EXPECT_LT(before - room(), on::processes(comm) * 160 * megabyte);
  MPI_Comm_free(&comm);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_LT(before - room(), 16 * megabyte) << "a freed communicator gives all back";
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Share, MoreFreeMemoryThanIsInUseIsGivenBack) {
  if (on::processes(MPI_COMM_WORLD) == 1)
    GTEST_SKIP() << "needs at least 2 processes";  // its memory is not in /dev/shm
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const Index before = room();
  for (const Index size : {12, 18, 27}) allocate_shared_bytes(size * megabyte, comm);  // none suits the next one
  MPI_Barrier(comm);
  EXPECT_LT(before - room(), on::processes(comm) * 40 * megabyte);
  MPI_Comm_free(&comm);
}

TEST(Share, ImpossibleLengthsAreRefusedByAll) {
  on::every_communicator([](MPI_Comm comm) {
    const Index all = on::processes(comm);
    for (Index rank = 0; rank < all; ++rank)
      for (const Index bytes : {Index{-1}, Index{1} << 45, Index{1} << 47, std::numeric_limits<Index>::max(),
                                std::numeric_limits<Index>::min()}) {
        const bool here = on::rank(comm) == rank;
        const std::string said = bytes == Index{1} << 45 ? "35184372088832" : std::to_string(bytes);
        expect_refusal([&] { allocate_shared_bytes(here ? bytes : 100, comm); }, {said.substr(0, 6), "larger /dev/shm"},
                       comm);
      }
    expect_shared(allocate_shared_bytes(all, comm), 1, comm);
  });
}

TEST(Share, MoreThanTheNodeHasLeftIsRefusedByAll) {
  const auto near = static_cast<Index>(on::ranks_of_node(MPI_COMM_WORLD).size());
  Index most = near;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  if (most == 1) GTEST_SKIP() << "needs 2 processes on a node";  // one alone shares no memory
  MPI_Barrier(MPI_COMM_WORLD);
  const Index each = room() / near;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string name = host.data();
  const std::string larger = name + " a larger /dev/shm, or";
  std::vector<std::string> words{"but /dev/shm has", "left"};
  if (near > 1) words.insert(words.end(), {"processes on " + name + " need", larger});
  for (const Index bytes : {each + megabyte, each, each - megabyte})  // together a little too much
    expect_refusal([&] { allocate_shared_bytes(near > 1 ? bytes : 1, MPI_COMM_WORLD); }, words, MPI_COMM_WORLD);
  expect_shared(allocate_shared_bytes(on::processes(MPI_COMM_WORLD), MPI_COMM_WORLD), 1, MPI_COMM_WORLD);
}

TEST(Share, EachCommunicatorHasItsOwnPieces) {
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  {
    const Shared one = allocate_shared_bytes(100, MPI_COMM_WORLD), two = allocate_shared_bytes(100, other);
    EXPECT_NE(own(one, MPI_COMM_WORLD), own(two, other));
    EXPECT_EQ(find_shared(own(one, MPI_COMM_WORLD), MPI_COMM_WORLD), one.get());
    EXPECT_EQ(find_shared(own(one, MPI_COMM_WORLD), other), nullptr);
    EXPECT_EQ(find_shared(own(two, other), other), two.get());
  }
  MPI_Comm_free(&other);
}

TEST(Share, MessagesOfTheCallerAreLeftAlone) {
  on::every_communicator([](MPI_Comm comm) {
    const on::PendingReceive pending(comm);
    for (int i = 0; i < 70; ++i) allocate_shared_bytes(i * 3000, comm);
    EXPECT_THROW(allocate_shared_bytes(on::rank(comm) == 0 ? -1 : 0, comm), Error);
  });
}

TEST(Share, MemoryOutlivesItsCommunicator) {
  const int all = on::processes(MPI_COMM_WORLD), here = on::rank(MPI_COMM_WORLD);
  for (int holder = -1; holder < all; ++holder) {  // -1: everybody
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -here, &comm);
    const std::vector<int> node = on::ranks_of_node(comm);
    const int rank = on::rank(comm);
    Shared piece = allocate_shared_bytes(3000, comm), also = allocate_shared_bytes(70, comm);
    std::memset(own(piece, comm), 50 + rank, 3000);
    also.reset();
    MPI_Barrier(comm);
    if (holder >= 0 && holder != here) piece.reset();
    MPI_Comm_free(&comm);
    if (!piece) continue;
    for (const int r : node)
      for (Index at = 0; at < 3000; ++at) ASSERT_EQ(piece->base(r)[at], static_cast<std::byte>(50 + r));
    std::thread([last = std::move(piece)]() mutable { last.reset(); }).join();
  }
}

TEST(Share, CommunicatorsComeAndGo) {
  for (int turn = 0; turn < 50; ++turn) {
    on::every_communicator([turn](MPI_Comm comm) {
      const Index all = on::processes(comm);
      const Shared piece = allocate_shared_bytes(all * (1 + turn), comm);
      expect_shared(piece, 1 + turn, comm);
    });
  }
}

TEST(SharedPieceOf, IsFoundByAnyAddressInside) {
  on::every_communicator([](MPI_Comm comm) {
    const int here = on::rank(comm), all = on::processes(comm);
    std::vector<Shared> pieces;
    for (const Index bytes : {0, 1, 5000, 100000}) pieces.push_back(allocate_shared_bytes(bytes * (here + 1), comm));
    for (const Shared& piece : pieces) {
      std::byte* const base = own(piece, comm);
      const Index length = piece->bytes(here);
      EXPECT_EQ(find_shared(base, comm), piece.get());
      EXPECT_EQ(find_shared(base + length - 1, comm), piece.get());
      EXPECT_NE(find_shared(base + length, comm), piece.get());
      EXPECT_NE(find_shared(base - 1, comm), piece.get());
      for (int rank = 0; rank < all; ++rank)
        EXPECT_EQ(find_shared(piece->base(rank), comm), rank == here ? piece.get() : nullptr);
    }
    int elsewhere = 0;
    EXPECT_EQ(find_shared(&elsewhere, comm), nullptr);
    EXPECT_EQ(find_shared(nullptr, comm), nullptr);
    std::byte* const base = own(pieces[2], comm);
    pieces[2].reset();
    EXPECT_EQ(find_shared(base, comm), nullptr) << "it is free";
  });
}

TEST(SharedPieceOf, ACommunicatorWithoutPoolHasNone) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (on::rank(comm) == 0) {
    EXPECT_EQ(find_shared(&comm, comm), nullptr);
  }
  MPI_Comm_free(&comm);
}

TEST(OnThisNode, ProcessesOfOneHostName) {
  on::every_communicator([](MPI_Comm comm) {
    const std::vector<int> node = on::ranks_of_node(comm);
    EXPECT_TRUE(on_this_node(on::rank(comm), comm));
    if (on::rank(comm) != 0) return;  // it is local now
    for (int rank = 0; rank < on::processes(comm); ++rank)
      EXPECT_EQ(on_this_node(rank, comm), std::count(node.begin(), node.end(), rank) != 0) << rank;
  });
}

TEST(AllocateShared, IsADenseBufferThatItsOwnerKeeps) {
  on::every_communicator([](MPI_Comm comm) {
    const Index here = on::rank(comm);
    const std::vector<std::vector<Index>> shapes{{}, {5}, {0}, {here, 3}, {4, here + 1, 2}, {here % 2, 7, 1000}};
    for (const std::vector<Index>& shape : shapes)
      for (const Order order : {Order::row_major, Order::column_major}) {
        Buffer buffer = allocate_shared(element_type<double>(), shape, comm, order);
        EXPECT_EQ(buffer.shape, shape);
        EXPECT_EQ(buffer.type, element_type<double>());
        EXPECT_FALSE(buffer.read_only);
        EXPECT_EQ(buffer.memory.name(), "host");
        EXPECT_EQ(buffer.strides, order == Order::row_major ? tridap::row_major_strides(shape, 8)
                                                            : tridap::column_major_strides(shape, 8));
        const SharedAllocation* const piece = find_shared(buffer.data, comm);
        ASSERT_NE(piece, nullptr);
        EXPECT_EQ(piece->base(static_cast<int>(here)), buffer.data);
        EXPECT_GE(piece->bytes(static_cast<int>(here)), 8 * tridap::element_count(buffer));
        std::fill_n(static_cast<double*>(buffer.data), tridap::element_count(buffer), 1.5);
        std::shared_ptr<void> owner = buffer.owner;
        void* const data = buffer.data;
        buffer = {};
        EXPECT_EQ(find_shared(data, comm), piece);
        owner.reset();
        EXPECT_EQ(find_shared(data, comm), nullptr);
      }
  });
}

TEST(AllocateShared, WhatIsNoArrayIsRefusedByAll) {
  constexpr Index large = std::numeric_limits<Index>::max();
  const tridap::ElementType real = element_type<double>();
  const tridap::ElementType nothing{tridap::ElementType::Kind::opaque, 0, true};
  on::every_communicator([&](MPI_Comm comm) {
    for (int rank = 0; rank < on::processes(comm); ++rank) {
      const bool here = on::rank(comm) == rank;
      const auto refused = [&](const tridap::ElementType& type, const std::vector<Index>& shape,
                               const std::string& id) {
        const std::string who = "(rank " + std::to_string(rank) + ")";
        const auto step = [&] { allocate_shared(here ? type : real, here ? shape : std::vector<Index>{2, 3}, comm); };
        expect_refusal(step, {who, id}, comm);
        const bool too_much = std::string(on::error_of(step)->what()).find("/dev/shm") != std::string::npos;
        EXPECT_EQ(too_much, id == "[process.failure]") << "of " << id << ", nothing else is told";
      };
      refused(real, {2, -1}, "[buffer.layout]");
      refused(real, {0, -1}, "[buffer.layout]");
      refused(real, {large, 2}, "[buffer.layout]");
      refused(real, {large / 4}, "[buffer.layout]");
      refused(nothing, {2}, "[buffer.type]");
      refused(real, {large / 8}, "[process.failure]");
    }
    EXPECT_EQ(allocate_shared(real, {2, 3}, comm).shape, (std::vector<Index>{2, 3}));
  });
}

}  // namespace
