#include "globalarrays/living_together.hpp"

#include <Kokkos_Core.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_Vector.hpp>

#include <functional>
#include <map>
#include <stdexcept>

namespace living {

namespace {

bool kokkos_works() {
  double sum = 0;
  Kokkos::parallel_reduce(
      "sum", 100, KOKKOS_LAMBDA(const int i, double& to) { to += i; }, sum);
  return sum == 4950;
}

bool tpetra_works() {
  using Vector = Tpetra::Vector<double>;
  const auto map = Teuchos::rcp(
      new Vector::map_type(static_cast<Tpetra::global_size_t>(10 * processes()), 0, Tpetra::getDefaultComm()));
  Vector vector(map);
  vector.putScalar(2);
  return vector.norm1() == 20 * processes();
}

// One memory, written by Kokkos and read through GA by another process.
bool together() {
  const int handle = made(10 * processes());
  {
    const Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> mine(part(handle), 10);
    Kokkos::deep_copy(mine, rank());
  }
  GA_Sync();
  const int other = (rank() + 1) % processes();
  int64_t at[] = {10 * other + 3}, ld[] = {1};
  double got = -1;
  NGA_Get64(handle, at, at, &got, ld);
  GA_Destroy(handle);
  return got == other && ga_works() && kokkos_works();
}

using Orders = std::map<std::string, std::function<bool(int*, char***)>>;

bool over() { return GA_Initialized() == 0; }

bool scope_outside(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  const Tpetra::ScopeGuard scope(argc, argv);
  {
    Session session;
    check(together() && tpetra_works());
  }
  return over() && tpetra_works();
}

bool scope_inside(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  Session session;
  {
    const Tpetra::ScopeGuard scope(argc, argv);
    check(together() && tpetra_works());
  }
  check(ga_works());
  session.close();
  return over();
}

bool scope_and_mpi(int* argc, char*** argv) {  // the guard begins and ends MPI
  {
    const Tpetra::ScopeGuard scope(argc, argv);
    Session session;
    check(together() && tpetra_works());
  }
  return over();
}

bool scope_outlived(int* argc, char*** argv) {
  std::unique_ptr<Session> session;
  {
    const Tpetra::ScopeGuard scope(argc, argv);
    session = std::make_unique<Session>();
    check(together() && tpetra_works());
  }
  check(over());  // MPI has ended, and GA before it
  session.reset();
  return true;
}

bool scopes_crossed(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  auto session = std::make_unique<Session>();
  check(ga_works());
  const Tpetra::ScopeGuard scope(argc, argv);
  check(together() && tpetra_works());
  session.reset();
  return over() && tpetra_works();
}

bool kokkos_first(int* argc, char*** argv) {
  Kokkos::initialize(*argc, *argv);
  MPI_Init(argc, argv);
  {
    Session session;
    check(together());
  }
  Kokkos::finalize();
  MPI_Finalize();
  return over();
}

bool kokkos_last(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  GA_Initialize();
  Kokkos::initialize(*argc, *argv);
  {
    const Tpetra::ScopeGuard scope(argc, argv);
    Session session;
    check(together() && tpetra_works());
  }
  check(ga_works());
  GA_Terminate();
  if (Kokkos::is_initialized()) Kokkos::finalize();
  MPI_Finalize();
  return over();
}

// The last process leaves both by an exception, and all meet behind.
bool left_from(bool session_first, int* argc, char*** argv) {
  MPI_Init(argc, argv);
  try {
    std::unique_ptr<Session> outer(session_first ? new Session : nullptr);
    const Tpetra::ScopeGuard scope(argc, argv);
    std::unique_ptr<Session> inner(session_first ? nullptr : new Session);
    check(together() && tpetra_works());
    if (rank() == processes() - 1) throw std::runtime_error("early");
  } catch (const std::runtime_error&) {
  }
  MPI_Barrier(MPI_COMM_WORLD);
  check(!over() && ga_works());
  MPI_Finalize();
  return over();
}

const Orders orders = {
    {"scope_outside", scope_outside},
    {"scope_inside", scope_inside},
    {"scope_and_mpi", scope_and_mpi},
    {"scope_outlived", scope_outlived},
    {"scopes_crossed", scopes_crossed},
    {"kokkos_first", kokkos_first},
    {"kokkos_last", kokkos_last},
    {"left_from_scope", [](int* argc, char*** argv) { return left_from(false, argc, argv); }},
    {"left_through_scope", [](int* argc, char*** argv) { return left_from(true, argc, argv); }},
};

}  // namespace

bool with_kokkos(const std::string& order, int argc, char** argv) {
  const auto one = orders.find(order);
  return one != orders.end() && one->second(&argc, &argv);
}

}  // namespace living
