// SPDX-License-Identifier: Apache-2.0
#include "flux/fluxion/fluxion_pools.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "formats/formats.hpp"
#include "formats/found_text.hpp"
#include "formats/jgf/jgf_set.hpp"
#include "formats/jgf/jgf_subtrees.hpp"
#include "text/json_writer.hpp"

namespace copse::flux {

RpcResult<std::string> FluxionPools::find(std::string_view criteria, std::string_view format) {
  const auto found = engine_.find(criteria);
  if (!found) return refuse(EINVAL, fmt::format("find: invalid criteria: {}", criteria));
  // An unknown format is the simplest one.
  Writer writer(format.empty() ? Format::rv1_nosched
                               : parse_format(format).value_or(Format::simple));
  std::string text, out;
  append_found(engine_, *found, writer, text);
  const bool plain = writer.format() == Format::simple || writer.format() == Format::pretty_simple;
  JsonWriter json(out);
  json.object([&] {
    if (text.empty()) {
      json.member_json("R", "null");
    } else if (plain) {
      json.member("R", text);
    } else {
      while (text.ends_with('\n')) text.pop_back();
      json.member_json("R", text);
    }
  });
  return out;
}

std::string FluxionPools::status() {
  std::string out;
  JsonWriter json(out);
  const auto member = [&](std::string_view key, std::string_view criteria) {
    std::string text;
    Writer writer(Format::rv1_nosched);
    if (const auto found = engine_.find(criteria)) append_found(engine_, *found, writer, text);
    while (text.ends_with('\n')) text.pop_back();
    json.member_json(key, text.empty() ? "null" : text);
  };
  json.object([&] {
    member("all", "status=up or status=down");
    member("down", "status=down");
    member("allocated", "sched-now=allocated");
  });
  return out;
}

RpcResult<std::vector<PoolId>> FluxionPools::pools_at(std::span<const std::string> paths) const {
  std::vector<PoolId> all;
  for (const std::string& path : paths) {
    const auto pools = engine_.graph().at_path(path);
    if (pools.empty()) {
      return refuse(ENOENT, fmt::format("Couldn't find '{}' in resource graph", path));
    }
    all.insert(all.end(), pools.begin(), pools.end());
  }
  return all;
}

RpcResult<void> FluxionPools::set_property(std::span<const std::string> paths,
                                           std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == assignment.size()) {
    return refuse(EINVAL, "Incorrect format, use set-property <resource> PROPERTY=VALUE");
  }
  const auto all = pools_at(paths);
  if (!all) return std::unexpected(all.error());
  for (const PoolId pool : *all) {
    engine_.set_property(pool, std::string(assignment.substr(0, equals)),
                         std::string(assignment.substr(equals + 1)));
  }
  if (scheduler_ != nullptr) scheduler_->look_again();
  return {};
}

RpcResult<void> FluxionPools::remove_property(std::span<const std::string> paths,
                                              const std::string& key) {
  const auto all = pools_at(paths);
  if (!all) return std::unexpected(all.error());
  for (const PoolId pool : *all) engine_.remove_property(pool, key);
  if (scheduler_ != nullptr) scheduler_->look_again();
  return {};
}

RpcResult<std::vector<std::string>> FluxionPools::get_property(std::string_view path,
                                                               const std::string& key) const {
  const auto pools = engine_.graph().at_path(path);
  if (pools.empty()) {
    return refuse(ENOENT, fmt::format("Couldn't find '{}' in resource graph", path));
  }
  std::vector<std::string> out;
  for (const PoolId pool : pools) {
    const auto* properties = engine_.graph().properties(pool);
    const auto at = properties == nullptr ? std::map<std::string, std::string>::const_iterator()
                                          : properties->find(key);
    if (properties != nullptr && at != properties->end()) out.push_back(at->second);
  }
  if (!out.empty()) return out;
  return refuse(ENOENT, fmt::format("Property '{}' was not found for resource {}", key, path));
}

RpcResult<void> FluxionPools::set_status(std::string_view path, std::string_view status) {
  const auto pools = engine_.graph().at_path(path);
  if (pools.empty()) {
    return refuse(EINVAL, fmt::format("could not find path '{}' in resource graph", path));
  }
  if (status != "up" && status != "down") {
    return refuse(EINVAL, fmt::format("unrecognized status '{}'", status));
  }
  set_status(pools, status == "up" ? Status::up : Status::down);
  return {};
}

void FluxionPools::set_status(std::span<const PoolId> pools, Status status) {
  if (scheduler_ != nullptr) return scheduler_->set_status(pools, status);
  for (const PoolId pool : pools) engine_.set_status(pool, status);
}

RpcResult<void> FluxionPools::add_subgraph(std::string_view jgf) {
  const auto set = read_jgf_set(jgf, "subgraph");
  if (!set) return refuse(EINVAL, "failed to add subgraph: " + set.error().message());
  const auto subtrees = subtrees_of(engine_.graph(), engine_.names(), *set);
  if (!subtrees && subtrees.error().code == ErrorCode::exists) return {};  // all of it is there
  if (!subtrees) return refuse(EINVAL, "failed to add subgraph: " + subtrees.error().message());
  const auto done =
      scheduler_ != nullptr ? scheduler_->attach(*subtrees) : engine_.attach(*subtrees);
  if (!done) return refuse(EINVAL, "failed to add subgraph: " + done.error().message());
  return {};
}

RpcResult<void> FluxionPools::remove_subgraph(std::string_view path) {
  const auto tops = engine_.graph().at_path(path);
  if (tops.empty()) {
    return refuse(EINVAL, fmt::format("failed to remove subgraph at path {}", path));
  }
  return remove(tops);
}

RpcResult<void> FluxionPools::remove(std::span<const PoolId> tops) {
  const auto done = scheduler_ != nullptr ? scheduler_->remove(tops) : engine_.remove(tops);
  if (!done) return refuse(EPROTO, "failed to remove subgraph: " + done.error().message());
  return {};
}

RpcResult<std::int64_t> FluxionPools::id_here(std::int64_t rank, std::string_view type,
                                              std::int64_t id) const {
  const ResourceGraph& graph = engine_.graph();
  if (rank < 0 || rank > INT32_MAX) return refuse(ENOENT);
  for (const PoolId pool : graph.of_rank(static_cast<std::int32_t>(rank))) {
    if (graph.removed(pool)) continue;
    if (type == "rank" && id == rank) return id;
    if (graph.type_name(pool) == type && graph.id(pool) == id) return id;
  }
  return refuse(ENOENT);
}

}  // namespace copse::flux
