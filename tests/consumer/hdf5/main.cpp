#include <tridap/hdf5.hpp>
#include <tridap/make.hpp>

#include <iostream>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const auto layout = tridap::Distribution::make({5}, {tridap::block()}, {processes});
  tridap::DistArray array;
  array.buffer = tridap::allocate(tridap::element_type<double>(), tridap::IndexList(layout.local_shape(rank)));
  array.dim_data = layout.dim_data(rank);
  if (rank == 0) static_cast<double*>(array.buffer.data)[0] = 2;
  tridap::hdf5::save("consumer.h5", {{"a", array}}, MPI_COMM_WORLD);
  const tridap::DistArray back = tridap::hdf5::load("consumer.h5", "a", MPI_COMM_WORLD);
  tridap::Receipt receipt;  // the array's own memory was written
  if (rank == 0) std::cout << receipt.text() << ", " << *static_cast<const double*>(back.buffer.data) << std::endl;
  MPI_Finalize();
}
