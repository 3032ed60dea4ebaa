// SPDX-License-Identifier: Apache-2.0
//
// Turns of a module's reactor: while there is something to do, it works in budgets between messages.
// Messages that wait go first, so that they never pile up; a fifth of the time is the budgets' at
// least. Nothing is polled.
#pragma once

#include <flux/core.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "copse/error.hpp"
#include "queue/work_budget.hpp"

namespace copse::flux {

class Turns {
 public:
  struct Worked {
    bool all = false;                      // nothing is left to do now
    std::optional<std::int64_t> next_s{};  // when there will be; from the epoch
  };
  using Work = std::function<Worked(double now_s, queue::WorkBudget& budget)>;

  Turns(flux_t* h, Work work) : h_(h), reactor_(flux_get_reactor(h)), work_(std::move(work)) {}
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // Errors: io.
  [[nodiscard]] Result<void> begin();
  void wake() { busy_ = true; }  // there is something to do
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Of processor time: others may have had the processor meanwhile.
  [[nodiscard]] double longest_slice_s() const { return longest_slice_s_; }

 private:
  void prepare() const;
  void check() noexcept;
  void turn();

  flux_t* const h_;
  flux_reactor_t* const reactor_;
  const Work work_;
  flux_watcher_t* prepare_ = nullptr;
  flux_watcher_t* check_ = nullptr;
  flux_watcher_t* idle_ = nullptr;
  flux_watcher_t* timer_ = nullptr;
  bool busy_ = true;
  std::uint64_t count_ = 0;
  double last_end_s_ = 0;  // of a budget
  double longest_slice_s_ = 0;
};

}  // namespace copse::flux
