#include "arrays.hpp"

#include "known.hpp"
#include <tridap/check.hpp>
#include <tridap/memory_order.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace tridap::redistribute {

namespace {

class Checker {
 public:
  Checker(const PlacedDistribution& placed, Index process, const char* side, Report& report)
      : of_(placed.distribution), process_(process), side_(std::string("the ") + side), report_(report) {}

  void check(const DistArray& array, Index bytes, bool written) {
    if (add(tridap::check(array.buffer))) return;
    shape(array.buffer);
    if (!array.dim_data.empty()) dimensions(array);
    const Buffer& buffer = array.buffer;
    if (bytes != 0 && buffer.type.bytes != bytes)
      say(side_ + "'s elements have " + std::to_string(buffer.type.bytes) + " bytes",
          "must have " + std::to_string(bytes) + " bytes, as in the plan", "make a plan with this element_bytes");
    if (buffer.memory.kind != Memory::Kind::host)
      say(side_ + " is in " + buffer.memory.name() + " memory", "must be in host memory", "copy it to host memory");
    if (written && buffer.read_only) say(side_ + " is read-only", "must be writable", "pass a writable array");
    if (written && !memory_order(buffer).is_unique)
      say(side_ + "'s elements may share memory", "must not, because they are written",
          "pass an array whose elements do not overlap");
  }

 private:
  bool add(const Report& found) {
    report_.merge(found);
    return !found.ok();
  }
  void say(std::string fault, std::string must, std::string remedy, std::optional<Index> axis = {}) {
    report_.add({Rule::conversion, {}, axis, "", std::move(fault), std::move(must), std::move(remedy)});
  }

  void shape(const Buffer& buffer) {
    const std::vector<Index> wanted = of_.local_shape(process_);
    if (buffer.ndim() != of_.ndim())
      return say(side_ + " has " + std::to_string(buffer.ndim()) + " axes",
                 "must have " + std::to_string(of_.ndim()) + ", as in the plan",
                 "pass this process's part of the array for which the plan was made");
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (buffer.shape[i] != wanted[i])
        say(side_ + "'s extent is " + std::to_string(buffer.shape[i]),
            "must be " + std::to_string(wanted[i]) + ", the elements that this process holds with padding",
            "pass this process's whole part of the array", static_cast<Index>(i));
  }

  // What dim_data says must be what the plan was made for; 0.9 says padded blocks in its own way: their extents tell.
  void dimensions(const DistArray& array) {
    if (array.ndim() != of_.ndim()) return;  // the buffer's axes have said so
    const Indices at = of_.coordinates(process_);
    Report unsaid;  // check() says it
    const bool older = read_version(array.version, unsaid) == Version::v0_9;
    for (Index i = 0; i < of_.ndim(); ++i) {
      const Axis& axis = of_.axis(i);
      const Dimension& said = array.dim_data[static_cast<std::size_t>(i)];
      const Index c = at[static_cast<std::size_t>(i)];
      const auto expect = [&](const char* key, Index value, Index wanted) {
        if (value != wanted)
          report_.add({Rule::conversion,
                       {},
                       i,
                       key,
                       std::to_string(value) + " in " + side_ + "'s dim_data",
                       "must be the plan's, " + std::to_string(wanted),
                       "make a plan for this array"});
      };
      if (said.dist_type() != axis.dist_type() || older) continue;  // spelled otherwise
      expect("size", said.size, axis.size());
      expect("proc_grid_size", said.proc_grid_size, axis.proc_grid_size());
      expect("proc_grid_rank", said.proc_grid_rank, c);
      if (axis.part(c, Part::local).size() == 0) continue;
      if (const auto* block = std::get_if<Block>(&said.dist)) expect("start", block->start, axis.global_index(c, 0));
      if (const auto* cyclic = std::get_if<Cyclic>(&said.dist)) {
        expect("start", cyclic->start, std::get<CyclicKind>(axis.kind()).start(c));
        expect("block_size", cyclic->block_size, std::get<CyclicKind>(axis.kind()).block_size());
      }
      if (const auto* listed = std::get_if<Unstructured>(&said.dist)) {
        const std::optional<std::vector<Index>> indices = read_indices(listed->indices);
        if (indices && *indices != std::get<UnstructuredKind>(axis.kind()).list(c))
          report_.add({Rule::conversion,
                       {},
                       i,
                       "indices",
                       "a list in " + side_ + "'s dim_data that is not the plan's",
                       "must be the same list as in the plan",
                       "make a plan for this array"});
      }
    }
  }

  const Distribution& of_;
  Index process_;
  std::string side_;
  Report& report_;
};

}  // namespace

Report check_source(const PlanData& parts, const DistArray& source) {
  Report report;
  if (parts.out.process)
    Checker(parts.source, *parts.out.process, "source", report).check(source, parts.element_bytes, false);
  return report;
}

Report check_move(const PlanData& parts, const DistArray& source, const DistArray& target, bool convert) {
  Report report = check_source(parts, source);
  if (parts.in.process)
    Checker(parts.target, *parts.in.process, "target", report).check(target, convert ? 0 : parts.element_bytes, true);
  if (report.ok() && parts.out.process && parts.in.process &&
      KnownArray(source).meets(source, KnownArray(target), target))
    report.add({Rule::conversion,
                {},
                {},
                "",
                "the source and the target share memory",
                "must not overlap",
                "pass a target with its own memory"});
  return report;
}

}  // namespace tridap::redistribute
