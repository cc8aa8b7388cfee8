// Names nothing of TriDAP::device: that the component is linked must be enough. It prints why an array on a device is
// refused: by the component, because there is no driver here.

#include <tridap/make.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <mpi.h>

#include <iostream>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const auto of = tridap::Distribution::make({4}, {tridap::block()}, {1});
  tridap::redistribute::Redistribution plan(of, of, sizeof(double), MPI_COMM_SELF);
  double memory[4] = {};
  tridap::DistArray array;
  array.buffer = tridap::row_major(memory, {4});
  array.buffer.memory = {tridap::Memory::Kind::cuda, 0};
  try {
    plan(array);
  } catch (const std::exception& error) {
    std::cout << error.what() << "\n";
  }
  MPI_Finalize();
}
