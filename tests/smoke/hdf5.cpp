// What is saved is loaded again, in another distribution.
#include <tridap/hdf5.hpp>
#include <tridap/make.hpp>

#include <cstdio>
#include <iostream>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, processes = 1, wrong = 0, all_wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  {
    const auto blocks = tridap::Distribution::make({100}, {tridap::block()}, {processes});
    const auto dealt = tridap::Distribution::make({100}, {tridap::cyclic(3)}, {processes});
    tridap::DistArray array;
    array.buffer = tridap::allocate(tridap::element_type<double>(), tridap::IndexList(blocks.local_shape(rank)));
    array.dim_data = blocks.dim_data(rank);
    for (tridap::Index i = 0; i < blocks.local_shape(rank)[0]; ++i)
      static_cast<double*>(array.buffer.data)[i] = static_cast<double>(blocks.axis(0).global_index(rank, i));
    tridap::hdf5::save("smoke.h5", {{"a", array, blocks}}, MPI_COMM_WORLD);
    const tridap::DistArray back = tridap::hdf5::load("smoke.h5", "a", MPI_COMM_WORLD, dealt);
    for (tridap::Index i = 0; i < dealt.local_shape(rank)[0]; ++i)
      wrong +=
          static_cast<const double*>(back.buffer.data)[i] != static_cast<double>(dealt.axis(0).global_index(rank, i));
  }
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::remove("smoke.h5");
  if (rank == 0) std::cout << (all_wrong == 0 ? "works: " : "FAILED: ") << 100 - all_wrong << " of 100 elements\n";
  MPI_Finalize();
  return all_wrong == 0 ? 0 : 1;
}
