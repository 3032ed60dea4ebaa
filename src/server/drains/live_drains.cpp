// SPDX-License-Identifier: Apache-2.0
#include "server/drains/live_drains.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/nearest_word.hpp"
#include "graph/node_names.hpp"
#include "session/ranks.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kNamesMax = 1'000'000;

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    out.emplace_back(text.substr(from, end - from));
    from = end + 1;
  }
  return out;
}

// The nodes at and below a pool.
void add_nodes_below(const ResourceGraph& graph, PoolId top, std::vector<PoolId>& out) {
  const TypeId node = graph.find_type("node");
  graph.preorder(top, [&](PoolId p) {
    if (graph.type(p) != node) return true;
    out.push_back(p);
    return false;
  });
}

// Visits the pools that are nodes or may contain some, without those within nodes, which are many.
template <class Visit>
void each_above_cores(const ResourceGraph& graph, Visit visit) {
  const TypeId node = graph.find_type("node");
  graph.preorder(graph.root(), [&](PoolId p) {
    visit(p);
    return graph.type(p) != node || graph.shape(p).total(node) > 0;
  });
}

void keep_each_once(std::vector<PoolId>& nodes) {
  std::ranges::sort(nodes);
  const auto same = std::ranges::unique(nodes);
  nodes.erase(same.begin(), same.end());
}

Result<std::vector<PoolId>> nodes_of_ranks(const ResourceGraph& graph, std::string_view ranks) {
  const auto tops = tops_of_text(graph, ranks);
  if (!tops) return std::unexpected(tops.error());
  std::vector<PoolId> out;
  for (const PoolId top : *tops) add_nodes_below(graph, top, out);
  keep_each_once(out);
  if (out.empty()) return fail(ErrorCode::invalid, "\"ranks\" names no node");
  return out;
}

Result<void> check_reason(const SessionRequest& line) {
  if (!line.reason || line.reason->size() <= kReasonBytesMax) return {};
  return fail(ErrorCode::limit, fmt::format("\"reason\" has {} bytes; the limit is {}",
                                            line.reason->size(), kReasonBytesMax));
}

// Rows with the same time, operator and reason together.
void write_groups(JsonWriter& json, std::string_view key, const DrainTable::Rows& rows) {
  std::map<std::tuple<std::int64_t, std::string_view, std::string_view>, std::vector<std::string>>
      groups;
  for (const auto& [path, row] : rows) groups[{row.at, row.by, row.reason}].push_back(row.node);
  json.array(key, groups, [&](const auto& group) {
    const auto& [at, by, reason] = group.first;
    json.object([&] {
      json.member("nodes", compress_hostlist(group.second));
      json.member("reason", reason);
      json.member("by", by);
      json.member("at", at);
    });
  });
}

}  // namespace

Result<std::vector<PoolId>> nodes_named(const ResourceGraph& graph, const SessionRequest& line) {
  if (!line.nodes) {
    if (line.ranks) return nodes_of_ranks(graph, *line.ranks);
    return fail(ErrorCode::invalid, "there is neither \"nodes\" nor \"ranks\"");
  }
  if (line.ranks) return fail(ErrorCode::invalid, "give either \"nodes\" or \"ranks\", not both");
  const bool paths = line.nodes->starts_with('/');
  auto names = paths ? Result<std::vector<std::string>>(split_at_commas(*line.nodes))
                     : expand_hostlist(*line.nodes, kNamesMax);
  if (!names) return std::unexpected(names.error());
  std::unordered_map<std::string, std::vector<PoolId>> found;
  for (const std::string& name : *names) found[name];
  const auto note = [&](PoolId p) {
    const auto at = found.find(paths ? graph.path(p, graph.dominant()) : graph.name(p));
    if (at != found.end()) at->second.push_back(p);
  };
  each_above_cores(graph, note);
  if (std::ranges::any_of(found, [](const auto& one) { return one.second.empty(); })) {
    for (auto& [name, pools] : found) pools.clear();
    graph.preorder(graph.root(), [&](PoolId p) {
      note(p);
      return true;
    });
  }
  std::vector<PoolId> out;
  for (const std::string& name : *names) {
    const std::vector<PoolId>& pools = found[name];
    if (pools.empty()) return fail(ErrorCode::not_found, no_such_node(graph, name));
    const std::size_t before = out.size();
    for (const PoolId p : pools) add_nodes_below(graph, p, out);
    if (out.size() > before) continue;
    return fail(
        ErrorCode::invalid,
        fmt::format("{} contains no nodes: name nodes, or pools that contain nodes, such as racks",
                    shown_word(name)));
  }
  if (out.empty()) return fail(ErrorCode::invalid, "\"nodes\" names no node");
  keep_each_once(out);
  return out;
}

std::string LiveDrains::path_of(PoolId node) const {
  const ResourceGraph& graph = queue_->engine().graph();
  return graph.path(node, graph.dominant());
}

Result<void> LiveDrains::run(const SessionRequest& line, const JobCaller& caller,
                             std::string& out) {
  if (line.op == SessionRequest::Op::undrain) return undrain(line, out);
  if (line.op == SessionRequest::Op::drains) {
    list(out);
    return {};
  }
  auto done = drain(line, caller);
  if (done) out += "{}";
  return done;
}

Result<void> LiveDrains::drain(const SessionRequest& line, const JobCaller& caller) {
  if (auto ok = check_reason(line); !ok) return ok;
  const Engine& engine = queue_->engine();
  const auto nodes = nodes_named(engine.graph(), line);
  if (!nodes) return std::unexpected(nodes.error());
  std::vector<PoolId> down;
  for (const PoolId node : *nodes) {
    DrainRow row{.path = path_of(node),
                 .node = engine.graph().name(node),
                 .reason = std::string(line.reason.value_or("")),
                 .by = caller.name,
                 .at = engine.now()};
    if (const DrainRow* known = table_.find(row.path)) {
      if (!line.reason || *line.reason == known->reason) continue;  // unchanged
      row.down = known->down;
    } else {
      row.down = engine.status(node) == Status::down;
      if (!row.down) down.push_back(node);
    }
    table_.put(std::move(row));
  }
  if (!down.empty()) queue_->set_status(down, Status::down);
  return {};
}

// Answers with the nodes whose drain ended, and those that are still down.
Result<void> LiveDrains::undrain(const SessionRequest& line, std::string& out) {
  const Engine& engine = queue_->engine();
  const auto nodes = nodes_named(engine.graph(), line);
  if (!nodes) return std::unexpected(nodes.error());
  std::vector<PoolId> up;
  std::vector<std::string> undrained, down;
  for (const PoolId node : *nodes) {
    const std::string path = path_of(node);
    const DrainRow* row = table_.find(path);
    if (row == nullptr ? engine.status(node) == Status::down : row->down) {
      down.push_back(engine.graph().name(node));
    } else if (row != nullptr) {
      up.push_back(node);
    }
    if (row == nullptr) continue;
    undrained.push_back(row->node);
    table_.remove(path);
  }
  if (!up.empty()) queue_->set_status(up, Status::up);
  JsonWriter json(out);
  json.object([&] {
    json.member("nodes", compress_hostlist(undrained));
    if (!down.empty()) json.member("down", compress_hostlist(down));
  });
  return {};
}

bool LiveDrains::only_drained(PoolId node) const {
  if (table_.rows().empty()) return false;
  const DrainRow* row = table_.find(path_of(node));
  return row != nullptr && !row->down;
}

std::vector<PoolId> LiveDrains::nodes_down() const {
  const Engine& engine = queue_->engine();
  const ResourceGraph& graph = engine.graph();
  const TypeId node = graph.find_type("node");
  std::vector<PoolId> out;
  graph.preorder(graph.root(), [&](PoolId p) {
    if (usable(engine.status(p))) return graph.type(p) != node;
    if (!only_drained(p)) add_nodes_below(graph, p, out);
    return false;
  });
  return out;
}

void LiveDrains::list(std::string& out) const {
  JsonWriter json(out);
  json.object([&] {
    write_groups(json, "drains", table_.rows());
    if (!table_.rows(DrainTable::Kind::set_down).empty())
      write_groups(json, "downs", table_.rows(DrainTable::Kind::set_down));
    std::vector<std::string> down;
    for (const PoolId node : nodes_down()) down.push_back(queue_->engine().graph().name(node));
    if (!down.empty()) json.member("down", compress_hostlist(down));
  });
}

const DrainRow* LiveDrains::row_of(PoolId node) const {
  if (table_.rows().empty() && table_.rows(DrainTable::Kind::set_down).empty()) return nullptr;
  const std::string path = path_of(node);
  const DrainRow* drain = table_.find(path);
  return drain != nullptr && !drain->down ? drain : table_.find(path, DrainTable::Kind::set_down);
}

Result<void> LiveDrains::set_nodes(const SessionRequest& line, const JobCaller& caller,
                                   Status status) {
  if (auto ok = check_reason(line); !ok) return ok;
  const Engine& engine = queue_->engine();
  if (!line.nodes && !line.ranks) return missing("ranks");
  const auto pools =
      line.nodes ? nodes_named(engine.graph(), line) : tops_of_text(engine.graph(), *line.ranks);
  if (!pools) return std::unexpected(pools.error());
  for (const PoolId p : *pools) {
    DrainRow row{.path = path_of(p),
                 .node = engine.graph().name(p),
                 .reason = std::string(line.reason.value_or("")),
                 .by = caller.name,
                 .at = engine.now()};
    const DrainRow* known = table_.find(row.path, DrainTable::Kind::set_down);
    if (status == Status::up) {
      if (known != nullptr) table_.remove(row.path, DrainTable::Kind::set_down);
    } else if (known == nullptr || (line.reason && *line.reason != known->reason)) {
      table_.put(std::move(row), DrainTable::Kind::set_down);
    }
  }
  set_status(*pools, status);
  return {};
}

void LiveDrains::set_status(std::span<const PoolId> pools, Status status) {
  std::vector<PoolId> now;
  for (const PoolId p : pools) {
    const DrainRow* row = table_.rows().empty() ? nullptr : table_.find(path_of(p));
    if (row == nullptr) {
      now.push_back(p);
    } else if (row->down != (status == Status::down)) {
      DrainRow changed = *row;
      changed.down = status == Status::down;
      table_.put(std::move(changed));
    }
  }
  if (!now.empty()) queue_->set_status(now, status);
}

}  // namespace copse::server
