// A matrix of doubles is moved to another distribution by TriDAP and by other libraries, and is compared with a copy of
// the same bytes, and with a loop over the same runs. Each ratio is the median of the ratios of the undisturbed rounds.

#include "redistribution/earlier.hpp"
#include "redistribution/memory_orders.hpp"
#include "redistribution/ours.hpp"
#include "redistribution/peers.hpp"
#include "support/pairs.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <map>
#include <memory>
#include <vector>

namespace {

using namespace bench;

struct Options {
  std::vector<Index> sizes = {2048, 4096, 8192};
  std::vector<std::string> letters = {"a", "b", "c", "d", "e"}, peers = {"alltoallw", "scalapack", "tpetra", "ga"};
  Effort effort;
  int places = 1;
  bool between_nodes = false;
};

int rank = 0, processes = 1;

// The name of a case in all output lines.
std::string title(const Case& of, Index size, const std::string& what) {
  return std::string("redistribution (") + of.letter + ") " + std::to_string(size) + ": " + what;
}

void say(const std::string& text) {
  if (rank == 0) std::printf("%s\n", text.c_str());
}

bool judge(const Case& of, Index size, const Planning& took) {
  bool ok = line(title(of, size, "planning"), took.microseconds, 50, "us");
  line(title(of, size, "first move less second"), took.first_move_microseconds, INFINITY, "us");
  ok = line(title(of, size, "the plan itself"), 1e-6 * took.plan_bytes, 1, "MB") && ok;
  return line(title(of, size, "staging of a first move"), 1e-6 * took.staging_bytes, 8, "MB") && ok;
}

// The entrants: first the copy, then our moves; between nodes, only those into ordinary memory.
std::vector<Entrant> entrants_of(const Case& of, Problem& problem, const std::vector<Peer>& peers, bool between_nodes) {
  std::vector<Entrant> entrants;
  entrants.push_back({"memcpy", make_copy(problem)});
  entrants.push_back({"ordinary", make_ordinary(problem)});
  if (!between_nodes) entrants.push_back({"runs", make_runs(problem)});
#ifdef BENCH_EARLIER
  entrants.push_back({"earlier ordinary", make_earlier_ordinary(problem)});
#endif
  if (!between_nodes) {
    entrants.push_back({"owned", make_owned(problem)});
    entrants.push_back({"messages", make_messages(problem)});
    entrants.push_back({"derived types", make_derived_types(problem)});
#ifdef BENCH_EARLIER
    entrants.push_back({"earlier owned", make_earlier_owned(problem)});
    entrants.push_back({"earlier messages", make_earlier_messages(problem)});
#endif
  }
  for (const Peer& peer : peers) {
    if (std::unique_ptr<Competitor> competitor = peer.make(problem))
      entrants.push_back({peer.name, std::move(competitor)});
    else
      say(title(of, problem.source.size, peer.name + " takes no part"));
  }
  return entrants;
}

using Seconds = std::map<std::string, const std::vector<double>*>;  // by entrant

bool report(const Case& of, Index size, const Seconds& seconds, const std::vector<Peer>& peers) {
  bool ok = true;
  const auto compare = [&](const std::string& ours, const std::string& theirs, double bound, bool closely = false) {
    if (seconds.count(ours) == 0 || seconds.count(theirs) == 0) return;
    Median found = median_ratio(*seconds.at(ours), *seconds.at(theirs));
    if (!closely) found.least = found.value;
    ok = line(title(of, size, ours + " / " + theirs), found, bound) && ok;
  };
  compare("ordinary", "memcpy", INFINITY);
  compare("ordinary", "runs", INFINITY);
  const auto floor = [&](const char* loop) { return median_ratio(*seconds.at("ordinary"), *seconds.at(loop)).value; };
  ok = line(title(of, size, "ordinary / slower of the two"), std::min(floor("memcpy"), floor("runs")), of.ordinary) &&
       ok;
  compare("owned", "memcpy", of.owned);
  for (const Peer& peer : peers) {
    const bool bound_holds =
        of.letter != 'e' || peer.bound >= 1;  // case (e) moves nothing: it must not be slower, no more
    // The loop over the runs of (c) alone takes half of the time of doImport on two processes.
    const bool half = of.letter == 'c' && processes == 2 && peer.option == "tpetra";
    compare("ordinary", peer.name, half ? 0.75 : bound_holds ? peer.bound : INFINITY);
  }
  // Both leave the same messages to MPI, and chance decides which one is faster.
  compare("derived types", "MPI_Alltoallw", of.letter == 'e' ? INFINITY : 1, true);
  compare("messages", "MPI_Alltoallw", INFINITY);  // `bench nodes` has bounds for them
  for (const std::string what : {"ordinary", "owned", "messages"}) compare(what, "earlier " + what, 1.15);
  for (const Peer& peer : peers) compare(peer.name, "memcpy", INFINITY);
  return ok;
}

// Between nodes, the bound is on the better of the peers.
bool report_between_nodes(const Case& of, Index size, const Seconds& seconds, const std::vector<Peer>& peers) {
  double most = 0;
  for (const Peer& peer : peers) {
    const double ratio = median_ratio(*seconds.at("ordinary"), *seconds.at(peer.name)).value;
    line(title(of, size, "ordinary / " + peer.name), ratio, INFINITY);
    most = std::max(most, ratio);
  }
  if (seconds.count("earlier ordinary") != 0)
    line(title(of, size, "ordinary / earlier"),
         median_ratio(*seconds.at("ordinary"), *seconds.at("earlier ordinary")).value, INFINITY);
  return line(title(of, size, "ordinary / better peer"), most, 1.05);
}

// The time of our plan against that of the Import just built for the same case.
bool judge_import(const Case& of, Index size, const Planning& took) {
  const double seconds = tpetra_import_seconds();
  if (size != 4096 || seconds == 0 || of.letter == 'e') return true;
  say(title(of, size, "building the Tpetra::Import took " + std::to_string(seconds) + " s"));
  return line(title(of, size, "planning / building it"), took.microseconds / seconds, 100, "ppm");
}

bool run(const Case& of, const std::vector<Peer>& peers, const Options& options, std::mt19937& random, MPI_Comm comm) {
  std::vector<std::unique_ptr<Problem>> problems;  // all at once, and so in different memory
  problems.push_back(std::make_unique<Problem>(of, comm));
  Problem& problem = *problems.front();
  const Index size = problem.source.size;
  const Planning took = measure_planning(problem);  // before any move on this communicator
#ifdef BENCH_EARLIER
  const double earlier = measure_earlier_planning(problem).microseconds;
#endif
  std::vector<std::vector<Entrant>> entrants;
  Outcome outcome;
  for (int place = 0; place < options.places && outcome.wrong.empty(); ++place) {
    if (place > 0) problems.push_back(std::make_unique<Problem>(of, comm));
    entrants.push_back(entrants_of(of, *problems.back(), peers, options.between_nodes));
    outcome.add(compete(entrants.back(), options.effort, random, comm));
  }
  bool ok = options.between_nodes || judge(of, size, took);
#ifdef BENCH_EARLIER
  ok = line(title(of, size, "planning / earlier planning"), took.microseconds / earlier, 1.1) && ok;
#endif
  ok = judge_import(of, size, took) && ok;
  if (!outcome.wrong.empty()) {
    say(title(of, size, outcome.wrong + " leaves WRONG VALUES"));
    return false;
  }
  const int rounds = outcome.least_rounds();
  say(title(of, size,
            std::to_string(rounds) + " rounds or more, and " + std::to_string(outcome.disturbed) + " samples " +
                (options.effort.disturbed ? "of them disturbed by others" : "thrown away: others ran too")));
  if (rounds < options.effort.rounds * options.places) {
    say(title(of, size, "too few rounds with undisturbed samples: MISSED"));
    return false;
  }
  Seconds seconds;
  for (std::size_t i = 0; i < outcome.seconds.size(); ++i) seconds[entrants.front()[i].name] = &outcome.seconds[i];
  if (options.between_nodes) return report_between_nodes(of, size, seconds, peers);
  return report(of, size, seconds, peers) && ok;
}

bool on_paper() {
  if (rank != 0) return true;
  const Paper paper = plan_on_paper();
  bool ok = line("redistribution on 10^6 processes: planning", paper.plan_milliseconds, 10, "ms");
  ok = line("redistribution on 10^6 processes: explain()", paper.explain_milliseconds, 10, "ms") && ok;
  return line("redistribution on 10^6 processes: the plan itself", 1e-6 * paper.plan_bytes, 10, "MB") && ok;
}

bool run_all(const std::vector<Peer>& peers, const Options& options) {
  std::mt19937 random(std::random_device{}());
  bool ok = true;
  for (const Index size : options.sizes) {
    for (const Case& of : cases(size, processes)) {
      if (std::find(options.letters.begin(), options.letters.end(), std::string(1, of.letter)) == options.letters.end())
        continue;
      say("\n" + title(of, size, of.what));
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      ok = run(of, peers, options, random, comm) && ok;
      MPI_Comm_free(&comm);
    }
  }
  if (options.between_nodes) return ok;
  ok = compare_memory_orders() && ok;
  return on_paper() && ok;
}

int bench_main(int argc, char** argv) {
  Options options;
  CLI::App app("Moves a matrix between distributions, and compares TriDAP with other libraries and with a copy");
  app.add_option("--sizes", options.sizes, "rows of the matrix")->delimiter(',')->check(CLI::PositiveNumber);
  app.add_option("--cases", options.letters, "a to e")->delimiter(',')->check(CLI::IsMember({"a", "b", "c", "d", "e"}));
  app.add_option("--peers", options.peers, "other libraries to measure")
      ->delimiter(',')
      ->check(CLI::IsMember({"alltoallw", "alltoallv", "scalapack", "tpetra", "ga", "none"}));
  app.add_option("--rounds", options.effort.rounds, "undisturbed ones, in each place")->check(CLI::PositiveNumber);
  app.add_option("--places", options.places, "places in memory, in each of which all rounds run")
      ->check(CLI::PositiveNumber);
  app.add_option("--most-rounds", options.effort.most_rounds, "largest number of rounds in each place")
      ->check(CLI::PositiveNumber);
  app.add_flag(
      "--between-nodes", options.between_nodes,
      "measures the move into ordinary memory against the better of the peers; nodes of one machine share its clock");
  app.add_flag("--disturbed", options.effort.disturbed, "also counts disturbed samples: only to try the program");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return rank == 0 ? app.exit(error) : error.get_exit_code();
  }
  std::vector<Peer> taking_part;
  std::vector<std::shared_ptr<void>> libraries;
  for (Peer& peer : peers()) {
    if (std::find(options.peers.begin(), options.peers.end(), peer.option) == options.peers.end()) continue;
    if (!peer.missing.empty()) {
      say(peer.name + " takes no part: " + peer.missing);
      continue;
    }
    if (peer.start != nullptr) libraries.push_back(peer.start(argc, argv));
    taking_part.push_back(std::move(peer));
  }
  return run_all(taking_part, options) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // line buffering, also through mpiexec
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  int status = 1;
  try {
    status = bench_main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
