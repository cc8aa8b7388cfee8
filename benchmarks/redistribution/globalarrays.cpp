// GA_Copy between two Global Arrays of the same distributions. Their memory is their own.

#include "redistribution/peers.hpp"

#include <ga.h>
#include <macdecls.h>

#include <cstdlib>

namespace bench {

namespace {

// A Global Array with the distribution of a layout, and the address of this process's part.
class Matrix {
 public:
  Matrix(const Layout& layout, int rank) : layout_(layout), rank_(rank), handle_(GA_Create_handle()) {
    std::int64_t size[] = {layout.size, layout.size};
    GA_Set_data64(handle_, 2, size, C_DBL);
    layout.block > 0 ? set_cyclic() : set_blocks();
    GA_Allocate(handle_);
    std::int64_t low[2], high[2], length = 0;
    if (layout.block > 0) {
      NGA_Access_block_segment64(handle_, rank, &data_, &length);
      stride_ = row_length(layout, rank);
    } else {
      NGA_Distribution64(handle_, rank, low, high);
      NGA_Access64(handle_, low, high, &data_, &stride_);
    }
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() { GA_Destroy(handle_); }

  int handle() const { return handle_; }
  void write() {
    write_values(layout_, rank_, data(), stride_);
    GA_Sync();
  }
  void poison() {
    fill_with_nan(data(), layout_.elements(rank_));
    GA_Sync();
  }
  bool right() const { return has_values(layout_, rank_, data(), stride_); }

 private:
  double* data() const { return static_cast<double*>(data_); }
  void set_cyclic() {
    int block[] = {static_cast<int>(layout_.block), static_cast<int>(layout_.block)};
    int grid[] = {static_cast<int>(layout_.grid[0]), static_cast<int>(layout_.grid[1])};
    GA_Set_block_cyclic_proc_grid(handle_, block, grid);
  }
  void set_blocks() {
    std::vector<std::int64_t> starts;
    for (int axis = 0; axis < 2; ++axis)
      for (Index c = 0; c < layout_.grid[static_cast<std::size_t>(axis)]; ++c)
        starts.push_back(c * layout_.block_size(axis));
    std::int64_t blocks[] = {layout_.grid[0], layout_.grid[1]};
    GA_Set_irreg_distr64(handle_, starts.data(), blocks);
  }

  Layout layout_;
  int rank_, handle_;
  void* data_ = nullptr;
  std::int64_t stride_ = 0;
};

class Copy : public Competitor {
 public:
  explicit Copy(Problem& problem) : source_(problem.source, problem.rank), target_(problem.target, problem.rank) {
    source_.write();
  }
  void poison() override { target_.poison(); }
  void move() override { GA_Copy(source_.handle(), target_.handle()); }
  bool right() override { return target_.right(); }

 private:
  Matrix source_, target_;
};

bool rows_of_ranks(const Layout& layout) {  // as Global Arrays numbers the processes of a grid
  for (Index row = 0; row < layout.grid[0]; ++row)
    for (Index column = 0; column < layout.grid[1]; ++column)
      if (layout.rank(row, column) != row * layout.grid[1] + column) return false;
  return true;
}

}  // namespace

std::shared_ptr<void> start_globalarrays(int&, char**&) {
  setenv("ARMCI_RMA_ATOMICITY", "0", 0);  // the default guarantees more than a copy needs, and takes twice as long
  GA_Initialize();
  return {nullptr, [](void*) { GA_Terminate(); }};
}

std::unique_ptr<Competitor> make_globalarrays(Problem& problem) {
  if (problem.source.size > 4096) return nullptr;  // a move of (c) would take seconds
  if (!rows_of_ranks(problem.source) || !rows_of_ranks(problem.target)) return nullptr;
  return std::make_unique<Copy>(problem);
}

}  // namespace bench
