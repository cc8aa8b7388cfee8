// A program that ends without releasing what it has of the solvers: MPI_Finalize releases it, and then ends Kokkos,
// which the first matrix has begun. With the argument "own" the program has begun Kokkos, and ends it.

#include <tridap/tridap.h>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

void need(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "%s: %s\n", what, tridap_message());
  std::abort();
}

void need_ok(int status) { need(status == TRIDAP_OK, "a call failed"); }

// Solves 2 x = 6 on each of 10 elements.
void solve(bool release) {
  const std::int64_t shape[1] = {10};
  tridap_distribution rows{};
  need_ok(tridap_distribute(1, shape, "b", MPI_COMM_WORLD, nullptr, &rows));
  std::int64_t count = 0, first = 0;
  need_ok(tridap_count(rows, TRIDAP_HERE, TRIDAP_OWNED, &count));
  const std::int64_t zero = 0;
  if (count > 0) need_ok(tridap_global_index(rows, TRIDAP_HERE, &zero, &first));
  std::vector<double> values(static_cast<std::size_t>(count), 2.0);
  std::vector<std::int64_t> columns, starts{0};
  for (std::int64_t i = 0; i < count; ++i) {
    columns.push_back(first + i);
    starts.push_back(i + 1);
  }
  tridap_csr csr{};
  csr.row_count = csr.entry_count = count;
  csr.values = values.data();
  csr.columns = columns.data();
  csr.row_starts = starts.data();
  tridap_matrix a{};
  need_ok(tridap_matrix_of_csr(rows, &csr, &a));
  tridap_array b{}, x{};
  need_ok(tridap_allocate(rows, TRIDAP_FLOAT64, TRIDAP_ROW_MAJOR, &b));
  need_ok(tridap_allocate(rows, TRIDAP_FLOAT64, TRIDAP_ROW_MAJOR, &x));
  tridap_memory memory{};
  need_ok(tridap_array_memory(b, &memory));
  for (std::int64_t i = 0; i < count; ++i) static_cast<double*>(memory.data)[i] = 6;
  tridap_solve_options options{};
  options.preconditioner = "ifpack2";
  need_ok(tridap_solve(a, b, x, &options, nullptr));
  need_ok(tridap_array_memory(x, &memory));
  for (std::int64_t i = 0; i < count; ++i)
    need(std::abs(static_cast<double*>(memory.data)[i] - 3) < 1e-6, "the answer is wrong");
  if (release)
    for (const std::uint64_t number : {a.number, b.number, x.number, rows.number}) need_ok(tridap_release(number));
}

}  // namespace

int main(int argc, char** argv) {
  const bool own = argc > 1 && std::strcmp(argv[1], "own") == 0;
  MPI_Init(&argc, &argv);
  if (own) Kokkos::initialize(argc, argv);
  solve(own);
  need(Kokkos::is_initialized(), "Kokkos has not begun");
  if (own) Kokkos::finalize();
  MPI_Finalize();
  need(!Kokkos::is_initialized(), "Kokkos has not ended");
  need(tridap_held() == 0, "handles are held");
  return 0;
}
