#include "svg_paper.hpp"

#include "palette.hpp"
#include "words.hpp"
#include <tridap/text.hpp>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace tridap::drawing {

namespace {

// Text on the page follows the reader's light or dark setting. Text in cells has its own colour.
constexpr const char* style_sheet = R"svg(<style>
.tridap-drawing text { stroke-linejoin: round; font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 11px; fill: #1f2328 }
.tridap-drawing .page { fill: #ffffff; stroke: #d0d7de }
.tridap-drawing .pale { fill: #ffffff }
.tridap-drawing .several { fill: #cdd2d8 }
.tridap-drawing .nothing { fill: none; stroke: #8c959f; stroke-dasharray: 3 3 }
.tridap-drawing .muted { fill: #656d76 }
.tridap-drawing .index { fill: #656d76; font-size: 10px }
@media (prefers-color-scheme: dark) {
.tridap-drawing text { fill: #e6e8eb }
.tridap-drawing .page { fill: #14171c; stroke: #30363d }
.tridap-drawing .pale { fill: #14171c }
.tridap-drawing .several { fill: #5d656f }
.tridap-drawing .muted, .tridap-drawing .index { fill: #9aa4af }
}
.tridap-drawing .title { font-size: 18px; font-weight: 600 }
.tridap-drawing .heading { font-size: 14px; font-weight: 600 }
.tridap-drawing .strong { font-weight: 600 }
.tridap-drawing .start { text-anchor: start }
.tridap-drawing .middle { text-anchor: middle }
.tridap-drawing .end { text-anchor: end }
.tridap-drawing .black { fill: #14171c }
.tridap-drawing .white { fill: #ffffff }
</style>
<defs>
<pattern id="tridap-communication" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect class="pale" width="3" height="7" fill-opacity="0.75"/></pattern>
<pattern id="tridap-boundary" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
<rect width="1.2" height="5" fill="#000000" fill-opacity="0.45"/></pattern>
<pattern id="tridap-mixed" width="6" height="6" patternUnits="userSpaceOnUse">
<circle cx="1.5" cy="1.5" r="0.9" fill="#000000" fill-opacity="0.5"/>
<circle cx="4.5" cy="4.5" r="0.9" fill="#000000" fill-opacity="0.5"/></pattern>
</defs>
)svg";

std::string hatch(const std::string& kind, const std::string& place) {
  return "<rect class=\"hatch " + kind + "\"" + place + " fill=\"url(#tridap-" + kind + ")\"/>\n";
}

}  // namespace

void Figure::put(const std::string& element, Index right, Index bottom) {
  svg += element;
  width = std::max(width, right);
  height = std::max(height, bottom);
}

void Figure::put(const Figure& part, Index x, Index y) {
  put("<g transform=\"translate(" + std::to_string(x) + " " + std::to_string(y) + ")\">\n" + part.svg + "</g>\n",
      x + part.width, y + part.height);
}

Metrics metrics_for(Index across, Index down, Index characters, const Room& room) {
  across = std::max<Index>(across, 1);
  down = std::max<Index>(down, 1);
  const Index lettered = std::max<Index>(28, characters * 7 + 10);
  if (characters > 0 && lettered <= 80 && across * lettered <= room.pixels && down * 28 <= room.pixels)
    return {lettered, 28, true};
  const Index side = std::clamp<Index>(room.pixels / std::max(across, down), 4, 20);
  return {side, side, false};
}

std::string replaced(const std::string& text, std::initializer_list<std::pair<char, const char*>> by) {
  std::string result;
  for (const char letter : text) {
    const auto* const found =
        std::find_if(by.begin(), by.end(), [&](const auto& each) { return each.first == letter; });
    result += found == by.end() ? std::string(1, letter) : found->second;
  }
  return result;
}

std::string escaped(const std::string& text) {
  return replaced(clean(text), {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

Index text_width(const std::string& text, Index size) { return (characters(text) * size * 64 + 99) / 100; }

Index index_width(const std::vector<Bands>& of_each_row) {
  std::size_t longest = 1;
  for (const Bands& bands : of_each_row)
    for (const Band& band : bands.list) longest = std::max(longest, std::to_string(band.first).size());
  return text_width(std::string(longest, '0'), 10);
}

std::string attribute(const char* name, Index value) {
  return std::string(" ") + name + "=\"" + std::to_string(value) + "\"";
}

std::string box(Index x, Index y, Index width, Index height) {
  return attribute("x", x) + attribute("y", y) + attribute("width", width) + attribute("height", height);
}

std::string text_at(Index x, Index y, const std::string& look, const std::string& text, const std::string& halo) {
  return "<text class=\"" + look + "\"" + attribute("x", x) + attribute("y", y) +
         (halo.empty() ? "" : " paint-order=\"stroke\" stroke-width=\"5\" stroke=\"" + halo + "\"") + ">" +
         escaped(text) + "</text>\n";
}

Figure paragraph(const std::string& text, const std::string& look, Index size, Index width) {
  Figure block;
  for (const std::string& line : wrapped(text, std::max<Index>(width * 100 / (size * 60), 1)))
    block.put(text_at(0, block.height + size, look, line), 0, block.height + size * 3 / 2);
  return block;
}

Figure heading_of(const std::string& title, const std::string& words, Index width) {
  Figure block;
  const bool titled = !title.empty();
  if (titled) block.put(paragraph(title, "title start", 18, width), 0, 0);
  block.put(paragraph(words, titled ? "start" : "heading start", titled ? 12 : 14, width), 0, block.height);
  return block;
}

std::string cell_at(Index x, Index y, const Metrics& metrics, const Cell& cell, const std::string& letters) {
  const Colour colour = process_colour(cell.process);
  const bool mixed = cell.ownership == Ownership::mixed;
  const std::string place = box(x, y, metrics.width - metrics.gap(), metrics.height - metrics.gap());
  std::string padding;
  if (cell.communication) padding = "communication";
  if (cell.boundary) padding = "boundary";
  std::string svg = "<rect class=\"cell" + (padding.empty() ? "" : " " + padding) + (mixed ? " several" : "") +
                    "\" data-owner=\"" + cell_text(cell) + "\"" + place;
  if (metrics.lettered) svg += " rx=\"3\"";
  svg += mixed ? "/>\n" : " fill=\"" + hex(colour) + "\"/>\n";
  if (mixed) svg += hatch("mixed", place);
  if (!padding.empty()) svg += hatch(padding, place);
  const std::string ink = mixed ? "" : takes_black(colour) ? " black" : " white";
  if (!letters.empty())
    svg += text_at(x + (metrics.width - metrics.gap()) / 2, y + metrics.height / 2 + 3, "middle" + ink, letters,
                   padding.empty() || mixed ? "" : hex(colour));
  return svg;
}

namespace {

bool look_the_same(const Cell& a, const Cell& b) {
  const bool same_owner = a.process == b.process || a.ownership == Ownership::mixed;
  return same_owner && a.ownership == b.ownership && a.communication == b.communication && a.boundary == b.boundary;
}

bool look_the_same(const std::vector<Tile>& a, const std::vector<Tile>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Tile& s, const Tile& t) {
    return s.column == t.column && s.columns == t.columns && look_the_same(s.cell, t.cell);
  });
}

}  // namespace

std::vector<Tile> tiles_of(Index rows, Index columns, bool merge, const std::function<Cell(Index, Index)>& cell) {
  std::vector<Tile> all, above;  // `above`: the tiles that the next row may extend
  for (Index r = 0; r < rows; ++r) {
    std::vector<Tile> row;
    for (Index c = 0; c < columns; ++c) {
      const Tile tile{r, c, 1, 1, cell(r, c)};
      if (merge && !row.empty() && look_the_same(row.back().cell, tile.cell))
        ++row.back().columns;
      else
        row.push_back(tile);
    }
    if (merge && r > 0 && look_the_same(above, row)) {
      for (Tile& tile : above) ++tile.rows;
      continue;
    }
    all.insert(all.end(), above.begin(), above.end());
    above = std::move(row);
  }
  all.insert(all.end(), above.begin(), above.end());
  return all;
}

std::string tile_at(Index x, Index y, const Metrics& metrics, const Tile& tile, const std::string& letters) {
  const Metrics size = {tile.columns * metrics.width, tile.rows * metrics.height, metrics.lettered};
  return cell_at(x + tile.column * metrics.width, y + tile.row * metrics.height, size, tile.cell, letters);
}

std::string swatch_at(Index x, Index y, std::optional<Index> process, const std::string& padding) {
  const std::string place = box(x, y, 16, 16);
  std::string svg = "<rect class=\"swatch" + std::string(process ? "" : " several") + "\"" + place + " rx=\"3\"";
  svg += process ? " fill=\"" + hex(process_colour(*process)) + "\"/>\n" : "/>\n";
  return padding.empty() ? svg : svg + "<rect" + place + " rx=\"3\" fill=\"url(#tridap-" + padding + ")\"/>\n";
}

std::string indices_across(const Bands& bands, Index x, Index y, const Metrics& metrics, bool local) {
  const Index every = round_up((index_width({bands}) + 6 + metrics.width - 1) / metrics.width);
  std::string svg;
  for (Index i = 0; i < bands.size(); i += every)
    svg += text_at(x + i * metrics.width + (metrics.width - metrics.gap()) / 2, y, "index middle",
                   std::to_string(local ? bands[i].local : bands[i].first));
  return svg;
}

std::string indices_down(const Bands& bands, Index x, Index y, const Metrics& metrics, bool local) {
  const Index every = round_up((13 + metrics.height - 1) / metrics.height);
  std::string svg;
  for (Index i = 0; i < bands.size(); i += every)
    svg += text_at(x, y + i * metrics.height + metrics.height / 2 + 3, "index end",
                   std::to_string(local ? bands[i].local : bands[i].first));
  return svg;
}

std::string document(const Figure& content, const std::string& title, Index most) {
  const Index width = content.width + 2 * page_margin, height = content.height + 2 * page_margin;
  const Index longer = std::max(width, height);
  const auto shown = [&](Index length) {
    return most == 0 || longer <= most ? length : std::max<Index>(length * most / longer, 1);
  };
  Figure page;
  page.put(content, page_margin, page_margin);
  const std::string size = std::to_string(width) + " " + std::to_string(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tridap-drawing\" viewBox=\"0 0 " + size + "\"" +
         attribute("width", shown(width)) + attribute("height", shown(height)) + " role=\"img\">\n<title>" +
         escaped(title) + "</title>\n" + style_sheet + "<rect class=\"page\" x=\"0.5\" y=\"0.5\" width=\"" +
         std::to_string(width - 1) + "\" height=\"" + std::to_string(height - 1) + "\" rx=\"8\"/>\n" + page.svg +
         "</svg>\n";
}

}  // namespace tridap::drawing
