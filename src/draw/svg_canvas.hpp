// SPDX-License-Identifier: Apache-2.0
//
// SvgCanvas: elements of a picture (SVG 1.1), written to a sink in pieces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/graph_text.hpp"

namespace copse::draw {

struct Box {
  double x = 0, y = 0, w = 0, h = 0;
};

class SvgCanvas {
 public:
  // The sink must outlive it.
  explicit SvgCanvas(const TextSink& sink) : pieces_(sink) {}

  [[nodiscard]] std::string& raw() { return pieces_.text(); }
  bool step() { return pieces_.step(); }

  // The head of the picture, its font, and its background in the class w. `style` is CSS,
  // `patterns` are definitions.
  void begin(double width, double height, std::string_view style, std::string_view patterns = {});
  // The end of the picture. Errors: io, if the sink failed.
  [[nodiscard]] Result<void> end();

  // Draws nothing if the box is empty. `title`: the tooltip; "" for none.
  void rect(const Box& box, std::string_view css, std::string_view title = {});
  // `turned`: from bottom to top.
  void text(double x, double y, double font, std::string_view text, std::string_view css = "t",
            bool turned = false);
  // All elements from open_group to close_group have this title.
  void open_group(std::string_view title);
  void close_group() { raw() += "</g>\n"; }
  // Several equal rectangles as one element, each smaller by `inset` on every side.
  struct Corner {
    double x, y;
  };
  void rects(const std::vector<Corner>& corners, double inset, double w, double h,
             std::string_view css, std::string_view title);

 private:
  void append_title(std::string_view title);
  TextPieces pieces_;
};

}  // namespace copse::draw
