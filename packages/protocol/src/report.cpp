#include <tridap/report.hpp>
#include <tridap/text.hpp>

#include <array>

namespace tridap {

namespace {

constexpr Severity error = Severity::error, warning = Severity::warning;
constexpr const char* same_array = "export the same array on every process";

// In the order of Rule. If the protocol does not define a rule or contradicts itself, this table decides.
constexpr std::array<RuleText, rule_count> texts = {{
    {"version.form", error, "a version is two or three ASCII numbers joined by dots", "write it as 0.10.0"},
    {"version.read", error, "the version is 0.9 or 0.10; the patch number is ignored", "export the array as 0.10.0"},
    {"version.extent", warning, "the buffer's extents agree with the other version, which is used as requested",
     "export the version whose convention the buffer follows"},
    {"type.integer", error, "an integer fits 64 bits signed", "write a plain integer"},
    {"type.flag", error, "a flag is true or false", "write true or false"},
    {"type.text", error, "keys and strings are text", "decode bytes to text, or quote strings"},
    {"type.structure", error,
     "an array is a dictionary, 'dim_data' is a sequence of dictionaries, and 'buffer' is a buffer",
     "write the structure that the protocol defines"},
    {"key.missing", error, "a dictionary has every key that its dist_type requires", "add the key"},
    {"dist_type", error, "'dist_type' is 'b', 'c' or 'u', and in 0.9 also 'n'",
     "use one of them; an axis that is not distributed is 'b' over one process"},
    {"empty-dict", error, "only in 0.10 an empty dictionary means an axis that is not distributed",
     "write dist_type 'n' and size"},
    {"buffer.layout", error,
     "a buffer has one extent and one stride for each axis, no extent is negative, and its span fits 64 bits",
     "describe the buffer as PEP 3118 does: extents in elements, strides in bytes"},
    {"buffer.data", error, "a buffer with elements has an address", "give the address of element (0, ..., 0)"},
    {"buffer.type", error, "an element has a type that PEP 3118 can describe, and a length of at least one byte",
     "give the element type of the buffer"},
    {"buffer.values", error, "the values are lists nested as the shape, row-major, and fit the element type",
     "write one value for each element"},
    {"shape.ndim", error, "the buffer has one axis for each dimension dictionary",
     "reshape the buffer, or correct dim_data"},
    {"shape.extent", error, "the buffer's extent is the number of elements that the dimension holds on this process",
     "export the part of the memory that dim_data describes"},
    {"size", error, "'size' is at least 0", "give the global extent of the axis in elements"},
    {"grid.size", error, "'proc_grid_size' is at least 1", "give the number of processes along the axis"},
    {"grid.rank", error, "'proc_grid_rank' is at least 0 and less than 'proc_grid_size'",
     "give this process's coordinate along the axis, counted from 0"},
    {"grid.product", error, "the product of all 'proc_grid_size' is the number of processes",
     "use as many processes as the grid has"},
    {"grid.order", error, "the rank of a process is the row-major number of its grid coordinates",
     "number the processes of the communicator like the grid: MPI_Comm_split with the row-major number as key"},
    {"grid.undistributed", error, "an axis of dist_type 'n' has no process grid, or one of size 1",
     "leave out 'proc_grid_size'"},
    {"block.bounds", error, "0 <= 'start' <= 'stop' <= 'size'",
     "give the half-open global range that the buffer holds"},
    {"block.tiling", error,
     "owned ranges are consecutive from 0 to 'size'; an empty range begins at the end of the previous one, or at "
     "'size'",
     "set 'start' to the end of the range before it, and the last 'stop' to 'size'"},
    {"block.padding", error, "padding widths are at least 0 and fit into the buffer",
     "give the widths of the padding that the buffer has"},
    {"block.padding.pair", error, "'padding' is a pair of integers: the widths at the lower and the upper end",
     "write two widths, or leave out 'padding'"},
    {"block.padding.neighbour", error,
     "the upper width of a coordinate equals the lower width of the next one (0.9, periodic: the last one's next is "
     "the first)",
     "give both the same width"},
    {"block.padding.owned", error, "communication padding is at most as wide as the neighbour's share",
     "reduce the padding, or use fewer processes along the axis"},
    {"block.padding.everywhere", error, "in 0.9 'padding' is present on all processes of an axis or on none",
     "write (0, 0) on processes without padding"},
    {"block.periodic", error, "the edge padding of a periodic axis is at most one period (size minus both edge widths)",
     "reduce the edge padding"},
    {"periodic.kind", warning, "'periodic' has a meaning only on block axes", "leave out 'periodic'"},
    {"cyclic.block_size", error, "'block_size' is at least 1", "give the length of the blocks, in elements"},
    {"cyclic.start", error,
     "'start' is ((proc_grid_rank - first) mod proc_grid_size) * block_size, with the coordinate 'first' of the first "
     "block; the 'start' of an empty share is at least 'size'",
     "give the global index of the first element on this process"},
    {"unstructured.indices", error, "'indices' is a one-dimensional host buffer of integers that fit 64 bits",
     "pass the global indices as a 1-D integer buffer"},
    {"unstructured.list", error, "in 0.10 'indices' is a buffer; 0.9 and JSON take a plain list",
     "pass np.asarray(indices)"},
    {"unstructured.unique", error, "a global index is in a process's 'indices' once", "remove the repeated index"},
    {"unstructured.size", error, "'size' is the sum of the lengths of 'indices' along the axis",
     "set 'size' to the number of indices of all coordinates"},
    {"unstructured.distinct", warning, "'size' counts a shared index once; the protocol counts it on each coordinate",
     "set 'size' to the number of indices of all coordinates"},
    {"unstructured.one_to_one", error, "with 'one_to_one' no index is in two lists",
     "set one_to_one to false, or list the index once"},
    {"agree.version", error, "all processes export the same version of the protocol",
     "export the array with one version on every process"},
    {"agree.ndim", error, "all processes have the same number of axes", same_array},
    {"agree.element_type", error, "all processes have the same element type", same_array},
    {"agree.dist_type", error, "all processes have the same 'dist_type' for an axis", same_array},
    {"agree.size", error, "all processes have the same 'size' for an axis", same_array},
    {"agree.proc_grid_size", error, "all processes have the same 'proc_grid_size' for an axis", same_array},
    {"agree.block_size", error, "all processes have the same 'block_size' for an axis (absent is 1)", same_array},
    {"agree.periodic", error, "all processes have the same 'periodic' for an axis (absent is false)", same_array},
    {"agree.one_to_one", error, "all processes have the same 'one_to_one' for an axis (absent is false)", same_array},
    {"axis.same", error, "processes at one coordinate of an axis have the same dictionary for it",
     "export the same dictionary on each of them"},
    {"extra.key", warning, "the protocol does not define this key; it is passed on", "check its spelling"},
    {"json.document", error, "a document is JSON in UTF-8, at most 64 levels deep, with each key of an object once",
     "correct the document"},
    {"capture.ranks", error, "a capture of N processes holds the ranks 0 to N - 1, each once",
     "add the missing processes, or check each process alone with --local"},
    {"conversion", error, "the target can represent the source", ""},
    {"process.failure", error, "the step succeeds on every process", ""},
}};

}  // namespace

const RuleText& rule_text(Rule rule) { return texts[static_cast<std::size_t>(rule)]; }

namespace {

// Text from outside stays on one line and does not control the terminal.
std::string quoted(const std::string& text) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = printable(text, at);
    line += text[at] == '\n' ? "\\n" : length > 0 ? text.substr(at, length) : "?";
    at += length > 0 ? length : 1;
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
  std::string fault = key.empty() ? quoted(value) : "'" + quoted(shortened(key, 100)) + "' is " + quoted(value);
  if (!others.empty() && !value.empty()) fault += ", but ";
  for (std::size_t i = 0; i < others.size(); ++i)
    fault += (i > 0 ? " and " : "") + quoted(others[i].value) + " on rank " + std::to_string(others[i].process);
  const bool contrast = !others.empty() && !value.empty();  // the other values state the condition
  const std::string what = must.empty() && !key.empty() && !contrast ? std::string("but ") + rules.says : quoted(must);
  const std::string remedy_text = remedy.empty() ? rules.remedy : quoted(remedy);
  return where + fault + (what.empty() ? "" : (contrast ? " " : ", ") + what) + " [" + rules.id + "]" +
         (remedy_text.empty() ? "" : ": " + remedy_text);
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

}  // namespace tridap
