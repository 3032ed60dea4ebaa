// SPDX-License-Identifier: Apache-2.0
//
// ChargeLedger: amounts taken tentatively from accounts, while pools are chosen for one request over
// one window.
//
// An account is a layer of a hierarchical resource, or a capacity of an auxiliary subsystem. Its
// free amount over the window is loaded on first use. Taking reduces what is left. Charges are
// undone in reverse order.
//
// Invariant: for each account, left + its charges in the log = free.
// Cost: O(1), but for undo_to and reset: O(charges undone). 24 bytes per account, 16 per charge.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

namespace copse {

class ChargeLedger {
 public:
  struct Account {
    std::uint64_t stamp = 0;  // of the begin() before it was loaded
    std::int64_t free = 0, left = 0;
  };
  struct Charge {
    std::uint32_t account, by;  // by: number of the pool that took it, for readers of the log
    std::int64_t amount;
  };

  // Resets all accounts and the log.
  void begin() {
    ++stamp_;
    log_.clear();
    contended_ = false;
  }
  // Identifies the last begin(); above 0. Results with another stamp are outdated.
  [[nodiscard]] std::uint64_t stamp() const { return stamp_; }

  // An account. `load()` returns its free amount; it is called once.
  template <class Load>
  [[nodiscard]] const Account& account(std::uint32_t number, Load load) {
    if (number >= accounts_.size()) accounts_.resize(std::size_t{number} + 1);
    Account& out = accounts_[number];
    if (out.stamp != stamp_) {
      out.free = out.left = load();
      out.stamp = stamp_;
    }
    return out;
  }
  // REQUIRES a loaded account and an amount above 0.
  void take(std::uint32_t account, std::uint32_t by, std::int64_t amount) {
    assert(account < accounts_.size() && accounts_[account].stamp == stamp_ && amount > 0);
    accounts_[account].left -= amount;
    log_.push_back({account, by, amount});
  }
  [[nodiscard]] std::span<const Charge> log() const { return log_; }
  [[nodiscard]] std::size_t mark() const { return log_.size(); }
  // REQUIRES a mark that is not behind the log.
  void undo_to(std::size_t mark) {
    assert(mark <= log_.size());
    for (; log_.size() > mark; log_.pop_back()) {
      accounts_[log_.back().account].left += log_.back().amount;
    }
  }
  // Undoes all charges, and resets contended().
  void reset() {
    undo_to(0);
    contended_ = false;
  }

  // Whether, since begin() or reset(), a pool was refused only because of earlier charges.
  [[nodiscard]] bool contended() const { return contended_; }
  void note_contention() { contended_ = true; }

  // Whether the invariant holds. O(accounts + charges).
  [[nodiscard]] bool check() const {
    std::vector<std::int64_t> left(accounts_.size());
    for (std::size_t a = 0; a < left.size(); ++a) left[a] = accounts_[a].left;
    for (const Charge& charge : log_) left[charge.account] += charge.amount;
    for (std::size_t a = 0; a < left.size(); ++a) {
      if (accounts_[a].stamp == stamp_ && accounts_[a].free != left[a]) return false;
    }
    return true;
  }

 private:
  std::uint64_t stamp_ = 1;
  std::vector<Account> accounts_;
  std::vector<Charge> log_;
  bool contended_ = false;
};

}  // namespace copse
