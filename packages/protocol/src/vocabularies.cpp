#include "axis_translator.hpp"
#include "cyclic.hpp"
#include <tridap/vocabularies.hpp>

#include <algorithm>

namespace tridap {

bool Translation::same_processes() const {
  if (process_order == Order::row_major) return true;
  const std::vector<Index> grid = distribution.proc_grid_shape();
  return std::count_if(grid.begin(), grid.end(), [](Index extent) { return extent > 1; }) < 2;
}

Index Translation::foreign_process(Index process) const {
  if (process_order == Order::row_major) return process;
  const Indices at = distribution.coordinates(process);
  Index foreign = 0;
  for (std::size_t i = at.size(); i-- > 0;)
    foreign = foreign * distribution.axis(static_cast<Index>(i)).proc_grid_size() + at[i];
  return foreign;
}

Index Translation::process(Index foreign) const {
  if (process_order == Order::row_major) return foreign;
  Indices at;
  for (const Index extent : distribution.proc_grid_shape()) {
    at.push_back(foreign % extent);
    foreign /= extent;
  }
  return distribution.process(at);
}

Indices Translation::allocated_shape(Index process) const {
  Indices shape = distribution.local_shape(process);
  const Indices at = distribution.coordinates(process);
  for (std::size_t i = 0; i < allocated.size(); ++i)
    if (allocated[i]) shape[i] = allocated[i](at[i]);
  return shape;
}

Indices Translation::strides(Index process) const {
  Indices extents = allocated_shape(process);
  if (leading_dimension) extents.front() = *leading_dimension;
  Indices strides(extents.size(), 1);
  Index stride = 1;
  const auto place = [&](std::size_t i) {
    strides[i] = stride;
    const auto next = checked_multiply(stride, std::max<Index>(extents[i], 1));
    if (!next)
      throw Error({Rule::conversion,
                   process,
                   {},
                   "",
                   "the number of elements of the local storage does not fit 64 bits",
                   "",
                   ""});
    stride = *next;
  };
  if (storage_order == Order::column_major)
    for (std::size_t i = 0; i < extents.size(); ++i) place(i);
  else
    for (std::size_t i = extents.size(); i-- > 0;) place(i);
  return strides;
}

Translation translation(std::vector<TranslatedAxis> axes, Order process_order, Order storage_order) {
  std::vector<Axis> made;
  std::vector<Index> bases;
  std::vector<std::string> losses;
  std::vector<std::function<Index(Index)>> allocated;
  for (TranslatedAxis& axis : axes) {
    if (axis.index_base != 0)
      losses.push_back("axis " + std::to_string(static_cast<Index>(made.size())) + " begins at index " +
                       std::to_string(axis.index_base) + " there, and at 0 here");
    losses.insert(losses.end(), axis.losses.begin(), axis.losses.end());
    bases.push_back(axis.index_base);
    allocated.push_back(std::move(axis.allocated));
    made.push_back(std::move(axis.axis));
  }
  Translation joined{Distribution(std::move(made)), std::move(bases), process_order, storage_order, {}, {},
                     std::move(allocated)};
  if (!joined.same_processes()) losses.push_back("processes are numbered column-major there, and row-major here");
  joined.losses = std::move(losses);
  return joined;
}

namespace hpf {

namespace {

TranslatedAxis blocks(IndexBounds array, Index processors, std::optional<Index> n, Index axis) {
  AxisTranslator translator(axis);
  const Index size = translator.size(array, "high");
  const Index length = translator.block_length(size, processors, n, "n");
  return translator.make(size, tridap::block(length), processors, array.low);
}

// The whole array must be within its template.
void lies_within(AxisTranslator& translator, Index size, Index offset, const Template& with) {
  translator.at_least(Rule::size, "template size", with.size, 0);
  translator.at_least(Rule::grid_size, "proc_grid_size", with.processors, 1);
  if (offset < 0 || (with.size >= 0 && (size > with.size || offset > with.size - size)))
    translator.wrong(
        Rule::conversion, "offset", offset,
        "but the array's size " + std::to_string(size) + " must lie within the template's " + std::to_string(with.size),
        "give a longer template, or another offset");
}

}  // namespace

TranslatedAxis block(IndexBounds array, Index processors, Index axis) { return blocks(array, processors, {}, axis); }

TranslatedAxis block_of(IndexBounds array, Index processors, Index n, Index axis) {
  return blocks(array, processors, n, axis);
}

TranslatedAxis cyclic(IndexBounds array, Index processors, Index k, Index axis) {
  AxisTranslator translator(axis);
  const Index size = translator.size(array, "high");
  return translator.make(size, tridap::cyclic(k), processors, array.low);
}

TranslatedAxis collapsed(IndexBounds array, Index axis) {
  AxisTranslator translator(axis);
  const Index size = translator.size(array, "high");
  return translator.make(size, whole(), 1, array.low);
}

TranslatedAxis align_block(IndexBounds array, Index offset, const Template& with, Index axis) {
  AxisTranslator translator(axis);
  const Index size = translator.size(array, "high");
  lies_within(translator, size, offset, with);
  translator.check();
  const Index length = translator.block_length(with.size, with.processors, with.length, "length");
  if (offset == 0) return translator.make(size, tridap::block(length), with.processors, array.low);
  translator.listed("proc_grid_size", with.processors, "align with offset 0");
  translator.check();
  std::vector<Index> starts;
  for (Index c = 0; c < with.processors; ++c) {
    const Index begin = checked_multiply(c, length).value_or(with.size);  // of the template's block
    starts.push_back(std::clamp<Index>(begin - offset, 0, size));
  }
  return translator.make(size, block_at(std::move(starts)), with.processors, array.low);
}

TranslatedAxis align_cyclic(IndexBounds array, Index offset, const Template& with, Index axis) {
  AxisTranslator translator(axis);
  const Index size = translator.size(array, "high"), k = with.length.value_or(1);
  lies_within(translator, size, offset, with);
  translator.at_least(Rule::cyclic_block_size, "length", k, 1);
  translator.check();
  std::vector<std::string> losses;
  AxisSpec spec = translator.round_robin(size, with.processors, k, offset / k % with.processors, offset % k, losses);
  return translator.make(size, std::move(spec), with.processors, array.low, std::move(losses));
}

}  // namespace hpf

namespace scalapack {

namespace {

// The names of the arguments in messages.
struct Keys {
  const char *size, *block, *grid, *source;
};

void check_arguments(AxisTranslator& translator, Index n, Index nb, Index nprocs, Index src, const Keys& keys) {
  translator.at_least(Rule::size, keys.size, n, 0);
  translator.at_least(Rule::cyclic_block_size, keys.block, nb, 1);
  translator.at_least(Rule::grid_size, keys.grid, nprocs, 1);
  translator.coordinate(keys.source, src, nprocs);
}

TranslatedAxis round_robin(Index n, Index nb, Index nprocs, Index src, const Keys& keys, Index axis) {
  AxisTranslator translator(axis);
  check_arguments(translator, n, nb, nprocs, src, keys);
  return translator.make(n, cyclic(nb, src), nprocs, 1);
}

}  // namespace

Index loc(Index n, Index nb, Index iproc, Index isrcproc, Index nprocs) {
  AxisTranslator translator(0);
  check_arguments(translator, n, nb, nprocs, isrcproc, {"n", "nb", "nprocs", "isrcproc"});
  translator.coordinate("iproc", iproc, nprocs);
  translator.check();
  return cyclic_count(n, nprocs, nb, iproc < isrcproc ? iproc - isrcproc + nprocs : iproc - isrcproc);
}

Index least_lld(const Descriptor& descriptor, Index nprow, Index myrow) {
  return std::max<Index>(1, loc(descriptor.m, descriptor.mb, myrow, descriptor.rsrc, nprow));
}

TranslatedAxis block_cyclic(Index n, Index nb, Index nprocs, Index src, Index axis) {
  return round_robin(n, nb, nprocs, src, {"n", "nb", "nprocs", "src"}, axis);
}

TranslatedAxis block(Index n, Index nb, Index nprocs, Index src, Index axis) {
  AxisTranslator translator(axis);
  translator.block_length(n, nprocs, nb, "nb");
  translator.coordinate("src", src, nprocs);
  return translator.make(n, src == 0 ? AxisSpec(tridap::block(nb)) : AxisSpec(cyclic(nb, src)), nprocs, 1);
}

Translation matrix(const Descriptor& d, const Grid& grid) {
  const auto axis = [&](std::size_t i) {
    return i == 0 ? round_robin(d.m, d.mb, grid.nprow, d.rsrc, {"M", "MB", "NPROW", "RSRC"}, 0)
                  : round_robin(d.n, d.nb, grid.npcol, d.csrc, {"N", "NB", "NPCOL", "CSRC"}, 1);
  };
  Translation made = translation(every_axis(2, axis), grid.order, Order::column_major);
  if (d.lld) {
    AxisTranslator translator(0);
    translator.at_least(Rule::shape_extent, "LLD", *d.lld, least_lld(d, grid.nprow, d.rsrc));
    translator.check();
    made.leading_dimension = d.lld;
  }
  return made;
}

}  // namespace scalapack

namespace essl {

TranslatedAxis block(Index m, Index p, Index axis) {
  AxisTranslator translator(axis);
  const Index length = translator.block_length(m, p, {}, "L");
  return translator.make(m, tridap::block(length), p, 0);
}

TranslatedAxis cyclic(Index m, Index p, Index axis) { return block_cyclic(m, 1, p, axis); }

TranslatedAxis block_cyclic(Index m, Index r, Index p, Index axis) {
  return AxisTranslator(axis).make(m, tridap::cyclic(r), p, 0);
}

Translation matrix(Index m, Index n, Index r, Index s, Index p, Index q) {
  return translation(
      every_axis(2, [&](std::size_t i) { return i == 0 ? block_cyclic(m, r, p, 0) : block_cyclic(n, s, q, 1); }),
      Order::row_major, Order::column_major);
}

}  // namespace essl

}  // namespace tridap
