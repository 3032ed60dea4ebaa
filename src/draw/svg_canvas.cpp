// SPDX-License-Identifier: Apache-2.0
#include "draw/svg_canvas.hpp"

#include <fmt/format.h>

#include <iterator>

#include "draw/svg_text.hpp"
#include "text/xml_text.hpp"

namespace copse::draw {

namespace {

void append_attribute(std::string& out, std::string_view name, double number) {
  fmt::format_to(std::back_inserter(out), " {}=\"", name);
  svg::append_number(out, number);
  out += '"';
}

}  // namespace

void SvgCanvas::begin(double width, double height, std::string_view style,
                      std::string_view patterns) {
  std::string w, h;
  svg::append_number(w, width);
  svg::append_number(h, height);
  fmt::format_to(
      std::back_inserter(raw()),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">\n<style>\n"
      "text{{font-family:\"DejaVu Sans\",Verdana,Arial,sans-serif;fill:#1d2730}}\n{2}</style>\n",
      w, h, style);
  if (!patterns.empty()) {
    fmt::format_to(std::back_inserter(raw()), "<defs>\n{}</defs>\n", patterns);
  }
  rect({0, 0, width, height}, "w");
}

Result<void> SvgCanvas::end() {
  raw() += "</svg>\n";
  return pieces_.finish();
}

void SvgCanvas::append_title(std::string_view title) {
  raw() += "<title>";
  xml::append_text(raw(), title);
  raw() += "</title>";
}

void SvgCanvas::rect(const Box& box, std::string_view css, std::string_view title) {
  if (box.w <= 0 || box.h <= 0) return;
  std::string& out = raw();
  fmt::format_to(std::back_inserter(out), "<rect class=\"{}\"", css);
  append_attribute(out, "x", box.x);
  append_attribute(out, "y", box.y);
  append_attribute(out, "width", box.w);
  append_attribute(out, "height", box.h);
  if (title.empty()) {
    out += "/>\n";
    return;
  }
  out += '>';
  append_title(title);
  out += "</rect>\n";
}

void SvgCanvas::text(double x, double y, double font, std::string_view text, std::string_view css,
                     bool turned) {
  if (text.empty()) return;
  std::string& out = raw();
  fmt::format_to(std::back_inserter(out), "<text class=\"{}\"", css);
  append_attribute(out, "x", x);
  append_attribute(out, "y", y);
  append_attribute(out, "font-size", font);
  if (turned) {
    out += " transform=\"rotate(-90 ";
    svg::append_number(out, x);
    out += ' ';
    svg::append_number(out, y);
    out += ")\"";
  }
  out += '>';
  xml::append_text(out, text);
  out += "</text>\n";
}

void SvgCanvas::open_group(std::string_view title) {
  raw() += "<g>";
  append_title(title);
}

void SvgCanvas::rects(const std::vector<Corner>& corners, double inset, double w, double h,
                      std::string_view css, std::string_view title) {
  std::string& out = raw();
  fmt::format_to(std::back_inserter(out), "<path class=\"{}\" d=\"", css);
  for (const Corner& c : corners) {
    out += 'M';
    svg::append_number(out, c.x + inset);
    out += ' ';
    svg::append_number(out, c.y + inset);
    out += 'h';
    svg::append_number(out, w - 2 * inset);
    out += 'v';
    svg::append_number(out, h - 2 * inset);
    out += "h-";
    svg::append_number(out, w - 2 * inset);
    out += 'z';
  }
  out += "\">";
  append_title(title);
  out += "</path>\n";
}

}  // namespace copse::draw
