#include "foreign_step.hpp"

#include <tridap/internal/typed.hpp>
#include <tridap/text.hpp>

#include <cmath>
#include <new>
#include <utility>

namespace tridap::solvers {

constexpr std::size_t longest = 400;  // of a foreign library's words

MPI_Comm comm_of(const Tpetra::Map<>& map) { return tridap::tpetra::Communicator(map.getComm()).raw(); }

std::string words(const std::string& what) {
  std::string said = what;
  const std::string test = "Throw test that evaluated to true:";
  if (const auto at = said.rfind(test); at != std::string::npos)
    if (const auto end = said.find("\n\n", at); end != std::string::npos) said.erase(0, end);
  const std::string number = "Throw number = ";  // differs between processes
  if (const auto at = said.find(number); at != std::string::npos)
    said.erase(at, said.find_first_not_of("0123456789", at + number.size()) - at);
  std::string line;  // in one line
  for (const char c : said) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  if (line.size() > longest) line = line.substr(0, longest) + "...";
  return line;
}

void foreign_step(MPI_Comm comm, const std::string& doing, const std::string& remedy, const std::function<void()>& step,
                  const std::function<void()>& explain) {
  std::string message;
  int failures = 0;
  try {
    step();
  } catch (const Error&) {
    throw;  // of all processes: agreed within the step
  } catch (const std::bad_alloc&) {
    throw;  // Call::run ends the job
  } catch (const std::exception& error) {
    failures = 1;
    message = words(error.what());
  } catch (...) {
    failures = 1;
    message = "an exception of unknown type";
  }
  const bool failed = failures != 0;
  failures = mpi::reduced(failures, MPI_SUM, comm);
  if (failures == 0) return;
  if (failures < mpi::processes_of(comm))
    mpi::collectively(comm, [&] {
      if (failed) refuse(doing + ": " + message, "", remedy);
    });
  if (explain) explain();
  message.resize(longest + 3);  // all failed: the first process's message is that of all
  mpi::broadcast(message.data(), static_cast<Index>(message.size()), 0, comm);
  refuse(doing + ": " + message.c_str(), "", remedy);
}

void need_the_same(const mpi::Call& call, const std::string& what) {
  if (!call.is_same(0)) refuse("the processes have different " + what, "", "give every process the same " + what);
}

void check_vectors(const MultiVector& vectors, const Tpetra::Map<>& map, const char* name) {
  if (!vectors.getMap()->locallySameAs(map))
    refuse(std::string(name) + " is not distributed as the matrix rows are", "must be on the map of the matrix",
           "make it with the distribution of the rows");
  const auto values = vectors.getLocalViewHost(Tpetra::Access::ReadOnly);
  const bool several = values.extent(1) > 1;
  for (std::size_t j = 0; j < values.extent(1); ++j)
    for (std::size_t i = 0; i < values.extent(0); ++i)
      if (!std::isfinite(values(i, j)))
        refuse("local element " + std::to_string(i) + (several ? " of vector " + std::to_string(j) : "") + " of " +
                   name + " is " + number_text(values(i, j)),
               "must be finite", "give it a finite value");
}

void check_apart(const MultiVector& b, const MultiVector& x) {
  const auto of_b = b.getLocalViewHost(Tpetra::Access::ReadOnly), of_x = x.getLocalViewHost(Tpetra::Access::ReadOnly);
  const std::size_t rows = of_b.extent(0);
  const std::less<const double*> before;
  for (std::size_t i = 0; rows > 0 && i < of_b.extent(1); ++i)
    for (std::size_t j = 0; j < of_x.extent(1); ++j)
      if (before(&of_b(0, i), &of_x(0, j) + rows) && before(&of_x(0, j), &of_b(0, i) + rows))
        refuse("x shares memory with b", "must have its own memory", "copy b");
}

std::vector<double> check_scales(const MultiVector& b, const MultiVector& x, double tol, double atol) {
  if (b.getNumVectors() != x.getNumVectors())
    refuse("x has " + std::to_string(x.getNumVectors()) + " vectors, b has " + std::to_string(b.getNumVectors()),
           "must be as many", "give x one vector for each right-hand side");
  for (const auto& [name, value] : {std::pair{"tol", tol}, std::pair{"atol", atol}})
    if (!(value >= 0) || !std::isfinite(value))
      refuse(name + (" is " + number_text(value)), "must be a finite number >= 0", "give one such as 1e-8");
  std::vector<double> scales(b.getNumVectors());
  if (!scales.empty()) b.norm2(Teuchos::arrayViewFromVector(scales));
  for (const double scale : scales)
    if (!std::isfinite(scale)) refuse("|b| is " + number_text(scale), "must be finite", "scale b down");
  return scales;
}

}  // namespace tridap::solvers
