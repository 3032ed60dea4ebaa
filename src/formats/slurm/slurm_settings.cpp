// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_settings.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest_word.hpp"

namespace copse {

namespace {

// Of the cluster or of a partition.
constexpr std::array<std::string_view, 16> kLimits{
    "DefCpuPerGPU",      "DefMemPerCPU",       "DefMemPerGPU",  "DefMemPerNode",
    "Licenses",          "MaxMemPerCPU",       "MaxMemPerNode", "OverTimeLimit",
    "PreemptMode",       "PreemptType",        "PriorityFlags", "PriorityWeightAssoc",
    "PriorityWeightQOS", "PriorityWeightTRES", "SelectType",    "SelectTypeParameters"};
constexpr std::array<std::string_view, 24> kPartitionLimits{"AllowAccounts",
                                                            "AllowGroups",
                                                            "AllowQos",
                                                            "DefaultTime",
                                                            "DenyAccounts",
                                                            "DenyQos",
                                                            "ExclusiveTopo",
                                                            "ExclusiveUser",
                                                            "LLN",
                                                            "MaxCPUsPerNode",
                                                            "MaxTime",
                                                            "MaxCPUsPerSocket",
                                                            "MaxNodes",
                                                            "MinNodes",
                                                            "OverSubscribe",
                                                            "Priority",
                                                            "PriorityJobFactor",
                                                            "PriorityTier",
                                                            "QOS",
                                                            "ReqResv",
                                                            "RootOnly",
                                                            "Shared",
                                                            "State",
                                                            "Topology"};
// Those that queues/slurm_queues.cpp uses.
constexpr std::array<std::string_view, 13> kOfQueues{
    "AllowGroups",       "DefMemPerCPU", "DefMemPerNode", "DefaultTime", "MaxNodes",
    "MaxTime",           "MinNodes",     "OverSubscribe", "Priority",    "PriorityTier",
    "PriorityJobFactor", "SelectType",   "Shared"};
// The other keys of a partition.
constexpr std::array<std::string_view, 14> kPartitionKeys{"PartitionName",   "Nodes",
                                                          "AllocNodes",      "Alternate",
                                                          "CpuBind",         "Default",
                                                          "DisableRootJobs", "GraceTime",
                                                          "Hidden",          "PowerDownOnIdle",
                                                          "ResumeTimeout",   "SuspendTime",
                                                          "SuspendTimeout",  "TRESBillingWeights"};
constexpr std::array<std::string_view, 21> kSaysNothing{"",
                                                        "NO",
                                                        "INFINITE",
                                                        "UNLIMITED",
                                                        "ALL",
                                                        "0",
                                                        "OFF",
                                                        "UP",
                                                        "NONE",
                                                        "(null)",
                                                        "N/A",
                                                        "FALSE",
                                                        "preempt/none",
                                                        "select/cons_tres",
                                                        "select/cons_res",
                                                        "YES:1",
                                                        "FORCE:1",
                                                        "CR_Memory",
                                                        "CR_CPU_Memory",
                                                        "CR_Core_Memory",
                                                        "CR_Socket_Memory"};

}  // namespace

SlurmQueueSettings settings_of_queues(const std::vector<SlurmLine>& lines) {
  std::set<std::string_view> keys, shared_keys;
  for (const SlurmLine& line : lines) {
    const std::string& first = line.settings.front().key;
    const bool partition = same_key(first, "PartitionName");
    for (const SlurmSetting& setting : line.settings) {
      const auto says_nothing = [&](std::string_view word) {
        return same_key(setting.value, word);
      };
      if (std::ranges::any_of(kSaysNothing, says_nothing)) continue;
      const auto is = [&](std::string_view key) { return same_key(key, setting.key); };
      const auto known = std::ranges::find_if(kLimits, is);
      const auto of_partition = std::ranges::find_if(kPartitionLimits, is);
      const bool sharing =
          same_key(setting.key, "OverSubscribe") || same_key(setting.key, "Shared");
      if (partition && sharing && !same_key(setting.value, "EXCLUSIVE")) {
        shared_keys.insert(*of_partition);
        continue;
      }
      if (known != kLimits.end() && (partition || &setting == &line.settings.front())) {
        keys.insert(*known);
      } else if (partition && of_partition != kPartitionLimits.end()) {
        keys.insert(*of_partition);
      }
    }
  }
  SlurmQueueSettings out;
  if (!lines.empty()) out.file = lines.front().place.file;
  for (const std::string_view key : keys) {
    const bool queue = std::ranges::find(kOfQueues, key) != kOfQueues.end();
    const bool sharing = key == "OverSubscribe" || key == "Shared";
    (queue               ? out.of_queues
     : key == "Licenses" ? out.of_layers
                         : out.others)
        .push_back(std::string(key) + (sharing ? "=EXCLUSIVE" : ""));
  }
  // Queues give jobs whole nodes; they have no cores that several jobs share.
  for (const std::string_view key : shared_keys) out.others.emplace_back(key);
  std::ranges::sort(out.others);
  return out;
}

std::string SlurmQueueSettings::sentence(bool queues, bool layers) const {
  std::vector<std::string> parts;
  if (!others.empty()) {
    parts.push_back(fmt::format("{} {} no effect", fmt::join(others, ", "),
                                others.size() == 1 ? "has" : "have"));
  }
  if (!queues && !of_queues.empty()) {
    parts.push_back(fmt::format("{} {} only in queues: --queues {} of plan and serve",
                                fmt::join(of_queues, ", "),
                                of_queues.size() == 1 ? "counts" : "count", file));
  }
  if (!layers && !of_layers.empty()) {
    parts.push_back(fmt::format("{} counts only with --hres {}", of_layers.front(), file));
  }
  if (parts.empty()) return {};
  return fmt::format("{}: {}", file, fmt::join(parts, "; "));
}

std::vector<std::string> unknown_partition_keys(const std::vector<SlurmLine>& lines) {
  std::vector<std::string_view> known(kPartitionKeys.begin(), kPartitionKeys.end());
  known.insert(known.end(), kPartitionLimits.begin(), kPartitionLimits.end());
  known.insert(known.end(), kLimits.begin(), kLimits.end());
  std::vector<std::string> out;
  for (const SlurmLine& line : lines) {
    if (!same_key(line.settings.front().key, "PartitionName")) continue;
    for (const SlurmSetting& setting : line.settings) {
      const auto is = [&](std::string_view key) { return same_key(key, setting.key); };
      if (std::ranges::any_of(known, is)) continue;
      out.push_back(fmt::format("{}: {}: it has no effect", line.place.text(),
                                unknown_word("key of a partition", setting.key, known)));
    }
  }
  return out;
}

}  // namespace copse
