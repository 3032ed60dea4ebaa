// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/run/job_place.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "formats/hwloc/hwloc_topology.hpp"
#include "formats/rv1/rv1_read.hpp"

namespace copse {

namespace {

constexpr std::int64_t kDevicesMax = 100'000;

std::string_view short_name(std::string_view host) { return host.substr(0, host.find('.')); }

// "0,1,5": what GPU runtimes read.
std::string with_commas(const Idset& ids) {
  std::string out;
  if (ids.count() > kDevicesMax) return ids.text();
  for (const auto& [first, last] : ids.ranges()) {
    for (std::int64_t id = first; id <= last; ++id) {
      out += (out.empty() ? "" : ",") + std::to_string(id);
    }
  }
  return out;
}

}  // namespace

Result<JobPlace> place_of(std::string_view r, std::string_view this_host) {
  JobPlace out;
  if (r == "null") return out;
  const auto set = read_r(r, "R");
  if (!set) return std::unexpected(set.error());
  const HostsByRank hosts(*set);
  const std::vector<RankRange> ranges = sorted_ranges(*set);
  const RankRange* chosen = ranges.empty() ? nullptr : &ranges.front();
  std::int64_t rank = chosen == nullptr ? 0 : chosen->range.first;
  bool found = false;
  for (const RankRange& range : ranges) {
    out.nodes += range.range.second - range.range.first + 1;
    for (std::int64_t one = range.range.first; one <= range.range.second && !found; ++one) {
      const std::string* const host = hosts.find(one);
      found = host != nullptr && short_name(*host) == short_name(this_host);
      if (!found) continue;
      chosen = &range;
      rank = one;
    }
  }
  out.nodelist = compress_hostlist(set->hosts);
  out.is_here = found || out.nodes == 0;
  out.end_s = static_cast<std::int64_t>(set->expiration_s);
  if (chosen == nullptr) return out;
  if (const std::string* const host = hosts.find(rank)) out.host = *host;
  const RSet::Entry& entry = set->entries[chosen->entry];
  if (const Idset* ids = find_ids(entry.children, "core")) out.cores = *ids;
  if (const Idset* ids = find_ids(entry.children, "gpu")) out.gpus = *ids;
  return out;
}

Variables variables_of(const JobPlace& place, std::int64_t job, std::string_view r,
                       std::string_view server) {
  const std::string gpus = place.gpus.empty() ? "-1" : with_commas(place.gpus);
  Variables out{{"COPSE_JOBID", std::to_string(job)},
                {"COPSE_SERVER", std::string(server)},
                {"COPSE_R", std::string(r)},
                {"COPSE_NODELIST", place.nodelist},
                {"COPSE_NNODES", std::to_string(place.nodes)},
                {"COPSE_CORES", place.cores.text()},
                {"COPSE_NCORES", std::to_string(place.cores.count())},
                {"COPSE_GPUS", place.gpus.text()},
                {"COPSE_NGPUS", std::to_string(place.gpus.count())},
                {"CUDA_VISIBLE_DEVICES", gpus},
                {"HIP_VISIBLE_DEVICES", gpus}};
  if (!place.cores.empty() && std::getenv("OMP_NUM_THREADS") == nullptr) {
    out.emplace_back("OMP_NUM_THREADS", std::to_string(place.cores.count()));
  }
  return out;
}

// Cores are counted by their logical numbers, as in an R that was made from hwloc.
Result<std::vector<unsigned>> processors_of(const Idset& cores) {
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) return fail(ErrorCode::io, "not enough memory for hwloc");
  const hwloc_xml::Topology topology(made);
  if (hwloc_topology_load(made) != 0) {
    return fail(ErrorCode::io, "hwloc cannot read the topology of this computer");
  }
  std::vector<unsigned> out;
  const int there = hwloc_get_nbobjs_by_type(made, HWLOC_OBJ_CORE);
  for (const auto& [first, last] : cores.ranges()) {
    if (last >= there) {
      return fail(ErrorCode::not_found, fmt::format("this computer has no core {}: it has {}",
                                                    std::max<std::int64_t>(first, there), there));
    }
    for (std::int64_t id = first; id <= last; ++id) {
      const hwloc_obj* const core =
          hwloc_get_obj_by_type(made, HWLOC_OBJ_CORE, static_cast<unsigned>(id));
      if (core == nullptr || core->cpuset == nullptr) continue;
      for (int unit = hwloc_bitmap_first(core->cpuset); unit >= 0;
           unit = hwloc_bitmap_next(core->cpuset, unit)) {
        out.push_back(static_cast<unsigned>(unit));
      }
    }
  }
  return out;
}

}  // namespace copse
