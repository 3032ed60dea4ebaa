// SPDX-License-Identifier: Apache-2.0
#include "flux/module/work_loop.hpp"

#include <algorithm>
#include <ctime>

#include "flux/module/wire.hpp"

namespace copse::flux {

namespace {

// The duration of a slice. A message waits that long at most, and for one more step of the work.
constexpr double kSlice_s = 0.004;
constexpr double kTimerMax_s = 3600;
// While messages arrive, they come first: one slice per message would let them pile up. A slice runs
// nevertheless once per this interval.
constexpr double kMessages_s = 0.016;

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double monotonic_s() { return seconds_of(CLOCK_MONOTONIC); }

}  // namespace

WorkLoop::~WorkLoop() {
  flux_watcher_destroy(prepare_);
  flux_watcher_destroy(check_);
  flux_watcher_destroy(idle_);
  flux_watcher_destroy(timer_);
}

Result<void> WorkLoop::begin() {
  prepare_ = flux_prepare_watcher_create(
      reactor_,
      [](flux_reactor_t*, flux_watcher_t*, int, void* self) {
        static_cast<const WorkLoop*>(self)->prepare();
      },
      this);
  check_ = flux_check_watcher_create(
      reactor_,
      [](flux_reactor_t*, flux_watcher_t*, int, void* self) {
        static_cast<WorkLoop*>(self)->check();
      },
      this);
  idle_ = flux_idle_watcher_create(reactor_, nullptr, nullptr);
  timer_ = flux_timer_watcher_create(
      reactor_, kTimerMax_s, 0.,
      [](flux_reactor_t*, flux_watcher_t*, int, void* self) {
        static_cast<WorkLoop*>(self)->wake();
      },
      this);
  if (prepare_ == nullptr || check_ == nullptr || idle_ == nullptr || timer_ == nullptr) {
    return std::unexpected(flux_failed("can't create watchers"));
  }
  flux_watcher_start(prepare_);
  flux_watcher_start(check_);
  return {};
}

// An idle watcher keeps the reactor from sleeping.
void WorkLoop::prepare() const {
  if (busy_) flux_watcher_start(idle_);
}

void WorkLoop::check() noexcept {
  flux_watcher_stop(idle_);
  if (!busy_) return;
  const bool messages = (flux_pollevents(h_) & FLUX_POLLIN) != 0;
  if (messages && monotonic_s() < last_end_s_ + kMessages_s) return;
  guarded(h_, [&] { run_slice(); });
}

void WorkLoop::run_slice() {
  ++count_;
  flux_reactor_now_update(reactor_);
  const double begin_s = monotonic_s(), begin_cpu_s = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  double end_s = begin_s + kSlice_s;
  queue::WorkBudget budget;
  budget.expired = [](void* until_s) { return monotonic_s() >= *static_cast<double*>(until_s); };
  budget.context = &end_s;
  const double now_s = flux_reactor_now(reactor_);
  const Progress progress = work_(now_s, budget);
  busy_ = !progress.all;
  last_end_s_ = monotonic_s();
  longest_slice_s_ = std::max(longest_slice_s_, seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin_cpu_s);
  flux_watcher_stop(timer_);
  if (busy_ || !progress.next_s) return;
  const double after_s = static_cast<double>(*progress.next_s) - now_s;
  flux_timer_watcher_reset(timer_, std::clamp(after_s, 0.01, kTimerMax_s), 0.);
  flux_watcher_start(timer_);
}

}  // namespace copse::flux
