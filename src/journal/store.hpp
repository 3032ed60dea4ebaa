// SPDX-License-Identifier: Apache-2.0
//
// Store: what a host keeps on disk: records of its changes and, now and then, its whole state.
//
//   auto store = SqliteStore::open("/var/lib/copse");
//   auto next = (*store)->load(recovery);           // a state, and the records after it
//   (*store)->append(*next, {"…", "…"});            // on disk when it returns
//   (*store)->snapshot(*next + 2, state_bytes);     // the state after these records
//
// Records are numbered from 0 without gaps. Their content is up to the host; a store returns them
// complete and in order, or reports the damage.
//
// After any error of append() or snapshot(), the content of the disk is unknown: the host must end
// and call nothing more. So a failed write is never retried.
//
// Thread safety: none. One thread may open a store, and another use it from then on.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse::journal {

using Sequence = std::uint64_t;  // number of a record

// Receives the content of the disk as it is read, so that nothing is in memory twice.
struct Recovery {
  // The state after all records before `next`. Called first and once; not called if there is no
  // state. Errors end the load, except for the latest state: then the previous state is passed.
  std::function<Result<void>(Sequence next, std::string_view state)> state{};
  // Each later record, in order. Errors end the load.
  std::function<Result<void>(Sequence number, std::string_view record)> record{};
  // Records that are already part of the state and are still stored: in order, after the state and
  // before the later records. Some may be missing; that is not an error.
  std::function<void(Sequence number, std::string_view record)> earlier{};
  // Damage that loses nothing: of what a snapshot also has, or of one of two snapshots.
  std::function<void(const Error& damage)> damage{};
};

class Store {
 public:
  virtual ~Store() = default;

  // Writes records `first`, `first` + 1, …; they are on disk when it returns. REQUIRES that `first`
  // follows the last record. Errors: io.
  [[nodiscard]] virtual Result<void> append(Sequence first,
                                            std::span<const std::string> records) = 0;
  // Writes the state after all records before `next`, and may delete records that no stored state
  // needs. REQUIRES that all records before `next` are stored; later ones may be. Errors: io.
  [[nodiscard]] virtual Result<void> snapshot(Sequence next, std::string_view state) = 0;
  // Replaces all states and records by the state after all records before `next`, as the beginning
  // of another history. REQUIRES that no later record is stored. Errors: io.
  [[nodiscard]] virtual Result<void> replace(Sequence next, std::string_view state) {
    return snapshot(next, state);
  }
  // Work that is done while no client waits for an answer. Errors: io.
  [[nodiscard]] virtual Result<void> maintain() { return {}; }
  // Returns the number of the next record. Errors: io; invalid (damaged: what, and where);
  // unsupported (a later version); those of the host.
  [[nodiscard]] virtual Result<Sequence> load(const Recovery& host) = 0;
  // Nothing follows: the state is complete without a log. Call nothing afterwards. Errors: io.
  [[nodiscard]] virtual Result<void> close() { return {}; }
  // After load(): identifies this history of changes. A restored copy has another one.
  [[nodiscard]] virtual std::string incarnation() const { return {}; }
};

}  // namespace copse::journal
