// SPDX-License-Identifier: Apache-2.0
#include "journal/commit_thread.hpp"

#include <algorithm>
#include <utility>

namespace copse::journal {

CommitThread::CommitThread(std::unique_ptr<Store> store, Sequence next, Host host)
    : store_(std::move(store)), host_(std::move(host)), next_(next), thread_([this] { run(); }) {}

CommitThread::~CommitThread() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

Sequence CommitThread::append(std::string record) {
  const std::lock_guard lock(mutex_);
  waiting_bytes_ += record.size();
  waiting_.push_back(std::move(record));
  if (waiting_.size() == 1) wake_.notify_one();
  return next_++;
}

void CommitThread::snapshot(std::function<std::string()> state) {
  const std::lock_guard lock(mutex_);
  snapshot_ = {next_, std::move(state)};
  wake_.notify_one();
}

std::size_t CommitThread::waiting_bytes() const {
  const std::lock_guard lock(mutex_);
  return waiting_bytes_;
}

CommitThread::Work CommitThread::take() {
  Work out{.first = next_ - waiting_.size()};
  std::size_t bytes = 0, count = 0;
  while (count < waiting_.size() && (count == 0 || bytes < kCommitBytesMax)) {
    bytes += waiting_[count++].size();
  }
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
  out.records.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  waiting_bytes_ -= bytes;
  if (snapshot_.next <= out.first + count) out.snapshot = std::exchange(snapshot_, {});
  return out;
}

Result<void> CommitThread::keep(Work& work) {
  const Sequence next = work.first + work.records.size();
  if (!work.records.empty()) {
    if (auto ok = store_->append(work.first, work.records); !ok) return ok;
    host_.kept(next);
  }
  const Snapshot& snapshot = work.snapshot;
  return snapshot.state ? store_->snapshot(snapshot.next, snapshot.state()) : Result<void>();
}

void CommitThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (waiting_.empty() && !snapshot_.state) {
      lock.unlock();
      const auto tidied = store_->tidy();
      if (!tidied) return host_.failed(tidied.error());
      lock.lock();
    }
    wake_.wait(lock, [&] { return over_ || snapshot_.state || !waiting_.empty(); });
    if (waiting_.empty() && !snapshot_.state) return;
    Work work = take();
    lock.unlock();
    const auto kept = keep(work);
    if (!kept) return host_.failed(kept.error());
    lock.lock();
  }
}

}  // namespace copse::journal
