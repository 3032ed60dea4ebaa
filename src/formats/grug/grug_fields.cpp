// SPDX-License-Identifier: Apache-2.0
#include "formats/grug/grug_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <vector>

#include "base/nearest_word.hpp"

namespace copse::grug {
namespace {

constexpr std::array kVertexFields{
    Field<Vertex>{.name = "root", .number = &Vertex::root, .min = 0, .max = 1},
    Field<Vertex>{.name = "type", .text = &Vertex::type, .one_word = true},
    Field<Vertex>{.name = "basename", .text = &Vertex::basename},
    Field<Vertex>{.name = "size", .number = &Vertex::size, .min = 0},
    Field<Vertex>{.name = "subsystem", .text = &Vertex::subsystem, .one_word = true},
    Field<Vertex>{.name = "unit", .text = &Vertex::unit},
};
constexpr std::array kEdgeFields{
    Field<Edge>{.name = "e_subsystem", .text = &Edge::e_subsystem, .one_word = true},
    Field<Edge>{.name = "relation", .text = &Edge::relation},
    Field<Edge>{.name = "rrelation", .text = &Edge::rrelation},
    Field<Edge>{.name = "id_scope", .number = &Edge::id_scope},
    Field<Edge>{.name = "id_start", .number = &Edge::id_start},
    Field<Edge>{.name = "id_stride", .number = &Edge::id_stride},
    Field<Edge>{.name = "gen_method", .text = &Edge::gen_method},
    Field<Edge>{.name = "multi_scale", .number = &Edge::multi_scale},
    Field<Edge>{.name = "as_tgt_subsystem", .text = &Edge::as_tgt_subsystem, .one_word = true},
    Field<Edge>{.name = "as_tgt_uplvl", .number = &Edge::as_tgt_uplvl, .min = 0},
    Field<Edge>{.name = "as_src_uplvl", .number = &Edge::as_src_uplvl, .min = 0},
};

template <class Fields>
auto find(const Fields& fields, std::string_view name) {
  const auto it = std::ranges::find(fields, name, [](const auto& field) { return field.name; });
  return it == fields.end() ? nullptr : &*it;
}

// A sentence if `text` is no integer from min to max.
template <class Element>
std::string to_number(const Field<Element>& field, std::string_view text, std::int64_t& value) {
  std::string_view digits = text;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() || status == std::errc::invalid_argument) {
    return fmt::format("{} is {}; it must be an integer", field.name, xml::quoted(text));
  }
  if (status == std::errc::result_out_of_range) {
    return fmt::format("{} is {}, which does not fit 64 bits", field.name, xml::quoted(text));
  }
  if (value >= field.min && value <= field.max) return {};
  if (field.max != std::numeric_limits<std::int64_t>::max()) {
    return fmt::format("{} is {}; it must be {} or {}", field.name, value, field.min, field.max);
  }
  return fmt::format("{} is {}; it must be {} or more", field.name, value, field.min);
}

// A sentence if the text cannot be a value of this attribute.
template <class Element>
std::string check_text(const Field<Element>& field, std::string_view value) {
  if (field.one_word && value.empty() && field.name != "type") {
    return fmt::format("{} is empty; name a subsystem", field.name);
  }
  if (field.one_word && value.find(' ') != value.npos) {
    return fmt::format("{} is {}; it must be one word", field.name, xml::quoted(value));
  }
  if (field.name == "basename" && value.empty()) {
    return "basename is empty; leave it out to use the type";
  }
  if (field.name == "basename" && value.find('/') != value.npos) {
    return fmt::format("basename is {}; a '/' would split it in paths, so leave it out",
                       xml::quoted(value));
  }
  return {};
}

std::optional<Method> to_method(std::string_view name) {
  if (name == "MULTIPLY") return Method::multiply;
  if (name == "ASSOCIATE_IN") return Method::associate_in;
  if (name == "ASSOCIATE_BY_PATH_IN") return Method::associate_by_path_in;
  return std::nullopt;
}

template <class Element>
std::string set_any(Element& element, const Field<Element>& field, const std::string& value,
                    Spot at) {
  if (field.number != nullptr) {
    std::int64_t number = 0;
    std::string wrong = to_number(field, value, number);
    if (wrong.empty()) element.*field.number = {number, at};
    return wrong;
  }
  std::string wrong = check_text(field, value);
  if (wrong.empty()) element.*field.text = {value, at};
  return wrong;
}

}  // namespace

std::span<const Field<Vertex>> vertex_fields() { return kVertexFields; }
std::span<const Field<Edge>> edge_fields() { return kEdgeFields; }

std::string or_nearest_field(std::string_view name) {
  std::vector<std::string_view> known;
  known.reserve(kVertexFields.size() + kEdgeFields.size());
  for (const auto& field : kVertexFields) known.push_back(field.name);
  for (const auto& field : kEdgeFields) known.push_back(field.name);
  return nearest_word(name, known).empty() ? std::string() : known_words_hint(name, known);
}

const Field<Vertex>* find_vertex_field(std::string_view name) { return find(kVertexFields, name); }
const Field<Edge>* find_edge_field(std::string_view name) { return find(kEdgeFields, name); }

std::string set(Vertex& vertex, const Field<Vertex>& field, const std::string& value, Spot at) {
  return set_any(vertex, field, value, at);
}

std::string set(Edge& edge, const Field<Edge>& field, const std::string& value, Spot at) {
  if (field.text == &Edge::gen_method) {
    const auto method = to_method(value);
    if (!method) {
      return fmt::format("gen_method is {}; say MULTIPLY, ASSOCIATE_IN or ASSOCIATE_BY_PATH_IN",
                         xml::quoted(value));
    }
    edge.method = *method;
  }
  return set_any(edge, field, value, at);
}

}  // namespace copse::grug
