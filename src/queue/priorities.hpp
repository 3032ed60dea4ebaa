// SPDX-License-Identifier: Apache-2.0
//
// Priorities: a job's priority as a sum of weighted factors, and the usage of each user.
//
//   given + age * waited + size * part of the machine + fair_share * 2^(-used/share) + queue
//
// Factors and names are those of Slurm's priority/multifactor. With all weights 0 a job keeps its
// given priority, so a queue is first come, first served.
//
//   waited   time since its submission / age_max, at most 1
//   size     the share of the machine's cores that it requests, 0 to 1; a weight below 0 prefers
//            small jobs
//   used     the user's share of the core-seconds of all users, halved with every half_life;
//            share: the user's share of the shares of all users seen
//
// Cost: started() and ended() a hash; of() a few operations. Times are arguments.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "copse/error.hpp"
#include "copse/graph.hpp"
#include "copse/request.hpp"

namespace copse::queue {

struct PriorityRule {
  double age = 0, size = 0, fair_share = 0;  // weights
  std::map<std::string, double> queues{};    // added to the priority of jobs of a queue
  std::map<std::string, double> shares{};    // by user; others have 1
  std::int64_t age_max_s = 7 * 86'400, half_life_s = 7 * 86'400;
  std::int64_t period_s = 300;  // priorities are recomputed with this period

  // Whether priorities change as time passes.
  [[nodiscard]] bool moves() const { return age != 0 || fair_share != 0; }
};

// fifo, smallest, largest, age, fair-share, multifactor. Errors: not_found, with the nearest name.
[[nodiscard]] Result<PriorityRule> find_priority_rule(std::string_view name);
// Errors: invalid (a weight that is not a number, or is beyond 10^12; a time below 1).
[[nodiscard]] Result<void> check_rule(const PriorityRule& rule);

class Priorities {
 public:
  using User = std::uint32_t;

  // REQUIRES check_rule(rule).
  Priorities(const ResourceGraph& graph, PriorityRule rule);
  [[nodiscard]] const PriorityRule& rule() const { return rule_; }

  [[nodiscard]] User user(std::string_view name);  // a number per user, from 0
  // Valid as long as this object.
  [[nodiscard]] std::string_view name(User user) const { return names_[user]; }
  // The cores that a request asks for; a whole node counts as the machine's average.
  [[nodiscard]] double cores(const Request& request) const;

  void started(User user, double cores, std::int64_t now_s);
  void ended(User user, double cores, std::int64_t now_s);

  // --- What users have used, to be kept with their jobs.
  struct Used {
    double core_s = 0;         // halved with every half-life
    std::int64_t as_of_s = 0;  // the last start or end of a job: all before it is counted
    bool operator==(const Used&) const = default;
  };
  [[nodiscard]] Used used(User user) const { return {users_[user].used, users_[user].as_of_s}; }
  [[nodiscard]] Used used_by_all() const { return {all_.used, all_.as_of_s}; }
  // The users whose jobs started or ended since the last call, ascending.
  [[nodiscard]] std::vector<User> take_changed() { return std::exchange(changed_, {}); }
  // REQUIRES that no job was started yet. Those that ran then are started again, at their starts.
  void resume(User user, const Used& used) { users_[user] = {used.core_s, 0, used.as_of_s}; }
  void resume_all(const Used& used) { all_ = {used.core_s, 0, used.as_of_s}; }

  struct PriorityInput {
    std::int64_t given_priority = 0, submit_s = 0;
    double cores = 0, queue = 0;  // queue: the term of its queue
    User user = 0;
  };
  [[nodiscard]] std::int64_t of(const PriorityInput& job, std::int64_t now_s) const;
  // 0 to 1: 1 for a user without usage, 0.5 for one that has used its share.
  [[nodiscard]] double fair_share(User user, std::int64_t now_s) const;
  // What a user has used, by name. None, if the rule has no weight for fair shares. O(users log users).
  struct UserUsage {
    std::string_view user;
    double core_s = 0;  // halved with every half-life
    double part = 0;    // of what all have used, 0 to 1
    double share = 0;   // to which the user is entitled, of all users seen, 0 to 1
    double fair_share = 0;
  };
  [[nodiscard]] std::vector<UserUsage> usage(std::int64_t now_s) const;

 private:
  // Core-seconds up to `as_of`, and cores in use since.
  struct Usage {
    double used = 0, running = 0;
    std::int64_t as_of_s = 0;
  };
  [[nodiscard]] double used(const Usage& usage, std::int64_t now_s) const;
  void settle(Usage& usage, std::int64_t now_s) const;
  void note_changed(User user);

  PriorityRule rule_;
  double cores_ = 0, cores_a_node_ = 0;
  std::unordered_map<std::string, User> numbers_;
  std::deque<std::string> names_;  // others refer to them
  std::vector<Usage> users_;
  std::vector<User> changed_;  // ascending
  std::vector<double> shares_;
  Usage all_;
  double all_shares_ = 0;
};

}  // namespace copse::queue
