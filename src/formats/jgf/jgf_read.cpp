// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "formats/jgf/jgf.hpp"
#include "formats/jgf/jgf_ids.hpp"
#include "graph/graph_builder.hpp"

namespace copse {
namespace {

using Handle = GraphBuilder::Handle;

// Interns words; most are equal to the word before.
template <class IdType>
class LastWord {
 public:
  template <class Intern>
  [[nodiscard]] Result<IdType> get(std::string_view word, Intern intern) {
    if (known_ && word == word_) return id_;
    Result<IdType> id = intern(word);
    if (id) {
      word_ = word;
      id_ = *id;
      known_ = true;
    }
    return id;
  }

 private:
  std::string_view word_;
  IdType id_{};
  bool known_ = false;
};

// The paths that the file gives, until they are compared with those of the graph. Views into the
// text; the few with escapes are copied, so that the parser can go before the graph is made.
class GivenPaths {
 public:
  explicit GivenPaths(std::string_view text) : text_(text) {}

  // REQUIRES handles to come in order: 0, 1, 2, …
  void add_pool() { dominant_.emplace_back(); }
  void add(Handle pool, SubsystemId subsystem, std::string_view path, bool dominant) {
    const bool in_text = path.data() >= text_.data() && path.data() < text_.data() + text_.size();
    if (!in_text) path = copies_.emplace_back(path);
    if (dominant) {
      dominant_[pool] = path;
    } else {
      others_.push_back({pool, subsystem, path});
    }
  }

  [[nodiscard]] std::string_view of(Handle pool) const { return dominant_[pool]; }
  // In another subsystem; empty: none. O(paths in these subsystems), at first.
  [[nodiscard]] std::string_view of(Handle pool, SubsystemId subsystem) {
    if (by_pool_.empty()) {
      for (const Path& path : others_) by_pool_[{path.pool, path.subsystem.v}] = path.text;
      by_pool_.try_emplace({UINT32_MAX, 0});
    }
    const auto other = by_pool_.find({pool, subsystem.v});
    return other == by_pool_.end() ? std::string_view() : other->second;
  }

  // Gives the graph those that it would not make itself. O(bytes of the paths) for the dominant
  // subsystem, O(depth) for each path in another.
  void keep_own(ResourceGraph& graph) const {
    keep_dominant(graph);
    if (others_.empty()) return;
    std::vector<PoolId> number(graph.pool_count());
    for (std::uint32_t v = 0; v < graph.pool_count(); ++v)
      number[graph.created(PoolId{v})] = PoolId{v};
    for (const Path& given : others_) {
      const PoolId p = number[given.pool];
      if (graph.path(p, given.subsystem) != given.text) {
        graph.set_own_path(p, given.subsystem, std::string(given.text));
      }
    }
  }

 private:
  struct Path {
    Handle pool;
    SubsystemId subsystem;
    std::string_view text;
  };

  // One walk in preorder; `path` grows and shrinks with it.
  void keep_dominant(ResourceGraph& graph) const {
    struct Level {
      PoolId end;
      std::size_t length;  // of the path of the pool above
    };
    std::vector<Level> above;
    std::string path;
    const SubsystemId dominant = graph.dominant();
    for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
      const PoolId p{v};
      const std::string_view given = dominant_[graph.created(p)];
      if (v >= graph.tree_count()) {
        if (!given.empty()) graph.set_own_path(p, dominant, std::string(given));
        continue;
      }
      while (!above.empty() && above.back().end <= p) {
        path.resize(above.back().length);
        above.pop_back();
      }
      above.push_back({graph.end(p), path.size()});
      graph.append_name(p, path += '/');
      if (!given.empty() && given != path) graph.set_own_path(p, dominant, std::string(given));
    }
  }

  std::string_view text_;
  std::vector<std::string_view> dominant_;  // by handle
  std::vector<Path> others_;
  std::deque<std::string> copies_;
  std::map<std::pair<Handle, std::uint8_t>, std::string_view> by_pool_;  // those of others_
};

class GraphSink : public JgfSink {
 public:
  GraphSink(std::string_view text, const JgfTextOptions& options, std::string_view dominant,
            const std::vector<PoolNumbers>& numbers = {})
      : numbers_(numbers.begin(), numbers.end()),
        builder_({options.limits.nodes_max, options.limits.edges_max}),
        ids_(text.size()),
        paths_(text),
        dominant_(dominant),
        units_(options.units) {}

  Outcome node(const JgfNodeText& node) override {
    PoolSpec spec;
    if (auto failed = intern(node, spec)) return failed;
    spec.size = node.size;
    spec.id = node.id;
    spec.rank = node.rank;
    if (!numbers_.empty()) {
      assert(builder_.pool_count() < numbers_.size());
      const PoolNumbers& own = numbers_[builder_.pool_count()];
      spec.rank = own.rank;
      spec.id = own.id;
    }
    const bool renamed = spec.id != node.id;
    const auto pool = builder_.add_pool(spec);
    if (!pool) return refusal(pool.error());
    if (!ids_.add(node.outer_id.text, *pool)) {
      return Refusal{ErrorCode::invalid,
                     fmt::format("found duplicate JGF node id for {}", node.outer_id.text),
                     node.outer_id.offset};
    }
    if (!node.name.empty() && !renamed) builder_.set_name(*pool, std::string(node.name));
    builder_.set_uniq_id(*pool, node.uniq_id);
    if (node.down) builder_.set_down(*pool);
    if (node.divisible) builder_.set_divisible(*pool);
    for (const auto& [key, value] : node.properties) {
      builder_.set_property(*pool, std::string(key), std::string(value));
    }
    for (const auto& [key, value] : node.tags) {
      tags_.push_back({*pool, std::string(key), std::string(value)});
    }
    paths_.add_pool();
    for (const auto& [subsystem, path] : node.paths) {
      if (renamed && !is_of_root(path.text)) continue;
      if (auto failed = add_path(*pool, subsystem, path)) return failed;
    }
    return {};
  }

  Outcome writer(std::string_view name) override {
    writer_ = name;
    return {};
  }
  [[nodiscard]] const std::string& writer() const { return writer_; }

  Outcome edge(const JgfEdgeText& edge) override {
    const Handle from = ids_.find(edge.source), to = ids_.find(edge.target);
    if (from == JgfIds::kNone || to == JgfIds::kNone) {
      return Refusal{
          ErrorCode::invalid,
          fmt::format("source and/or target vertex not found: {} -> {}", edge.source, edge.target),
          edge.offset};
    }
    if (edge.has_subsystem || edge.relations.empty()) {
      return add_edge(edge, from, to, edge.subsystem);
    }
    for (const auto& [in, relation] : edge.relations) {
      if (auto failed = add_edge(edge, from, to, in)) return failed;
    }
    return {};
  }

  // REQUIRES that the whole document was read.
  Result<ResourceGraph> build() {
    ids_ = JgfIds(0);
    const auto main = builder_.subsystem(dominant_);
    builder_.join_opposite_edges([&](Handle from, Handle to, SubsystemId in) {
      const bool in_main = main && in == *main;
      const std::string_view below = in_main ? paths_.of(from) : paths_.of(from, in);
      const std::string_view above = in_main ? paths_.of(to) : paths_.of(to, in);
      return !above.empty() && below.starts_with(above) &&
             below.substr(above.size()).starts_with('/');
    });
    auto graph = builder_.build(dominant_);
    if (graph) paths_.keep_own(*graph);
    if (graph) give_tags(*graph);
    return graph;
  }

 private:
  struct Tag {
    Handle pool;
    std::string key, value;
  };

  void give_tags(ResourceGraph& graph) {
    if (tags_.empty()) return;
    std::vector<PoolId> number(graph.pool_count());
    for (std::uint32_t v = 0; v < graph.pool_count(); ++v)
      number[graph.created(PoolId{v})] = PoolId{v};
    for (Tag& tag : tags_) {
      graph.set_tag(number[tag.pool], std::move(tag.key), std::move(tag.value));
    }
  }

  Outcome add_edge(const JgfEdgeText& edge, Handle from, Handle to, std::string_view in) {
    const auto s = subsystem(in);
    if (!s) return refusal(s.error(), edge.offset);
    const auto relation = relation_of(edge.relations, in, "contains", last_relation_);
    if (!relation) return refusal(relation.error(), edge.offset);
    const auto reverse = relation_of(edge.reverses, in, "in", last_reverse_);
    if (!reverse) return refusal(reverse.error(), edge.offset);
    if (auto added = builder_.add_edge(from, to, *s, *relation, *reverse); !added) {
      return refusal(added.error(), edge.offset);
    }
    return {};
  }

  // The relation that an edge names for the subsystem.
  Result<RelationId> relation_of(
      std::span<const std::pair<std::string_view, std::string_view>> named, std::string_view in,
      std::string_view otherwise, LastWord<RelationId>& last) {
    const auto own = std::ranges::find(named, in, [](const auto& one) { return one.first; });
    return last.get(own == named.end() ? otherwise : own->second,
                    [&](std::string_view n) { return builder_.relation(n); });
  }

  static bool is_of_root(std::string_view path) {
    return path.find('/', 1) == std::string_view::npos;
  }

  static Outcome refusal(const Error& error, std::size_t at_byte = 0) {
    return Refusal{error.code, error.text, at_byte};
  }

  Result<SubsystemId> subsystem(std::string_view name) {
    return last_subsystem_.get(name, [&](std::string_view n) { return builder_.subsystem(n); });
  }

  Outcome intern(const JgfNodeText& node, PoolSpec& spec) {
    const auto type =
        last_type_.get(node.type, [&](std::string_view n) { return builder_.type(n); });
    if (!type) return refusal(type.error());
    const auto unit = last_unit_.get(units_ ? node.unit : "",
                                     [&](std::string_view n) { return builder_.unit(n); });
    if (!unit) return refusal(unit.error());
    spec.type = *type;
    spec.unit = *unit;
    spec.basename = *last_basename_.get(
        node.basename, [&](std::string_view n) { return Result<NameId>(builder_.basename(n)); });
    return {};
  }

  Outcome add_path(Handle pool, std::string_view subsystem_name, const JgfWord& path) {
    const auto s = subsystem(subsystem_name);
    if (!s) return refusal(s.error(), path.offset);
    paths_.add(pool, *s, path.text, subsystem_name == dominant_);
    if (!is_of_root(path.text)) return {};
    if (builder_.set_root(*s, pool)) return {};
    return Refusal{ErrorCode::invalid,
                   fmt::format("failed to add root metadata for {} subsystem. Possible duplicate "
                               "root",
                               subsystem_name),
                   path.offset};
  }

  const std::span<const PoolNumbers> numbers_;
  std::string writer_;
  std::vector<Tag> tags_;
  GraphBuilder builder_;
  JgfIds ids_;
  GivenPaths paths_;
  std::string_view dominant_;
  LastWord<TypeId> last_type_;
  const bool units_;
  LastWord<UnitId> last_unit_;
  LastWord<NameId> last_basename_;
  LastWord<SubsystemId> last_subsystem_;
  LastWord<RelationId> last_relation_, last_reverse_;
};

}  // namespace

namespace {

Result<ResourceGraph> read_into(GraphSink& sink, std::string_view text,
                                const JgfTextOptions& options) {
  if (auto read = read_jgf_text(text, options, sink); !read) {
    return std::unexpected(read.error());
  }
  auto graph = sink.build();
  if (!graph && graph.error().place.file.empty()) graph.error().place.file = options.file;
  return graph;
}

}  // namespace

Result<ResourceGraph> read_jgf(std::string_view text, const JgfTextOptions& options,
                               std::string_view dominant) {
  GraphSink sink(text, options, dominant);
  return read_into(sink, text, options);
}

Result<ResourceGraph> read_jgf_of_set(std::string_view text, const JgfTextOptions& options,
                                      const std::vector<PoolNumbers>& numbers,
                                      std::string* writer) {
  GraphSink sink(text, options, "containment", numbers);
  auto graph = read_into(sink, text, options);
  if (writer != nullptr) *writer = sink.writer();
  return graph;
}

}  // namespace copse
