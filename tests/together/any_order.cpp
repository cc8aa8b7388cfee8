// PETSc, Kokkos, Tpetra and Global Arrays in one program, begun and ended in the orders that its arguments name:
//
//   mpiexec -n 2 any_order GPKT TKPG
//
// begins Global Arrays, PETSc, Kokkos and Tpetra, in this order, after MPI_Init, and ends them in the other order. If
// the first argument begins with a small p or t, PETSc or Tpetra begins MPI and ends it, as its last. While all are
// there, one memory goes from each of them to the next; after each end, those that are left are used once more.

#include <tridap/globalarrays.hpp>
#include <tridap/make.hpp>
#include <tridap/petsc.hpp>
#include <tridap/tpetra.hpp>

#include <Kokkos_Core.hpp>
#include <Tpetra_Core.hpp>
#include <ga.h>
#include <mpi.h>
#include <petscvec.h>

#include <cctype>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

namespace ga = tridap::globalarrays;
using tridap::Index;

void need(bool well, const char* what) {
  if (!well) throw std::runtime_error(what);
}

int processes() {
  int count = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

tridap::Distribution four_on_each() {
  return tridap::Distribution::make({4 * processes()}, {tridap::block()}, {processes()});
}

// PETSc's memory, filled by PETSc, in a vector of Tpetra.
void petsc_to_tpetra() {
  Vec vec = nullptr;
  need(VecCreateMPI(PETSC_COMM_WORLD, 4, PETSC_DETERMINE, &vec) == 0 && VecSet(vec, 3) == 0, "VecSet");
  {
    const auto array = tridap::petsc::export_array(vec).array;
    const auto b = tridap::tpetra::import_vector<double>(array, MPI_COMM_WORLD);
    need(b.receipt.bytes_copied == 0, "PETSc's memory was copied");
    need(b.vector->norm1() == 12 * processes(), "Tpetra sees other values than PETSc");
  }
  VecDestroy(&vec);
  tridap::petsc::collect();
}

// Tpetra's memory in a Vec of PETSc.
void tpetra_to_petsc() {
  using Vector = tridap::tpetra::Vector<double>;
  const auto vector = Teuchos::rcp(new Vector(Teuchos::rcp(
      new Vector::map_type(static_cast<Tpetra::global_size_t>(4 * processes()), 0, Tpetra::getDefaultComm()))));
  vector->putScalar(2);
  auto made = tridap::petsc::import_array(tridap::tpetra::export_array(vector).array, MPI_COMM_WORLD);
  PetscScalar sum = 0;
  need(made.receipt.bytes_copied == 0 && VecSum(made.vec, &sum) == 0, "Tpetra's memory was copied");
  need(PetscRealPart(sum) == 8 * processes(), "PETSc sees other values than Tpetra");
  VecDestroy(&made.vec);
}

// A Global Array's memory in a Vec of PETSc, read through Global Arrays by every process.
void global_array_to_petsc() {
  ga::GlobalArray array = ga::create({four_on_each(), {}}, tridap::element_type<double>(), MPI_COMM_WORLD);
  {
    auto made = tridap::petsc::import_array(ga::export_array(array).array, MPI_COMM_WORLD);
    need(made.receipt.bytes_copied == 0 && VecSet(made.vec, 5) == 0, "the Global Array's memory was copied");
    VecDestroy(&made.vec);
  }
  GA_Sync();
  double one = 0;
  int64_t at[] = {4 * processes() - 1}, ld[] = {1};
  NGA_Get64(array.handle(), at, at, &one, ld);
  need(one == 5, "Global Arrays see other values than PETSc");
  GA_Sync();
}

void kokkos_alone() {
  Index sum = 0;
  Kokkos::parallel_reduce(
      "sum", 10, KOKKOS_LAMBDA(const int i, Index& to) { to += i; }, sum);
  need(sum == 45, "Kokkos adds wrongly");
}

class Libraries {
 public:
  Libraries(int* argc, char*** argv) : argc_(argc), argv_(argv) {}

  void begin(char which) {
    if (which == 'P') need(PetscInitialize(argc_, argv_, nullptr, nullptr) == 0, "PetscInitialize");
    if (which == 'K' && !Kokkos::is_initialized()) Kokkos::initialize(*argc_, *argv_), own_kokkos_ = true;
    if (which == 'T') tpetra_ = std::make_unique<Tpetra::ScopeGuard>(argc_, argv_);
    if (which == 'G') session_ = std::make_unique<ga::Session>();
    there_ += which;
  }
  void end(char which) {
    if (which == 'P') need(PetscFinalize() == 0, "PetscFinalize");
    if (which == 'K' && own_kokkos_ && Kokkos::is_initialized()) Kokkos::finalize();
    if (which == 'T') tpetra_.reset();
    if (which == 'G') session_.reset();
    there_.erase(there_.find(which), 1);
  }
  // Each pair that is there.
  void use() const {
    const bool kokkos = Kokkos::is_initialized();
    if (kokkos) kokkos_alone();
    if (has('P') && has('T') && kokkos) petsc_to_tpetra(), tpetra_to_petsc();
    if (has('G') && has('P')) global_array_to_petsc();
  }

 private:
  bool has(char which) const { return there_.find(which) != std::string::npos; }

  int* argc_;
  char*** argv_;
  std::string there_;
  bool own_kokkos_ = false;
  std::unique_ptr<Tpetra::ScopeGuard> tpetra_;
  std::unique_ptr<ga::Session> session_;
};

void run(const std::string& begins, const std::string& ends, int* argc, char*** argv) {
  const bool own_mpi = std::isupper(static_cast<unsigned char>(begins[0])) != 0;
  if (own_mpi) MPI_Init(argc, argv);
  Libraries all(argc, argv);
  for (const char which : begins) all.begin(static_cast<char>(std::toupper(which)));
  all.use();
  for (const char which : ends) {
    all.end(static_cast<char>(std::toupper(which)));
    if (which != ends.back()) all.use();
  }
  if (own_mpi) MPI_Finalize();
  int over = 0;
  MPI_Finalized(&over);
  need(over != 0, "MPI has not ended");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string begins = argv[1], ends = argv[2];
  int none = 1;
  try {
    run(begins, ends, &none, &argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "any_order %s %s: %s\n", begins.c_str(), ends.c_str(), error.what());
    return 1;
  }
  return 0;
}
