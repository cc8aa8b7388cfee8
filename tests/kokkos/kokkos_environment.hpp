#pragma once

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <functional>

namespace support {

/// Kokkos lives as long as all tests; `before` runs ahead of it.
class KokkosEnvironment : public testing::Environment {
 public:
  explicit KokkosEnvironment(std::function<void()> before = [] {}) : before_(std::move(before)) {}
  void SetUp() override {
    before_();
    Kokkos::initialize();
  }
  void TearDown() override { Kokkos::finalize(); }

 private:
  std::function<void()> before_;
};

}  // namespace support
