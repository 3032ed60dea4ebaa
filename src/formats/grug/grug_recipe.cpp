// SPDX-License-Identifier: Apache-2.0
#include "formats/grug/grug_recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <unordered_map>

#include "base/scan_text.hpp"
#include "base/utf8.hpp"
#include "formats/grug/grug_fields.hpp"
#include "rset/rset_properties.hpp"
#include "text/split.hpp"

namespace copse::grug {
namespace {

// Blanks are kept: those between a comment and more text are part of a value.
constexpr unsigned kParseOptions = pugi::parse_default | pugi::parse_ws_pcdata;

// A <key>: what a <data> that names it sets. The names of node and edge attributes differ, so that
// at most one of the two is set; neither, if GRUG does not know the attribute, which is an error
// only once a value is given.
struct Key {
  std::string attribute;
  const Field<Vertex>* vertex_field = nullptr;
  const Field<Edge>* edge_field = nullptr;
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : lines_(text), text_(text) {
    recipe_.file = file;
  }

  Result<Recipe> parse() {
    if (auto ok = check_bytes(); !ok) return std::unexpected(ok.error());
    if (auto ok = load(); !ok) return std::unexpected(ok.error());
    const pugi::xml_node root = document_.document_element();
    if (std::string_view(root.name()) != "graphml") {
      return error(root, fmt::format("the outermost element is <{}>; a recipe is a <graphml>",
                                     std::string_view(root.name()).substr(0, 64)));
    }
    for (const pugi::xml_node node : root.children("key")) {
      if (auto ok = read_key(node); !ok) return std::unexpected(ok.error());
    }
    const pugi::xml_node graph = root.child("graph");
    if (!graph) return error(root, "the recipe has no <graph> element; put its nodes into one");
    recipe_.spot = spot(graph);
    if (auto ok = read_graphs(graph); !ok) return std::unexpected(ok.error());
    return std::move(recipe_);
  }

 private:
  using Failure = std::unexpected<Error>;

  [[nodiscard]] Failure error(Spot at, std::string text,
                              ErrorCode code = ErrorCode::invalid) const {
    return fail(code, std::move(text), recipe_.place(at));
  }
  [[nodiscard]] Failure error(pugi::xml_node node, std::string text) const {
    return error(spot(node), std::move(text));
  }

  // The place of an element's '<'; pugixml knows the offset of its name.
  [[nodiscard]] Spot spot(pugi::xml_node node) const {
    const std::ptrdiff_t offset = node.offset_debug();
    return lines_.spot(offset > 0 ? static_cast<std::size_t>(offset) - 1 : 0);
  }

  [[nodiscard]] Result<void> check_bytes() const {
    std::size_t marks = 0;
    const xml::BadByte bad = xml::check_bytes(text_, marks);
    if (!bad.sentence.empty()) return error(lines_.spot(bad.offset), bad.sentence);
    if (marks > kMarksMax) {
      return error({}, fmt::format("the text has more than {} elements and attributes", kMarksMax),
                   ErrorCode::limit);
    }
    return {};
  }

  Result<void> load() {
    const pugi::xml_parse_result result =
        document_.load_buffer(text_.data(), text_.size(), kParseOptions, pugi::encoding_utf8);
    if (!result) {
      std::string what = result.description();
      if (!what.empty() && what[0] >= 'A' && what[0] <= 'Z') what[0] ^= 0x20;
      return error(
          lines_.spot(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0))),
          "this is not well-formed XML: " + what);
    }
    return check_depth();
  }

  // pugixml's parser and its nodes do not recurse; readers of the tree may.
  Result<void> check_depth() const {
    std::uint32_t depth = 0;
    pugi::xml_node node = document_;
    while (true) {
      if (depth > kXmlDepthMax && node.type() == pugi::node_element) {
        return error(spot(node), fmt::format("elements are nested more than {} deep", kXmlDepthMax),
                     ErrorCode::limit);
      }
      if (node.first_child()) {
        node = node.first_child();
        ++depth;
        continue;
      }
      while (depth > 0 && !node.next_sibling()) {
        node = node.parent();
        --depth;
      }
      if (depth == 0) return {};
      node = node.next_sibling();
    }
  }

  // The value of an XML attribute that must be there.
  Result<std::string_view> required(pugi::xml_node node, const char* name) const {
    const std::string_view value = node.attribute(name).value();
    if (value.empty()) {
      return error(node, fmt::format("<{}> has no attribute {}", node.name(), name));
    }
    if (value.size() > kNameBytesMax) {
      return error(spot(node), fmt::format("{} is longer than {} bytes", name, kNameBytesMax),
                   ErrorCode::limit);
    }
    return value;
  }

  Result<void> read_key(pugi::xml_node node) {
    if (keys_.size() >= kKeysMax) {
      return error(spot(node), fmt::format("the recipe has more than {} keys", kKeysMax),
                   ErrorCode::limit);
    }
    const auto id = required(node, "id");
    if (!id) return std::unexpected(id.error());
    const std::string_view target = node.attribute("for").as_string("all");
    static constexpr std::array<std::string_view, 8> kFor{"graph", "node", "edge",     "hyperedge",
                                                          "port",  "all",  "endpoint", "graphml"};
    if (std::ranges::find(kFor, target) == kFor.end()) {
      return error(node, fmt::format("key {} is for {}; say node, edge or all", xml::quoted(*id),
                                     xml::quoted(target)));
    }
    Key key;
    key.attribute = std::string_view(node.attribute("attr.name").value()).substr(0, kNameBytesMax);
    key.vertex_field = find_vertex_field(key.attribute);
    key.edge_field = find_edge_field(key.attribute);
    if (auto ok = check_type(node, *id, key); !ok) return ok;
    const auto [it, is_new] = keys_.emplace(*id, std::move(key));
    if (!is_new) return error(node, fmt::format("key {} is declared twice", xml::quoted(*id)));
    const pugi::xml_node given = node.child("default");
    const bool of_nodes = target == "node" || target == "all";
    const bool of_edges = target == "edge" || target == "all";
    return given && (of_nodes || of_edges)
               ? read_default(given, *id, it->second, of_nodes, of_edges)
               : Result<void>{};
  }

  Result<void> read_default(pugi::xml_node node, std::string_view id, const Key& key, bool of_nodes,
                            bool of_edges) {
    const auto value = text_of(node);
    if (!value) return std::unexpected(value.error());
    const bool is_text = (key.vertex_field != nullptr && key.vertex_field->text != nullptr) ||
                         (key.edge_field != nullptr && key.edge_field->text != nullptr);
    // An empty text says nothing, so that a basename still falls back to the type.
    if (is_text && value->empty()) return {};
    if (of_nodes && key.vertex_field != nullptr) {
      return placed(set(vertex_defaults_, *key.vertex_field, *value, spot(node)), node);
    }
    if (of_edges && key.edge_field != nullptr) {
      return placed(set(edge_defaults_, *key.edge_field, *value, spot(node)), node);
    }
    return unknown_attribute(node, id, key);
  }

  // A sentence as an error at `node`; "" is none.
  Result<void> placed(std::string sentence, pugi::xml_node node) const {
    if (sentence.empty()) return {};
    return error(node, std::move(sentence));
  }

  // An attribute that holds numbers may be declared as int, long or string, a text as string only.
  Result<void> check_type(pugi::xml_node node, std::string_view id, const Key& key) const {
    const std::string_view type = node.attribute("attr.type").as_string("string");
    const bool is_number = (key.vertex_field != nullptr && key.vertex_field->number != nullptr) ||
                           (key.edge_field != nullptr && key.edge_field->number != nullptr);
    const bool is_known = key.vertex_field != nullptr || key.edge_field != nullptr;
    if (!is_known || type == "string" || (is_number && (type == "int" || type == "long"))) {
      return {};
    }
    return error(node, fmt::format("key {} has attr.type {}; attribute {} needs {}",
                                   xml::quoted(id), xml::quoted(type), key.attribute,
                                   is_number ? "int, long or string" : "string"));
  }

  Failure unknown_attribute(pugi::xml_node node, std::string_view id, const Key& key) const {
    if (key.attribute.empty()) {
      return error(node, fmt::format("key {} is declared without an attr.name", xml::quoted(id)));
    }
    if (key.vertex_field != nullptr) {
      return error(node, fmt::format("attribute {} belongs to nodes, not to edges", key.attribute));
    }
    if (key.edge_field != nullptr) {
      return error(node, fmt::format("attribute {} belongs to edges, not to nodes", key.attribute));
    }
    return error(node, fmt::format("key {} declares the attribute {}, which GRUG does not know{}",
                                   xml::quoted(id), xml::quoted(key.attribute),
                                   or_nearest_field(key.attribute)));
  }

  // The text of an element without the blanks around it; comments may split it.
  Result<std::string> text_of(pugi::xml_node node) const {
    std::string text;
    for (const pugi::xml_node piece : node.children()) {
      if (piece.type() == pugi::node_pcdata || piece.type() == pugi::node_cdata) {
        text += piece.value();
      }
    }
    const std::string_view inner = xml::trimmed(text);
    if (inner.size() > kNameBytesMax) {
      return error(spot(node), fmt::format("a value is longer than {} bytes", kNameBytesMax),
                   ErrorCode::limit);
    }
    if (std::ranges::any_of(inner, xml::is_control)) {
      return error(node, "a value has a line break, a tab or another control character in it");
    }
    return std::string(inner);
  }

  template <class Element>
  Result<void> read_data(pugi::xml_node node, Element& element,
                         const Field<Element>* Key::* field_of) {
    for (const pugi::xml_node data : node.children("data")) {
      const auto id = required(data, "key");
      if (!id) return std::unexpected(id.error());
      const auto key = keys_.find(std::string(*id));
      if (key == keys_.end()) {
        return error(data, fmt::format("key {} is not declared; add a <key> for it before the "
                                       "<graph>",
                                       xml::quoted(*id)));
      }
      const Field<Element>* field = key->second.*field_of;
      if (field == nullptr) return unknown_attribute(data, *id, key->second);
      const auto value = text_of(data);
      if (!value) return std::unexpected(value.error());
      if (auto ok = placed(set(element, *field, *value, spot(data)), data); !ok) return ok;
    }
    return {};
  }

  // The first graph and the graphs right inside it: all their nodes, then all their edges.
  Result<void> read_graphs(pugi::xml_node first) {
    std::vector<pugi::xml_node> graphs{first};
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      for (const pugi::xml_node inner : graphs[i].children("graph")) graphs.push_back(inner);
    }
    for (const pugi::xml_node graph : graphs) {
      for (const pugi::xml_node node : graph.children("node")) {
        if (auto ok = read_vertex(node); !ok) return ok;
      }
    }
    for (const pugi::xml_node graph : graphs) {
      const std::string_view direction = graph.attribute("edgedefault").value();
      if (direction != "directed" && direction != "undirected") {
        return error(graph, "the graph does not say edgedefault=\"directed\"");
      }
      if (const pugi::xml_node node = graph.child("hyperedge")) {
        return error(node, "a recipe cannot have a <hyperedge>; write one <edge> for each target");
      }
      for (const pugi::xml_node node : graph.children("edge")) {
        if (auto ok = read_edge(node, direction == "directed"); !ok) return ok;
      }
    }
    return {};
  }

  Result<void> check_room(pugi::xml_node node) const {
    if (recipe_.vertices.size() + recipe_.edges.size() < kElementsMax) return {};
    return error(spot(node),
                 fmt::format("the recipe has more than {} nodes and edges", kElementsMax),
                 ErrorCode::limit);
  }

  Result<void> read_vertex(pugi::xml_node node) {
    if (auto ok = check_room(node); !ok) return ok;
    const auto id = required(node, "id");
    if (!id) return std::unexpected(id.error());
    Vertex vertex = vertex_defaults_;
    vertex.id = *id;
    vertex.spot = spot(node);
    const auto number = static_cast<std::uint32_t>(recipe_.vertices.size());
    const auto [it, is_new] = vertex_numbers_.emplace(vertex.id, number);
    if (!is_new) {
      return error(node, fmt::format("node {} is declared twice, first in line {}",
                                     xml::quoted(*id), recipe_.vertices[it->second].spot.line));
    }
    if (auto ok = read_data(node, vertex, &Key::vertex_field); !ok) return ok;
    if (auto ok = read_additions(node, vertex); !ok) return ok;
    if (vertex.basename.value.empty()) vertex.basename.value = vertex.type.value;
    recipe_.vertices.push_back(std::move(vertex));
    return {};
  }

  Result<void> read_additions(pugi::xml_node node, Vertex& vertex) const {
    for (const pugi::xml_attribute attribute : node.attributes()) {
      if (!is_misspelt(attribute.name(), kNodeAttributes)) continue;
      return error(node, unknown_key("attribute", attribute.name(), kNodeAttributes));
    }
    std::string_view list = node.attribute("properties").value();
    if (list.size() > kNameBytesMax) {
      return error(spot(node), fmt::format("properties are longer than {} bytes", kNameBytesMax),
                   ErrorCode::limit);
    }
    while (!list.empty()) {
      const std::string_view name = xml::trimmed(take_part(list, ','));
      if (!wrong_property(name).empty() || std::ranges::any_of(name, xml::is_control)) {
        return error(node,
                     fmt::format("a property is {}; it needs a name without ! & ' \" ^ ` | ( )",
                                 xml::quoted(name)));
      }
      vertex.properties.emplace_back(name);
    }
    const std::string_view divisible = node.attribute("divisible").value();
    vertex.divisible = divisible == "true";
    if (!divisible.empty() && divisible != "true" && divisible != "false") {
      return error(
          node, fmt::format("divisible is {}; it must be true or false", xml::quoted(divisible)));
    }
    const std::string_view width = node.attribute("id_width").value();
    if (width.empty()) return {};
    const auto digits = parse_number<decltype(vertex.id_width)>(width);
    vertex.id_width = digits.value_or(0);
    if (digits && *digits <= kIdWidthMax) return {};
    return error(node, fmt::format("id_width is {}; it must be an integer from 0 to {}",
                                   xml::quoted(width), kIdWidthMax));
  }

  Result<std::uint32_t> read_end(pugi::xml_node node, const char* which) const {
    const auto id = required(node, which);
    if (!id) return std::unexpected(id.error());
    const auto it = vertex_numbers_.find(std::string(*id));
    if (it != vertex_numbers_.end()) return it->second;
    return error(node, fmt::format("the {} of the edge, {}, is not a declared node; check its "
                                   "spelling",
                                   which, xml::quoted(*id)));
  }

  Result<void> read_edge(pugi::xml_node node, bool is_directed) {
    if (auto ok = check_room(node); !ok) return ok;
    const auto source = read_end(node, "source");
    if (!source) return std::unexpected(source.error());
    const auto target = read_end(node, "target");
    if (!target) return std::unexpected(target.error());
    if (const pugi::xml_attribute directed = node.attribute("directed")) {
      is_directed = std::string_view(directed.value()) == "true";
    }
    if (!is_directed) {
      return error(node, "the edge is not directed; say edgedefault=\"directed\" in <graph>");
    }
    Edge edge = edge_defaults_;
    edge.source = *source;
    edge.target = *target;
    edge.spot = spot(node);
    if (auto ok = read_data(node, edge, &Key::edge_field); !ok) return ok;
    recipe_.edges.push_back(std::move(edge));
    return {};
  }

  xml::LineIndex lines_;
  std::string_view text_;
  pugi::xml_document document_;
  std::unordered_map<std::string, Key> keys_;
  std::unordered_map<std::string, std::uint32_t> vertex_numbers_;
  Vertex vertex_defaults_;
  Edge edge_defaults_;
  Recipe recipe_;
};

}  // namespace

Result<Recipe> parse_recipe(std::string_view text, std::string_view file) {
  if (text.size() > kTextBytesMax) {
    return fail(
        ErrorCode::limit,
        fmt::format("the recipe has {} bytes; at most {} are read", text.size(), kTextBytesMax),
        SourceLocation{std::string(file), 0, 0});
  }
  return Parser(without_byte_order_mark(text), file).parse();
}

}  // namespace copse::grug
