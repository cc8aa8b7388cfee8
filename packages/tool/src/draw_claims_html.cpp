#include "claims.hpp"
#include "page_files.hpp"
#include "svg_paper.hpp"
#include "words.hpp"
#include <tridap/draw_claims.hpp>

#include <algorithm>
#include <map>

namespace tridap {

namespace {

constexpr std::size_t most_rows = 256;

// The words of each process about each axis, by rank and axis.
std::string table_of_claims(const Capture& capture) {
  const std::vector<drawing::AxisClaims> axes = drawing::claims_of_axes(capture);
  std::map<Index, std::vector<std::string>> rows;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    for (const drawing::AxisClaim& claim : axes[axis].claims)
      for (const Index process : claim.processes) {
        std::vector<std::string>& row = rows[process];
        row.resize(axes.size());
        const std::string place = claim.known ? "coordinate " + std::to_string(claim.coordinate) + ": " : "";
        row[axis] = place + claim.words;
      }
  std::string head = "<th scope=\"col\">rank</th>", body;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    head += "<th scope=\"col\">axis " + std::to_string(axis) + "</th>";
  std::size_t count = 0;
  for (const auto& [process, row] : rows) {
    if (count++ == most_rows) break;
    body += "<tr><th scope=\"row\">" + (process < 0 ? "?" : std::to_string(process)) + "</th>";
    for (const std::string& words : row) body += "<td>" + drawing::escaped(words) + "</td>";
    body += "</tr>\n";
  }
  const std::string caption = rows.size() > most_rows ? "The first " + std::to_string(most_rows) + " of " : "";
  return "<table><caption>" + caption + counted(static_cast<Index>(rows.size()), "process", "processes") +
         "</caption><thead><tr>" + head + "</tr></thead>\n<tbody>" + body + "</tbody></table>\n";
}

// The report, a finding in each line.
std::string findings_of(const Report& report) {
  const std::string text = report.text();
  if (text.empty()) return "<p>No rule is broken.</p>\n";
  std::string list = "<ul class=\"findings\">\n";
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    list += "<li>" + drawing::escaped(text.substr(begin, end - begin)) + "</li>\n";
    begin = end + 1;
  }
  return list + "</ul>\n";
}

std::string section_of(const PageCapture& page) {
  const Report report = check(page.capture, false, page.reading);
  const std::string verdict = report.ok() ? "valid" : "invalid, " + counted(report.errors(), "error", "errors");
  return "<section class=\"card capture\">\n<h2>" + drawing::escaped(page.title) + ": " + verdict + "</h2>\n" +
         findings_of(report) + "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"picture\">\n" +
         draw_claims_svg(page.capture, {}) +
         "</div>\n</section>\n<section class=\"card table\">\n<h2>Dictionaries</h2>\n" +
         "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"table of processes\">\n" +
         table_of_claims(page.capture) + "</div>\n</section>\n";
}

constexpr const char* claims_style = R"css(
.capture svg { max-width: none; }
.capture .scroll { max-height: none; }
.findings { margin: 8px 0 14px; padding-left: 1.2em; overflow-wrap: anywhere; }
.findings li { margin: 4px 0; }
section.card { margin-bottom: 16px; }
)css";

}  // namespace

std::string draw_claims_html(const std::vector<PageCapture>& captures) {
  std::string title, sections;
  for (const PageCapture& page : captures) {
    title += (title.empty() ? "" : " \u2192 ") + drawing::escaped(page.title);
    sections += section_of(page);
  }
  return std::string("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n") +
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
         "base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" content=\"width=device-width, "
         "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" "
         "content=\"TriDAP\">\n<title>" +
         title + "</title>\n<style>\n" + drawing::page_style + claims_style + "</style>\n</head>\n<body>\n<main>\n" +
         "<header><h1>" + title +
         "</h1><p class=\"lead\">What each process states about each axis. Gaps, which no process owns, and overlaps, "
         "which several processes own, are marked.</p></header>\n" +
         sections +
         "<footer>Made by TriDAP. Ranges are half-open: [4, 9) is 4 to 8.</footer>\n</main>\n</body>\n</html>\n";
}

}  // namespace tridap
