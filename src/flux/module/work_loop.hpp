// SPDX-License-Identifier: Apache-2.0
//
// WorkLoop: runs the work of a module in slices of time between the messages of its reactor. Pending
// messages come first, so that they do not pile up, but slices get at least a fifth of the time. The
// loop sleeps while there is no work.
#pragma once

#include <flux/core.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "copse/error.hpp"
#include "queue/work_budget.hpp"

namespace copse::flux {

class WorkLoop {
 public:
  struct Progress {
    bool all = false;                      // nothing is left to do now
    std::optional<std::int64_t> next_s{};  // when more work is due, in seconds since the epoch
  };
  using Work = std::function<Progress(double now_s, queue::WorkBudget& budget)>;

  WorkLoop(flux_t* h, Work work) : h_(h), reactor_(flux_get_reactor(h)), work_(std::move(work)) {}
  ~WorkLoop();
  WorkLoop(const WorkLoop&) = delete;
  WorkLoop& operator=(const WorkLoop&) = delete;

  // Errors: io.
  [[nodiscard]] Result<void> begin();
  void wake() { busy_ = true; }  // there is work
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // In processor time, which excludes the time of other threads.
  [[nodiscard]] double longest_slice_s() const { return longest_slice_s_; }

 private:
  void prepare() const;
  void check() noexcept;
  void run_slice();

  flux_t* const h_;
  flux_reactor_t* const reactor_;
  const Work work_;
  flux_watcher_t* prepare_ = nullptr;
  flux_watcher_t* check_ = nullptr;
  flux_watcher_t* idle_ = nullptr;
  flux_watcher_t* timer_ = nullptr;
  bool busy_ = true;
  std::uint64_t count_ = 0;
  double last_end_s_ = 0;  // of the last slice
  double longest_slice_s_ = 0;
};

}  // namespace copse::flux
