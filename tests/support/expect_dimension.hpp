#pragma once

#include <tridap/dimension.hpp>

#include <gtest/gtest.h>

#include <variant>

namespace oracle {

/// Two dictionaries of an axis are the same, key by key.
inline void expect_same_dimension(const tridap::Dimension& got, const tridap::Dimension& said) {
  EXPECT_EQ(got.size, said.size);
  EXPECT_EQ(got.proc_grid_size, said.proc_grid_size);
  EXPECT_EQ(got.proc_grid_rank, said.proc_grid_rank);
  EXPECT_EQ(got.periodic, said.periodic);
  ASSERT_EQ(got.dist_type(), said.dist_type());
  if (const auto* block = std::get_if<tridap::Block>(&said.dist)) {
    const auto& other = std::get<tridap::Block>(got.dist);
    EXPECT_EQ(other.start, block->start);
    EXPECT_EQ(other.stop, block->stop);
    EXPECT_EQ(other.padding, block->padding);
  } else if (const auto* cyclic = std::get_if<tridap::Cyclic>(&said.dist)) {
    EXPECT_EQ(std::get<tridap::Cyclic>(got.dist).start, cyclic->start);
    EXPECT_EQ(std::get<tridap::Cyclic>(got.dist).block_size, cyclic->block_size);
  } else {
    const auto& list = std::get<tridap::Unstructured>(said.dist);
    const auto& other = std::get<tridap::Unstructured>(got.dist);
    EXPECT_EQ(tridap::read_indices(other.indices), tridap::read_indices(list.indices));
    EXPECT_EQ(other.one_to_one, list.one_to_one);
  }
}

}  // namespace oracle
