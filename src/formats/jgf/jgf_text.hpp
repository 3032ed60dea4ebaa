// SPDX-License-Identifier: Apache-2.0
//
// The text of a JGF document as a stream of nodes and edges: the one parser for everything that
// reads JGF. It makes no tree; a node's words are views into the text.
//
//   document   {"graph": {"nodes": […], "edges": […]}, "writer"?: s, "free_ranks"?: idset or list}
//              or the same as the value of "scheduling", as R has it
//   node       {"id": s, "metadata": {"type": s, "paths": {subsystem: path}, "basename"?: s,
//              "name"?: s, "id"?: n, "uniq_id"?: n, "rank"?: n, "status"?: 0 up | 1 down,
//              "exclusive"?: bool, "unit"?: s, "size"?: n, "properties"?: {k: s} | null,
//              "drawn"?: bool, "divisible"?: bool, "tags"?: {k: s} | null}}
//   edge       {"source": s, "target": s, "metadata"?: {"subsystem"?: s}}
//
// Defaults: uniq_id is the number that the outer id is; id is uniq_id, but for a `node` with a name
// that ends in digits those digits; basename the type; name basename + id; rank -1; size 1; unit
// "". Nodes are given to the sink before edges, whatever the order of the text. Members that are
// not named here are read over.
//
// All of the text is validated: UTF-8, every string, number and word, also of members read over.
// Of members named here none may be given twice in one object; nor may a property or a path.
//
// Sketch: the index of simdjson takes 4 bytes for each token, about nine tenths of the text's own
// length; strings with escapes are copied once. Cost: O(length of the text).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "copse/error.hpp"
#include "text/json_padding.hpp"

namespace copse {

struct JgfLimits {
  std::size_t text_bytes_max = 4'000'000'000;  // simdjson counts in 32 bits
  std::size_t word_bytes_max = 64u << 10;      // a name, path, property, …
  std::uint32_t depth_max = 64;                // of objects and arrays in each other
  std::uint32_t members_max = 10'000;          // properties of one node, paths of one node
  std::uint64_t nodes_max = 64u << 20;
  std::uint64_t edges_max = 128u << 20;
};

// A word and its byte offset in the text.
struct JgfWord {
  std::string_view text;
  std::size_t offset = 0;
};

struct JgfNodeText {
  JgfWord outer_id;
  std::string_view type, basename, name, unit;  // `name` is empty where it is basename + id
  std::int64_t id = -1;                         // -1: no number
  std::int64_t uniq_id = 0;
  std::int64_t size = 1;
  std::int32_t rank = -1;
  bool exclusive = false;
  bool down = false;
  bool drawn = false;
  bool divisible = false;  // an addition of Copse: a request takes units of the pool
  std::span<const std::pair<std::string_view, std::string_view>> properties, tags{};
  std::span<const std::pair<std::string_view, JgfWord>> paths;  // subsystem, path
};

struct JgfEdgeText {
  std::size_t offset = 0;
  std::string_view source, target;
  std::string_view subsystem = "containment";
  // The relation and its reverse in each subsystem that "name" and "reverse" list. Without the key
  // "subsystem", as Fluxion wrote edges until 2024, the subsystems of "name" are those of the edge.
  std::span<const std::pair<std::string_view, std::string_view>> relations{}, reverses{};
  bool has_subsystem = false;
};

// Receives the parts of the document. Views hold until the reading ends; spans until the call
// returns. A sink that refuses says where: at_byte becomes line and column.
class JgfSink {
 public:
  struct Refusal {
    ErrorCode code = ErrorCode::invalid;
    std::string text;
    std::size_t at_byte = 0;
  };
  using Outcome = std::optional<Refusal>;  // nothing: go on

  virtual Outcome node(const JgfNodeText& node) = 0;
  virtual Outcome edge(const JgfEdgeText& edge) = 0;
  virtual Outcome writer(std::string_view /*name*/) { return {}; }
  virtual Outcome free_ranks(std::string_view /*idset*/) { return {}; }

  JgfSink() = default;
  JgfSink(const JgfSink&) = delete;
  JgfSink& operator=(const JgfSink&) = delete;
  virtual ~JgfSink() = default;
};

struct JgfTextOptions {
  std::string_view file{};        // for messages
  std::size_t readable_past = 0;  // bytes behind the text; it is copied if under kJsonPadding
  JgfLimits limits{};
  bool units = true;  // false: the machine's pools have none, as recorded sessions of Fluxion pin
  // Told now and then how many bytes of the text are read; may be empty.
  std::function<void(std::size_t done_bytes, std::size_t all_bytes)> progress{};
};

// Errors, each with line and column: invalid (no JSON, no JGF, or what the sink refuses), limit.
[[nodiscard]] Result<void> read_jgf_text(std::string_view text, const JgfTextOptions& options,
                                         JgfSink& sink);

}  // namespace copse
