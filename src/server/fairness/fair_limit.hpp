// SPDX-License-Identifier: Apache-2.0
//
// FairLimit: a limited number of connections or streams, shared fairly by accounts.
//
// While places are free, everybody gets one. When all are taken, a newcomer gets
//   1. the place of a stranger, a client that has not shown credentials yet: the oldest one of the account
//      that has the most strangers. So silent clients keep no other out, and an operator behind their
//      address gets through;
//   2. else the oldest place of the account that has the most, if that account would still have as many
//      as the newcomer's. So no account can take all places.
// Operators lose no place to others.
//
// Invariants (check()): size() is the number of holders, and at most the limit; a group has a holder, and
// counts its strangers.
//
// Cost: O(accounts) when all places are taken, else O(log accounts). Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <utility>

#include "server/rights/account.hpp"

namespace copse::server {

class FairLimit {
 public:
  struct Holder {
    Account account;
    bool is_stranger = false;       // it may still show credentials
    std::function<void()> close{};  // called when another gets its place: it must release it
  };

  // The permit to use one place; its destructor releases it.
  class Permit {
   public:
    Permit() = default;
    Permit(Permit&& other) noexcept { *this = std::move(other); }
    Permit& operator=(Permit&& other) noexcept;
    ~Permit() { release(); }
    void release();
    // The holder has shown credentials, or none. It keeps the place.
    void identify(const Account& account);
    // Sets Holder::close.
    void on_replaced(std::function<void()> close);
    [[nodiscard]] bool taken() const { return places_ != nullptr; }

   private:
    friend class FairLimit;
    FairLimit* places_ = nullptr;
    std::list<Holder>::iterator at_{};
  };

  // REQUIRES that the places outlive every Permit.
  explicit FairLimit(std::size_t most) : most_(most) {}
  FairLimit(const FairLimit&) = delete;
  FairLimit& operator=(const FairLimit&) = delete;

  // An empty place: all are taken.
  [[nodiscard]] Permit take(Holder holder);
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t most() const { return most_; }
  // Holders that lost their place to others.
  [[nodiscard]] std::uint64_t replaced() const { return replaced_; }
  [[nodiscard]] bool check() const;

 private:
  struct Group {
    std::list<Holder> holders{};  // oldest first
    std::size_t strangers = 0;
    bool is_operator = false;
  };
  using Groups = std::map<std::string, Group, std::less<>>;

  [[nodiscard]] bool make_room(const Holder& holder);
  void replace(const Holder& holder);
  std::list<Holder>::iterator add(Holder holder);
  void remove(std::list<Holder>::iterator at);

  std::size_t most_, size_ = 0;
  std::uint64_t replaced_ = 0;
  Groups groups_;
};

}  // namespace copse::server
