// SPDX-License-Identifier: Apache-2.0
#include "draw/supply_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "draw/svg_canvas.hpp"
#include "draw/svg_text.hpp"
#include "formats/hres/supply_table.hpp"

namespace copse::draw {

namespace {

constexpr double kSheetMargin = 20, kSide = 118,
                 kWide = 1200;  // kSide: the labels next to the rows
constexpr double kTitleFont = 22, kTextFont = 13, kSmall = 11, kSwatch = 13;
constexpr double kNames = 36, kGauge = 46, kBareGauge = 92, kRowGap = 12;
constexpr double kColumnMin = 2;   // narrower columns are merged
constexpr double kNamedMin = 74;   // boxes of this width have their labels above the gauge
constexpr double kTurnedMin = 13;  // boxes of this width have their name inside, from bottom to top

constexpr std::string_view kStyle =
    R"(rect{shape-rendering:crispEdges}
.b{font-weight:bold}.q{fill:#566370}.w{fill:#ffffff}.f{fill:#d3dae0}.u{fill:#1c5c9c}
.a{fill:url(#a)}.r{fill:#c9b8f2}.o{fill:#d6452c}.m{fill:#f0a030}.n{fill:url(#n)}
.h{font-weight:bold;stroke:#ffffff;stroke-width:3;stroke-linejoin:round;paint-order:stroke}
)";
constexpr std::string_view kPatterns =
    R"(<pattern id="a" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6" fill="#8d99a4"/><path d="M-1 1l2 -2M0 6l6 -6M5 7l2 -2" stroke="#5d6975" stroke-width="1.6"/></pattern>
<pattern id="n" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" fill="#eef1f3"/><path d="M0 0l8 8M0 8l8 -8" stroke="#b9c2ca" stroke-width="1"/></pattern>
)";

// One box: a layer, or several neighbours.
struct Column {
  std::size_t first = 0, count = 1;  // indices in the row
  double from = 0, to = 0;           // shares of the width
};
struct Row {
  std::vector<std::size_t> layers;  // indices in the picture's list, from left to right
  std::vector<double> from, to;     // shares of the width
};

// The contents of a column, as shares of its count: base, used and held are cut off at its top.
struct Fill {
  double base = 0, used = 0, held = 0, over = 0, fullest = 0;
  bool unlimited = true, nothing = true;
};

class Drawing {
 public:
  Drawing(const SupplyPicture& picture, const TextSink& sink)
      : layers_(picture.layers), first_(picture.first), at_(picture.at), canvas_(sink) {}

  [[nodiscard]] Result<void> draw() {
    layers_.front().mode == 3 ? rows_of_tree() : rows_of_sizes();
    double height = kSheetMargin + kTitleFont + 2 * (kTextFont + 6) + kSwatch + 24;
    const double top = height;
    for (const Row& row : rows_) height += row_height(row) + kRowGap;
    canvas_.begin(kWide + kSide + 2 * kSheetMargin, height + kSheetMargin - kRowGap, kStyle,
                  kPatterns);
    header();
    double y = top;
    for (const Row& row : rows_) {
      draw_row(row, y);
      y += row_height(row) + kRowGap;
    }
    return canvas_.end();
  }

 private:
  // --- Positions of layers

  // The tree from the root down; a layer spans the leaves below it. There are at most 16 levels, so
  // the tree can be read row by row.
  // most, so that the walk down may be done row by row.
  void rows_of_tree() {
    std::vector<std::vector<std::size_t>> children(layers_.size());
    std::vector<std::size_t> row;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (layers_[i].parent < 0) {
        row.push_back(i);
      } else {
        children[static_cast<std::size_t>(layers_[i].parent) - first_].push_back(i);
      }
    }
    std::vector<double> from(layers_.size()), to(layers_.size());
    std::vector<std::vector<std::size_t>> levels;
    while (!row.empty()) {
      std::vector<std::size_t> below;
      for (const std::size_t i : row) std::ranges::copy(children[i], std::back_inserter(below));
      levels.push_back(std::move(row));
      row = std::move(below);
    }
    const std::vector<std::size_t>& leaves = levels.back();
    double nodes = 0;
    for (const std::size_t i : leaves) nodes += weight(i);
    double x = 0;
    for (const std::size_t i : leaves) {
      from[i] = x;
      to[i] = x += weight(i) / nodes;
    }
    for (std::size_t level = levels.size() - 1; level-- > 0;) {
      for (const std::size_t i : levels[level]) {
        if (children[i].empty()) continue;  // impossible in a tree above its leaves
        from[i] = from[children[i].front()];
        to[i] = to[children[i].back()];
      }
    }
    for (std::vector<std::size_t>& level : levels) {
      Row made;
      for (const std::size_t i : level) {
        made.from.push_back(from[i]);
        made.to.push_back(to[i]);
      }
      made.layers = std::move(level);
      rows_.push_back(std::move(made));
    }
  }

  void rows_of_sizes() {
    std::map<std::uint32_t, std::vector<std::size_t>, std::greater<>> by_size;
    for (std::size_t i = 0; i < layers_.size(); ++i) by_size[layers_[i].node_count].push_back(i);
    for (auto& [size, members] : by_size) {
      if (rows_.size() == kSupplyRowsMax) break;
      Row row;
      const double each = 1 / static_cast<double>(members.size());
      for (std::size_t i = 0; i < members.size(); ++i) {
        row.from.push_back(each * static_cast<double>(i));
        row.to.push_back(each * static_cast<double>(i + 1));
      }
      row.layers = std::move(members);
      rows_.push_back(std::move(row));
    }
  }

  [[nodiscard]] double weight(std::size_t i) const {
    return static_cast<double>(std::max<std::uint32_t>(layers_[i].node_count, 1));
  }

  [[nodiscard]] std::vector<Column> columns(const Row& row) const {
    std::vector<Column> out;
    for (std::size_t i = 0; i < row.layers.size(); ++i) {
      const bool narrow = !out.empty() && (out.back().to - out.back().from) * kWide < kColumnMin;
      if (narrow) {
        ++out.back().count;
        out.back().to = row.to[i];
      } else {
        out.push_back({i, 1, row.from[i], row.to[i]});
      }
    }
    return out;
  }

  static bool named(const Row& row) {
    for (std::size_t i = 0; i < row.layers.size(); ++i) {
      if ((row.to[i] - row.from[i]) * kWide >= kNamedMin) return true;
    }
    return false;
  }
  static double row_height(const Row& row) { return named(row) ? kNames + kGauge : kBareGauge; }

  // --- Elements

  void rect(std::string_view css, double x, double y, double w, double h) {
    canvas_.rect({x, y, w, h}, css);
  }

  void header() {
    const LayerView& top = layers_[rows_.front().layers.front()];
    canvas_.text(kSheetMargin, kSheetMargin + kTitleFont - 4, kTitleFont,
                 svg::fitted(top.resource, kTitleFont * 1.12, kWide), "b");
    double y = kSheetMargin + kTitleFont + 6 + kTextFont;
    const auto number = [](std::size_t n) { return svg::grouped(static_cast<std::int64_t>(n)); };
    canvas_.text(kSheetMargin, y, kTextFont,
                 fmt::format("mode {} · {} layer{} · at {} s", top.mode, number(layers_.size()),
                             layers_.size() == 1 ? "" : "s", svg::grouped(at_)),
                 "");
    y += kTextFont + 6;
    canvas_.text(
        kSheetMargin, y, kTextFont,
        svg::fitted(top.mode == 3
                        ? "A layer is as wide as the nodes below it, and filled as far "
                          "as its count is taken; each row is a level of the tree."
                        : "Layers with the same number of nodes are in one row, each filled "
                          "as far as its count is taken.",
                    kTextFont, kWide + kSide),
        "q");
    y += 12;
    double x = kSheetMargin;
    bool over = false, unlimited = false, held = false, base = false;
    for (const LayerView& layer : layers_) {
      over = over || (layer.total >= 0 && layer.used > layer.total);
      unlimited = unlimited || layer.total < 0;
      held = held || layer.held > 0;
      base = base || layer.base > 0;
    }
    const auto sample = [&](const char* css, std::string_view words) {
      rect(css, x, y, kSwatch, kSwatch);
      canvas_.text(x + kSwatch + 5, y + kSwatch - 2.5, kSmall, words, "");
      x += kSwatch + 5 + svg::text_width(words, kSmall) + 14;
    };
    sample("f", "free");
    sample("u", "used");
    if (base) sample("a", "base: always in use");
    if (held) sample("r", "kept by reservations");
    if (over) sample("o", "more used than there is");
    if (unlimited) sample("n", "no bound");
    if (shared_columns()) sample("m", "the fullest of the layers that share a column");
  }

  [[nodiscard]] bool shared_columns() const {
    return std::ranges::any_of(
        rows_, [&](const Row& row) { return columns(row).size() < row.layers.size(); });
  }

  void draw_row(const Row& row, double y) {
    const bool names = named(row);
    const double gauge_y = y + (names ? kNames : 0), gauge_h = names ? kGauge : kBareGauge;
    // Next to the row: the number of layers, and of their nodes.
    std::uint32_t least = UINT32_MAX, most = 0;
    for (const std::size_t i : row.layers) {
      least = std::min(least, layers_[i].node_count);
      most = std::max(most, layers_[i].node_count);
    }
    const std::string count = svg::grouped(static_cast<std::int64_t>(row.layers.size())) +
                              (row.layers.size() == 1 ? " layer" : " layers");
    const std::string nodes =
        svg::grouped(least) + (least == most ? "" : " to " + svg::grouped(most)) +
        (most == 1 ? " node" : " nodes") + (row.layers.size() == 1 ? "" : " each");
    canvas_.text(kSheetMargin, gauge_y + gauge_h / 2 - 3, kSmall, count, "b");
    canvas_.text(kSheetMargin, gauge_y + gauge_h / 2 + kSmall + 1, kSmall,
                 svg::fitted(nodes, kSmall, kSide - 6), "q");
    for (const Column& c : columns(row)) {
      const double x = kSheetMargin + kSide + c.from * kWide, w = (c.to - c.from) * kWide;
      // Columns without a gap overlap a little, because coordinates are rounded.
      const double gap = w > 40 ? 3 : w > 8 ? 1.5 : w > 4 ? 0.8 : -0.3;
      canvas_.open_group(words_of(row, c));
      canvas_.raw() += '\n';
      draw_gauge(fill_of(row, c), x, gauge_y, w - gap, gauge_h);
      if (c.count == 1) draw_words(layers_[row.layers[c.first]], names, x, y, w - gap);
      canvas_.close_group();
    }
  }

  void draw_words(const LayerView& layer, bool names, double x, double y, double w) {
    if (names && w >= kNamedMin / 2) {
      canvas_.text(x, y + 13, kTextFont, short_name(layer.nodes, kTextFont, w), "b");
      canvas_.text(x, y + 29, kSmall, svg::fitted(amount_of(layer), kSmall, w), "q");
    } else if (w >= kTurnedMin) {
      const double h = names ? kGauge : kBareGauge;
      canvas_.text(x + w / 2 + kSmall * 0.36, y + (names ? kNames : 0) + h - 5, kSmall,
                   short_name(layer.nodes, kSmall * 1.1, h - 8), "h", true);
    }
  }

  // Keeps both ends of a hostlist, which matter most.
  static std::string short_name(const std::string& nodes, double font, double width) {
    if (svg::text_width(nodes, font * 1.08) <= width) return nodes;
    const auto characters = static_cast<std::size_t>(std::max(0.0, width / (font * 0.72)));
    return characters < 4 ? std::string() : svg::shortened(nodes, characters);
  }

  static std::string amount_of(const LayerView& layer) {
    if (layer.total < 0) return svg::grouped(layer.used) + " used";
    return svg::grouped(layer.used) + " of " + svg::grouped(layer.total);
  }

  [[nodiscard]] std::string words_of(const Row& row, const Column& c) const {
    const auto one = [](const LayerView& layer) {
      std::string out = svg::shortened(layer.nodes, 120) + ": ";
      out += layer.total < 0
                 ? std::string("no bound")
                 : svg::grouped(layer.total) + " in all, " + svg::grouped(free_of(layer)) + " free";
      out += ", " + svg::grouped(layer.used) + " used";
      if (layer.reserved > 0) out += ", " + svg::grouped(layer.reserved) + " reserved";
      if (layer.base > 0) out += ", base " + svg::grouped(layer.base);
      return out;
    };
    std::string first = one(layers_[row.layers[c.first]]);
    if (c.count == 1) return first;
    return fmt::format("{} layers\n{}\n…\n{}", c.count, first,
                       one(layers_[row.layers[c.first + c.count - 1]]));
  }

  [[nodiscard]] Fill fill_of(const Row& row, const Column& c) const {
    // Sums of counts may exceed 64 bits; the precision of a double suffices.
    double all = 0, base = 0, used = 0, held = 0;
    Fill out;
    for (std::size_t i = c.first; i < c.first + c.count; ++i) {
      const LayerView& layer = layers_[row.layers[i]];
      if (layer.total < 0) continue;
      out.unlimited = false;
      const double count = static_cast<double>(layer.total) + static_cast<double>(layer.base);
      all += count;
      base += static_cast<double>(layer.base);
      used += static_cast<double>(layer.used);
      held += static_cast<double>(layer.held);
      const std::int64_t free = free_of(layer);
      const double full = count > 0 ? 1 - static_cast<double>(free) / count : 1;
      out.fullest = std::max(out.fullest, full);
    }
    out.nothing = !out.unlimited && all <= 0;
    if (all <= 0) return out;
    out.base = base / all;
    out.over = std::max(0.0, (base + used) / all - 1);
    out.used = std::min(used / all, 1 - out.base);
    out.held = std::min(held / all, 1 - out.base - out.used);
    if (c.count == 1) out.fullest = 0;
    return out;
  }

  void draw_gauge(const Fill& fill, double x, double y, double w, double h) {
    rect(fill.unlimited || fill.nothing ? "n" : "f", x, y, w, h);
    if (fill.unlimited) return;
    double ground = y + h;
    const auto part = [&](const char* css, double amount) {
      if (amount <= 0) return;
      const double high = std::max(amount * h, 0.5);
      rect(css, x, ground - high, w, high);
      ground -= amount * h;
    };
    part("a", fill.base);
    part("u", fill.used);
    part("r", fill.held);
    if (fill.over > 0) rect("o", x, y, w, std::clamp(fill.over * h, 4.0, h / 2));
    const double full = fill.base + fill.used + fill.held;
    if (fill.fullest > full + 0.02) rect("m", x, y + h * (1 - fill.fullest) - 1, w, 2);
  }

  std::span<const LayerView> layers_;
  std::size_t first_;
  std::int64_t at_;
  SvgCanvas canvas_;
  std::vector<Row> rows_;
};

}  // namespace

Result<void> write_supply_svg(const SupplyPicture& picture, std::string& out) {
  if (picture.layers.empty()) return fail(ErrorCode::invalid, "the resource has no layers");
  const TextSink sink = sink_into(out);
  return Drawing(picture, sink).draw();
}

}  // namespace copse::draw
