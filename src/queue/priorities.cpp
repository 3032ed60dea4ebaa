// SPDX-License-Identifier: Apache-2.0
#include "queue/priorities.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.hpp"

namespace copse::queue {

namespace {

constexpr double kWeightMax = 1e12;

struct NamedRule {
  const char* name;
  PriorityRule rule;
};

const std::vector<NamedRule>& named_rules() {
  static const std::vector<NamedRule> rules = {
      {"fifo", {}},
      {"smallest", {.size = -1'000'000}},
      {"largest", {.size = 1'000'000}},
      {"age", {.age = 1'000'000}},
      {"fair-share", {.fair_share = 1'000'000}},
      {"multifactor", {.age = 1'000, .size = 1'000, .fair_share = 10'000}},
  };
  return rules;
}

// The cores of one copy of the resources; the recursion is bounded by the parsers' depth.
double cores_of(std::span<const Resource> resources, double cores_a_node) {
  double sum = 0;
  for (const Resource& r : resources) {
    const double count = static_cast<double>(r.count.min);
    if (r.type == "core") {
      sum += count;
      continue;
    }
    const double below = cores_of(r.with, cores_a_node);
    sum += count * (r.type == "node" && below == 0 ? cores_a_node : below);
  }
  return sum;
}

}  // namespace

Result<PriorityRule> find_priority_rule(std::string_view name) {
  std::vector<std::string_view> names;
  for (const NamedRule& known : named_rules()) {
    if (name == known.name) return known.rule;
    names.emplace_back(known.name);
  }
  return fail(ErrorCode::not_found, unknown_word("priority rule", name, names));
}

Result<void> check_rule(const PriorityRule& rule) {
  const auto check_weight = [](std::string_view key, double w) -> Result<void> {
    if (std::abs(w) <= kWeightMax) return {};  // false for NaN
    return fail(ErrorCode::invalid,
                fmt::format("{:.64} is {:g}: a weight is between -{:g} and {:g}", key, w,
                            kWeightMax, kWeightMax));
  };
  for (const auto& [key, w] :
       {std::pair{"age", rule.age}, {"size", rule.size}, {"fair-share", rule.fair_share}}) {
    if (auto ok = check_weight(key, w); !ok) return ok;
  }
  for (const auto& [name, w] : rule.queues) {
    if (auto ok = check_weight("queues." + name, w); !ok) return ok;
  }
  for (const auto& [name, share] : rule.shares) {
    if (share > 0 && share <= kWeightMax) continue;
    return fail(ErrorCode::invalid,
                fmt::format("shares.{:.64} is {:g}: a share is above 0 and at most {:g}", name,
                            share, kWeightMax));
  }
  if (rule.age_max_s < 1 || rule.half_life_s < 1 || rule.period_s < 1) {
    return fail(ErrorCode::invalid, "age-max, half-life and period must be a second or more");
  }
  return {};
}

Priorities::Priorities(const ResourceGraph& graph, PriorityRule rule) : rule_(std::move(rule)) {
  assert(check_rule(rule_));
  const auto units = [&](const char* type) {
    const TypeId id = graph.find_type(type);
    return id == kNoType ? 0.0 : static_cast<double>(graph.of_type(id).size());
  };
  const double nodes = units("node");
  cores_ = units("core");
  if (cores_ == 0) cores_ = nodes;  // a machine with nodes only
  cores_a_node_ = nodes > 0 ? cores_ / nodes : 0;
}

Priorities::User Priorities::user(std::string_view name) {
  const auto [at, is_new] = numbers_.try_emplace(std::string(name), users_.size());
  if (!is_new) return at->second;
  const auto share = rule_.shares.find(at->first);
  names_.push_back(at->first);
  users_.emplace_back();
  shares_.push_back(share == rule_.shares.end() ? 1 : share->second);
  all_shares_ += shares_.back();
  return at->second;
}

double Priorities::cores(const Request& request) const {
  return cores_of(request.resources, cores_a_node_);
}

// Running jobs add cores continuously, and all usage is halved with every half-life.
double Priorities::used(const Usage& usage, std::int64_t now_s) const {
  const double half_life = static_cast<double>(rule_.half_life_s);
  const double left = std::exp2(-static_cast<double>(now_s - usage.as_of_s) / half_life);
  return usage.used * left + usage.running * (1 - left) * half_life / std::numbers::ln2;
}

void Priorities::settle(Usage& usage, std::int64_t now_s) const {
  if (now_s <= usage.as_of_s) return;
  usage.used = used(usage, now_s);
  usage.as_of_s = now_s;
}

void Priorities::note_changed(User user) {
  const auto at = std::ranges::lower_bound(changed_, user);
  if (at == changed_.end() || *at != user) changed_.insert(at, user);
}

void Priorities::started(User user, double cores, std::int64_t now_s) {
  if (rule_.fair_share == 0) return;
  note_changed(user);
  for (Usage* usage : std::array{&users_[user], &all_}) {
    settle(*usage, now_s);
    usage->running += cores;
  }
}

void Priorities::ended(User user, double cores, std::int64_t now_s) {
  if (rule_.fair_share == 0) return;
  note_changed(user);
  for (Usage* usage : std::array{&users_[user], &all_}) {
    settle(*usage, now_s);
    usage->running = std::max(0.0, usage->running - cores);
  }
}

std::vector<Priorities::UserUsage> Priorities::usage(std::int64_t now_s) const {
  std::vector<UserUsage> out;
  if (rule_.fair_share == 0) return out;
  const double all = used(all_, std::max(now_s, all_.as_of_s));
  for (User user = 0; user < users_.size(); ++user) {
    const double own = used(users_[user], std::max(now_s, users_[user].as_of_s));
    out.push_back({.user = names_[user],
                   .core_s = own,
                   .part = all > 0 ? own / all : 0,
                   .share = shares_[user] / all_shares_,
                   .fair_share = fair_share(user, now_s)});
  }
  std::ranges::sort(out, {}, &UserUsage::user);
  return out;
}

double Priorities::fair_share(User user, std::int64_t now_s) const {
  const double all = used(all_, std::max(now_s, all_.as_of_s));
  if (all <= 0) return 1;
  const double part = used(users_[user], std::max(now_s, users_[user].as_of_s)) / all;
  return std::exp2(-part / (shares_[user] / all_shares_));
}

std::int64_t Priorities::of(const PriorityInput& job, std::int64_t now_s) const {
  double sum = job.queue;
  if (rule_.age != 0) {
    const double waited = static_cast<double>(std::max<std::int64_t>(0, now_s - job.submit_s));
    sum += rule_.age * std::min(1.0, waited / static_cast<double>(rule_.age_max_s));
  }
  if (rule_.size != 0 && cores_ > 0) sum += rule_.size * std::min(1.0, job.cores / cores_);
  if (rule_.fair_share != 0) sum += rule_.fair_share * fair_share(job.user, now_s);
  std::int64_t out = 0;
  const bool fits = !__builtin_add_overflow(job.given_priority, std::llround(sum), &out);
  return fits ? out : job.given_priority;
}

}  // namespace copse::queue
