// SPDX-License-Identifier: Apache-2.0
//
// Store: what a host keeps on disk: records of what it did, and now and then its whole state.
//
//   auto store = SqliteStore::open("/var/lib/copse");
//   auto kept = (*store)->load(limits);              // a state, and the records after it
//   (*store)->append(kept->next, {"…", "…"});        // on disk when it returns
//   (*store)->snapshot(kept->next + 1, state_bytes);  // the state after that many records
//
// Records are numbered from 0, without a gap. What they mean is the host's affair; a store keeps
// them whole, in order, or says what is wrong with them.
//
// After any error of append() or snapshot() nobody knows what is on disk: the host must end, and
// nothing more may be called. So it never asks a disk twice to keep what it has failed to keep.
//
// Thread safety: none. One thread may open it, and another one use it from then on.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse::journal {

using Sequence = std::uint64_t;  // the number of a record

// What is on disk, told to the host while it is read, so that nothing is in memory twice.
struct Recovery {
  // The state after the records before `next`: told first, once; not told if there never was one.
  // Errors are passed on, but for those of the latest state: then the one before is told.
  std::function<Result<void>(Sequence next, std::string_view state)> state{};
  // Every record after that, in order. Errors are passed on.
  std::function<Result<void>(Sequence number, std::string_view record)> record{};
  // Records that the state has already and that are kept still, in order, after the state and before
  // the others. Some may be missing; none is an error.
  std::function<void(Sequence number, std::string_view record)> earlier{};
};

class Store {
 public:
  virtual ~Store() = default;

  // Keeps records `first`, `first` + 1, …; on disk when it returns. REQUIRES that `first` is the
  // number after the last one kept. Errors: io.
  [[nodiscard]] virtual Result<void> append(Sequence first,
                                            std::span<const std::string> records) = 0;
  // Keeps the state after all records before `next`. Records that no kept state needs may go.
  // REQUIRES that all records before `next` are kept; there may be later ones. Errors: io.
  [[nodiscard]] virtual Result<void> snapshot(Sequence next, std::string_view state) = 0;
  // What can wait until nobody waits for an answer. Errors: io.
  [[nodiscard]] virtual Result<void> tidy() { return {}; }
  // Returns the number of the next record. Errors: io; invalid (damaged: says what, and where);
  // unsupported (of a later version); those of the host.
  [[nodiscard]] virtual Result<Sequence> load(const Recovery& host) = 0;
};

}  // namespace copse::journal
