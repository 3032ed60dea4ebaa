// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_sizes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/idset.hpp"
#include "text/counted.hpp"
#include "text/split.hpp"
#include "text/xml_text.hpp"

namespace copse {

Result<std::vector<std::string>> set_sizes(SlurmNode& node, const SlurmSizes& said) {
  std::vector<std::string> reset;
  SlurmSizes s = said;
  for (const auto& [key, size] : {std::pair{"CPUs", &s.cpus},
                                  {"Boards", &s.boards},
                                  {"SocketsPerBoard", &s.sockets_per_board},
                                  {"Sockets", &s.sockets},
                                  {"CoresPerSocket", &s.cores},
                                  {"ThreadsPerCore", &s.threads}}) {
    if (!*size) continue;
    if (**size < 0 || **size > kSlurmCoresMax) {
      return fail(ErrorCode::limit,
                  fmt::format("node {} has {} processors, sockets, cores or threads; the limit is "
                              "{}",
                              node.name, **size, kSlurmCoresMax));
    }
    if (**size > 0) continue;
    *size = 1;
    reset.push_back(fmt::format("node {} has {}=0: it counts as 1, as in Slurm", node.name, key));
  }
  node.threads = s.threads.value_or(1);
  node.cores = s.cores.value_or(1);
  const std::int64_t boards = s.boards.value_or(1), of_socket = node.cores * node.threads;
  if (s.sockets_per_board && s.sockets) {
    reset.push_back(
        fmt::format("node {} has Sockets and SocketsPerBoard: Sockets is ignored, as in "
                    "Slurm",
                    node.name));
  }
  node.sockets = s.sockets_per_board                  ? boards * *s.sockets_per_board
                 : s.sockets                          ? *s.sockets
                 : s.cpus && *s.cpus % of_socket == 0 ? *s.cpus / of_socket
                                                      : boards;
  if (node.sockets > kSlurmCoresMax || node.sockets * node.cores > kSlurmCoresMax) {
    return fail(ErrorCode::limit, fmt::format("node {} has {} cores; the limit is {}", node.name,
                                              node.sockets * node.cores, kSlurmCoresMax));
  }
  const std::int64_t cores = node.sockets * node.cores, all = cores * node.threads;
  const std::int64_t cpus = s.cpus.value_or(all);
  if (cpus == all) return reset;
  if (cpus == cores) {
    node.threads = 1;
  } else if (cpus == node.sockets) {
    node.cores_of_cpu = node.cores;
    node.threads = 1;
  } else {
    reset.push_back(
        fmt::format("node {} has CPUs={}: {} count, as in Slurm; its sockets, cores and "
                    "threads make {}{}",
                    node.name, cpus, all, counted(cores, "core"),
                    node.threads > 1 ? fmt::format(" of {} threads", node.threads) : ""));
  }
  return reset;
}

namespace {

// Reserves the cores of a list of cpus. False: it is no list of the node's cpus.
bool reserve_list(SlurmNode& node, const std::string& list, std::int64_t cpus_end) {
  const auto cpus = Idset::parse(list);
  if (!cpus || cpus->empty() || cpus->ranges().back().second >= cpus_end) return false;
  std::vector<bool> reserved(static_cast<std::size_t>(node.sockets * node.cores), false);
  for (const auto& [first, last] : cpus->ranges()) {
    const std::int64_t begin = first / node.threads * node.cores_of_cpu;
    const std::int64_t end = (last / node.threads + 1) * node.cores_of_cpu;
    for (std::int64_t core = begin; core < end; ++core) {
      auto is_reserved = reserved[static_cast<std::size_t>(core)];
      if (!is_reserved) node.system_cores.push_back(core);
      is_reserved = true;
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> reserve(SlurmNode& node, const SlurmReserved& reserved) {
  std::vector<std::string> reset;
  const auto note = [&](std::string text) {
    reset.push_back(fmt::format("node {} {}, as in Slurm", node.name, std::move(text)));
  };
  const std::int64_t all = node.sockets * node.cores;
  const std::int64_t cpus = all * node.threads / node.cores_of_cpu;
  const bool has_list = !reserved.cpus.empty();
  const bool by_list = has_list && reserve_list(node, reserved.cpus, cpus);
  if (has_list && !by_list) {
    note(fmt::format("has CpuSpecList={}, no list of its {}: it is ignored",
                     xml::quoted(reserved.cpus), counted(cpus, "cpu")));
  }
  if (by_list && reserved.cores > 0) note("has CpuSpecList and CoreSpecCount: the list counts");
  if (!by_list && reserved.cores > 0) {
    if (reserved.cores >= all) {
      note(fmt::format("has CoreSpecCount={}, and {}: it counts as 1", reserved.cores,
                       counted(all, "core")));
    }
    for (std::int64_t i = 0; i < (reserved.cores < all ? reserved.cores : 1); ++i) {
      const std::int64_t socket = node.sockets - 1 - i % node.sockets;
      node.system_cores.push_back((socket + 1) * node.cores - 1 - i / node.sockets);
    }
  }
  if (reserved.memory_mb > 0 && reserved.memory_mb >= node.memory_mb) {
    note(fmt::format("has MemSpecLimit={}, and {} MB: it counts as 0", reserved.memory_mb,
                     node.memory_mb));
  } else {
    node.memory_mb -= reserved.memory_mb;
  }
  return reset;
}

void add_words(std::vector<std::string>& to, std::string_view list) {
  if (list == "(null)") return;
  while (!list.empty()) {
    const std::string_view word = xml::trimmed(take_part(list, ','));
    if (!word.empty() && std::ranges::find(to, word) == to.end()) to.emplace_back(word);
  }
}

}  // namespace copse
