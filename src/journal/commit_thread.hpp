// SPDX-License-Identifier: Apache-2.0
//
// CommitThread: writes records to a store on its own thread, many to a commit.
//
// While one commit is on its way to the disk, further records gather for the next. So a busy host
// pays for few syncs, and a host with one client waits for one.
//
// The two functions of Host are called on the thread. After on_failure, nothing more is written and
// on_durable is not called again: the memory of the host is ahead of the disk, and the host must
// end.
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
    std::function<void(Sequence next)> on_durable{};  // all records before `next` are on disk
    std::function<void(const Error& error)> on_failure{};
  };

  // `next`: the number of the next record, as Store::load returned it.
  CommitThread(std::unique_ptr<Store> store, Sequence next, Host host);
  ~CommitThread();  // writes what was appended, closes the store, then ends
  CommitThread(const CommitThread&) = delete;
  CommitThread& operator=(const CommitThread&) = delete;

  // Returns the record's number. O(1), apart from a lock.
  Sequence append(std::string record);
  // Writes a state that includes all records appended so far. `state` is called on the thread, so
  // it must own a copy of what it writes.
  void snapshot(std::function<std::string()> state);
  // Bytes of records that are not on disk yet. A host with too many accepts no changes for a while.
  [[nodiscard]] std::size_t pending_bytes() const;

 private:
  static constexpr std::size_t kCommitBytesMax = std::size_t{64} << 20;

  // Written without the lock.
  struct Snapshot {
    Sequence next = 0;  // the state includes all records before it
    std::function<std::string()> state{};
  };
  struct Work {
    Sequence first = 0;
    std::vector<std::string> records{};
    Snapshot snapshot{};
  };
  void run();
  [[nodiscard]] Work take_work();  // REQUIRES the lock
  [[nodiscard]] Result<void> commit(Work& work);

  std::unique_ptr<Store> store_;
  Host host_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::string> pending_;
  std::size_t pending_bytes_ = 0;
  Sequence next_;        // number of the next record
  Snapshot snapshot_{};  // written after all records before it
  bool stopping_ = false;
  std::thread thread_;  // last member: it uses the others
};

}  // namespace copse::journal
