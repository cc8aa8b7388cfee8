#include <dap/report.hpp>

#include <array>

namespace dap {

namespace {

constexpr Severity error = Severity::error, warning = Severity::warning;

// In the order of Rule. Where the protocol is silent or contradicts itself, the decision stands here.
constexpr std::array<RuleText, rule_count> texts = {{
    {"version.form", error, "a version is three ASCII numbers joined by dots", "write it as 0.10.0"},
    {"version.read", error, "0.10 is read; the patch number is ignored", "export the array as 0.10.0"},
    {"buffer.layout", error,
     "a buffer has one extent and one stride for each axis, no extent is negative, and its span fits 64 bits",
     "describe the buffer as PEP 3118 does: extents in elements, strides in bytes"},
    {"buffer.data", error, "a buffer that holds elements has an address", "give the address of element (0, ..., 0)"},
    {"buffer.type", error, "an element has a length of at least one byte",
     "give the element type that the buffer holds"},
    {"shape.ndim", error, "the buffer has one axis for each dimension dictionary",
     "reshape the buffer, or correct dim_data"},
    {"shape.extent", error, "the buffer's extent is what the dimension holds locally",
     "export the part of memory that dim_data describes"},
    {"size", error, "'size' is at least 0", "give the global extent of the axis in elements"},
    {"grid.size", error, "'proc_grid_size' is at least 1", "give the number of processes along the axis"},
    {"grid.rank", error, "'proc_grid_rank' is at least 0 and less than 'proc_grid_size'",
     "give this process's place along the axis, counted from 0"},
    {"grid.product", error, "the product of all 'proc_grid_size' is the number of processes",
     "use a communicator of as many processes as the grid has"},
    {"grid.order", error, "the process rank is the row-major ravel of the grid coordinates",
     "order the communicator as the grid (MPI_Comm_split with the ravel as key)"},
    {"block.bounds", error, "0 <= 'start' <= 'stop' <= 'size'",
     "give the half-open global range that the buffer holds"},
    {"block.tiling", error,
     "owned ranges follow one another from 0 to 'size'; an empty one stands in its place or at 'size'",
     "let 'start' be where the previous share ends"},
    {"block.padding", error,
     "padding widths are at least 0, fit into the buffer, equal the neighbour's, and do not exceed what the neighbour "
     "owns",
     "give the widths of the regions that the buffer really has"},
    {"block.periodic", error, "the edge padding of a periodic axis is at most one period (size less both edge widths)",
     "reduce the edge padding"},
    {"periodic.kind", warning, "'periodic' has a meaning on block axes only", "leave 'periodic' away"},
    {"cyclic.block_size", error, "'block_size' is at least 1",
     "give the length of the blocks that are dealt, in elements"},
    {"cyclic.start", error,
     "'start' is ((proc_grid_rank - first) mod proc_grid_size) * block_size for one coordinate 'first'; an empty "
     "share's is at least 'size'",
     "give the global index of the first element held"},
    {"unstructured.indices", error, "'indices' is a one-dimensional host buffer of integers that fit 64 bits",
     "pass the global indices as a 1-D integer buffer"},
    {"unstructured.unique", error, "a global index stands once in a process's 'indices'", "remove the repeated index"},
    {"unstructured.size", error, "'size' is the sum of the lengths of 'indices' along the axis",
     "let 'size' count the indices of all coordinates"},
    {"unstructured.distinct", warning, "'size' counts shared indices once; the protocol counts each of them",
     "let 'size' count the indices of all coordinates"},
    {"unstructured.one_to_one", error, "with 'one_to_one' no index stands in two lists",
     "say one_to_one: false, or list the index once"},
    {"agree.ndim", error, "all processes have the same number of axes", "export the same array on every process"},
    {"agree.element_type", error, "all processes have the same element type", "export the same array on every process"},
    {"agree.axis", error,
     "all processes say the same dist_type, size, proc_grid_size, block_size, periodic and one_to_one for an axis",
     "export the same array on every process"},
    {"axis.same", error, "processes at one coordinate of an axis say the same about that axis",
     "take the axis's dictionary from one description of the array"},
    {"extra.key", warning, "the protocol does not know this key; it is passed on", "check its spelling"},
    {"conversion", error, "the target can hold what is converted", ""},
    {"process.failure", error, "the step succeeds on every process", ""},
}};

}  // namespace

const RuleText& rule_text(Rule rule) { return texts[static_cast<std::size_t>(rule)]; }

namespace {

// What came from outside stays on its line.
std::string quoted(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n')
      line += "\\n";
    else
      line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return line;
}

}  // namespace

std::string Finding::text() const {
  const RuleText& rules = rule_text(rule);
  std::string where;
  if (axis) where += "axis " + std::to_string(*axis);
  if (process) where += (axis ? " (rank " : "(rank ") + std::to_string(*process) + ")";
  if (!where.empty()) where += ": ";
  const std::string fault = key.empty() ? quoted(value) : "'" + quoted(key) + "' is " + quoted(value);
  const std::string what = must.empty() && !key.empty() ? std::string("but ") + rules.says : must;
  const std::string mend = remedy.empty() ? rules.remedy : remedy;
  return where + fault + (what.empty() ? "" : ", " + what) + " [" + rules.id + "]" + (mend.empty() ? "" : ": " + mend);
}

void Report::add(Finding finding) {
  Index& seen = counts_[finding.rule];
  if (seen++ < kept_per_rule) findings_.push_back(std::move(finding));
}

void Report::merge(const Report& other) {
  if (&other == this) return merge(Report(other));
  std::map<Rule, Index> before = counts_;
  for (const auto& [rule, count] : other.counts_) counts_[rule] += count;
  for (const Finding& finding : other.findings_)
    if (before[finding.rule]++ < kept_per_rule) findings_.push_back(finding);
}

void Report::set_process(Index process) {
  for (Finding& finding : findings_)
    if (!finding.process) finding.process = process;
}

Index Report::count(Rule rule) const {
  const auto found = counts_.find(rule);
  return found == counts_.end() ? 0 : found->second;
}

Index Report::total(Severity severity) const {
  Index sum = 0;
  for (const auto& [rule, count] : counts_)
    if (rule_text(rule).severity == severity) sum += count;
  return sum;
}

std::string Report::text() const {
  std::string lines;
  for (Severity severity : {Severity::error, Severity::warning})
    for (const Finding& finding : findings_)
      if (finding.severity() == severity)
        lines += (lines.empty() ? "" : "\n") + std::string(severity == warning ? "warning: " : "") + finding.text();
  const Index more = errors() + warnings() - static_cast<Index>(findings_.size());
  if (more > 0) lines += (lines.empty() ? "" : "\n") + std::string("... and ") + std::to_string(more) + " more";
  return lines;
}

Report Report::from_parts(std::vector<Finding> findings, std::map<Rule, Index> counts) {
  Report report;
  for (Finding& finding : findings) report.add(std::move(finding));
  for (const auto& [rule, count] : counts) report.counts_[rule] = std::max(report.counts_[rule], count);
  return report;
}

namespace {
Report report_of(Finding finding) {
  Report report;
  report.add(std::move(finding));
  return report;
}
}  // namespace

Error::Error(Finding finding) : Error(report_of(std::move(finding))) {}

void throw_if_wrong(const Report& report) {
  if (!report.ok()) throw Error(report);
}

}  // namespace dap
