#include "support/options.hpp"

#include <tridap/report.hpp>

#include <CLI/CLI.hpp>

#include <cmath>
#include <iostream>

namespace examples {

namespace {

constexpr double largest_diffusion = 1e12;  // dt*D in m2; beyond, the matrix is singular in double precision

CLI::Validator positive() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && value > 0 && std::isfinite(value)) return "";
        return "'" + text + "' must be a positive number";
      },
      "POSITIVE");
}

std::array<int, 2> parse_grid(const std::string& text) {
  const std::size_t x = text.find('x');
  std::array<int, 2> grid{};
  const bool good = x != std::string::npos && CLI::detail::lexical_cast(text.substr(0, x), grid[0]) &&
                    CLI::detail::lexical_cast(text.substr(x + 1), grid[1]) && grid[0] > 0 && grid[1] > 0;
  if (!good) throw CLI::ValidationError("--grid", "'" + text + "' must be two positive numbers, such as 2x3");
  return grid;
}

// Reads the command line and then calls `check`. Returns whether the program continues.
template <class Check>
bool parse(CLI::App& app, int argc, char** argv, bool speaks, int& status, Check&& check) {
  status = 0;
  try {
    app.parse(argc, argv);
    check();
    return true;
  } catch (const CLI::CallForHelp&) {
    if (speaks) std::cout << app.help();
  } catch (const CLI::ParseError& error) {
    if (speaks) std::cerr << app.get_name() << ": " << error.what() << " (--help lists the options)" << std::endl;
    status = 2;
  }
  return false;
}

void add_progress(CLI::App& app, bool& progress) {
  app.add_flag("--progress", progress, "print a line for each step (./dev sets this on a terminal)");
}

}  // namespace

bool read_options(int argc, char** argv, const std::string& what, const std::vector<Option>& options, bool& progress,
                  bool speaks, int& status) {
  CLI::App app(what);
  for (const Option& option : options) {
    if (int* const* number = std::get_if<int*>(&option.value))
      app.add_option(option.name, **number, option.help)->check(positive())->capture_default_str();
    else
      app.add_option(option.name, *std::get<std::string*>(option.value), option.help)->capture_default_str();
  }
  add_progress(app, progress);
  return parse(app, argc, argv, speaks, status, [] {});
}

std::optional<Options> read_options(int argc, char** argv, bool speaks, int& status) {
  Options options;
  options.elevation = std::string(EXAMPLES_DATA_DIR) + "/jacksboro.asc";
  std::string grid;
  CLI::App app("Implicit steps of hillslope diffusion, solved by Trilinos in the memory of the field.");
  app.add_option("--elevation", options.elevation, "elevation model, an ESRI ASCII grid in metres")
      ->capture_default_str();
  app.add_option("--steps", options.steps, "number of time steps")->check(positive())->capture_default_str();
  app.add_option("--dt", options.dt, "length of a step, years")->check(positive())->capture_default_str();
  app.add_option("--diffusivity", options.diffusivity, "D, m2/year")->check(positive())->capture_default_str();
  app.add_option("--grid", grid, "process grid, rows x columns, such as 2x3 (default: the grid of MPI_Dims_create)");
  app.add_option("--output", options.output, "picture of the field before | after, PNG")->capture_default_str();
  add_progress(app, options.progress);
  app.add_option("--save", options.save, "write the final field to this ESRI ASCII grid");
  const auto check = [&] {
    if (!grid.empty()) options.grid = parse_grid(grid);
    if (options.dt * options.diffusivity > largest_diffusion)
      throw CLI::ValidationError("--dt", "times --diffusivity is more than 1e12 m2: the whole terrain would be flat");
  };
  if (!parse(app, argc, argv, speaks, status, check)) return std::nullopt;
  return options;
}

GridPlace process_grid(const Options& options, MPI_Comm comm) {
  int rank = 0, processes = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &processes);
  int dims[2] = {0, 0};
  if (options.grid) {
    dims[0] = (*options.grid)[0];
    dims[1] = (*options.grid)[1];
    if (static_cast<long long>(dims[0]) * dims[1] != processes)
      throw tridap::Error(tridap::Finding{tridap::Rule::grid_product,
                                          {},
                                          {},
                                          "--grid",
                                          std::to_string(dims[0]) + "x" + std::to_string(dims[1]),
                                          "but there are " + std::to_string(processes) + " processes",
                                          "give two numbers that multiply to " + std::to_string(processes)});
  } else {
    MPI_Dims_create(processes, 2, dims);
  }
  return {dims[0], dims[1], rank / dims[1], rank % dims[1]};
}

}  // namespace examples
