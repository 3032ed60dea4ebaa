// SPDX-License-Identifier: Apache-2.0
#include "formats/allocation_file.hpp"

#include <cmath>

#include "formats/rv1/rv1_pools.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/text_format.hpp"

namespace copse {

namespace {

// The validity of the R, in whole seconds.
AllocationTimes times_of(const RSet& r) {
  constexpr double kMost_s = 1e15;
  AllocationTimes out;
  const double length_s = r.expiration_s - r.starttime_s;
  if (r.starttime_s < 0 || r.starttime_s > kMost_s) return out;
  out.start_s = static_cast<std::int64_t>(std::floor(r.starttime_s));
  const bool ends = r.expiration_s > 0 && length_s >= 1 && length_s < kMost_s;
  if (ends) out.end_s = out.start_s + static_cast<std::int64_t>(std::ceil(length_s));
  return out;
}

}  // namespace

namespace {

// Only resource-query passes a format, and refuses missing pools.
Result<AllocationFile> read_execution(const ResourceGraph& graph, std::string_view text,
                                      std::string_view file, bool may_miss) {
  AllocationFile out;
  auto r = read_r(text, file);
  if (!r) return std::unexpected(r.error());
  auto pools = pools_of_r(graph, *r, may_miss ? &out.missing : nullptr);
  if (!pools) return std::unexpected(pools.error());
  out.taken = {std::move(*pools), true};
  out.times = times_of(*r);
  return out;
}

}  // namespace

Result<AllocationFile> read_allocation(const ResourceGraph& graph, std::string_view text,
                                       std::string_view file, std::string_view format) {
  const TextFormat is = format.empty() ? text_format(text) : TextFormat::other;
  if (format == "rv1exec" || is == TextFormat::r) {
    return read_execution(graph, text, file, format.empty());
  }
  AllocationFile out;
  auto set = read_jgf_set(text, file);
  if (!set) return std::unexpected(set.error());
  const bool shorthand = format == "jgf_shorthand" ||
                         (format.empty() && set->writer && set->writer->ends_with("shorthand"));
  auto taken = exclusive_pools(graph, *set, shorthand, format.empty() ? &out.missing : nullptr);
  if (!taken) return std::unexpected(taken.error());
  out.taken = std::move(*taken);
  if (is != TextFormat::r_with_graph) return out;
  // The graph names racks and other pools without a rank. If the machine has not all of its pools, it
  // may have those of the ranks.
  auto execution = read_execution(graph, text, file, true);
  if (!execution) return out;
  if (!out.missing.empty() && execution->missing.empty()) return execution;
  out.times = execution->times;
  return out;
}

Result<AllocationTimes> read_times(std::string_view text, std::string_view file) {
  const auto r = read_r(text, file);
  if (!r) return std::unexpected(r.error());
  return times_of(*r);
}

Result<AllocatedPools> read_given_back(const ResourceGraph& graph, std::string_view format,
                                       std::string_view text, std::string_view path) {
  if (format == "rv1exec") {
    auto r = read_r(text, path, {.any_hosts = true});
    if (!r) return std::unexpected(r.error());
    auto pools = pools_of_ranks(graph, r->ranks());
    if (!pools) return std::unexpected(pools.error());
    return AllocatedPools{.pools = std::move(*pools)};
  }
  auto set = read_jgf_set(text, path);
  if (!set) return std::unexpected(set.error());
  AllocatedPools given;
  for (const JgfNode& node : set->nodes) {
    if (node.drawn) continue;  // goes back with the pools that draw it
    auto pool = find_pool(graph, node);
    if (!pool) return std::unexpected(pool.error());
    given.pools.push_back(*pool);
    if (graph.divisible(*pool)) given.amounts.push_back({*pool, node.size});
  }
  return given;
}

}  // namespace copse
