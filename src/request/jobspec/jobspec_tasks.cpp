// SPDX-License-Identifier: Apache-2.0
//
// The first sentences are those of Fluxion's parser, in its order.
#include "request/jobspec/jobspec_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/nearest_word.hpp"
#include "request/count_text.hpp"
#include "request/jobspec/jobspec_keys.hpp"
#include "request/jobspec/jobspec_values.hpp"

namespace copse {
namespace {

class TaskChecker {
 public:
  TaskChecker(const std::vector<Resource>& resources, JobspecWords words) : words_(words) {
    if (words == JobspecWords::own) add_slots(resources);
  }

  [[nodiscard]] Result<void> check(TreeView task) const {
    if (!task.is_mapping()) return task.fail("task is not a mapping");
    const bool own = words_ == JobspecWords::own;
    const KnownMembers<kJobspecTaskKeys> members(task);
    const auto other = members.other();
    if (own && other) return refuse_key(*other, kJobspecTaskKeys, words_, {});
    const auto command = members["command"];
    if (!command) return task.fail("Key \"command\" missing from task");
    if (!command->is_sequence()) return command->fail("\"command\" value must be a sequence");
    if (auto checked = check_command(*command); !checked) return checked;
    const auto slot = members["slot"];
    if (!slot) return task.fail("Key \"slot\" missing from task");
    if (!slot->is_scalar()) return slot->fail("Value of task \"slot\" must be a YAML scalar");
    if (auto checked = check_slot(*slot); !checked) return checked;
    const auto count = members["count"];
    if (own && !count) return task.fail("Key \"count\" missing from task");
    if (count) {
      if (auto checked = check_count(*count, slot->text()); !checked) return checked;
    }
    if (task.size() < 3 || task.size() > 5) {
      return task.fail("impossible number of entries in task mapping");
    }
    if (auto checked = check_options(members); !checked) return checked;
    if (!other) return {};
    return refuse_key(*other, kJobspecTaskKeys, words_, "Unrecognized key in task mapping");
  }

 private:
  // The recursion is bounded by the depth of the jobspec.
  void add_slots(const std::vector<Resource>& resources) {
    for (const Resource& resource : resources) {
      if (resource.is_slot()) {
        labels_.emplace_back(resource.label);
        slots_.push_back(&resource);
      }
      add_slots(resource.with);
    }
  }

  static void add_types(const std::vector<Resource>& resources, std::vector<std::string_view>& to) {
    for (const Resource& resource : resources) {
      to.emplace_back(resource.type);
      add_types(resource.with, to);
    }
  }

  [[nodiscard]] Result<void> check_command(TreeView command) const {
    if (words_ == JobspecWords::own && command.size() == 0) {
      return command.fail("\"command\" of a task is empty: name a program");
    }
    for (auto word = command.first_child(); word; word = word->next()) {
      if (!word->is_scalar()) return word->fail("\"command\" of a task is not a list of strings");
      if (words_ == JobspecWords::own && !is_jobspec_string(*word)) {
        return word->fail(fmt::format("{:.32} in a \"command\" is not a string: write it in quotes",
                                      word->text()));
      }
    }
    return {};
  }

  // In Copse's words, a task names a slot of the request, if there are slots.
  [[nodiscard]] Result<void> check_slot(TreeView slot) const {
    if (words_ == JobspecWords::fluxion || labels_.empty()) return {};
    if (std::ranges::find(labels_, slot.text()) != labels_.end()) return {};
    return slot.fail(unknown_word("slot", slot.text(), labels_));
  }

  [[nodiscard]] Result<void> check_count(TreeView count, std::string_view slot) const {
    if (!count.is_mapping()) return count.fail("\"count\" in task is not a mapping");
    if (count.size() != 1) return count.fail("\"count\" in task must have exactly one entry");
    const KnownMembers<kJobspecTaskCountKeys> members(count);
    if (const auto other = members.other()) {
      return refuse_key(*other, kJobspecTaskCountKeys, words_,
                        "\"count\" in task must be per_slot, per_resource or total");
    }
    if (const auto per_resource = members["per_resource"]) {
      return check_per_resource(*per_resource, slot);
    }
    const auto per_slot = members["per_slot"];
    return per_slot ? check_number(*per_slot, "per_slot")
                    : check_number(*members["total"], "total");
  }

  [[nodiscard]] Result<void> check_per_resource(TreeView node, std::string_view slot) const {
    if (!node.is_mapping()) return node.fail("\"per_resource\" is not a mapping of type and count");
    if (const auto other = first_other_key(node, kJobspecPerResourceKeys)) {
      return refuse_key(*other, kJobspecPerResourceKeys, words_,
                        "Unrecognized key in \"per_resource\"");
    }
    const auto type = node.find("type"), count = node.find("count");
    if (!type || !count) return node.fail("\"per_resource\" has no type or no count");
    if (!is_jobspec_string(*type) || type->text().empty()) {
      return type->fail("type of \"per_resource\" must be the name of a resource type");
    }
    if (auto checked = check_type(*type, slot); !checked) return checked;
    return check_number(*count, "count");
  }

  // In Copse's words, `per_resource` counts what the slot of the task has.
  [[nodiscard]] Result<void> check_type(TreeView type, std::string_view slot) const {
    if (words_ == JobspecWords::fluxion || slots_.empty()) return {};
    std::vector<std::string_view> types;
    for (const Resource* each : slots_) {
      if (each->label == slot) add_types(each->with, types);
    }
    if (std::ranges::find(types, type.text()) != types.end()) return {};
    return type.fail(fmt::format("slot \"{}\" has no resource of type {}{}", slot,
                                 shown_word(type.text()), known_words_hint(type.text(), types)));
  }

  [[nodiscard]] static Result<void> check_number(TreeView node, std::string_view key) {
    const auto number = node.is_scalar() ? parse_integer(node.text()) : std::nullopt;
    if (number && *number >= 1 && *number <= kCountMax) return {};
    return node.fail(fmt::format("\"{}\" of a task must be a whole number of at least 1", key));
  }

  [[nodiscard]] Result<void> check_options(const KnownMembers<kJobspecTaskKeys>& members) const {
    const auto distribution = members["distribution"], attributes = members["attributes"];
    const bool own = words_ == JobspecWords::own;
    if (distribution && !(own ? is_jobspec_string(*distribution) : distribution->is_scalar())) {
      return distribution->fail("\"distribution\" of a task must be a string");
    }
    if (attributes && !attributes->is_mapping()) {
      return attributes->fail("\"attributes\" of a task must be a mapping");
    }
    return {};
  }

  // In Fluxion's words a task may name any slot: there are none of them here.
  std::vector<std::string_view> labels_;  // of slots_
  std::vector<const Resource*> slots_;
  JobspecWords words_;
};

}  // namespace

Result<void> check_tasks(TreeView tasks, const std::vector<Resource>& resources,
                         JobspecWords words) {
  if (!tasks.is_sequence()) return tasks.fail("\"tasks\" is not a sequence");
  const TaskChecker checker(resources, words);
  for (auto task = tasks.first_child(); task; task = task->next()) {
    if (auto checked = checker.check(*task); !checked) return checked;
  }
  return {};
}

}  // namespace copse
