#include <tridap/c/objects.hpp>
#include <tridap/c_array.hpp>
#include <tridap/check.hpp>
#include <tridap/internal/axis_texts.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/make.hpp>
#include <tridap/mpi/gather_distribution.hpp>
#include <tridap/padding.hpp>
#include <tridap/read.hpp>
#include <tridap/value.hpp>
#include <tridap/vocabularies.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <variant>

using namespace tridap;
using namespace tridap::c;

namespace {

// Makes a distribution without communication, over all processes of `comm`.
template <class Make>
int distributed(MPI_Comm comm, tridap_distribution* result, Make&& make) noexcept {
  Comm over;
  const int status = locally([&] { over = comm_of(comm); });
  if (status != TRIDAP_OK) return give<DistributionObject>(status, number_in(result), over, nullptr);
  return making<DistributionObject>(number_in(result), over, [&] {
    Distribution made = make(static_cast<Index>(over->processes()));
    if (made.processes() != over->processes())
      refuse("the grid has " + std::to_string(made.processes()) + " processes, but the communicator has " +
                 std::to_string(over->processes()),
             "must have as many", "pass a grid of as many processes", {}, Rule::grid_product);
    return std::make_shared<DistributionObject>(std::move(made), over);
  });
}

std::vector<AxisSpec> specs_of(const char* dist, int ndim) {
  std::vector<AxisSpec> specs;
  try {
    specs =
        axes_named(need(dist, "dist"), [](const std::string& path) { return file_text(path, "a JSON file of lists"); });
  } catch (const NotAnAxis& error) {
    refuse("dist is '" + std::string(dist) + "': '" + error.axis() + "' " + error.what(),
           "must be a text for each axis", "write for example 'b,c:2,*'");
  } catch (const NoLists& error) {
    refuse(error.what(), "must be a list of lists of integers", "write for example [[0, 2], [3, 1]]");
  }
  if (static_cast<int>(specs.size()) != ndim)
    refuse("dist is '" + std::string(dist) + "', of " + std::to_string(specs.size()) + " axes",
           "must have a text for each of the " + std::to_string(ndim) + " axes", "separate them by commas");
  return specs;
}

// Gives the padding that the options have to the block axes.
void set_padding(std::vector<AxisSpec>& specs, const std::vector<Index>& grid,
                 const tridap_distribute_options& options) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const Index width = options.paddings != nullptr ? options.paddings[i] : options.padding;
    const bool periodic = options.periodic != nullptr && options.periodic[i] != 0;
    auto* const block = std::get_if<BlockSpec>(&specs[i]);
    if (block == nullptr && width != 0 && options.paddings == nullptr && !periodic) continue;
    if (width == 0 && !periodic) continue;
    if (block == nullptr && std::holds_alternative<WholeSpec>(specs[i])) {
      specs[i] = BlockSpec{};
    } else if (block == nullptr) {
      refuse("the axis is not in blocks, but it is periodic or has padding of " + std::to_string(width),
             "must be 'b' or '*'", "pass 0 for it", static_cast<Index>(i));
    }
    auto& padded = std::get<BlockSpec>(specs[i]);
    padded.periodic = periodic;
    padded.padding = grid[i] > 1 ? width : 0;
    if (periodic || options.inner_only == 0) padded.edges = {width, width};
  }
}

std::vector<Index> grid_of(const int64_t* given, const std::vector<AxisSpec>& specs, Index processes) {
  if (given != nullptr) return list_of(given, static_cast<Index>(specs.size()), "grid");
  return default_grid(processes, specs);
}

void need_ndim(int ndim) {
  if (ndim < 0) refuse("ndim is " + std::to_string(ndim), "must be at least 0", "pass the number of axes");
}

template <class MakeAxis>
Distribution of_axes(const std::vector<Index>& shape, const std::vector<Index>& grid, MakeAxis&& make_axis) {
  std::vector<TranslatedAxis> axes;
  for (std::size_t i = 0; i < shape.size(); ++i)
    axes.push_back(make_axis(IndexBounds{0, shape[i] - 1}, grid[i], static_cast<Index>(i)));
  return translation(std::move(axes)).distribution;
}

// "(BLOCK, CYCLIC(2), *)" as {"BLOCK", "CYCLIC(2)", "*"}, without blanks and in upper case.
std::vector<std::string> hpf_formats(const char* text) {
  std::vector<std::string> formats(1);
  int depth = 0;
  std::string all = need(text, "distribute");
  all.erase(std::remove_if(all.begin(), all.end(), [](unsigned char c) { return std::isspace(c) != 0; }), all.end());
  if (all.size() >= 2 && all.front() == '(' && all.back() == ')') all = all.substr(1, all.size() - 2);
  for (const char c : all) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      formats.emplace_back();
    else
      formats.back() += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return formats;
}

// The numbers in brackets behind `name`; nullopt: the format is another one.
std::optional<std::vector<Index>> arguments_of(const std::string& format, const std::string& name) {
  if (format == name) return std::vector<Index>();
  if (format.rfind(name + "(", 0) != 0 || format.back() != ')') return std::nullopt;
  std::vector<Index> numbers;
  for (const std::string& part : split(format.substr(name.size() + 1, format.size() - name.size() - 2), ',')) {
    const std::optional<Index> number = integer_in(part);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

TranslatedAxis hpf_axis(const std::string& format, IndexBounds bounds, Index processors, Index axis) {
  if (format == "*") return hpf::collapsed(bounds, axis);
  const auto block = arguments_of(format, "BLOCK"), cyclic = arguments_of(format, "CYCLIC"),
             gen = arguments_of(format, "GEN_BLOCK");
  if (block && block->empty()) return hpf::block(bounds, processors, axis);
  if (block && block->size() == 1) return hpf::block_of(bounds, processors, block->front(), axis);
  if (cyclic && cyclic->size() <= 1)
    return hpf::cyclic(bounds, processors, cyclic->empty() ? 1 : cyclic->front(), axis);
  if (gen && !gen->empty()) return hpf::gen_block(bounds, *gen, axis);
  refuse("the format of the axis is '" + format + "'",
         "must be BLOCK, BLOCK(n), CYCLIC, CYCLIC(k), GEN_BLOCK(n1,n2,...) or *", "write for example '(BLOCK, *)'",
         axis);
}

AxisSpec spec_of_hpf(const std::string& format) {
  if (format == "*") return WholeSpec{};
  if (const auto gen = arguments_of(format, "GEN_BLOCK"); gen && !gen->empty()) {
    BlockSpec spec;
    spec.starts = std::vector<Index>(gen->size(), 0);  // only its length counts
    return spec;
  }
  return BlockSpec{};
}

// The object of a distribution that all processes describe by their parts. **Collective.**
std::shared_ptr<DistributionObject> gathered(DistArray part, const Comm& over, MPI_Comm comm) {
  part.buffer.type = element_type<unsigned char>();
  part.buffer.memory.kind = Memory::Kind::nowhere;
  part.buffer.strides = row_major_strides(part.buffer.shape, 1);
  return std::make_shared<DistributionObject>(mpi::gather_distribution(part, comm), over);
}

// The dimensions of a program, without memory of their own.
DimData dim_data_of(int ndim, const dap_dimension* given) {
  need_ndim(ndim);
  if (ndim > 0) need(given, "dim_data");
  static std::byte nowhere{};
  const std::vector<std::int64_t> one(static_cast<std::size_t>(ndim), 1), none(static_cast<std::size_t>(ndim), 0);
  dap_array array{};
  array.major = DAP_MAJOR;
  array.minor = DAP_MINOR;
  array.protocol_version = dap_text_of("0.10.0");
  array.buffer.data = &nowhere;
  array.buffer.ndim = array.dim_count = ndim;
  array.buffer.shape = one.data();
  array.buffer.strides = none.data();
  array.buffer.format = dap_text_of("B");
  array.buffer.device.type = DAP_DEVICE_HOST;
  array.dim_data = given;
  DimData read = from_c(CArray(&array)).dim_data;
  for (Dimension& dimension : read)
    if (auto* const lists = std::get_if<Unstructured>(&dimension.dist))
      if (auto numbers = read_indices(lists->indices)) lists->indices = IndexBuffer(std::move(*numbers));
  return read;
}

// The dimensions that a text in JSON describes.
DimData dim_data_in(const char* text) {
  const Value read = read_json(need(text, "dim_data"));
  const std::size_t axes = read.list_size().value_or(0);
  for (std::size_t i = 0; i < axes; ++i)
    if (const Value axis = read.element(i); axis.as<Value::Dict>() != nullptr && axis.as<Value::Dict>()->empty())
      refuse("the dictionary of the axis is empty", "must be written in full, because no memory says its extent",
             "write the dictionary with all its keys", static_cast<Index>(i));
  Buffer none;
  none.shape = IndexList(std::vector<Index>(axes, 0));
  ReadArray all = read_array(Value{std::string("0.10.0")}, read, std::move(none), Source::json);
  throw_if_wrong(std::move(all.report));
  return std::move(all.array.dim_data);
}

// The distribution of the dim_data that each process reads. **Collective.**
template <class Read>
int of_dim_data(const char* name, MPI_Comm comm, tridap_distribution* distribution, Read&& read) noexcept {
  Comm over;
  if (const int status = locally([&] { over = comm_of(comm); }); status != TRIDAP_OK)
    return give<DistributionObject>(status, number_in(distribution), over, nullptr);
  DistArray part;
  return making_together<DistributionObject>(
      name, number_in(distribution), over, {},
      [&] {
        part.dim_data = read();
        Report report;
        for (std::size_t i = 0; i < part.dim_data.size(); ++i)
          part.buffer.shape.push_back(check_dimension(part.dim_data[i], static_cast<Index>(i), report).value_or(0));
        throw_if_wrong(std::move(report));
      },
      [&](MPI_Comm caller) { return gathered(std::move(part), over, caller); });
}

}  // namespace

int tridap_distribute(int ndim, const int64_t* shape, const char* dist, MPI_Comm comm,
                      const tridap_distribute_options* options, tridap_distribution* distribution) {
  return distributed(comm, distribution, [&](Index processes) {
    need_ndim(ndim);
    const std::vector<Index> extents = list_of(shape, ndim, "shape");
    std::vector<AxisSpec> specs = specs_of(dist, ndim);
    const tridap_distribute_options given = options == nullptr ? tridap_distribute_options{} : *options;
    const std::vector<Index> grid = grid_of(given.grid, specs, processes);
    set_padding(specs, grid, given);
    return Distribution::make(extents, specs, grid);
  });
}

int tridap_distribution_of_desc(const int desc[9], int nprow, int npcol, tridap_order grid_order, MPI_Comm comm,
                                tridap_distribution* distribution) {
  return distributed(comm, distribution, [&](Index) {
    need(desc, "desc");
    if (desc[0] != 1)
      refuse("DTYPE_ of desc is " + std::to_string(desc[0]), "must be 1, that of a dense matrix",
             "make desc by DESCINIT");
    const scalapack::Descriptor of{desc[2], desc[3], desc[4], desc[5], desc[6], desc[7], desc[8]};
    const Translation found = scalapack::matrix(of, {nprow, npcol, order_of(grid_order)});
    if (!found.same_processes())
      refuse("the grid numbers its processes in column-major order", "must be row-major, as the array's processes are",
             "make the grid by BLACS_GRIDINIT with order 'R', or pass a communicator in the order of its rows");
    return found.distribution;
  });
}

int tridap_distribution_of_cart(int ndim, const int64_t* shape, int64_t width, MPI_Comm cart,
                                tridap_distribution* distribution) {
  return distributed(cart, distribution, [&](Index) {
    need_ndim(ndim);
    int topology = MPI_UNDEFINED, axes = 0;
    mpi::must_succeed(MPI_Topo_test(cart, &topology), "MPI_Topo_test");
    if (topology != MPI_CART)
      refuse("the communicator has no Cartesian topology", "must be one of MPI_Cart_create",
             "make it by MPI_Cart_create");
    mpi::must_succeed(MPI_Cartdim_get(cart, &axes), "MPI_Cartdim_get");
    if (axes != ndim)
      refuse("the grid of the communicator has " + std::to_string(axes) + " dimensions",
             "must have as many as the array, " + std::to_string(ndim),
             "pass one extent for each dimension of the grid");
    const auto count = static_cast<std::size_t>(axes);
    std::vector<int> dims(count), periods(count), coordinates(count);
    mpi::must_succeed(MPI_Cart_get(cart, axes, dims.data(), periods.data(), coordinates.data()), "MPI_Cart_get");
    const mpi_cart::Grid grid{{dims.begin(), dims.end()}, {periods.begin(), periods.end()}};
    return mpi_cart::block(list_of(shape, ndim, "shape"), grid, width).distribution;
  });
}

int tridap_distribution_of_hpf(int ndim, const int64_t* shape, const char* distribute, const int64_t* grid,
                               MPI_Comm comm, tridap_distribution* distribution) {
  return distributed(comm, distribution, [&](Index processes) {
    need_ndim(ndim);
    const std::vector<std::string> formats = hpf_formats(distribute);
    if (static_cast<int>(formats.size()) != ndim)
      refuse("'" + std::string(distribute) + "' has " + std::to_string(formats.size()) + " formats",
             "must have one for each of the " + std::to_string(ndim) + " axes", "separate them by commas");
    std::vector<AxisSpec> specs;
    for (const std::string& format : formats) specs.push_back(spec_of_hpf(format));
    return of_axes(list_of(shape, ndim, "shape"), grid_of(grid, specs, processes),
                   [&](IndexBounds bounds, Index processors, Index axis) {
                     return hpf_axis(formats[static_cast<std::size_t>(axis)], bounds, processors, axis);
                   });
  });
}

int tridap_distribution_of_chapel(int ndim, const int64_t* shape, const char* dist, int64_t fluff, MPI_Comm comm,
                                  tridap_distribution* distribution) {
  return distributed(comm, distribution, [&](Index processes) {
    need_ndim(ndim);
    const std::string name = need(dist, "dist");
    return of_axes(list_of(shape, ndim, "shape"), chapel::default_grid(ndim, processes),
                   [&](IndexBounds bounds, Index locales, Index axis) {
                     if (name == "blockDist") return chapel::block_dist(bounds, bounds, locales, axis);
                     if (name == "cyclicDist") return chapel::cyclic_dist(bounds, bounds.low, locales, axis);
                     if (name == "stencilDist")
                       return chapel::stencil_dist(bounds, bounds, fluff, false, locales, axis);
                     refuse("dist is '" + name + "'", "must be blockDist, cyclicDist or stencilDist",
                            "pass 'blockDist'");
                   });
  });
}

int tridap_distribution_of_lists(int64_t count, const int64_t* indices, MPI_Comm comm,
                                 tridap_distribution* distribution) {
  Comm over;
  if (const int status = locally([&] { over = comm_of(comm); }); status != TRIDAP_OK)
    return give<DistributionObject>(status, number_in(distribution), over, nullptr);
  std::vector<Index> listed;
  return making_together<DistributionObject>(
      "tridap_distribution_of_lists", number_in(distribution), over, {},
      [&] { listed = list_of(indices, count, "indices"); },
      [&](MPI_Comm caller) {
        const mpi::Call call(caller, "tridap_distribution_of_lists");
        std::vector<Index> size = {count};
        mpi::MpiCollectives(call.comm()).sum(size);
        DistArray part;
        Dimension dimension;
        dimension.size = size.front();
        dimension.proc_grid_size = over->processes();
        dimension.proc_grid_rank = mpi::rank_of(call.comm());
        dimension.dist = Unstructured{IndexBuffer(std::move(listed)), false};
        part.buffer.shape = {count};
        part.dim_data.push_back(std::move(dimension));
        return gathered(std::move(part), over, call.comm());
      });
}

int tridap_distribution_of_dim_data(int ndim, const dap_dimension* dim_data, MPI_Comm comm,
                                    tridap_distribution* distribution) {
  return of_dim_data("tridap_distribution_of_dim_data", comm, distribution,
                     [&] { return dim_data_of(ndim, dim_data); });
}

int tridap_distribution_of_dim_data_text(const char* dim_data, MPI_Comm comm, tridap_distribution* distribution) {
  return of_dim_data("tridap_distribution_of_dim_data_text", comm, distribution, [&] { return dim_data_in(dim_data); });
}

int tridap_interior_of(tridap_distribution of, tridap_distribution* interior) {
  return making<DistributionObject>(number_in(interior), communicator_of(of.number), [&] {
    const auto found = find<DistributionObject>(of.number);
    return std::make_shared<DistributionObject>(interior_of(*found->distribution), found->comm);
  });
}
