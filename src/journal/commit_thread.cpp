// SPDX-License-Identifier: Apache-2.0
#include "journal/commit_thread.hpp"

#include <utility>

namespace copse::journal {

CommitThread::CommitThread(std::unique_ptr<Store> store, Sequence next, Host host)
    : store_(std::move(store)), host_(std::move(host)), next_(next), thread_([this] { run(); }) {}

CommitThread::~CommitThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

Sequence CommitThread::append(std::string record) {
  const std::lock_guard lock(mutex_);
  pending_bytes_ += record.size();
  pending_.push_back(std::move(record));
  if (pending_.size() == 1) wake_.notify_one();
  return next_++;
}

void CommitThread::snapshot(std::function<std::string()> state) {
  const std::lock_guard lock(mutex_);
  snapshot_ = {next_, std::move(state)};
  wake_.notify_one();
}

std::size_t CommitThread::pending_bytes() const {
  const std::lock_guard lock(mutex_);
  return pending_bytes_;
}

CommitThread::Work CommitThread::take_work() {
  Work out{.first = next_ - pending_.size()};
  std::size_t bytes = 0, count = 0;
  while (count < pending_.size() && (count == 0 || bytes < kCommitBytesMax)) {
    bytes += pending_[count++].size();
  }
  const auto end = pending_.begin() + static_cast<std::ptrdiff_t>(count);
  out.records.assign(std::make_move_iterator(pending_.begin()), std::make_move_iterator(end));
  pending_.erase(pending_.begin(), end);
  pending_bytes_ -= bytes;
  if (snapshot_.next <= out.first + count) out.snapshot = std::exchange(snapshot_, {});
  return out;
}

Result<void> CommitThread::commit(Work& work) {
  const Sequence next = work.first + work.records.size();
  if (!work.records.empty()) {
    if (auto ok = store_->append(work.first, work.records); !ok) return ok;
    host_.on_durable(next);
  }
  const Snapshot& snapshot = work.snapshot;
  return snapshot.state ? store_->snapshot(snapshot.next, snapshot.state()) : Result<void>();
}

void CommitThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (pending_.empty() && !snapshot_.state) {
      lock.unlock();
      const auto maintained = store_->maintain();
      if (!maintained) return host_.on_failure(maintained.error());
      lock.lock();
    }
    wake_.wait(lock, [&] { return stopping_ || snapshot_.state || !pending_.empty(); });
    if (pending_.empty() && !snapshot_.state) break;
    Work work = take_work();
    lock.unlock();
    const auto on_durable = commit(work);
    if (!on_durable) return host_.on_failure(on_durable.error());
    lock.lock();
  }
  const auto closed = store_->close();
  if (!closed) host_.on_failure(closed.error());
}

}  // namespace copse::journal
