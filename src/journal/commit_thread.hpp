// SPDX-License-Identifier: Apache-2.0
//
// CommitThread: keeps records in a store, many to a commit, on a thread of its own.
//
// While one commit is on its way to the disk, the next one gathers. So a busy host pays for few
// syncs, and a host with one client waits for one.
//
// The host's two functions are called on the thread. After `failed` nothing is kept any more, and
// no number is ever told again: what the host has in memory is ahead of the disk, and it must end.
//
// Thread safety: all functions may be called from one other thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "journal/store.hpp"

namespace copse::journal {

class CommitThread {
 public:
  struct Host {
    std::function<void(Sequence next)> kept{};  // all records before `next` are on disk
    std::function<void(const Error& error)> failed{};
  };

  // `next`: the number of the next record, as Store::load returned it.
  CommitThread(std::unique_ptr<Store> store, Sequence next, Host host);
  ~CommitThread();  // keeps what was appended, and ends
  CommitThread(const CommitThread&) = delete;
  CommitThread& operator=(const CommitThread&) = delete;

  // Returns the record's number. O(1), apart from a lock.
  Sequence append(std::string record);
  // Keeps the state after all records that were appended until now. `state` is called on the
  // thread: it has a copy of what it writes.
  void snapshot(std::function<std::string()> state);
  // Bytes that wait to be kept: a host with too many takes no more changes for a while.
  [[nodiscard]] std::size_t waiting_bytes() const;

 private:
  static constexpr std::size_t kCommitBytesMax = std::size_t{64} << 20;

  // What is done as one, outside of the lock.
  struct Snapshot {
    Sequence next = 0;  // the state is of all records before it
    std::function<std::string()> state{};
  };
  struct Work {
    Sequence first = 0;
    std::vector<std::string> records{};
    Snapshot snapshot{};
  };
  void run();
  [[nodiscard]] Work take();  // REQUIRES the lock
  [[nodiscard]] Result<void> keep(Work& work);

  std::unique_ptr<Store> store_;
  Host host_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::string> waiting_;
  std::size_t waiting_bytes_ = 0;
  Sequence next_;        // of the next record to be appended
  Snapshot snapshot_{};  // to be kept when all records before it are
  bool over_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace copse::journal
