#include <tridap/c/words.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace tridap::c {

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// Words of C++, of C and of Fortran. Longer ones come before what they contain.
struct Word {
  std::string_view cpp, c, fortran;
};

constexpr Word words[] = {
    {"Fit::nearest (Python: copy='if_needed')", "copy = TRIDAP_COPY_IF_NEEDED", "copy='if_needed'"},
    {"pass copy=if_needed", "pass copy = TRIDAP_COPY_IF_NEEDED", "pass copy='if_needed'"},
    {"copy=if_needed", "copy = TRIDAP_COPY_IF_NEEDED", "copy='if_needed'"},
    {"copy=never", "copy = TRIDAP_COPY_NEVER", "copy='never'"},
    {"set the option `partial`", "set the option partial = 1", "pass partial=.true."},
    {"or set the option `convert`", "or set the option convert = 1", "or pass convert=.true."},
    {"; a process without a part passes DistArray{}", "", ""},
    {"the same Scaling", "the same alpha and beta", "the same alpha and beta"},
    {"distributions from tridap::mpi::gather_distribution", "the same distribution", "the same distribution"},
    {"the result of tridap::mpi::gather_distribution", "the same distribution", "the same distribution"},
    {"gather the distribution with gather_distribution()", "pass the same distribution", "pass the same distribution"},
    {"make a plan with this element_bytes", "pass an array of the plan's element type, or set the option convert = 1",
     "pass an array of the plan's kind, or pass convert=.true. to the call that makes the plan"},
    {"call start() first", "start it first", "start it first"},
    {"allocate what tridap_local_shape says", "allocate what tridap_local_shape says",
     "allocate what layout%local_shape() says"},
    {"allocate what tridap_shape says", "allocate what tridap_shape says", "allocate what layout%shape() says"},
    {"pass a rank of the communicator, or TRIDAP_HERE", "pass a rank of the communicator, or TRIDAP_HERE",
     "pass a rank of the communicator"},
    {", or use tridap::allocate()", ", or use tridap_allocate", ", or use tridap_allocate"},
};

std::string in_words(std::string text, bool fortran) {
  for (const Word& word : words) replace_all(text, word.cpp, fortran ? word.fortran : word.c);
  return text;
}

Report in_words(const Report& report, bool fortran) {
  std::vector<Finding> findings = report.findings();
  for (Finding& finding : findings)
    for (std::string* text : {&finding.value, &finding.must, &finding.remedy})
      *text = in_words(std::move(*text), fortran);
  return Report::from_parts(std::move(findings), report.counts());
}

}  // namespace

Report in_c(const Report& report) { return in_words(report, false); }

Report in_fortran(const Report& report) { return in_words(report, true); }

}  // namespace tridap::c
