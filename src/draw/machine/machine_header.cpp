// SPDX-License-Identifier: Apache-2.0
#include "draw/machine/machine_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "draw/machine/machine_inside.hpp"
#include "draw/svg_text.hpp"
#include "text/split.hpp"

namespace copse::draw {

namespace {

constexpr double kMachineMargin = 20, kMachineWidthMin = 640;
constexpr double kMachineTitleFont = 22, kFactFont = 13, kLegendFont = 11, kMachineSwatch = 13;

// Twelve colours whose neighbours differ in lightness as well as in hue, so they are distinct for
// colour-blind readers and in print.
constexpr std::array<const char*, MachineWords::kColours> kJobFill{
    "#0b63ae", "#f0a030", "#0d8a68", "#c9489b", "#79c6ee", "#a83c10",
    "#efd94a", "#58389a", "#9acb52", "#7b5433", "#f2a3b5", "#17424e"};

constexpr std::string_view kMachineStyle =
    R"(.t{fill:#1d2730}.b{font-weight:bold}.q{fill:#566370}
.w{fill:#ffffff}.k{fill:#f3f6f8;stroke:#8d99a4}.c{fill:#ffffff;stroke:#98a4ae}.i{fill:#f6f8f9;stroke:#c3ccd3}
.f{fill:#d3dae0}.p{fill:#7db0dc}.u{fill:#1c5c9c}.s{fill:#5d6975}.r{fill:#f1ecfc;stroke:#8463d0;stroke-width:.9}
.h{stroke:#ffffff;stroke-width:3;stroke-linejoin:round;paint-order:stroke}
.d{fill:url(#d)}.n{fill:url(#n)}.x{fill:url(#x)}
)";
constexpr std::string_view kMachinePatterns =
    R"(<pattern id="d" width="8" height="8" patternUnits="userSpaceOnUse"><path d="M-2 2l4 -4M0 8l8 -8M6 10l4 -4" stroke="#c01f2e" stroke-width="1.8"/></pattern>
<pattern id="n" width="8" height="8" patternUnits="userSpaceOnUse"><path d="M-2 6l4 4M0 0l8 8M6 -2l4 4" stroke="#7d5200" stroke-width="1.6"/></pattern>
<pattern id="x" width="8" height="8" patternUnits="userSpaceOnUse"><path d="M-2 2l4 -4M0 8l8 -8M6 10l4 -4M-2 6l4 4M0 0l8 8M6 -2l4 4" stroke="#333d46" stroke-width="1"/></pattern>
)";

// Words in lines of at most this width, separated by dots.
std::vector<std::string> wrapped(const std::vector<std::string>& words, double font, double width) {
  std::vector<std::string> lines;
  for (const std::string& word : words) {
    const std::string longer = lines.empty() ? word : lines.back() + " · " + word;
    if (!lines.empty() && svg::text_width(longer, font) <= width) {
      lines.back() = longer;
    } else {
      lines.push_back(svg::fitted(word, font, width));
    }
  }
  return lines;
}

// The same for a sentence.
std::vector<std::string> wrapped(std::string_view sentence, double font, double width) {
  std::vector<std::string> lines(1);
  while (!sentence.empty()) {
    const std::string_view word = take_part(sentence, ' ');
    const std::string longer =
        lines.back().empty() ? std::string(word) : lines.back() + " " + std::string(word);
    if (lines.back().empty() || svg::text_width(longer, font) <= width) {
      lines.back() = longer;
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

struct Sample {
  std::string css, words;
  bool over = false;  // drawn over the colour of a free pool
};

class Header {
 public:
  Header(SvgCanvas& canvas, const MachineUse& use, const MachinePlan& plan,
         const MachineWords& words, std::span<const float> base_used)
      : canvas_(canvas), use_(use), g_(use.graph()), plan_(plan), words_(words) {
    for (std::size_t b = 0; b < plan.bases.size(); ++b) {
      used_ += base_used[b] > 0 ? 1 : 0;
      ++marked_[static_cast<std::size_t>(use.mark(plan.bases[b]))];
    }
    for (std::uint32_t v = 0; v < g_.tree_count(); ++v) {
      any_marked_[static_cast<std::size_t>(use.mark(PoolId{v}))] = true;
    }
  }

  SvgCanvas::Corner draw() {
    const double room = std::max(plan_.width, kMachineWidthMin), width = room + 2 * kMachineMargin;
    struct TextLine {
      std::string text;
      const char* css;
    };
    std::vector<TextLine> lines;
    for (std::string& text : wrapped(facts(), kFactFont, room))
      lines.push_back({std::move(text), "t"});
    for (std::string& text : wrapped(activity(), kFactFont, room)) {
      lines.push_back({std::move(text), "t"});
    }
    const std::string sentence = explanation();
    if (!sentence.empty()) {
      for (std::string& text : wrapped(std::string_view(sentence), kFactFont, room)) {
        lines.push_back({std::move(text), "q"});
      }
    }
    struct Placed {
      Sample sample;
      double x, y;
    };
    std::vector<Placed> samples;
    double y = kMachineMargin + kMachineTitleFont + 6 +
               static_cast<double>(lines.size()) * (kFactFont + 6) + 6;
    double x = kMachineMargin;
    for (Sample& sample : legend()) {
      const double w = kMachineSwatch + 5 + svg::text_width(sample.words, kLegendFont) + 12;
      if (x > kMachineMargin && x + w > kMachineMargin + room) {
        x = kMachineMargin;
        y += kMachineSwatch + 7;
      }
      samples.push_back({std::move(sample), x, y});
      x += w;
    }
    const double top = y + kMachineSwatch + 14;

    canvas_.begin(width, top + plan_.height + kMachineMargin, style(), kMachinePatterns);
    canvas_.text(kMachineMargin, kMachineMargin + kMachineTitleFont - 4, kMachineTitleFont,
                 svg::fitted(g_.name(g_.root()), kMachineTitleFont * 1.12, room), "t b");
    y = kMachineMargin + kMachineTitleFont + 6 + kFactFont;
    for (const TextLine& line : lines) {
      canvas_.text(kMachineMargin, y, kFactFont, line.text, line.css);
      y += kFactFont + 6;
    }
    for (const Placed& p : samples) {
      const Box swatch{p.x, p.y, kMachineSwatch, kMachineSwatch};
      if (p.sample.over) canvas_.rect(swatch, "f");
      canvas_.rect(swatch, p.sample.css);
      canvas_.text(p.x + kMachineSwatch + 5, p.y + kMachineSwatch - 2.5, kLegendFont,
                   p.sample.words);
    }
    return {kMachineMargin, top};
  }

 private:
  // The pools of the machine, and those in use, by type.
  std::vector<std::string> facts() const {
    constexpr std::size_t kTypesMax = 12;
    std::vector<TypeUse> uses = use_.uses(0, g_.tree_count());
    std::vector<std::uint32_t> first(g_.names().types.size(), 0);
    for (std::uint32_t v = g_.tree_count(); v-- > 0;) first[g_.type(PoolId{v}).v] = v;
    std::ranges::sort(uses, {}, [&](const TypeUse& use) { return first[use.type.v]; });
    std::vector<std::string> out;
    const TypeId unit_type = plan_.bases.empty() ? kNoType : g_.type(plan_.bases[0]);
    for (const TypeUse& use : uses) {
      if (use.type == g_.type(g_.root()) && use.total == 1 && uses.size() > 1) continue;
      const std::string name = svg::shortened(g_.type_name(use.type), 20);
      if (use.type == unit_type && use.total == static_cast<std::int64_t>(plan_.bases.size())) {
        out.push_back(fmt::format("{} {} of {} in use", name,
                                  svg::grouped(static_cast<std::int64_t>(used_)),
                                  svg::grouped(use.total)));
      } else if (use_.of_leaves(use.type)) {
        out.push_back(name + " " + use_.words(use));
      } else {
        out.push_back(name + " " + svg::grouped(use.total));
      }
    }
    if (out.size() > kTypesMax) {
      const std::size_t more = out.size() - kTypesMax;
      out.resize(kTypesMax);
      out.push_back(fmt::format("{} further types", more));
    }
    return out;
  }

  std::vector<std::string> activity() const {
    const auto number = [](std::size_t n) { return svg::grouped(static_cast<std::int64_t>(n)); };
    std::vector<std::string> out;
    const std::size_t running = use_.running().size(), waiting = use_.waiting().size();
    if (running + waiting == 0) out.emplace_back("idle");
    if (running > 0) out.push_back(number(running) + (running == 1 ? " job runs" : " jobs run"));
    if (waiting > 0) {
      out.push_back(number(waiting) + (waiting == 1 ? " job is reserved" : " jobs are reserved"));
    }
    for (const Mark mark : {Mark::down, Mark::drained, Mark::excluded}) {
      const std::uint64_t count = marked_[static_cast<std::size_t>(mark)];
      if (count > 0) {
        out.push_back(fmt::format("{} {} {}", svg::shortened(g_.type_name(plan_.bases[0]), 20),
                                  number(count), word(mark)));
      }
    }
    return out;
  }

  // The meaning of one cell of the picture.
  std::string explanation() const {
    const std::string unit =
        plan_.bases.empty() ? "unit" : svg::shortened(g_.type_name(plan_.bases[0]), 20);
    const std::string bases = svg::grouped(static_cast<std::int64_t>(plan_.bases.size()));
    std::string out;
    if (plan_.frame_cells) {
      const std::string frame = svg::shortened(g_.type_name(plan_.units.back().pool), 20);
      out = fmt::format(
          "Summarized: a cell is one {}, filled as far as what is below it of type {} "
          "({} in all) is used on average.",
          frame, unit, bases);
    } else if (plan_.detail == Detail::summary) {
      out = fmt::format(
          "Summarized: a cell is up to {} neighbours of type {} ({} in all), filled as "
          "far as they are used on average.",
          plan_.group, unit, bases);
    } else if (plan_.detail == Detail::cells) {
      out = fmt::format(
          "Summarized: a cell is one {}, filled as far as its most used type is used.", unit);
    } else if (plan_.detail == Detail::bars) {
      out = fmt::format("Summarized: a box is one {}; bars say how much of ", unit);
      std::size_t bars = 0;
      for (const TypeUse& use : use_.uses(plan_.bases[0].v, g_.end(plan_.bases[0]).v)) {
        if (!use_.of_leaves(use.type)) continue;
        if (bars++ == MachinePlan::kBarsMax) break;
        out += (bars == 1 ? "" : ", ") + svg::shortened(g_.type_name(use.type), 20);
      }
      out += " is used.";
    }
    if (plan_.detail == Detail::all && row_font(plan_.cell) == 0) out = forms();
    if (plan_.frames_hidden > 0) {
      out += fmt::format("{}Left out, being too many or too deep: {} boxes around what is drawn.",
                         out.empty() ? "" : " ", svg::grouped(plan_.frames_hidden));
    }
    return out;
  }

  // Which shape in a unit is which type; where there is space, the rows have names.
  std::string forms() const {
    constexpr std::size_t kTypesMax = 3;  // of one shape
    std::array<std::vector<std::string>, 3> types;
    for (const InsideBlock& block : inside(use_, plan_.bases[0], plan_.cell).blocks) {
      for (const InsideRow& row : block.rows) {
        auto& of_form = types[row.bar ? 2 : row.wide ? 1 : 0];
        const std::string type = svg::shortened(g_.type_name(row.type), 20);
        if (of_form.size() < kTypesMax && std::ranges::find(of_form, type) == of_form.end()) {
          of_form.push_back(type);
        }
      }
    }
    std::string out;
    constexpr std::array<const char*, 3> kForms{"squares", "rectangles", "bars"};
    for (std::size_t form = 0; form < types.size(); ++form) {
      if (types[form].empty()) continue;
      out += fmt::format("{}{} are {}", out.empty() ? "" : ", ", kForms[form],
                         fmt::join(types[form], " or "));
    }
    return fmt::format("In each {}: {}.", svg::shortened(g_.type_name(plan_.bases[0]), 20), out);
  }

  std::vector<Sample> legend() const {
    std::vector<Sample> out{{"f", "free"}};
    const std::size_t running = use_.running().size();
    if (words_.by_job()) {
      for (std::size_t j = 0; j < running; ++j) {
        out.push_back({fmt::format("j{}", j), fmt::format("job {}", use_.running()[j]->job)});
      }
      if (running > 1 && plan_.detail != Detail::all) out.push_back({"s", "several jobs"});
    } else {
      out.push_back({"p", "partly used"});
      out.push_back({"u", "used"});
    }
    if (!use_.waiting().empty()) out.push_back({"r", "reserved for later"});
    for (const Mark mark : {Mark::down, Mark::drained, Mark::excluded}) {
      if (any_marked_[static_cast<std::size_t>(mark)]) out.push_back({css(mark), word(mark), true});
    }
    return out;
  }

  [[nodiscard]] std::string style() const {
    std::string out(kMachineStyle);
    const std::size_t jobs = words_.by_job() ? use_.running().size() : 0;
    for (std::size_t j = 0; j < jobs; ++j) {
      fmt::format_to(std::back_inserter(out),
                     ".j{0}{{fill:{1}}}.o{0}{{fill:#ffffff;stroke:{1};stroke-width:2}}\n", j,
                     kJobFill[j]);
    }
    return out;
  }

  SvgCanvas& canvas_;
  const MachineUse& use_;
  const ResourceGraph& g_;
  const MachinePlan& plan_;
  const MachineWords& words_;
  std::uint64_t used_ = 0, marked_[4] = {};  // base units
  bool any_marked_[4] = {};                  // by Mark: some pool has it
};

}  // namespace

SvgCanvas::Corner draw_header(SvgCanvas& canvas, const MachineUse& use, const MachinePlan& plan,
                              const MachineWords& words, std::span<const float> base_used) {
  return Header(canvas, use, plan, words, base_used).draw();
}

}  // namespace copse::draw
