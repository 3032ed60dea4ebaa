// SPDX-License-Identifier: Apache-2.0
//
// GRUG recipes: a small graph in GraphML that says how to make a large resource graph.
//
// A Recipe is the text as a value: its contents, checked one value at a time, with the place
// of every value. Whether the whole makes sense (a forest, roots, ids that fit) is for grug.hpp's
// generate() to say, so that grug2dot can draw a recipe that cannot be generated yet.
//
// Invariants of a parsed recipe:
//   1. vertices and edges are in order of declaration; vertex ids are distinct;
//   2. source and target of every edge index vertices;
//   3. root is 0 or 1; size, as_tgt_uplvl and as_src_uplvl are not negative;
//   4. method is what gen_method says; type and the subsystems are one word or (type only) empty;
//   5. no text is longer than kNameBytesMax or has a control character; a basename has no '/'.
//
// Sketch: about 250 bytes a vertex and 500 an edge, 100,000 of them at most: 50 MB. While parsing,
// the XML tree takes up to 150 bytes for each element or attribute, which kMarksMax bounds.
//
// Source: the GraphML primer; the GRUG section of resource-query's documentation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/known_key.hpp"
#include "copse/error.hpp"
#include "text/xml_text.hpp"

namespace copse::grug {

inline constexpr std::size_t kTextBytesMax = 64u << 20;
inline constexpr std::size_t kMarksMax = 4u << 20;    // '<' and '=' in the text
inline constexpr std::size_t kElementsMax = 100'000;  // recipe vertices and edges together
inline constexpr std::size_t kKeysMax = 1'000;        // <key> declarations
inline constexpr std::uint32_t kXmlDepthMax = 64;     // nesting of XML elements
inline constexpr std::size_t kNameBytesMax = 4'096;
inline constexpr std::uint32_t kIdWidthMax = 16;

// XML attributes of <node>.
inline constexpr std::array<KnownKey, 4> kNodeAttributes{{{"id", KnownKey::kText},
                                                          {"properties", KnownKey::kText},
                                                          {"id_width", KnownKey::kText},
                                                          {"divisible", KnownKey::kText}}};

// Line 0: the recipe does not say it, a default holds.
using xml::Spot;

// A value and its element: a <data> element, or the <key> whose default it is.
struct Number {
  std::int64_t value = 0;
  Spot spot;
};
struct Text {
  std::string value;
  Spot spot;
};

enum class Method : std::uint8_t { multiply, associate_in, associate_by_path_in };

struct Vertex {
  std::string id;  // the XML id, only for messages and edges
  Spot spot;
  Number root{0, {}};
  Text type;
  Text basename;  // the type if the recipe does not say
  Number size{1, {}};
  Text subsystem{"containment", {}};
  Text unit;
  // Additions of Copse, XML attributes of <node>: GraphML readers pass over what they do not know.
  std::vector<std::string> properties;  // properties="ib,amd": of each pool that it makes
  std::uint32_t id_width = 0;           // id_width="3": node007; ids of fewer digits get zeros
  bool divisible = false;               // divisible="true": a request takes units of the pool
};

struct Edge {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  Spot spot;
  Text e_subsystem{"containment", {}};
  Text relation{"contains", {}};
  Text rrelation{"in", {}};
  Number id_scope{0, {}};
  Number id_start{0, {}};
  Number id_stride{1, {}};
  Text gen_method{"MULTIPLY", {}};
  Method method = Method::multiply;
  Number multi_scale{1, {}};
  Text as_tgt_subsystem{"containment", {}};
  Number as_tgt_uplvl{1, {}};
  Number as_src_uplvl{1, {}};
};

struct Recipe {
  std::string file;  // only for messages
  Spot spot;         // the <graph> element
  std::vector<Vertex> vertices;
  std::vector<Edge> edges;

  // A place for a message: `spot`, or `instead` where the text does not say the value itself.
  [[nodiscard]] SourceLocation place(Spot spot_of_value, Spot instead = {}) const {
    const Spot at = spot_of_value.known() ? spot_of_value : instead;
    return {file, at.line, at.column};
  }
};

// Parses GraphML text. Accepted beyond GraphML: text between elements (many recipes have their
// xmlns attributes after the closed <graphml> tag), keys without attr.type or `for`, and `size`
// declared as int, long or string. Of a value given twice the later one counts.
// Errors: invalid with line and column (malformed XML, invalid UTF-8, keys or attributes that GRUG
// does not know, values that do not convert, ends of edges that are no vertices), limit.
// Cost: O(length of the text).
[[nodiscard]] Result<Recipe> parse_recipe(std::string_view text, std::string_view file = {});

}  // namespace copse::grug
