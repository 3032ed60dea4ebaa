// SPDX-License-Identifier: Apache-2.0
#include "queue/lines.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.hpp"

namespace copse::queue {

Result<void> check_lines(std::span<const LineSpec> lines) {
  if (lines.empty() || lines.size() > kLinesMax) {
    return fail(ErrorCode::invalid,
                fmt::format("there are {} queues, not 1 to {}", lines.size(), kLinesMax));
  }
  for (const LineSpec& line : lines) {
    if (std::ranges::count(lines, line.name, &LineSpec::name) > 1) {
      return fail(ErrorCode::invalid, fmt::format("there are two queues \"{}\"", line.name));
    }
    if (!line.parent) continue;
    const auto parent = std::ranges::find(lines, *line.parent, &LineSpec::name);
    if (parent == lines.end() || parent->parent) {
      return fail(
          ErrorCode::invalid,
          fmt::format("the parent of queue \"{}\", \"{}\", {}", line.name, *line.parent,
                      parent == lines.end() ? "is not a queue" : "is a virtual queue itself"));
    }
  }
  return {};
}

Lines::Lines(std::vector<LineSpec> specs, const SharedParts& shared) {
  assert(check_lines(specs));
  std::ranges::sort(specs, {}, &LineSpec::name);
  std::map<std::string, std::uint16_t> numbers;
  for (const LineSpec& spec : specs) {
    if (spec.parent) continue;
    const auto number = static_cast<std::uint16_t>(lines_.size());
    numbers.emplace(spec.name, number);
    lines_.push_back(
        std::make_unique<Line>(spec.name, number, spec.discipline, spec.depth, shared));
  }
  const auto& weights = shared.priorities.rule().queues;
  for (const LineSpec& spec : specs) {
    const std::uint16_t line = numbers.at(spec.parent.value_or(spec.name));
    const auto weight = weights.find(spec.name);
    const auto* const parent =
        spec.parent ? &*std::ranges::lower_bound(specs, *spec.parent, {}, &LineSpec::name)
                    : nullptr;
    const bool has_nodes = parent == nullptr || !spec.constraint.empty();
    shared.kinds.add_queue(spec.name, line, has_nodes ? spec.constraint : parent->constraint);
    queues_.push_back({spec.name, static_cast<std::uint16_t>(queues_.size()), line,
                       spec.parent.has_value(), weight == weights.end() ? 0 : weight->second});
  }
}

Lines::Lines(const Lines& other, const SharedParts& shared) : queues_(other.queues_) {
  for (const auto& line : other.lines_) lines_.push_back(std::make_unique<Line>(*line, shared));
}

Result<const Lines::Named*> Lines::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(queues_, name, {}, &Named::name);
  if (at != queues_.end() && at->name == name) return &*at;
  if (queues_.size() == 1 && queues_.front().name.empty()) {
    return fail(
        ErrorCode::not_found,
        fmt::format("unknown queue {}; there is one queue, which has no name", shown_word(name)));
  }
  std::vector<std::string_view> names;
  names.reserve(queues_.size());
  for (const Named& queue : queues_) names.emplace_back(queue.name);
  if (!name.empty()) return fail(ErrorCode::not_found, unknown_word("queue", name, names));
  return fail(ErrorCode::not_found, "it names no queue" + known_words_hint(name, names));
}

std::size_t Lines::waiting() const {
  std::size_t out = 0;
  for (const auto& line : lines_) out += line->waiting();
  return out;
}

}  // namespace copse::queue
