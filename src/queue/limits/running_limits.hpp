// SPDX-License-Identifier: Apache-2.0
//
// RunningLimits: how much may run at once, by user, group and queue; and how much does.
//
//   [[running-limits]]
//   user = "*"                # each user; or one: "ada". Without it: all users together
//   queue = "batch"           # the jobs of one queue; "*": each queue. Without it: of all queues
//   ncores = 64               # also nnodes, ngpus, njobs
//
//   [[running-limits]]
//   group = "physics"         # the users of one group, together; "*": each group
//   njobs = 100
//
// Jobs with a promised start count as if they ran: a limit then delays no promise. A job counts with
// the most that its request allows, and a whole node with the machine's average. Names are those of
// Slurm's GrpTRES and MaxTRESPerUser, sizes those of RFC 33.
//
// Invariant: the usage is the sum over the jobs that were added and not removed. Cost: O(limits) for
// each job that is examined, starts or ends; the groups of a user are looked up once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/known_key.hpp"
#include "copse/graph.hpp"
#include "copse/request.hpp"

namespace copse::queue {

inline constexpr std::array<KnownKey, 7> kRunningLimitKeys{{{"user", KnownKey::kText},
                                                            {"group", KnownKey::kText},
                                                            {"queue", KnownKey::kText},
                                                            {"nnodes", KnownKey::kNumber},
                                                            {"ncores", KnownKey::kNumber},
                                                            {"ngpus", KnownKey::kNumber},
                                                            {"njobs", KnownKey::kNumber}}};
inline constexpr std::string_view kEach = "*";

// Nodes, cores, gpus and jobs.
using RunningSize = std::array<std::int64_t, 4>;

struct RunningLimit {
  std::string user{}, group{}, queue{};  // "": all together; kEach: each one
  std::array<std::optional<std::int64_t>, 4> most{};
};

// The groups of a user; empty: users have none.
using GroupsOf = std::function<std::vector<std::string>(std::string_view user)>;

// The most that a job with this request may get of the machine.
[[nodiscard]] RunningSize running_size(const Request& request, const ResourceGraph& graph);

class RunningLimits {
 public:
  RunningLimits() = default;
  explicit RunningLimits(std::vector<RunningLimit> limits, GroupsOf groups_of = {})
      : limits_(std::move(limits)), groups_of_(std::move(groups_of)) {}

  [[nodiscard]] bool any() const { return !limits_.empty(); }
  // A sentence about the first limit that another such job would exceed; "": none.
  [[nodiscard]] std::string reached(std::string_view user, std::string_view queue,
                                    const RunningSize& size) const;
  // The same for a limit that the job exceeds alone.
  [[nodiscard]] std::string never(std::string_view user, std::string_view queue,
                                  const RunningSize& size) const;
  void add(std::string_view user, std::string_view queue, const RunningSize& size);
  void remove(std::string_view user, std::string_view queue, const RunningSize& size);

 private:
  // What one limit counts together: the limit, and the user, group and queue of a limit for each.
  struct Account {
    std::size_t limit = 0;
    std::string user{}, group{}, queue{};
    auto operator<=>(const Account&) const = default;
  };
  [[nodiscard]] std::vector<Account> accounts(std::string_view user, std::string_view queue) const;
  [[nodiscard]] const std::vector<std::string>& groups(std::string_view user) const;
  void count(std::string_view user, std::string_view queue, const RunningSize& size,
             std::int64_t times);

  std::vector<RunningLimit> limits_{};
  GroupsOf groups_of_{};
  std::map<Account, RunningSize> used_{};
  mutable std::map<std::string, std::vector<std::string>, std::less<>> groups_{};  // by user
};

}  // namespace copse::queue
