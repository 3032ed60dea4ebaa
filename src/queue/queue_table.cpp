// SPDX-License-Identifier: Apache-2.0
#include "queue/queue_table.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "base/nearest_word.hpp"

namespace copse::queue {

Result<void> check_queues(std::span<const QueueSpec> queues) {
  if (queues.empty() || queues.size() > kQueuesMax) {
    return fail(ErrorCode::invalid,
                fmt::format("there are {} queues, not 1 to {}", queues.size(), kQueuesMax));
  }
  for (const QueueSpec& spec : queues) {
    if (std::ranges::count(queues, spec.name, &QueueSpec::name) > 1) {
      return fail(ErrorCode::invalid, fmt::format("there are two queues \"{}\"", spec.name));
    }
    if (!spec.parent) continue;
    const auto parent = std::ranges::find(queues, *spec.parent, &QueueSpec::name);
    if (parent == queues.end() || parent->parent) {
      return fail(
          ErrorCode::invalid,
          fmt::format("the parent of queue \"{}\", \"{}\", {}", spec.name, *spec.parent,
                      parent == queues.end() ? "is not a queue" : "is a virtual queue itself"));
    }
  }
  return {};
}

QueueTable::QueueTable(std::vector<QueueSpec> specs, const SharedParts& shared) {
  assert(check_queues(specs));
  std::ranges::sort(specs, {}, &QueueSpec::name);
  std::vector<const QueueSpec*> served;
  for (const QueueSpec& spec : specs) {
    if (!spec.parent) served.push_back(&spec);
  }
  std::ranges::stable_sort(served, std::greater<>(), &QueueSpec::priority);
  std::map<std::string, std::uint16_t> numbers;
  for (const QueueSpec* spec : served) {
    const auto number = static_cast<std::uint16_t>(queues_.size());
    numbers.emplace(spec->name, number);
    queues_.push_back(
        std::make_unique<WaitingQueue>(spec->name, number, spec->discipline, spec->depth, shared));
  }
  const auto& weights = shared.priorities.rule().queues;
  for (const QueueSpec& spec : specs) {
    const std::uint16_t waiting_queue = numbers.at(spec.parent.value_or(spec.name));
    const auto weight = weights.find(spec.name);
    const auto* const parent =
        spec.parent ? &*std::ranges::lower_bound(specs, *spec.parent, {}, &QueueSpec::name)
                    : nullptr;
    const bool has_nodes = parent == nullptr || !spec.constraint.empty();
    shared.kinds.add_queue(spec.name, waiting_queue,
                           has_nodes ? spec.constraint : parent->constraint);
    named_.push_back({spec.name, static_cast<std::uint16_t>(named_.size()), waiting_queue,
                      spec.parent.has_value(), weight == weights.end() ? 0 : weight->second});
  }
}

QueueTable::QueueTable(const QueueTable& other, const SharedParts& shared) : named_(other.named_) {
  for (const auto& queue : other.queues_)
    queues_.push_back(std::make_unique<WaitingQueue>(*queue, shared));
}

Result<const QueueTable::Entry*> QueueTable::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(named_, name, {}, &Entry::name);
  if (at != named_.end() && at->name == name) return &*at;
  if (named_.size() == 1 && named_.front().name.empty()) {
    return fail(
        ErrorCode::not_found,
        fmt::format("unknown queue {}; there is one queue, which has no name", shown_word(name)));
  }
  std::vector<std::string_view> names;
  names.reserve(named_.size());
  for (const Entry& queue : named_) names.emplace_back(queue.name);
  if (!name.empty()) return fail(ErrorCode::not_found, unknown_word("queue", name, names));
  return fail(ErrorCode::not_found, "it names no queue" + known_words_hint(name, names));
}

std::size_t QueueTable::waiting() const {
  std::size_t out = 0;
  for (const auto& queue : queues_) out += queue->waiting();
  return out;
}

}  // namespace copse::queue
