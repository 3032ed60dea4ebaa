// SPDX-License-Identifier: Apache-2.0
#include "match/shared/scores.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "match/policy/graph_view.hpp"

namespace copse {

namespace {
enum : std::uint8_t { kAscending = 1, kDescending = 2, kNeverDown = 4, kNeverUp = 8 };
constexpr std::string_view kThrew = "\" threw an exception";
}  // namespace

// No other error has such a sentence.
bool is_visit_failure(const Error& error) {
  return error.code == ErrorCode::invalid && error.text.starts_with("the policy \"") &&
         error.text.find(kThrew) != std::string::npos;
}

Scores::Scores(const ResourceGraph& graph, const Policy& policy) : graph_(graph), policy_(policy) {
  properties_version_ = graph.properties_version() + 1;
  update();
}

Score Scores::call(Score (*function)(const ResourceGraph&, PoolId), PoolId p) const {
  return guarded([&] { return function(graph_, p); });
}

Score Scores::call(Score (*function)(GraphView, PoolId), PoolId p) const {
  return guarded([&] { return function(view_of(graph_), p); });
}

void Scores::fail_with(const std::string& why) const {
  throw PolicyFailure(fmt::format("the policy \"{}{}{}", policy_.name, kThrew, why));
}

Score Scores::evaluated(PoolId p) const {
  if (policy_.bundled_score != nullptr) return call(policy_.bundled_score, p);
  return call(policy_.score, p);
}

void Scores::update() {
  if (policy_.scores_by_id() || properties_version_ == graph_.properties_version()) return;
  properties_version_ = graph_.properties_version();
  std::vector<Score> scores(graph_.pool_count());
  for (std::uint32_t v = 0; v < scores.size(); ++v) scores[v] = evaluated(PoolId{v});
  column_ = std::move(scores);
  std::vector<std::uint8_t> orders(graph_.interior_count());
  for (std::uint32_t i = 0; i < orders.size(); ++i) orders[i] = order_of(i);
  orders_ = std::move(orders);
}

std::uint8_t Scores::order_of(std::uint32_t i) const {
  std::uint8_t order = kAscending | kDescending | kNeverDown | kNeverUp;
  const auto children = graph_.children(graph_.interior_pool(i));
  for (const ChildRun& run : graph_.shape_of_interior(i).runs) {
    for (std::uint32_t c = run.first + 1; c < run.first + run.count; ++c) {
      const Score before = column_[children[c - 1].v], here = column_[children[c].v];
      if (here > before) order &= kAscending | kNeverDown;
      if (here < before) order &= kDescending | kNeverUp;
      if (here == before) order &= kNeverDown | kNeverUp;
    }
  }
  return order;
}

void Scores::attached(PoolId parent) {
  if (column_.empty()) return;
  for (auto v = static_cast<std::uint32_t>(column_.size()); v < graph_.pool_count(); ++v) {
    column_.push_back(evaluated(PoolId{v}));
  }
  for (auto i = static_cast<std::uint32_t>(orders_.size()); i < graph_.interior_count(); ++i) {
    orders_.push_back(order_of(i));
  }
  const std::uint32_t above = graph_.interior(parent);
  orders_.set(above, order_of(above));
}

ChildOrder Scores::order(std::uint32_t i, const ChildRun& run) const {
  if (run.count == 1) return ChildOrder::forward;
  const std::uint8_t order = !column_.empty() ? orders_[i]
                             : run.ascending  ? kAscending | kNeverDown
                                              : 0;
  if ((order & (policy_.prefer_high ? kNeverUp : kNeverDown)) != 0) return ChildOrder::forward;
  if ((order & (policy_.prefer_high ? kAscending : kDescending)) != 0) return ChildOrder::backward;
  return ChildOrder::mixed;
}

}  // namespace copse
