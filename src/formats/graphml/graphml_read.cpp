// SPDX-License-Identifier: Apache-2.0
#include "formats/graphml/graphml_read.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <pugixml.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/scan_text.hpp"
#include "graph/graph_builder.hpp"
#include "text/xml_text.hpp"

namespace copse {

namespace {

constexpr std::size_t kMarksMax = std::size_t{16} << 20;
constexpr unsigned kParseOptions = pugi::parse_default | pugi::parse_ws_pcdata;
constexpr std::int64_t kIdMax = std::int64_t{1} << 53;  // as in JGF

using Handle = GraphBuilder::Handle;

class GraphmlReader {
 public:
  GraphmlReader(std::string_view text, std::string_view file, std::string_view dominant)
      : lines_(text), text_(text), file_(file), dominant_(dominant) {}

  Result<ResourceGraph> read() {
    std::size_t marks = 0;
    const xml::BadByte bad = xml::check_bytes(text_, marks);
    if (!bad.sentence.empty()) return fail_at(bad.offset, bad.sentence);
    if (marks > kMarksMax) {
      return fail_at(0, fmt::format("the text has more than {} elements and attributes", kMarksMax),
                     ErrorCode::limit);
    }
    const pugi::xml_parse_result parsed =
        document_.load_buffer(text_.data(), text_.size(), kParseOptions, pugi::encoding_utf8);
    if (!parsed) {
      return fail_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(parsed.offset, 0)),
                     fmt::format("this is not well-formed XML: {}", parsed.description()));
    }
    const pugi::xml_node root = document_.document_element(), graph = root.child("graph");
    for (const pugi::xml_node key : root.children("key")) {
      keys_[key.attribute("id").value()] = key.attribute("attr.name").value();
    }
    for (const pugi::xml_node node : graph.children("node")) {
      if (auto ok = read_pool(node); !ok) return std::unexpected(ok.error());
    }
    for (const pugi::xml_node edge : graph.children("edge")) {
      if (auto ok = read_edge(edge); !ok) return std::unexpected(ok.error());
    }
    return build();
  }

 private:
  struct Path {
    SubsystemId subsystem;
    std::string text;
  };
  struct Given {  // of a pool
    std::vector<Path> paths;
    std::vector<std::pair<std::string, std::string>> tags;
  };
  struct GivenEdge {
    Handle from, to;
    SubsystemId subsystem;
    RelationId relation, reverse;
  };

  [[nodiscard]] std::unexpected<Error> fail_at(std::size_t offset, std::string text,
                                               ErrorCode code = ErrorCode::invalid) const {
    const xml::Spot spot = lines_.spot(std::min(offset, text_.size()));
    return fail(code, std::move(text), {std::string(file_), spot.line, spot.column});
  }
  [[nodiscard]] std::unexpected<Error> fail_at(pugi::xml_node node, std::string text) const {
    const std::ptrdiff_t offset = node.offset_debug();
    return fail_at(offset > 0 ? static_cast<std::size_t>(offset) - 1 : 0, std::move(text));
  }
  [[nodiscard]] std::unexpected<Error> fail_at(pugi::xml_node node, const Error& error) const {
    return fail_at(node, error.text);
  }

  [[nodiscard]] std::string_view name_of(pugi::xml_node data) const {
    const auto known = keys_.find(data.attribute("key").value());
    return known == keys_.end() ? std::string_view() : std::string_view(known->second);
  }

  template <class Number>
  Result<void> number(pugi::xml_node data, std::string_view name, Number least, Number most,
                      Number& out) const {
    const auto value = parse_number<Number>(xml::trimmed(data.text().get()));
    if (!value || *value < least || *value > most) {
      return fail_at(data, fmt::format("{} is {}, which is not a number in its range", name,
                                       xml::quoted(data.text().get())));
    }
    out = *value;
    return {};
  }

  Result<void> read_pool(pugi::xml_node node) {
    PoolSpec spec;
    std::string type, basename, name, unit;
    std::int64_t uniq_id = -1;
    Given given;
    std::vector<std::pair<std::string, std::string>> properties;
    for (const pugi::xml_node data : node.children("data")) {
      const std::string_view key = name_of(data);
      const char* const text = data.text().get();
      Result<void> read{};
      if (key == "type") {
        type = text;
      } else if (key == "basename") {
        basename = text;
      } else if (key == "name") {
        name = text;
      } else if (key == "unit") {
        unit = text;
      } else if (key == "id") {
        read = number<std::int64_t>(data, key, -kIdMax, kIdMax, spec.id);
      } else if (key == "size") {
        read = number<std::int64_t>(data, key, 0, INT64_MAX, spec.size);
      } else if (key == "rank") {
        read = number<std::int32_t>(data, key, -1, INT32_MAX, spec.rank);
      } else if (key == "uniq_id") {
        read = number<std::int64_t>(data, key, -INT64_MAX, INT64_MAX, uniq_id);
      } else if (key.starts_with("path:")) {
        const auto subsystem = builder_.subsystem(key.substr(5));
        if (!subsystem) return fail_at(data, subsystem.error());
        if (text[0] != '/' || text[1] == '\0') {
          return fail_at(data, "a path must begin with \"/\" and a name");
        }
        given.paths.push_back({*subsystem, text});
      } else if (key.starts_with("property:")) {
        properties.emplace_back(key.substr(9), text);
      } else if (key.starts_with("tag:")) {
        given.tags.emplace_back(key.substr(4), text);
      }
      if (!read) return read;
    }
    if (type.empty()) return fail_at(node, "a node must have a type");
    const auto type_id = builder_.type(type);
    if (!type_id) return fail_at(node, type_id.error());
    const auto unit_id = builder_.unit(unit);
    if (!unit_id) return fail_at(node, unit_id.error());
    spec.type = *type_id;
    spec.unit = *unit_id;
    spec.basename = builder_.basename(basename.empty() ? type : basename);
    const auto pool = builder_.add_pool(spec);
    if (!pool) return fail_at(node, pool.error());
    if (!handles_.emplace(node.attribute("id").value(), *pool).second) {
      return fail_at(node, fmt::format("there are two nodes with the id {}",
                                       xml::quoted(node.attribute("id").value())));
    }
    if (!name.empty()) builder_.set_name(*pool, name);
    if (uniq_id >= 0) builder_.set_uniq_id(*pool, uniq_id);
    for (auto& [key, value] : properties) {
      builder_.set_property(*pool, std::move(key), std::move(value));
    }
    for (const Path& path : given.paths) {
      if (path.text.find('/', 1) != std::string::npos) continue;
      if (!builder_.set_root(path.subsystem, *pool)) {
        return fail_at(node, "a subsystem has two roots, pools whose path has one part");
      }
    }
    given_.push_back(std::move(given));
    return {};
  }

  Result<void> read_edge(pugi::xml_node edge) {
    const auto from = handles_.find(edge.attribute("source").value());
    const auto to = handles_.find(edge.attribute("target").value());
    if (from == handles_.end() || to == handles_.end()) {
      return fail_at(edge, "the source or the target of the edge is not a node");
    }
    std::string subsystem(dominant_), relation = "contains", reverse = "in";
    for (const pugi::xml_node data : edge.children("data")) {
      const std::string_view key = name_of(data);
      if (key == "subsystem") subsystem = data.text().get();
      if (key == "relation") relation = data.text().get();
      if (key == "reverse") reverse = data.text().get();
    }
    const auto in = builder_.subsystem(subsystem);
    if (!in) return fail_at(edge, in.error());
    const auto forward = builder_.relation(relation), back = builder_.relation(reverse);
    if (!forward || !back) return fail_at(edge, forward ? back.error() : forward.error());
    edges_.push_back({from->second, to->second, *in, *forward, *back});
    return {};
  }

  [[nodiscard]] std::string_view path_of(Handle pool, SubsystemId subsystem) const {
    for (const Path& path : given_[pool].paths) {
      if (path.subsystem == subsystem) return path.text;
    }
    return {};
  }
  [[nodiscard]] bool is_below(Handle below, Handle above, SubsystemId subsystem) const {
    const std::string_view whole = path_of(below, subsystem), start = path_of(above, subsystem);
    return !start.empty() && whole.starts_with(start) &&
           whole.substr(start.size()).starts_with('/');
  }

  // Of several edges into a pool the last one determines its path: if another one does in the text, it is
  // moved to the end.
  void order_edges() {
    std::map<std::pair<Handle, std::uint8_t>, std::size_t> last;
    for (std::size_t i = 0; i < edges_.size(); ++i) last[{edges_[i].to, edges_[i].subsystem.v}] = i;
    std::vector<GivenEdge> kept, moved;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const GivenEdge& e = edges_[i];
      const std::size_t end = last[{e.to, e.subsystem.v}];
      const bool moves = end != i && is_below(e.to, e.from, e.subsystem) &&
                         !is_below(e.to, edges_[end].from, e.subsystem);
      (moves ? moved : kept).push_back(e);
    }
    if (moved.empty()) return;
    edges_ = std::move(kept);
    edges_.insert(edges_.end(), moved.begin(), moved.end());
  }

  Result<ResourceGraph> build() {
    order_edges();
    for (const GivenEdge& e : edges_) {
      if (auto ok = builder_.add_edge(e.from, e.to, e.subsystem, e.relation, e.reverse); !ok) {
        return std::unexpected(ok.error());
      }
    }
    builder_.join_opposite_edges([&](Handle from, Handle to, SubsystemId subsystem) {
      return is_below(from, to, subsystem);
    });
    auto graph = builder_.build(dominant_);
    if (!graph) {
      if (graph.error().place.file.empty()) graph.error().place.file = file_;
      return graph;
    }
    give_rest(*graph);
    return graph;
  }

  // Tags, and paths that the graph would not make itself.
  void give_rest(ResourceGraph& graph) const {
    for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
      const PoolId p{v};
      const Given& given = given_[graph.created(p)];
      for (const auto& [key, value] : given.tags) graph.set_tag(p, key, value);
      for (const Path& path : given.paths) {
        if (graph.path(p, path.subsystem) != path.text) {
          graph.set_own_path(p, path.subsystem, path.text);
        }
      }
    }
  }

  const xml::LineIndex lines_;
  const std::string_view text_, file_, dominant_;
  pugi::xml_document document_;
  std::unordered_map<std::string, std::string> keys_;  // attr.name by id
  std::unordered_map<std::string, Handle> handles_;
  std::vector<Given> given_;  // by handle
  std::vector<GivenEdge> edges_;
  GraphBuilder builder_;
};

}  // namespace

bool is_graphml_graph(std::string_view text) {
  return text.substr(0, text.find("<node")).contains("<graph id=\"resources\"");
}

Result<ResourceGraph> read_graphml(std::string_view text, std::string_view file,
                                   std::string_view dominant) {
  return GraphmlReader(text, file, dominant).read();
}

}  // namespace copse
