// SPDX-License-Identifier: Apache-2.0
#include "plan/oracle.hpp"

#include <algorithm>

namespace copse::plan {

namespace {

class Oracle {
 public:
  Oracle(int nodes, const std::vector<OracleJob>& jobs, OracleDiscipline discipline, bool first)
      : jobs_(jobs), discipline_(discipline), first_(first), ranges_(jobs.size()) {
    seconds_ = 2;
    for (const OracleJob& j : jobs) seconds_ = std::max(seconds_, j.submit + 2);
    for (const OracleJob& j : jobs) seconds_ += j.duration + 1;
    free_.assign(static_cast<std::size_t>(2 * seconds_), nodes);
    owner_.assign(static_cast<std::size_t>(nodes), kNobody);
    touched_.assign(static_cast<std::size_t>(nodes), false);
  }

  std::vector<OraclePlace> run() {
    for (now_ = 0; now_ < seconds_; ++now_) second();
    return std::move(ranges_);
  }

 private:
  static constexpr int kNobody = -1;

  [[nodiscard]] const OracleJob& job(int j) const { return jobs_[static_cast<std::size_t>(j)]; }
  [[nodiscard]] OraclePlace& place(int j) { return ranges_[static_cast<std::size_t>(j)]; }
  [[nodiscard]] int& free_at(int second) { return free_[static_cast<std::size_t>(second)]; }

  // Whether a job is before another in the queue.
  [[nodiscard]] bool before(int a, int b) const {
    if (job(a).priority != job(b).priority) return job(a).priority > job(b).priority;
    if (job(a).submit != job(b).submit) return job(a).submit < job(b).submit;
    return a < b;
  }

  // --- Promises: numbers of nodes over time
  bool fits(int j, int start) {
    for (int t = start; t < start + job(j).duration; ++t) {
      if (free_at(t) < job(j).nodes) return false;
    }
    return true;
  }
  void promise(int j, int start) {
    place(j).start = start;
    place(j).end = start + job(j).duration;
    for (int t = start; t < place(j).end; ++t) free_at(t) -= job(j).nodes;
  }
  // From now on.
  void give_back(int j) {
    for (int t = std::max(now_, place(j).start); t < place(j).end; ++t) free_at(t) += job(j).nodes;
  }
  // At the earliest second from now on.
  void promise_earliest(int j) {
    int start = now_;
    while (!fits(j, start)) ++start;
    promise(j, start);
  }

  // --- Running jobs: on these nodes
  void start(int j) {
    std::vector<std::uint32_t> idle;
    for (std::size_t n = 0; n < owner_.size(); ++n) {
      if (owner_[n] == kNobody) idle.push_back(static_cast<std::uint32_t>(n));
    }
    if (first_) {
      std::sort(idle.begin(), idle.end(), [&](std::uint32_t a, std::uint32_t b) {
        return touched_[a] != touched_[b] ? touched_[b] : a > b;
      });
    }
    idle.resize(static_cast<std::size_t>(job(j).nodes));
    std::sort(idle.begin(), idle.end());
    for (const std::uint32_t n : idle) {
      owner_[n] = j;
      touched_[n] = true;
    }
    place(j).nodes = std::move(idle);
    running_.push_back(j);
    std::erase(queue_, j);
    std::erase(promised_, j);
  }

  void second() {
    bool event = false;
    const bool early = end_jobs(event);
    submit(event);
    for (int j : promised_) event |= place(j).start == now_;
    if (!event) return;
    // A job that arrives now may be before those that were to start now.
    if (discipline_ == OracleDiscipline::easy) leave_the_first_its_promise();
    for (int j : std::vector<int>(queue_)) {
      if (promised(j) && place(j).start == now_) start(j);
    }
    for (bool moved = early; moved;) {
      moved = false;
      for (int j : std::vector<int>(queue_)) {
        if (promised(j)) moved = move_earlier(j) || moved;
      }
    }
    switch (discipline_) {
      case OracleDiscipline::fcfs:
        while (!queue_.empty() && fits(queue_.front(), now_)) start_now(queue_.front());
        break;
      case OracleDiscipline::easy: easy(); break;
      case OracleDiscipline::conservative:
        for (int j : std::vector<int>(queue_)) keep_promise(j);
        break;
    }
  }

  [[nodiscard]] bool promised(int j) const {
    return std::find(promised_.begin(), promised_.end(), j) != promised_.end();
  }
  void start_now(int j) {
    promise(j, now_);
    start(j);
  }
  // Returns true if it moved: jobs before it may use what it freed.
  bool move_earlier(int j) {
    const int before = place(j).start;
    give_back(j);
    promise_earliest(j);
    if (place(j).start == now_) start(j);
    return place(j).start < before;
  }
  // Returns true if it has a promise, or runs.
  void keep_promise(int j) {
    if (promised(j)) return;
    promise_earliest(j);
    if (place(j).start == now_) {
      start(j);
    } else {
      promised_.push_back(j);
    }
  }

  // Returns true if one ended before its requested time.
  bool end_jobs(bool& event) {
    bool early = false;
    for (int j : std::vector<int>(running_)) {
      const int length = std::min(job(j).run, job(j).duration);
      if (place(j).start + length != now_) continue;
      early |= length < job(j).duration;
      give_back(j);
      for (int& who : owner_) who = who == j ? kNobody : who;
      place(j).end = now_;
      std::erase(running_, j);
      event = true;
    }
    return early;
  }

  void submit(bool& event) {
    for (int j = 0; j < static_cast<int>(jobs_.size()); ++j) {
      if (job(j).submit != now_) continue;
      event = true;
      if (job(j).nodes > static_cast<int>(owner_.size())) continue;
      queue_.insert(std::find_if(queue_.begin(), queue_.end(), [&](int k) { return before(j, k); }),
                    j);
    }
  }

  void leave_the_first_its_promise() {
    for (int j : std::vector<int>(promised_)) {
      if (j == queue_.front()) continue;
      give_back(j);
      std::erase(promised_, j);
      place(j) = {};
    }
  }

  void easy() {
    while (!queue_.empty() && !promised(queue_.front())) keep_promise(queue_.front());
    for (int j : std::vector<int>(queue_)) {
      if (!promised(j) && fits(j, now_)) start_now(j);
    }
  }

  const std::vector<OracleJob>& jobs_;
  const OracleDiscipline discipline_;
  const bool first_;
  std::vector<OraclePlace> ranges_;
  std::vector<int> free_;      // by second
  std::vector<int> owner_;     // by node, now
  std::vector<bool> touched_;  // by node
  std::vector<int> queue_, running_, promised_;
  int now_ = 0, seconds_ = 0;
};

}  // namespace

std::vector<OraclePlace> oracle(int nodes, const std::vector<OracleJob>& jobs,
                                OracleDiscipline discipline, bool first) {
  return Oracle(nodes, jobs, discipline, first).run();
}

}  // namespace copse::plan
