// SPDX-License-Identifier: Apache-2.0
#include "queue/config/priority_reader.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/duration.hpp"
#include "queue/config/queue_config.hpp"

namespace copse::queue {

namespace {

class PriorityReader {
 public:
  PriorityReader(std::span<const QueueSpec> queues, PriorityRule& rule)
      : queues_(queues), rule_(rule) {}

  Result<void> read(TreeView node) {
    const auto priority = node.read_table("priority");
    if (!priority) return std::unexpected(priority.error());
    if (const auto rule = priority->find("rule")) {
      const auto name = rule->read_text("rule");
      if (!name) return std::unexpected(name.error());
      auto found = find_priority_rule(*name);
      if (!found) return rule->fail(found.error().text, found.error().code);
      rule_ = std::move(*found);
    }
    for (const auto& [key, value] : priority->members()) {
      if (find_key(kPriorityKeys, key.text()) == nullptr) {
        return value.fail(unknown_key("key", key.text(), kPriorityKeys));
      }
      if (auto ok = read_key(key.text(), value); !ok) return ok;
    }
    return {};
  }

 private:
  Result<void> read_key(std::string_view key, TreeView value) {
    if (key == "queues") return read_weights(rule_.queues, key, value, true);
    if (key == "shares") return read_weights(rule_.shares, key, value, false);
    for (const auto& [name, to] : {std::pair{"age", &rule_.age}, std::pair{"size", &rule_.size},
                                   std::pair{"fair-share", &rule_.fair_share}}) {
      if (key == name) return read_number(*to, key, value);
    }
    for (const auto& [name, to] :
         {std::pair{"age-max", &rule_.age_max_s}, std::pair{"half-life", &rule_.half_life_s},
          std::pair{"period", &rule_.period_s}}) {
      if (key == name) return read_duration(*to, key, value);
    }
    return {};  // the rule, which was read first
  }

  static Result<void> read_number(double& to, std::string_view key, TreeView value) {
    constexpr std::int64_t kExactMax = std::int64_t{1} << 53;  // beyond, a double would round it
    const auto number = value.real();
    const auto whole = value.integer();
    const bool rounded = whole && (*whole > kExactMax || *whole < -kExactMax);
    if (!number || rounded) return value.fail(fmt::format("{:.64} must be a number", key));
    to = *number;
    return {};
  }

  static Result<void> read_duration(std::int64_t& to, std::string_view key, TreeView value) {
    const bool is_time = value.is_quoted_string() || value.integer();
    const auto duration_s = parse_duration(is_time ? value.text() : std::string_view());
    if (!duration_s) return value.fail(fmt::format("{}: {}", key, duration_s.error().text));
    to = *duration_s;
    return {};
  }

  Result<void> read_weights(std::map<std::string, double>& to, std::string_view what, TreeView node,
                            bool of_queues) const {
    const auto weights = node.read_table(what);
    if (!weights) return std::unexpected(weights.error());
    for (const auto& [name, value] : weights->members()) {
      const std::string word(name.text());
      if (of_queues && std::ranges::find(queues_, word, &QueueSpec::name) == queues_.end()) {
        return value.fail(fmt::format("priority.queues: there is no queue \"{:.64}\"", word));
      }
      if (auto ok = read_number(to[word], word, value); !ok) return ok;
    }
    return {};
  }

  std::span<const QueueSpec> queues_;
  PriorityRule& rule_;
};

}  // namespace

Result<void> read_priority(TreeView priority, std::span<const QueueSpec> queues, PriorityRule& to) {
  return PriorityReader(queues, to).read(priority);
}

}  // namespace copse::queue
