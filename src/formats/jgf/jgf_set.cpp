// SPDX-License-Identifier: Apache-2.0
#include "formats/jgf/jgf_set.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/jgf/jgf_ids.hpp"

namespace copse {
namespace {

class SetSink : public JgfSink {
 public:
  SetSink(JgfSet& set, std::size_t text_bytes) : set_(set), ids_(text_bytes) {}

  Outcome node(const JgfNodeText& node) override {
    if (!ids_.add(node.outer_id.text, static_cast<std::uint32_t>(set_.nodes.size()))) {
      return Refusal{ErrorCode::invalid,
                     fmt::format("found duplicate JGF node id for {}", node.outer_id.text),
                     node.outer_id.offset};
    }
    JgfNode& out = set_.nodes.emplace_back();
    out.outer_id = node.outer_id.text;
    out.type = node.type;
    out.basename = node.basename;
    out.name = node.name;
    if (out.name.empty()) {
      out.name = out.basename;
      if (node.id != -1) out.name += std::to_string(node.id);
    }
    out.unit = node.unit;
    out.id = node.id;
    out.uniq_id = node.uniq_id;
    out.size = node.size;
    out.rank = node.rank;
    out.exclusive = node.exclusive;
    out.down = node.down;
    out.drawn = node.drawn;
    for (const auto& [key, value] : node.properties) out.properties.emplace_back(key, value);
    for (const auto& [subsystem, path] : node.paths) out.paths.emplace_back(subsystem, path.text);
    return {};
  }

  Outcome edge(const JgfEdgeText& edge) override {
    set_.edges.push_back({ids_.find(edge.source), ids_.find(edge.target), std::string(edge.source),
                          std::string(edge.target), std::string(edge.subsystem)});
    return {};
  }

  Outcome writer(std::string_view name) override {
    if (set_.writer) return Refusal{ErrorCode::invalid, "\"writer\" is given twice"};
    set_.writer = name;
    return {};
  }

  Outcome free_ranks(std::string_view idset) override {
    if (set_.free_ranks) return Refusal{ErrorCode::invalid, "\"free_ranks\" is given twice"};
    auto ranks = Idset::parse(idset);
    if (!ranks) {
      return Refusal{ranks.error().code, "\"free_ranks\" is not an idset: " + ranks.error().text};
    }
    set_.free_ranks = std::move(*ranks);
    return {};
  }

 private:
  JgfSet& set_;
  JgfIds ids_;
};

Result<SubsystemId> subsystem_of(const ResourceGraph& graph, const std::string& name) {
  const std::uint32_t s = graph.names().subsystems.find(name);
  if (s != Interner::kNone) return SubsystemId{static_cast<std::uint8_t>(s)};
  return fail(ErrorCode::not_found, fmt::format("the graph has no subsystem {}", name));
}

// How a pool differs from the node, "size is 4 in the graph and 8 in JGF"; empty if it does not.
std::string difference(const ResourceGraph& graph, PoolId p, const JgfNode& node) {
  const auto differs = [](const char* member, const auto& in_graph, const auto& in_set) {
    return fmt::format("{} is {} in the graph and {} in JGF", member, in_graph, in_set);
  };
  if (graph.type_name(p) != node.type) return differs("type", graph.type_name(p), node.type);
  if (graph.basename_text(p) != node.basename) {
    return differs("basename", graph.basename_text(p), node.basename);
  }
  const bool part = graph.divisible(p) && node.size > 0 && node.size < graph.size(p);
  if (graph.size(p) != node.size && !part) return differs("size", graph.size(p), node.size);
  if (graph.id(p) != node.id) return differs("id", graph.id(p), node.id);
  if (graph.name(p) != node.name) return differs("name", graph.name(p), node.name);
  for (std::uint32_t s = 0; s < graph.subsystem_count(); ++s) {
    const SubsystemId subsystem{static_cast<std::uint8_t>(s)};
    if (!graph.in_subsystem(p, subsystem)) continue;
    const std::string& name = graph.subsystem_name(subsystem);
    const auto given = std::find_if(node.paths.begin(), node.paths.end(),
                                    [&](const auto& path) { return path.first == name; });
    if (given == node.paths.end()) {
      return fmt::format("paths: it has one in subsystem {} in the graph and none in JGF", name);
    }
  }
  return {};
}

}  // namespace

Result<JgfSet> read_jgf_set(std::string_view text, std::string_view file, const JgfLimits& limits) {
  JgfSet set;
  SetSink sink(set, text.size());
  if (auto read = read_jgf_text(text, {.file = file, .limits = limits}, sink); !read) {
    return std::unexpected(read.error());
  }
  return set;
}

Result<PoolId> find_pool(const ResourceGraph& graph, const JgfNode& node) {
  if (node.paths.empty()) {
    return fail(ErrorCode::not_found,
                fmt::format("JGF node {} has no path to find it by", node.outer_id));
  }
  std::vector<PoolId> found;
  for (const auto& [subsystem, path] : node.paths) {
    const auto s = subsystem_of(graph, subsystem);
    if (!s) return std::unexpected(s.error());
    std::vector<PoolId> here = graph.at_path(path);
    std::erase_if(here, [&](PoolId p) { return graph.path(p, *s) != path; });
    const bool first = &path == &node.paths.front().second;
    if (!first) {
      std::erase_if(
          here, [&](PoolId p) { return std::find(found.begin(), found.end(), p) == found.end(); });
    }
    if (here.empty()) {
      return fail(ErrorCode::not_found, fmt::format("no pool has the {} path {}{}", subsystem, path,
                                                    first ? "" : " and the paths before it"));
    }
    found = std::move(here);
  }
  const std::string& path = node.paths.front().second;
  const std::int32_t rank = graph.rank(found.front());
  std::erase_if(found, [&](PoolId p) { return graph.rank(p) != node.rank; });
  if (found.empty()) {
    return fail(ErrorCode::not_found,
                fmt::format("{}: rank is {} in the graph and {} in JGF", path, rank, node.rank));
  }
  std::string first_difference;
  for (PoolId p : found) {
    std::string how = difference(graph, p, node);
    if (how.empty()) return p;
    if (first_difference.empty()) first_difference = std::move(how);
  }
  return fail(ErrorCode::invalid, fmt::format("{}: {}", path, first_difference));
}

}  // namespace copse
