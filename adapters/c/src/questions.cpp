#include <tridap/c/objects.hpp>
#include <tridap/compare.hpp>
#include <tridap/interface.h>
#include <tridap/internal/axis_texts.hpp>
#include <tridap/read.hpp>

#include <algorithm>
#include <string>

using namespace tridap;
using namespace tridap::c;

namespace {

// Runs a question about a distribution.
template <class Ask>
int ask(tridap_distribution of, Ask&& answer) noexcept {
  return locally([&] {
    const std::shared_ptr<Object> found = find(Kind::distribution, of.number);
    answer(static_cast<const DistributionObject&>(*found));
  });
}

// The same for a question that takes nanoseconds.
template <class Ask>
int ask_quickly(tridap_distribution of, Ask&& answer) noexcept {
  return locally([&] {
    const Held held(Kind::distribution, of.number);
    answer(static_cast<const DistributionObject&>(held.object()));
  });
}

void copy(const std::vector<Index>& from, int64_t* to, const char* name) {
  if (!from.empty()) std::copy(from.begin(), from.end(), need(to, name));
}

// The global index of an axis.
Index global_of(const Distribution& distribution, Index at, Index axis) {
  const Axis& of = distribution.axis(axis);
  if (of.unstructured() == nullptr && (at < 0 || at >= of.size()))  // those of lists may be any
    refuse("the global index is " + std::to_string(at), "must be at least 0 and less than " + std::to_string(of.size()),
           "pass an index of the whole array", axis);
  return at;
}

}  // namespace

int tridap_ndim(tridap_distribution distribution, int* ndim) {
  return ask(distribution,
             [&](const DistributionObject& of) { *need(ndim, "ndim") = static_cast<int>(of.distribution->ndim()); });
}

int tridap_shape(tridap_distribution distribution, int64_t* shape) {
  return ask(distribution, [&](const DistributionObject& of) { copy(of.distribution->shape(), shape, "shape"); });
}

int tridap_grid(tridap_distribution distribution, int64_t* grid) {
  return ask(distribution,
             [&](const DistributionObject& of) { copy(of.distribution->proc_grid_shape(), grid, "grid"); });
}

int tridap_processes(tridap_distribution distribution, int64_t* processes) {
  return ask(distribution,
             [&](const DistributionObject& of) { *need(processes, "processes") = of.distribution->processes(); });
}

int tridap_coordinates(tridap_distribution distribution, int64_t process, int64_t* coordinates) {
  return ask(distribution, [&](const DistributionObject& of) {
    copy(of.distribution->coordinates(process_of(of, process)), coordinates, "coordinates");
  });
}

int tridap_local_shape(tridap_distribution distribution, int64_t process, int64_t* extents) {
  return ask(distribution, [&](const DistributionObject& of) {
    copy(of.distribution->local_shape(process_of(of, process)), extents, "extents");
  });
}

int tridap_count(tridap_distribution distribution, int64_t process, tridap_part part, int64_t* count) {
  return ask_quickly(distribution, [&](const DistributionObject& of) {
    *need(count, "count") = of.distribution->count(process_of(of, process), part_of(part));
  });
}

int tridap_bounds(tridap_distribution distribution, int64_t process, tridap_part part, int64_t* begin, int64_t* end) {
  return ask_quickly(distribution, [&](const DistributionObject& of) {
    const std::vector<Range> ranges = of.distribution->part(process_of(of, process), part_of(part));
    if (ranges.empty()) return;
    need(begin, "begin");
    need(end, "end");
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      begin[i] = ranges[i].begin;
      end[i] = ranges[i].end;
    }
  });
}

namespace {

// Indices of the program, which begin at `base`; of C, `count` is not known.
struct Given {
  const int64_t* at;
  Index base = 0;
  std::optional<Index> count = {};

  Index operator[](Index axis) const { return at[axis] - base; }
  void need_all(const Distribution& of, const char* name) const {
    if (of.ndim() > 0) need(at, name);
    if (count && *count != of.ndim())
      refuse(std::string(name) + " has " + std::to_string(*count) + " indices", "must have one for each axis",
             "pass one for each axis");
  }
};

// These look at one axis after the other, and allocate nothing.

int owner_of(tridap_distribution distribution, const Given& global, int64_t* process) noexcept {
  return ask_quickly(distribution, [&](const DistributionObject& of) {
    const Distribution& whole = *of.distribution;
    global.need_all(whole, "global");
    Index owner = 0;
    for (Index i = 0; i < whole.ndim(); ++i) {
      const Axis& axis = whole.axis(i);
      const std::optional<Index> coordinate = axis.owner(global_of(whole, global[i], i));
      owner = coordinate && owner >= 0 ? owner * axis.proc_grid_size() + *coordinate : -1;
    }
    *need(process, "process") = owner;
  });
}

int local_index_of(tridap_distribution distribution, int64_t process, const Given& global, tridap_part part,
                   int64_t* local, int* held) noexcept {
  return ask_quickly(distribution, [&](const DistributionObject& of) {
    const Distribution& whole = *of.distribution;
    const Part within = part_of(part);
    Index at = process_of(of, process);
    global.need_all(whole, "global");
    if (whole.ndim() > 0) need(local, "local");
    bool all = true;
    for (Index i = whole.ndim() - 1; i >= 0; --i) {
      const Axis& axis = whole.axis(i);
      const std::optional<Index> found =
          axis.local_index(at % axis.proc_grid_size(), global_of(whole, global[i], i), within);
      at /= axis.proc_grid_size();
      if (found) local[i] = *found + global.base;
      all = all && found;
    }
    *need(held, "held") = all ? 1 : 0;
  });
}

int global_index_of(tridap_distribution distribution, int64_t process, const Given& local, int64_t* global) noexcept {
  return ask_quickly(distribution, [&](const DistributionObject& of) {
    const Distribution& whole = *of.distribution;
    Index at = process_of(of, process);
    local.need_all(whole, "local");
    if (whole.ndim() > 0) need(global, "global");
    for (Index i = whole.ndim() - 1; i >= 0; --i) {
      const Axis& axis = whole.axis(i);
      const Index coordinate = at % axis.proc_grid_size(), extent = axis.part(coordinate, Part::local).size();
      at /= axis.proc_grid_size();
      if (local[i] < 0 || local[i] >= extent)
        refuse("the local index is " + std::to_string(local[i]),
               "must be at least 0 and less than the local extent " + std::to_string(extent),
               "pass an index of this process's memory", i);
      global[i] = axis.global_index(coordinate, local[i]) + local.base;
    }
  });
}

}  // namespace

int tridap_owner(tridap_distribution distribution, const int64_t* global, int64_t* process) {
  return owner_of(distribution, {global}, process);
}

int tridap_local_index(tridap_distribution distribution, int64_t process, const int64_t* global, tridap_part part,
                       int64_t* local, int* held) {
  return local_index_of(distribution, process, {global}, part, local, held);
}

int tridap_global_index(tridap_distribution distribution, int64_t process, const int64_t* local, int64_t* global) {
  return global_index_of(distribution, process, {local}, global);
}

int tridap_owner_from_1(tridap_distribution distribution, int64_t count, const int64_t* global, int64_t* process) {
  return owner_of(distribution, {global, 1, count}, process);
}

int tridap_local_index_from_1(tridap_distribution distribution, int64_t process, int64_t count, const int64_t* global,
                              tridap_part part, int64_t* local, int* held) {
  return local_index_of(distribution, process, {global, 1, count}, part, local, held);
}

int tridap_global_index_from_1(tridap_distribution distribution, int64_t process, int64_t count, const int64_t* local,
                               int64_t* global) {
  return global_index_of(distribution, process, {local, 1, count}, global);
}

int tridap_equal(tridap_distribution a, tridap_distribution b, int* equal) {
  return ask(a, [&](const DistributionObject& of) {
    const auto other = find<DistributionObject>(b.number);
    const Comparison compared = compare(*of.distribution, *other->distribution);
    *need(equal, "equal") = compared.same_owners && compared.same_places ? 1 : 0;
  });
}

int tridap_dist_text(tridap_distribution distribution, char* text, size_t size, size_t* length) {
  return ask(distribution, [&](const DistributionObject& of) {
    std::string all;
    for (Index i = 0; i < of.distribution->ndim(); ++i) {
      const std::optional<std::string> axis = axis_text(of.distribution->axis(i));
      if (!axis)
        refuse("the axis is " + describe(of.distribution->axis(i)), "must not have lists, to be a text",
               "describe it by tridap_describe, or by its dim_data", i);
      all += (i > 0 ? "," : "") + *axis;
    }
    write_text(all, text, size, length);
  });
}

int tridap_describe(tridap_distribution distribution, char* text, size_t size, size_t* length) {
  return ask(distribution,
             [&](const DistributionObject& of) { write_text(describe(*of.distribution), text, size, length); });
}

int tridap_dim_data_text(tridap_distribution distribution, int64_t process, char* text, size_t size, size_t* length) {
  return ask(distribution, [&](const DistributionObject& of) {
    std::string all = "[";
    for (const Dimension& dimension : of.distribution->dim_data(process_of(of, process)))
      all += (all.size() > 1 ? ", " : "") + to_value(dimension).json();
    write_text(all + "]", text, size, length);
  });
}
