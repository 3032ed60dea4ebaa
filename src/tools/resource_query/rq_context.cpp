// SPDX-License-Identifier: Apache-2.0
#include "tools/resource_query/rq_context.hpp"

#include "files/read_file.hpp"

namespace copse::query {

std::optional<std::string> Context::read(std::string_view path) {
  constexpr std::size_t kTextBytesMax = 64u << 20;
  auto text = try_read_file(std::string(path), kTextBytesMax + 1);
  if (text && text->size() <= kTextBytesMax) return std::move(*text);
  error("can't open " + std::string(path));
  return std::nullopt;
}

void Context::write_ruled(std::string_view text) {
  streams.results().append(kRule).append(text).append(kRule);
}

void Context::write_resources(const Match& match, std::string_view queue) {
  expand(engine.graph(), match.selection, expanded);
  writer.write({.graph = engine.graph(),
                .pools = expanded,
                .labels = match.selection.labels,
                .start = match.start,
                .end = match.end,
                .queue = queue,
                .drawn = match.charges.capacities},
               streams.results());
}

}  // namespace copse::query
