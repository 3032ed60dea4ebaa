// SPDX-License-Identifier: Apache-2.0
#include "plan/oracle.hpp"

#include <algorithm>

namespace copse::plan {

namespace {

class Oracle {
 public:
  Oracle(int nodes, const std::vector<OracleJob>& jobs, OracleDiscipline discipline, bool first)
      : jobs_(jobs), discipline_(discipline), first_(first), places_(jobs.size()) {
    int seconds = 2;
    for (const OracleJob& j : jobs) seconds = std::max(seconds, j.submit + 2);
    for (const OracleJob& j : jobs) seconds += j.duration + 1;
    owner_.assign(static_cast<std::size_t>(nodes),
                  std::vector<int>(static_cast<std::size_t>(2 * seconds), kNobody));
    touched_.assign(static_cast<std::size_t>(nodes), false);
    seconds_ = seconds;
  }

  std::vector<OraclePlace> run() {
    for (now_ = 0; now_ < seconds_; ++now_) second();
    return std::move(places_);
  }

 private:
  static constexpr int kNobody = -1;

  [[nodiscard]] const OracleJob& job(int j) const { return jobs_[static_cast<std::size_t>(j)]; }
  [[nodiscard]] OraclePlace& place(int j) { return places_[static_cast<std::size_t>(j)]; }

  // Who is before whom in the queue.
  [[nodiscard]] bool before(int a, int b) const {
    if (job(a).priority != job(b).priority) return job(a).priority > job(b).priority;
    if (job(a).submit != job(b).submit) return job(a).submit < job(b).submit;
    return a < b;
  }

  [[nodiscard]] bool free(std::size_t node, int from, int until) const {
    for (int t = from; t < until; ++t) {
      if (owner_[node][static_cast<std::size_t>(t)] != kNobody) return false;
    }
    return true;
  }

  // The nodes that a job would have from then on; too few: empty.
  [[nodiscard]] std::vector<std::uint32_t> choose(int j, int start) const {
    std::vector<std::uint32_t> out;
    for (std::size_t n = 0; n < owner_.size(); ++n) {
      if (free(n, start, start + job(j).duration)) out.push_back(static_cast<std::uint32_t>(n));
    }
    if (out.size() < static_cast<std::size_t>(job(j).nodes)) return {};
    if (first_) {
      std::sort(out.begin(), out.end(), [&](std::uint32_t a, std::uint32_t b) {
        return touched_[a] != touched_[b] ? touched_[b] : a > b;
      });
    }
    out.resize(static_cast<std::size_t>(job(j).nodes));
    std::sort(out.begin(), out.end());
    return out;
  }

  void take(int j, int start, const std::vector<std::uint32_t>& nodes) {
    place(j) = {start, start + job(j).duration, nodes};
    for (std::uint32_t n : nodes) {
      for (int t = start; t < start + job(j).duration; ++t) {
        owner_[n][static_cast<std::size_t>(t)] = j;
      }
    }
  }
  void give_back(int j) {
    for (auto& node : owner_) {
      for (int& who : node) who = who == j ? kNobody : who;
    }
  }
  void touch(const std::vector<std::uint32_t>& nodes) {
    for (std::uint32_t n : nodes) touched_[n] = true;
  }

  // At the earliest second from now on and before `until`.
  bool place_earliest(int j, int until) {
    for (int start = now_; start < until; ++start) {
      const auto nodes = choose(j, start);
      if (nodes.empty()) continue;
      take(j, start, nodes);
      touch(nodes);
      return true;
    }
    return false;
  }
  bool place_now(int j) { return place_earliest(j, now_ + 1); }

  void start(int j) {
    running_.push_back(j);
    std::erase(queue_, j);
  }

  void second() {
    bool event = false;
    const bool early = end_jobs(event);
    if (early && discipline_ == OracleDiscipline::conservative) compress();
    submit(event);
    if (reserved_ != kNobody && place(reserved_).start == now_) {
      start(reserved_);
      reserved_ = kNobody;
      event = true;
    }
    if (discipline_ == OracleDiscipline::conservative) {
      for (int j : std::vector<int>(queue_)) {
        if (place(j).start == now_) start(j);
      }
    }
    if (!event) return;
    if (discipline_ == OracleDiscipline::fcfs) {
      while (!queue_.empty() && place_now(queue_.front())) start(queue_.front());
    }
    if (discipline_ == OracleDiscipline::easy) easy();
  }

  // True if one ended before the time that it asked for.
  bool end_jobs(bool& event) {
    bool early = false;
    for (int j : std::vector<int>(running_)) {
      const int length = std::min(job(j).run, job(j).duration);
      if (place(j).start + length != now_) continue;
      early |= length < job(j).duration;
      for (auto& node : owner_) {
        for (std::size_t t = static_cast<std::size_t>(now_); t < node.size(); ++t) {
          if (node[t] == j) node[t] = kNobody;
        }
      }
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
      if (discipline_ == OracleDiscipline::conservative) place_earliest(j, seconds_);
    }
  }

  void easy() {
    if (queue_.empty()) return;
    if (reserved_ != kNobody) {
      const OraclePlace old = place(reserved_);
      const int head = reserved_;
      give_back(head);
      reserved_ = kNobody;
      if (head == queue_.front() && !place_earliest(head, old.start)) {
        take(head, old.start, old.nodes);
        reserved_ = head;
      }
      if (head == queue_.front() && reserved_ == kNobody) {
        reserved_ = head;
        if (place(head).start == now_) {
          start(head);
          reserved_ = kNobody;
        }
      }
    }
    while (reserved_ == kNobody && !queue_.empty()) {
      const int head = queue_.front();
      place_earliest(head, seconds_);
      if (place(head).start == now_) {
        start(head);
      } else {
        reserved_ = head;
      }
    }
    for (int j : std::vector<int>(queue_)) {
      if (j != reserved_ && place_now(j)) start(j);
    }
  }

  void compress() {
    for (int j : std::vector<int>(queue_)) {
      const OraclePlace old = place(j);
      if (old.start <= now_) continue;
      give_back(j);
      if (!place_earliest(j, old.start)) take(j, old.start, old.nodes);
    }
  }

  const std::vector<OracleJob>& jobs_;
  const OracleDiscipline discipline_;
  const bool first_;
  std::vector<OraclePlace> places_;
  std::vector<std::vector<int>> owner_;  // by node and second
  std::vector<bool> touched_;            // by node
  std::vector<int> queue_, running_;
  int reserved_ = kNobody;
  int now_ = 0, seconds_ = 0;
};

}  // namespace

std::vector<OraclePlace> oracle(int nodes, const std::vector<OracleJob>& jobs,
                                OracleDiscipline discipline, bool first) {
  return Oracle(nodes, jobs, discipline, first).run();
}

}  // namespace copse::plan
