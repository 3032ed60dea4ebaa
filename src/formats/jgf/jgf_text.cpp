// SPDX-License-Identifier: Apache-2.0
#include "formats/jgf/jgf_text.hpp"

#include <vector>

#include <fmt/format.h>

#include "base/idset.hpp"
#include "formats/jgf/jgf_node_reader.hpp"
#include "text/json_walk.hpp"

namespace copse {
namespace {

static_assert(kJsonPadding >= simdjson::SIMDJSON_PADDING);

constexpr std::uint32_t kProgressEvery = 8192;  // nodes or edges
constexpr std::size_t kSubsystemsMax = 255;

using Relations = std::vector<std::pair<std::string_view, std::string_view>>;

using Object = JsonWalk::Object;
using Array = JsonWalk::Array;
using Value = JsonWalk::Value;
using Token = JsonWalk::Token;

class JgfReader {
 public:
  JgfReader(std::string_view text, const JgfTextOptions& options, JgfSink& sink)
      : options_(options),
        sink_(sink),
        walk_(text, options.readable_past, options.file,
              {options.limits.text_bytes_max, options.limits.word_bytes_max,
               options.limits.depth_max}) {}

  Result<void> read() {
    Object root;
    if (walk_.open(root) && document(root, true) && walk_.close()) return {};
    return std::unexpected(walk_.error());
  }

 private:
  // The outermost object, or that of "scheduling".
  bool document(Object& object, bool outermost) {
    JsonOnce once(walk_);
    const bool whole =
        walk_.for_each_member(object, [&](std::string_view key, Value& value, const Token& token) {
          if (key == "graph") {
            if (graph_read_) return walk_.refuse(token.offset, "a second \"graph\" is given");
            return graph_read_ = true, graph(value, token);
          }
          if (key == "writer" && token.type == JsonWalk::Type::string) {
            return once.take(0, key, token) && writer(value, token);
          }
          if (key == "free_ranks") return once.take(1, key, token) && free_ranks(value, token);
          if (key == "scheduling" && outermost && token.type == JsonWalk::Type::object) {
            Object scheduling;
            return once.take(2, key, token) && walk_.object(value, token, key, scheduling) &&
                   document(scheduling, false);
          }
          return walk_.skip(value, token);
        });
    if (!whole || !outermost || graph_read_) return whole;
    return walk_.refuse(0, "JGF does not contain a required key (graph)");
  }

  bool writer(Value& value, const Token& token) {
    std::string_view text;
    return walk_.word(value, token, "\"writer\"", text) && keep(sink_.writer(text), token.offset);
  }

  bool free_ranks(Value& value, const Token& token) {
    std::string_view text;
    std::string listed;
    if (token.type == JsonWalk::Type::array) {
      Idset ranks;
      const bool whole =
          walk_.elements(value, token, "\"free_ranks\"", [&](Value&, const Token& t) {
            std::int64_t rank = 0;
            if (!walk_.integer(t, "a rank of \"free_ranks\"", 0, INT32_MAX, rank)) return false;
            ranks.add(rank);
            return true;
          });
      if (!whole) return false;
      listed = ranks.text();
      text = listed;
    } else if (!walk_.word(value, token, "\"free_ranks\"", text)) {
      return false;
    }
    return keep(sink_.free_ranks(text), token.offset);
  }

  // Edges name nodes, so nodes are read first: edges before them are skipped, and read by going
  // back to.
  bool graph(Value& value, const Token& token) {
    Object object;
    if (!walk_.object(value, token, "\"graph\"", object)) return false;
    JsonOnce once(walk_);
    bool edges_wait = false;
    std::size_t members = 0, before_edges = 0;
    const bool whole =
        walk_.for_each_member(object, [&](std::string_view key, Value& v, const Token& t) {
          ++members;
          if (key == "nodes") return once.take(0, key, t) && nodes(v, t);
          if (key != "edges") return walk_.skip(v, t, 2);
          if (!once.take(1, key, t)) return false;
          if (once.has(0)) return edges(v, t);
          before_edges = members - 1;
          return edges_wait = true;
        });
    if (!whole) return false;
    if (!once.has(0) || !once.has(1)) {
      return walk_.refuse(token.offset, fmt::format("JGF does not contain a required key ({})",
                                                    once.has(0) ? "edges" : "nodes"));
    }
    if (!edges_wait) return true;
    return walk_.member_again(object, before_edges,
                              [&](Value& v, const Token& t) { return edges(v, t); });
  }

  bool nodes(Value& value, const Token& token) {
    std::uint64_t count = 0;
    return walk_.elements(value, token, "\"nodes\"", [&](Value& v, const Token& t) {
      count += 1;
      if (count > options_.limits.nodes_max) {
        return walk_.refuse(t.offset, fmt::format("more than {} nodes", options_.limits.nodes_max),
                            ErrorCode::limit);
      }
      if (count % kProgressEvery == 0) show_progress(t);
      return node_.read(v, t) && keep(sink_.node(node_.node()), t.offset);
    });
  }

  bool edges(Value& value, const Token& token) {
    std::uint64_t count = 0;
    return walk_.elements(value, token, "\"edges\"", [&](Value& v, const Token& t) {
      count += 1;
      if (count > options_.limits.edges_max) {
        return walk_.refuse(t.offset, fmt::format("more than {} edges", options_.limits.edges_max),
                            ErrorCode::limit);
      }
      if (count % kProgressEvery == 0) show_progress(t);
      return edge(v, t);
    });
  }

  bool edge(Value& value, const Token& token) {
    JgfEdgeText edge;
    edge.offset = token.offset;
    JsonOnce once(walk_);
    relations_.clear();
    reverses_.clear();
    const bool whole = walk_.members(
        value, token, "a JGF edge", [&](std::string_view key, Value& v, const Token& t) {
          if (key == "source") {
            return once.take(0, key, t) &&
                   walk_.word(v, t, "\"source\" of a JGF edge", edge.source);
          }
          if (key == "target") {
            return once.take(1, key, t) &&
                   walk_.word(v, t, "\"target\" of a JGF edge", edge.target);
          }
          if (key != "metadata" || t.type == JsonWalk::Type::null) return walk_.skip(v, t, 4);
          return once.take(2, key, t) && edge_metadata(v, t, once, edge);
        });
    if (!whole) return false;
    if (!once.has(0) || !once.has(1)) {
      return walk_.refuse(token.offset, "source and/or target vertex not found in a JGF edge");
    }
    edge.relations = relations_;
    edge.reverses = reverses_;
    return keep(sink_.edge(edge), token.offset);
  }

  bool edge_metadata(Value& value, const Token& token, JsonOnce& once, JgfEdgeText& edge) {
    return walk_.members(value, token, "\"metadata\" of a JGF edge",
                         [&](std::string_view key, Value& v, const Token& t) {
                           if (key == "name" && t.type == JsonWalk::Type::object) {
                             return once.take(4, key, t) && relations(v, t, relations_);
                           }
                           if (key == "reverse" && t.type == JsonWalk::Type::object) {
                             return once.take(5, key, t) && relations(v, t, reverses_);
                           }
                           if (key != "subsystem") return walk_.skip(v, t, 5);
                           if (!once.take(3, key, t) ||
                               !walk_.word(v, t, "\"subsystem\" of a JGF edge", edge.subsystem)) {
                             return false;
                           }
                           edge.has_subsystem = true;
                           return !edge.subsystem.empty() ||
                                  walk_.refuse(t.offset, "a subsystem must have a name");
                         });
  }

  // {"containment": "contains"}
  bool relations(Value& value, const Token& token, Relations& out) {
    return walk_.members(value, token, "the relations of a JGF edge",
                         [&](std::string_view subsystem, Value& v, const Token& t) {
                           if (t.type != JsonWalk::Type::string) return walk_.skip(v, t, 6);
                           if (subsystem.empty())
                             return walk_.refuse(t.offset, "a subsystem must have a name");
                           if (out.size() >= kSubsystemsMax) {
                             return walk_.refuse(t.offset, "an edge is in more than 255 subsystems",
                                                 ErrorCode::limit);
                           }
                           std::string_view word;
                           if (!walk_.word(v, t, "a relation of a JGF edge", word)) return false;
                           out.emplace_back(subsystem, word);
                           return true;
                         });
  }

  bool keep(const JgfSink::Outcome& outcome, std::size_t offset) {
    if (!outcome) return true;
    return walk_.refuse(outcome->at_byte != 0 ? outcome->at_byte : offset, outcome->text,
                        outcome->code);
  }
  void show_progress(const Token& token) const {
    if (options_.progress) options_.progress(token.offset, walk_.text().size());
  }

  const JgfTextOptions& options_;
  JgfSink& sink_;
  JsonWalk walk_;
  Relations relations_, reverses_;  // of an edge
  bool graph_read_ = false;
  JgfNodeReader node_{walk_, options_.limits};
};

}  // namespace

Result<void> read_jgf_text(std::string_view text, const JgfTextOptions& options, JgfSink& sink) {
  return JgfReader(text, options, sink).read();
}

}  // namespace copse
