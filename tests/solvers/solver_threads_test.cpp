#include "solver_support.hpp"
#include "support/parts.hpp"
#include "support/two_threads.hpp"
#include <tridap/make.hpp>
#include <tridap/redistribute/gather.hpp>
#include <tridap/tpetra/operator.hpp>
#include <tridap/tpetra/trace.hpp>

#include <Teuchos_TimeMonitor.hpp>

#include <atomic>
#include <future>
#include <list>
#include <thread>

using namespace solver_test;
namespace tpetra = tridap::tpetra;

namespace {

constexpr Index n = 9;

/// What one thread makes. Tpetra's objects are destroyed after both threads have ended, because Tpetra lets one thread
/// in, and the threads call it through TriDAP alone.
struct Maker {
  MPI_Comm comm;
  std::list<ArrayMap> maps;
  std::list<Teuchos::RCP<const CrsMatrix>> matrices;
  std::list<Teuchos::RCP<const Operator>> operators;
  std::list<Teuchos::RCP<Vector>> vectors;

  /// The rows of n x n elements that this process has, each element with the value of `value_of` for its number.
  tridap::DistArray part(const std::function<double(Index)>& value_of) {
    const auto rows =
        tridap::Distribution::make({n, n}, {tridap::block(), tridap::block()}, {Index{on::processes(comm)}, 1});
    tridap::DistArray made = on::part_of(rows, on::rank(comm));
    const List numbers = ids(made);
    for (std::size_t i = 0; i < numbers.size(); ++i) data(made)[i] = value_of(numbers[i]);
    return made;
  }
  static double* data(const tridap::DistArray& part) { return static_cast<double*>(part.buffer.data); }
  static List ids(const tridap::DistArray& part) {
    const auto& block = std::get<tridap::Block>(part.dim_data[0].dist);
    List numbers;
    for (Index id = block.start * n; id < block.stop * n; ++id) numbers.push_back(id);
    return numbers;
  }
  Vector& vector(const tridap::DistArray& over) {
    vectors.push_back(tpetra::import_vector<double>(over, maps.back()).vector);
    return *vectors.back();
  }
  const Teuchos::RCP<const CrsMatrix>& matrix(const tridap::DistArray& like) {
    maps.emplace_back(like, comm);
    matrices.emplace_back(make_matrix(maps.back(), Arrays(ids(like), laplace(n)).csr()));
    return matrices.back();
  }
};

double product_with_wave(Index id) {
  double sum = 0;
  for (const auto& [column, value] : laplace(n)(id)) sum += value * wave(column);
  return sum;
}

double worst(const tridap::DistArray& x) {
  double most = 0;
  const List ids = Maker::ids(x);
  for (std::size_t i = 0; i < ids.size(); ++i) most = std::max(most, std::abs(Maker::data(x)[i] - wave(ids[i])));
  return most;
}

double zero(Index) { return 0; }

std::atomic<int> threads_inside{0};

/// What runs inside of Trilinos meets no other thread there.
void expect_alone() {
  EXPECT_EQ(++threads_inside, 1);
  for (int i = 0; i < 3; ++i) std::this_thread::yield();
  --threads_inside;
}

Options watched() {
  Options options;
  options.watched = true;
  options.watch = [](int, double) {
    expect_alone();
    return false;
  };
  return options;
}

void run(const std::function<void(Maker&, int)>& body) {
  std::array<Maker, 2> makers;
  two_threads::run([&](MPI_Comm comm, int number) {
    Maker& maker = makers[static_cast<std::size_t>(number)];
    maker.comm = comm;
    body(maker, number);
  });
}

}  // namespace

TEST(SolverThreads, ImportAndExportVectors) {
  run([](Maker& maker, int number) {
    for (int round = 0; round < 10; ++round) {
      const tridap::DistArray part = maker.part([&](Index id) { return static_cast<double>(id + 1000 * number); });
      maker.maps.emplace_back(part, maker.comm);
      maker.vector(part);
      const tridap::DistArray back = tpetra::export_array(maker.vectors.back(), maker.maps.back()).array;
      EXPECT_EQ(back.buffer.data, part.buffer.data);
      const tridap::DistArray whole = tridap::redistribute::allgather(back, maker.comm);
      for (Index id = 0; id < n * n; ++id) EXPECT_EQ(Maker::data(whole)[id], static_cast<double>(id + 1000 * number));
    }
  });
}

TEST(SolverThreads, SolveWithTheDefaultPreconditioner) {
  run([](Maker& maker, int) {
    for (int round = 0; round < 3; ++round) {
      const tridap::DistArray b = maker.part(product_with_wave), x = maker.part(zero);
      const auto& matrix = maker.matrix(b);
      maker.operators.push_back(make_preconditioner(tridap::solvers::default_preconditioner(), Method::cg, matrix));
      const Solution solution = solve(matrix, maker.operators.back(), maker.vector(b), maker.vector(x), watched());
      EXPECT_TRUE(solution.converged);
      EXPECT_LT(worst(x), 1e-6);
    }
  });
}

TEST(SolverThreads, SolveDirectly) {
  std::array<std::list<DirectSolver>, 2> solvers;
  run([&](Maker& maker, int number) {
    for (int round = 0; round < 3; ++round) {
      const tridap::DistArray b = maker.part(product_with_wave), x = maker.part(zero);
      const DirectSolver& lu = solvers[static_cast<std::size_t>(number)].emplace_back(maker.matrix(b));
      EXPECT_TRUE(lu.solve(maker.vector(b), maker.vector(x)).converged);
      EXPECT_LT(worst(x), 1e-10);
    }
  });
}

TEST(SolverThreads, SolveByOperators) {
  run([](Maker& maker, int) {
    for (int round = 0; round < 5; ++round) {
      const tridap::DistArray b = maker.part(product_with_wave), x = maker.part(zero);
      tridap::LinearOperator product = tpetra::export_operator(maker.matrix(b));
      product.apply = [apply = product.apply](const tridap::DistArray& from, const tridap::DistArray& to) {
        expect_alone();
        apply(from, to);
      };
      const auto& map = maker.maps.back().map();
      maker.operators.push_back(tpetra::import_operator(product, map, map));
      EXPECT_TRUE(solve(maker.operators.back(), Teuchos::null, maker.vector(b), maker.vector(x), watched()).converged);
      EXPECT_LT(worst(x), 1e-6);
    }
  });
}

// Timers of Teuchos are for one thread at a time: a call that begins while another thread is in Trilinos has none.
TEST(SolverThreads, ACallHasNoTimerWhileAnotherThreadIsInTrilinos) {
  std::promise<void> inside, done;
  std::thread other([&] {
    const tpetra::detail::InTrilinos trilinos;
    inside.set_value();
    done.get_future().wait();
  });
  inside.get_future().wait();
  tpetra::trace();
  { const tpetra::detail::Region region("tridap::of_two_threads"); }
  done.set_value();
  other.join();
  EXPECT_TRUE(Teuchos::TimeMonitor::lookupCounter("tridap::of_two_threads").is_null());
  { const tpetra::detail::Region region("tridap::of_two_threads"); }
  tridap::mpi::trace({});
  const auto timer = Teuchos::TimeMonitor::lookupCounter("tridap::of_two_threads");
  ASSERT_FALSE(timer.is_null());
  EXPECT_EQ(timer->numCalls(), 1);
  EXPECT_FALSE(timer->isRunning());
}
