// SPDX-License-Identifier: Apache-2.0
#include "copse/walker.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace copse {

// --- Accumulator

bool Accumulator::would_keep(std::int64_t score) const {
  if (kept_.size() < best_max_) return true;
  return !kept_.empty() && score > kept_.front().entry.score;  // of equal ones the first stays
}

bool Accumulator::push(PoolId pool, std::int64_t score) {
  if (!would_keep(score)) return false;
  const Kept kept{{pool, score}, pushes_++};
  if (best_max_ == kAll) {
    kept_.push_back(kept);
    return true;
  }
  if (kept_.size() == best_max_) {
    std::pop_heap(kept_.begin(), kept_.end(), better);
    kept_.pop_back();
  }
  kept_.push_back(kept);
  std::push_heap(kept_.begin(), kept_.end(), better);
  return true;
}

std::vector<Accumulator::Entry> Accumulator::ranked() const {
  std::vector<Kept> sorted = kept_;
  std::sort(sorted.begin(), sorted.end(), better);
  std::vector<Entry> out;
  out.reserve(sorted.size());
  for (const Kept& k : sorted) out.push_back(k.entry);
  return out;
}

std::vector<PoolId> Accumulator::pools() const {
  std::vector<PoolId> out;
  out.reserve(kept_.size());
  for (const Entry& e : ranked()) out.push_back(e.pool);
  return out;
}

// --- Matching support

bool holds(std::int64_t left, Comparison comparison, std::int64_t right) {
  switch (comparison) {
    case Comparison::equal: return left == right;
    case Comparison::unequal: return left != right;
    case Comparison::less: return left < right;
    case Comparison::at_most: return left <= right;
    case Comparison::greater: return left > right;
    case Comparison::at_least: return left >= right;
  }
  return false;
}

bool name_is(const ResourceGraph& graph, PoolId pool, std::string_view name) {
  const std::string& basename = graph.basename_text(pool);
  if (!name.starts_with(basename)) return false;
  name.remove_prefix(basename.size());
  if (graph.id(pool) == -1) return name.empty();
  std::array<char, 24> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), graph.id(pool));
  return name == std::string_view(digits.data(), written.ptr);
}

bool attribute_is(const ResourceGraph::Attributes* attributes, const std::string& key,
                  const std::string* value) {
  if (attributes == nullptr) return false;
  const auto it = attributes->find(key);
  return it != attributes->end() && (value == nullptr || it->second == *value);
}

}  // namespace copse
