// SPDX-License-Identifier: Apache-2.0
#include "formats/graph_dot.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "text/xml_text.hpp"

namespace copse {

namespace {

struct Colour {
  const char *line, *fill;
};
// Hues that stay apart for most colour-blind readers; the first ones are used most.
constexpr std::array<Colour, 8> kColours{{{"#2b6cb0", "#dbeafe"},
                                          {"#c05621", "#feebd3"},
                                          {"#2f855a", "#d9f2e3"},
                                          {"#97266d", "#fbdcee"},
                                          {"#6b46c1", "#e9e2fb"},
                                          {"#b7791f", "#fbf3c8"},
                                          {"#0f766e", "#ccf2ee"},
                                          {"#4a5568", "#e5e9ef"}}};
const Colour& colour(std::uint8_t place) { return kColours[place % kColours.size()]; }

// Text inside a double-quoted DOT string, or inside an HTML-like label: Graphviz reads character
// references in both ("&lt;"), escapes ("\n", "\N") in the former only.
enum class Within : std::uint8_t { quotes, html };
void append_text(std::string& out, std::string_view text, Within within = Within::quotes) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0 || xml::is_control(text[i])) {
      out += "\uFFFD";
    } else if (text[i] == '&') {
      out += "&amp;";
    } else if (within == Within::quotes && (text[i] == '"' || text[i] == '\\')) {
      out += '\\';
      out += text[i];
    } else if (within == Within::html && (text[i] == '<' || text[i] == '>')) {
      out += text[i] == '<' ? "&lt;" : "&gt;";
    } else {
      out += text.substr(i, length);
    }
    i += std::max<std::size_t>(length, 1);
  }
}

class DotEmitter {
 public:
  DotEmitter(const ResourceGraph& graph, const ChosenPools& chosen)
      : graph_(graph), chosen_(chosen) {}

  void begin(std::string& out) {
    out += "digraph \"";
    const PoolId root = chosen_.subsystems().empty()
                            ? kNoPool
                            : graph_.subsystem_root(chosen_.subsystems().front());
    append_text(out, root == kNoPool ? "resources" : graph_.name(root));
    out +=
        "\" {\n"
        "  graph [rankdir=LR, nodesep=0.12, ranksep=0.6, fontname=\"Helvetica\", fontsize=12, "
        "labelloc=t, labeljust=l, label=<";
    append_legend(out);
    out +=
        ">];\n"
        "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=10, "
        "height=0.28, margin=\"0.09,0.04\"];\n"
        "  edge [arrowsize=0.6];\n";
  }

  void pool(std::string& out, PoolId p) {
    if (chosen_.first_of(p) != fill_) {
      fill_ = chosen_.first_of(p);
      fmt::format_to(std::back_inserter(out), "  node [color=\"{}\", fillcolor=\"{}\"];\n",
                     colour(fill_).line, colour(fill_).fill);
    }
    fmt::format_to(std::back_inserter(out), "  n{} [label=\"", p.v);
    append_text(out, graph_.name(p));
    if (graph_.size(p) != 1) {
      fmt::format_to(std::back_inserter(out), "\\n\u00D7{}", graph_.size(p));
      if (!graph_.unit_text(p).empty()) append_text(out += ' ', graph_.unit_text(p));
    }
    append_text(out += "\", pool_type=\"", graph_.type_name(p));
    append_text(out += "\", pool_basename=\"", graph_.basename_text(p));
    fmt::format_to(std::back_inserter(out), "\", pool_id={}, pool_size={}, pool_unit=\"",
                   graph_.id(p), graph_.size(p));
    append_text(out, graph_.unit_text(p));
    fmt::format_to(std::back_inserter(out), "\", pool_rank={}, pool_uniq_id={}", graph_.rank(p),
                   graph_.uniq_id(p));
    for (const SubsystemId s : chosen_.subsystems()) {
      const std::string path = graph_.path(p, s);
      if (path.empty()) continue;
      append_text(out += ", \"path_", graph_.subsystem_name(s));
      append_text(out += "\"=\"", path);
      out += '"';
    }
    out += "];\n";
  }

  void edge(std::string& out, const Edge& e) {
    const auto kind = [](const Edge& of) {
      return std::tuple(of.subsystem, of.relation, of.reverse);
    };
    if (!last_edge_ || kind(e) != kind(*last_edge_)) {
      fmt::format_to(std::back_inserter(out), "  edge [color=\"{}\", subsystem=\"",
                     colour(chosen_.place(e.subsystem)).line);
      append_text(out, graph_.subsystem_name(e.subsystem));
      append_text(out += "\", relation=\"", graph_.names().relations.text(e.relation.v));
      append_text(out += "\", reverse=\"", graph_.names().relations.text(e.reverse.v));
      out += "\"];\n";
      last_edge_ = e;
    }
    fmt::format_to(std::back_inserter(out), "  n{} -> n{};\n", e.from.v, e.to.v);
  }

  static void end(std::string& out) { out += "}\n"; }

 private:
  // A line "■ containment: contains / in" for each subsystem, in its colour.
  void append_legend(std::string& out) {
    constexpr std::size_t kShown = 4;  // relations of one subsystem that are shown
    std::vector<std::vector<std::pair<RelationId, RelationId>>> relations(
        chosen_.subsystems().size());
    graph_.for_each_edge([&](const Edge& e) {
      if (chosen_.place(e.subsystem) == ChosenPools::kNone) return;
      auto& known = relations[chosen_.place(e.subsystem)];
      const std::pair pair(e.relation, e.reverse);
      if (known.size() > kShown || (!known.empty() && known.back() == pair)) return;
      if (std::find(known.begin(), known.end(), pair) == known.end()) known.push_back(pair);
    });
    for (std::size_t place = 0; place < relations.size(); ++place) {
      fmt::format_to(std::back_inserter(out), "<FONT COLOR=\"{}\">\u25A0 ",
                     colour(static_cast<std::uint8_t>(place)).line);
      append_text(out, graph_.subsystem_name(chosen_.subsystems()[place]), Within::html);
      std::size_t shown = 0;
      for (const auto& [relation, reverse] : relations[place]) {
        out += shown == 0 ? ": " : ", ";
        if (shown++ == kShown) {
          out += "\u2026";
          break;
        }
        append_text(out, graph_.names().relations.text(relation.v), Within::html);
        out += " / ";
        append_text(out, graph_.names().relations.text(reverse.v), Within::html);
      }
      out += "</FONT><BR ALIGN=\"LEFT\"/>";
    }
    if (relations.empty()) out += "no subsystems";
  }

  const ResourceGraph& graph_;
  const ChosenPools& chosen_;
  std::optional<Edge> last_edge_{};         // with the attributes of the last `edge [...]` line
  std::uint8_t fill_ = ChosenPools::kNone;  // the colours of the last `node [...]` line
};

}  // namespace

Result<void> write_dot(const ResourceGraph& graph, std::span<const SubsystemId> subsystems,
                       const TextSink& sink) {
  return write_graph<DotEmitter>(graph, subsystems, sink);
}

}  // namespace copse
