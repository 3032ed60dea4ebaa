// SPDX-License-Identifier: Apache-2.0
//
// The priorities of the oracle: a sum of weighted factors, computed from all jobs that ever ran.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "queue/oracle/reservations.hpp"

namespace copse::queue_oracle {

struct Rule {
  double age = 0, size = 0, fair_share = 0;
  Time age_max = 1, half_life = 1, period = 1;
  std::vector<double> queues{}, shares{};  // by number

  [[nodiscard]] bool moves() const { return age != 0 || fair_share != 0; }
};

class Priorities {
 public:
  Priorities(Rule rule, double cores) : rule_(std::move(rule)), cores_(cores) {}
  [[nodiscard]] const Rule& rule() const { return rule_; }

  void seen(int user) { users_[user] = true; }
  void started(std::uint64_t job, int user, double cores, Time at);
  void ended(std::uint64_t job, Time at);

  struct Asked {
    std::int64_t given = 0;
    Time submit = 0;
    double cores = 0;
    std::size_t queue = 0;
    int user = 0;
  };
  [[nodiscard]] std::int64_t of(const Asked& job, Time now) const;

 private:
  struct Run {
    int user = 0;
    double cores = 0;
    Time from = 0, until = -1;  // until: -1 while it runs
  };
  [[nodiscard]] double used(const Run& run, Time now) const;
  [[nodiscard]] double fair_share(int user, Time now) const;

  Rule rule_;
  double cores_;  // of the machine
  std::map<int, bool> users_;
  std::map<std::uint64_t, Run> runs_;
};

}  // namespace copse::queue_oracle
