// A matrix in blocks of rows is moved to blocks of columns; each process looks at each of its elements.
#include <tridap/make.hpp>
#include <tridap/redistribute/redistribution.hpp>

#include <iostream>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, processes = 1, wrong = 0, all_wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  {
    const auto rows = tridap::Distribution::make({23, 17}, {tridap::block(), tridap::whole()}, {processes, 1});
    const auto columns = tridap::Distribution::make({23, 17}, {tridap::whole(), tridap::block()}, {1, processes});
    const auto array_of = [&](const tridap::Distribution& of) {
      tridap::DistArray array;
      array.buffer = tridap::allocate(tridap::element_type<double>(), tridap::IndexList(of.local_shape(rank)));
      array.dim_data = of.dim_data(rank);
      return array;
    };
    // element (i, j) is 100 i + j
    const auto each = [&](const tridap::Distribution& of, const tridap::DistArray& array, auto act) {
      const auto shape = of.local_shape(rank);
      auto* element = static_cast<double*>(array.buffer.data);
      for (tridap::Index i = 0; i < shape[0]; ++i)
        for (tridap::Index j = 0; j < shape[1]; ++j)
          act(*element++, 100.0 * static_cast<double>(of.axis(0).global_index(of.coordinates(rank)[0], i)) +
                              static_cast<double>(of.axis(1).global_index(of.coordinates(rank)[1], j)));
    };
    const tridap::DistArray source = array_of(rows), target = array_of(columns);
    each(rows, source, [](double& element, double value) { element = value; });
    tridap::redistribute::Redistribution plan(rows, columns, sizeof(double), MPI_COMM_WORLD);
    plan(source, target);
    each(columns, target, [&](double& element, double value) { wrong += element != value; });
  }
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::cout << (all_wrong == 0 ? "works: " : "FAILED: ") << 23 * 17 - all_wrong << " of 391 elements\n";
  MPI_Bcast(&all_wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return all_wrong == 0 ? 0 : 1;
}
