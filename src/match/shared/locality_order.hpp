// SPDX-License-Identifier: Apache-2.0
//
// Fluxion's `locality`: groups by the lower end of the run of consecutive scores that each is in,
// highest first; equal ones keep their order.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "copse/policy.hpp"

namespace copse {

// `score_of(*it)` is the score of an element. O(n log n), and allocates: used for the top level,
// once per match.
template <class Iterator, class ScoreOf>
void sort_by_locality(Iterator first, Iterator last, ScoreOf score_of) {
  std::vector<Score> scores;
  for (Iterator it = first; it != last; ++it) scores.push_back(score_of(*it));
  std::sort(scores.begin(), scores.end());
  scores.erase(std::unique(scores.begin(), scores.end()), scores.end());
  std::vector<Score> lows(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    lows[i] = i > 0 && scores[i - 1] + 1 == scores[i] ? lows[i - 1] : scores[i];
  }
  std::vector<std::pair<Score, typename Iterator::value_type>> order;
  for (Iterator it = first; it != last; ++it) {
    const auto at = std::lower_bound(scores.begin(), scores.end(), score_of(*it)) - scores.begin();
    order.emplace_back(lows[static_cast<std::size_t>(at)], *it);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [low, element] : order) *first++ = element;
}

}  // namespace copse
