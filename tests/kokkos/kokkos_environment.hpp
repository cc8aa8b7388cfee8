#pragma once

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

namespace support {

/// Why Kokkos cannot be initialised here; empty: it can. A Kokkos with CUDA ends a program that has no GPU.
inline std::string why_no_kokkos() {
#if defined(KOKKOS_ENABLE_CUDA) && !defined(TRIDAP_STAND_IN_DEVICES)
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess) return std::string("this Kokkos needs a GPU: ") + cudaGetErrorString(status);
  if (devices == 0) return "this Kokkos needs a GPU, and there is none";
#endif
  return "";
}

/// Kokkos lives as long as all tests; `before` runs ahead of it. Where Kokkos cannot be initialised, all tests are
/// skipped.
class KokkosEnvironment : public testing::Environment {
 public:
  explicit KokkosEnvironment(std::function<void()> before = [] {}) : before_(std::move(before)) {}
  void SetUp() override {
    const std::string why = why_no_kokkos();
    if (!why.empty()) {
      testing::UnitTest::GetInstance()->listeners().Append(new Skips(why));
      return;
    }
    before_();
    Kokkos::initialize();
  }
  void TearDown() override {
    if (Kokkos::is_initialized()) Kokkos::finalize();
  }

 private:
  /// Skips each test by itself, so that each is counted and says why.
  class Skips : public testing::EmptyTestEventListener {
   public:
    explicit Skips(std::string why) : why_(std::move(why)) {}
    void OnTestStart(const testing::TestInfo&) override { GTEST_SKIP() << why_; }

   private:
    std::string why_;
  };

  std::function<void()> before_;
};

}  // namespace support
