// SPDX-License-Identifier: Apache-2.0
#include "flux/fluxion/fluxion_pools.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "text/json_writer.hpp"

namespace copse::flux {

namespace {

// A text without its newlines; "null" if it is empty.
std::string_view json_or_null(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text.empty() ? "null" : text;
}

}  // namespace

RpcResult<std::string> FluxionPools::find(std::string_view criteria, std::string_view format) {
  // As in Fluxion, an unknown format means simple.
  const Format known =
      format.empty() ? Format::rv1_nosched : parse_format(format).value_or(Format::simple);
  std::string text, out;
  if (!resource_.find(criteria, known, text)) {
    return refuse(EINVAL, fmt::format("find: invalid criteria: {}", criteria));
  }
  const bool plain = known == Format::simple || known == Format::pretty_simple;
  JsonWriter json(out);
  json.object([&] {
    if (plain && !text.empty()) return json.member("R", text);
    json.member_json("R", json_or_null(text));
  });
  return out;
}

std::string FluxionPools::status() {
  std::string out;
  JsonWriter json(out);
  const auto member = [&](std::string_view key, std::string_view criteria) {
    std::string text;
    [[maybe_unused]] const auto found = resource_.find(criteria, Format::rv1_nosched, text);
    json.member_json(key, json_or_null(text));
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
    const auto pools = resource_.graph().at_path(path);
    if (pools.empty()) {
      return refuse(ENOENT, fmt::format("Couldn't find '{}' in resource graph", path));
    }
    all.insert(all.end(), pools.begin(), pools.end());
  }
  return all;
}

RpcResult<void> FluxionPools::set_property(std::span<const std::string> paths,
                                           std::string_view assignment) {
  const auto property = fluxion::Resource::parse_property(assignment);
  if (!property) {
    return refuse(EINVAL, "Incorrect format, use set-property <resource> PROPERTY=VALUE");
  }
  const auto all = pools_at(paths);
  if (!all) return std::unexpected(all.error());
  resource_.set_property(*all, *property);
  return {};
}

RpcResult<void> FluxionPools::remove_property(std::span<const std::string> paths,
                                              const std::string& key) {
  const auto all = pools_at(paths);
  if (!all) return std::unexpected(all.error());
  resource_.remove_property(*all, key);
  return {};
}

RpcResult<std::vector<std::string>> FluxionPools::get_property(std::string_view path,
                                                               const std::string& key) const {
  const std::string paths[] = {std::string(path)};
  const auto pools = pools_at(paths);
  if (!pools) return std::unexpected(pools.error());
  std::vector<std::string> out;
  for (const PoolId pool : *pools) {
    const auto* properties = resource_.graph().properties(pool);
    const auto at = properties == nullptr ? std::map<std::string, std::string>::const_iterator()
                                          : properties->find(key);
    if (properties != nullptr && at != properties->end()) out.push_back(at->second);
  }
  if (!out.empty()) return out;
  return refuse(ENOENT, fmt::format("Property '{}' was not found for resource {}", key, path));
}

RpcResult<void> FluxionPools::set_status(std::string_view path, std::string_view status) {
  const auto pools = resource_.graph().at_path(path);
  if (pools.empty()) {
    return refuse(EINVAL, fmt::format("could not find path '{}' in resource graph", path));
  }
  if (status != "up" && status != "down") {
    return refuse(EINVAL, fmt::format("unrecognized status '{}'", status));
  }
  resource_.set_status(pools, status == "up" ? Status::up : Status::down);
  return {};
}

RpcResult<void> FluxionPools::add_subgraph(std::string_view jgf) {
  const auto added = resource_.add_subgraph(jgf, "subgraph");
  if (added || added.error().code == ErrorCode::exists) return {};
  return refuse(EINVAL, "failed to add subgraph: " + added.error().message());
}

RpcResult<void> FluxionPools::remove_subgraph(std::string_view path) {
  const auto tops = resource_.graph().at_path(path);
  if (tops.empty()) {
    return refuse(ENOENT, fmt::format("failed to remove subgraph at path {}", path));
  }
  return remove(tops);
}

RpcResult<void> FluxionPools::remove(std::span<const PoolId> tops) {
  const auto removed = resource_.remove(tops);
  if (removed) return {};
  return refuse(EPROTO, "failed to remove subgraph: " + removed.error().message());
}

RpcResult<std::int64_t> FluxionPools::id_here(std::int64_t rank, std::string_view type,
                                              std::int64_t id) const {
  const ResourceGraph& graph = resource_.graph();
  if (rank < 0 || rank > INT32_MAX) return refuse(ENOENT);
  for (const PoolId pool : graph.of_rank(static_cast<std::int32_t>(rank))) {
    if (graph.removed(pool)) continue;
    if (type == "rank" && id == rank) return id;
    if (graph.type_name(pool) == type && graph.id(pool) == id) return id;
  }
  return refuse(ENOENT);
}

}  // namespace copse::flux
