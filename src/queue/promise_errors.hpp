// SPDX-License-Identifier: Apache-2.0
//
// PromiseErrors: how accurate promised starts were, for the last jobs that started.
//
// An error is the start minus the first promised start: below 0, the job started early. Cost: add()
// O(1); at() O(kKept).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace copse::queue {

class PromiseErrors {
 public:
  static constexpr std::size_t kKept = 1'000;

  void add(std::int64_t error_s) {
    if (errors_.size() < kKept) {
      errors_.push_back(error_s);
    } else {
      errors_[count_ % kKept] = error_s;
    }
    ++count_;
  }
  [[nodiscard]] std::size_t count() const { return count_; }  // since the beginning
  // A quantile of the errors, 0.5 being the median; none if there are no errors. REQUIRES 0 <= part
  // <= 1.
  [[nodiscard]] std::optional<std::int64_t> at(double part) const {
    if (errors_.empty()) return std::nullopt;
    std::vector<std::int64_t> sorted = errors_;
    const auto last = static_cast<double>(sorted.size() - 1);
    const auto place = sorted.begin() + std::lround(part * last);
    std::ranges::nth_element(sorted, place);
    return *place;
  }

 private:
  std::vector<std::int64_t> errors_;  // the oldest is overwritten
  std::size_t count_ = 0;
};

}  // namespace copse::queue
