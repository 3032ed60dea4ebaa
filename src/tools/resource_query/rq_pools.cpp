// SPDX-License-Identifier: Apache-2.0
#include "tools/resource_query/rq_pools.hpp"

#include <fmt/format.h>

#include "formats/found_text.hpp"

namespace copse::query {

namespace {

std::vector<PoolId> pools_at(Context& context, std::string_view path, const char* unknown) {
  std::vector<PoolId> pools = context.engine.graph().at_path(path);
  if (pools.empty()) {
    context.streams.results() += fmt::format("{} find path {} in resource graph.\n", unknown, path);
  }
  return pools;
}

}  // namespace

void find(Context& context, Words words) {
  if (words.size() < 2) return context.error("malformed command: ");
  const Engine& engine = context.engine;
  const std::string expression = fmt::format("{}", fmt::join(words.subspan(1), " "));
  auto found = engine.find(expression);
  if (!found) return context.streams.message("find: " + found.error().text);
  append_found(engine, *found, context.writer, context.streams.results());
  context.write_ruled(fmt::format("INFO: EXPRESSION=\"{}\"\n", expression));
}

void set_property(Context& context, Words words) {
  if (words.size() != 3) return context.malformed();
  const std::size_t equals = words[2].find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == words[2].size()) {
    context.streams.results() +=
        "Incorrect input format. \nPlease use `set-property <resource> PROPERTY=VALUE`.\n";
    return;
  }
  for (PoolId p : pools_at(context, words[1], "Couldn't")) {
    context.engine.set_property(p, std::string(words[2].substr(0, equals)),
                                std::string(words[2].substr(equals + 1)));
  }
}

void get_property(Context& context, Words words) {
  if (words.size() != 2) return context.malformed();
  const ResourceGraph& graph = context.engine.graph();
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
  for (PoolId p : pools) context.engine.set_status(p, *status);
}

void get_status(Context& context, Words words) {
  if (words.size() != 2) return context.malformed();
  for (PoolId p : pools_at(context, words[1], "Could not")) {
    context.streams.results() +=
        fmt::format("{} is {}\n", words[1], word(context.engine.status(p)));
  }
}

}  // namespace copse::query
