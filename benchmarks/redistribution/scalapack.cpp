// ScaLAPACK's pdgemr2d. Its local parts are column-major. Our row-major parts equal the column-major parts of the
// transposed matrix on the transposed grid, so pdgemr2d moves the same bytes between the same addresses.

#include "redistribution/peers.hpp"

// ScaLAPACK installs no header.
extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridmap(int* context, int* ranks, int leading, int rows, int columns);
void Cblacs_gridexit(int context);
void Cpdgemr2d(int rows, int columns, double* from, int i, int j, int* from_array, double* to, int k, int l,
               int* to_array, int context_of_all);
}

namespace bench {

namespace {

class Gemr2d : public IntoTarget {
 public:
  explicit Gemr2d(Problem& problem)
      : IntoTarget(problem),
        system_(Csys2blacs_handle(problem.comm)),
        source_(problem.source, problem.rank, system_),
        target_(problem.target, problem.rank, system_) {}
  ~Gemr2d() override {
    for (const Side* side : {&source_, &target_}) Cblacs_gridexit(side->context);
    Cfree_blacs_system_handle(system_);
  }
  void move() override {
    const int size = static_cast<int>(problem_.source.size);
    Cpdgemr2d(size, size, problem_.from.data(), 1, 1, source_.array, problem_.to.data(), 1, 1, target_.array,
              source_.context);  // a context of all processes
  }

 private:
  struct Side {
    Side(const Layout& layout, int rank, int system) : context(system) {
      const int rows = static_cast<int>(layout.grid[1]), columns = static_cast<int>(layout.grid[0]);
      std::vector<int> ranks;  // column-major
      for (int column = 0; column < columns; ++column)
        for (int row = 0; row < rows; ++row) ranks.push_back(layout.rank(column, row));
      Cblacs_gridmap(&context, ranks.data(), rows, rows, columns);
      const int size = static_cast<int>(layout.size);
      const int fields[] = {1,
                            context,
                            size,
                            size,
                            static_cast<int>(layout.block_size(1)),
                            static_cast<int>(layout.block_size(0)),
                            0,
                            0,
                            static_cast<int>(row_length(layout, rank))};
      for (int i = 0; i < 9; ++i) array[i] = fields[i];
    }
    int context;
    int array[9] = {};  // ScaLAPACK's array descriptor
  };

  int system_;
  Side source_, target_;
};

}  // namespace

std::unique_ptr<Competitor> make_scalapack(Problem& problem) { return std::make_unique<Gemr2d>(problem); }

}  // namespace bench
