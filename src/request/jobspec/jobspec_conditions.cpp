// SPDX-License-Identifier: Apache-2.0
#include "request/jobspec/jobspec_conditions.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "text/tree/yaml_tree.hpp"

namespace copse {

namespace {

constexpr std::array<std::string_view, 3> kConditions{"dependencies", "begin-time", "queue"};

// Null, an empty text, an empty list or mapping.
bool is_empty(TreeView value) {
  if (value.is_null()) return true;
  if (value.is_sequence() || value.is_mapping()) return value.size() == 0;
  return value.text().empty();
}

}  // namespace

std::vector<std::string> conditions_not_honoured(TreeView jobspec, HonouredKeys honoured,
                                                 double now_s) {
  std::vector<std::string> out;
  const auto attributes = jobspec.find("attributes");
  const auto system = attributes ? attributes->find("system") : attributes;
  if (!system) return out;
  for (const std::string_view key : kConditions) {
    const auto value = system->find(key);
    if (!value || is_empty(*value) || (key == "queue" && honoured.queue)) continue;
    if (key == "begin-time") {
      const auto begin_s = value->real();
      if (begin_s && *begin_s <= now_s) continue;
    }
    out.push_back("attributes.system." + std::string(key));
  }
  return out;
}

std::vector<std::string> conditions_not_honoured(std::string_view jobspec, HonouredKeys honoured,
                                                 double now_s) {
  const auto is_in_text = [&](std::string_view key) {
    return !(key == "queue" && honoured.queue) && jobspec.contains(key);
  };
  if (std::ranges::none_of(kConditions, is_in_text)) return {};
  const auto tree = read_tree(jobspec, "jobspec", {});
  if (!tree) return {};
  return conditions_not_honoured(TreeView(*tree), honoured, now_s);
}

std::string queue_of_jobspec(std::string_view jobspec) {
  if (!jobspec.contains("queue")) return {};
  const auto tree = read_tree(jobspec, "jobspec", {});
  if (!tree) return {};
  const auto attributes = TreeView(*tree).find("attributes");
  const auto system = attributes ? attributes->find("system") : attributes;
  const auto queue = system ? system->find("queue") : system;
  return queue && queue->is_scalar() ? std::string(queue->text()) : std::string();
}

Result<void> refuse_conditions(std::string_view jobspec, HonouredKeys honoured, double now_s) {
  const auto keys = conditions_not_honoured(jobspec, honoured, now_s);
  if (keys.empty()) return {};
  return fail(ErrorCode::invalid,
              list_of_keys(keys) + (keys.size() == 1 ? " has no effect here: leave it out"
                                                     : " have no effect here: leave them out"));
}

std::string list_of_keys(const std::vector<std::string>& keys) {
  assert(!keys.empty());
  std::string out = keys.front();
  for (std::size_t i = 1; i < keys.size(); ++i) {
    out += (i + 1 == keys.size() ? " and " : ", ") + keys[i];
  }
  return out;
}

}  // namespace copse
