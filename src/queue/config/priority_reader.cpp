// SPDX-License-Identifier: Apache-2.0
#include "queue/config/priority_reader.hpp"

#ifdef COPSE_HAS_TOML

#include <algorithm>
#include <map>
#include <utility>

#include "base/duration.hpp"
#include "queue/config/queue_config.hpp"

namespace copse::queue {

namespace {

class PriorityReader {
 public:
  PriorityReader(const std::string& file, std::span<const QueueSpec> queues, PriorityRule& rule)
      : file_(file), lines_(queues), rule_(rule) {}

  Result<void> read(const toml::node& node) {
    const toml::table* priority = node.as_table();
    if (priority == nullptr) return refuse(node, "priority must be a table");
    if (const toml::node* rule = priority->get("rule")) {
      const auto* name = rule->as_string();
      if (name == nullptr) return refuse(*rule, "rule must be a string");
      auto found = find_priority_rule(name->get());
      if (!found) return refuse(*rule, found.error().text, found.error().code);
      rule_ = std::move(*found);
    }
    for (const auto& [key, value] : *priority) {
      if (find_key(kPriorityKeys, key.str()) == nullptr) {
        return refuse(value, unknown_key("key", key.str(), kPriorityKeys));
      }
      if (auto ok = read_key(key.str(), value); !ok) return ok;
    }
    return {};
  }

 private:
  std::unexpected<Error> refuse(const toml::node& node, std::string sentence,
                                ErrorCode code = ErrorCode::invalid) const {
    return fail(code, std::move(sentence), place_of(node, file_));
  }

  Result<void> read_key(std::string_view key, const toml::node& value) {
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

  Result<void> read_number(double& to, std::string_view key, const toml::node& value) const {
    const auto number = value.value<double>();
    if (!number) return refuse(value, fmt::format("{:.64} must be a number", key));
    to = *number;
    return {};
  }

  Result<void> read_duration(std::int64_t& to, std::string_view key,
                             const toml::node& value) const {
    const auto* number = value.as_integer();  // value<>() takes true for 1
    const auto text =
        number != nullptr ? std::to_string(number->get()) : value.value<std::string>().value_or("");
    const auto duration_s = parse_duration(text);
    if (!duration_s) return refuse(value, fmt::format("{}: {}", key, duration_s.error().text));
    to = *duration_s;
    return {};
  }

  Result<void> read_weights(std::map<std::string, double>& to, std::string_view what,
                            const toml::node& node, bool of_queues) const {
    const toml::table* weights = node.as_table();
    if (weights == nullptr) return refuse(node, fmt::format("{} must be a table", what));
    for (const auto& [name, value] : *weights) {
      const std::string word(name.str());
      if (of_queues && std::ranges::find(lines_, word, &QueueSpec::name) == lines_.end()) {
        return refuse(value, fmt::format("priority.queues: there is no queue \"{:.64}\"", word));
      }
      if (auto ok = read_number(to[word], word, value); !ok) return ok;
    }
    return {};
  }

  const std::string& file_;
  std::span<const QueueSpec> lines_;
  PriorityRule& rule_;
};

}  // namespace

Result<void> read_priority(const toml::node& priority, const std::string& file,
                           std::span<const QueueSpec> queues, PriorityRule& to) {
  return PriorityReader(file, queues, to).read(priority);
}

}  // namespace copse::queue

#endif
