// SPDX-License-Identifier: Apache-2.0
#include "tools/resource_query/rq_commands.hpp"

#include <fmt/format.h>

namespace copse::query {

namespace {

std::vector<PoolId> pools_at(Context& context, std::string_view path, const char* unknown) {
  std::vector<PoolId> pools = context.resource.graph().at_path(path);
  if (pools.empty()) {
    context.streams.results() += fmt::format("{} find path {} in resource graph.\n", unknown, path);
  }
  return pools;
}

}  // namespace

void find(Context& context, Words words) {
  if (words.size() < 2) return context.error("malformed command: ");
  const std::string expression = fmt::format("{}", fmt::join(words.subspan(1), " "));
  const auto found = context.resource.find(expression, {}, context.streams.results());
  if (!found) return context.streams.message("find: " + found.error().text);
  context.write_ruled(fmt::format("INFO: EXPRESSION=\"{}\"\n", expression));
}

void set_property(Context& context, Words words) {
  if (words.size() != 3) return context.malformed();
  const auto property = fluxion::Resource::parse_property(words[2]);
  if (!property) {
    context.streams.results() +=
        "Incorrect input format. \nPlease use `set-property <resource> PROPERTY=VALUE`.\n";
    return;
  }
  context.resource.set_property(pools_at(context, words[1], "Couldn't"), *property);
}

void get_property(Context& context, Words words) {
  if (words.size() != 2) return context.malformed();
  const ResourceGraph& graph = context.resource.graph();
  for (PoolId p : pools_at(context, words[1], "Could not")) {
    std::string& out = context.streams.results();
    const auto* properties = graph.properties(p);
    if (properties == nullptr) {
      out += fmt::format("No properties were found for {} (vtx's uniq_id={}).\n", words[1],
                         graph.uniq_id(p));
      continue;
    }
    for (const auto& [key, value] : *properties) {
      out.append(key).append(1, '=').append(value).append(1, '\n');
    }
  }
}

void set_status(Context& context, Words words) {
  if (words.size() != 3) return context.malformed();
  const std::vector<PoolId> pools = pools_at(context, words[1], "Could not");
  if (pools.empty()) return;
  const auto status = parse_status(words[2]);
  if (!status) return context.error("unrecognized status");
  context.resource.set_status(pools, *status);
}

void get_status(Context& context, Words words) {
  if (words.size() != 2) return context.malformed();
  for (PoolId p : pools_at(context, words[1], "Could not")) {
    context.streams.results() +=
        fmt::format("{} is {}\n", words[1], word(context.engine().status(p)));
  }
}

}  // namespace copse::query
