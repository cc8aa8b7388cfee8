#include <tridap/globalarrays.hpp>
#include <tridap/make.hpp>

#include <ga.h>

#include <algorithm>
#include <iostream>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  {
    const tridap::globalarrays::Session session;
    const auto line = tridap::Distribution::make({5 * processes}, {tridap::block()}, {processes});
    const auto array = tridap::globalarrays::create(line, tridap::element_type<double>(), MPI_COMM_WORLD);
    const auto x = tridap::globalarrays::export_array(array);
    std::fill_n(static_cast<double*>(x.array.buffer.data), 5, 2.0);
    GA_Sync();
    double last = 0;
    std::int64_t low[] = {5 * processes - 1}, high[] = {5 * processes - 1}, leading[] = {1};
    NGA_Get64(array.handle(), low, high, &last, leading);
    if (rank == 0) std::cout << x.receipt.text() << ", " << last << std::endl;
  }
  MPI_Finalize();
}
