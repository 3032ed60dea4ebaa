// SPDX-License-Identifier: Apache-2.0
//
// FairQueue: which client works next, so that no client makes the others wait.
//
// Clients belong to accounts: a user, or the address of a peer without credentials. The account that
// has used the least time is next, and its clients alternate. A client works until its budget is spent,
// and then waits behind the others of its account. So a client with one short request waits for at most
// one budget and one indivisible step of each other account that has used no more than its own.
//
// This is start-time fair queueing (Goyal, Vin, Cheng 1996): an account that was idle starts at the time
// of the account in service. It saves up nothing.
//
// Invariants (check())
//   1. Each waiting client is in the list of one account, once.
//   2. by_time_ has the accounts with waiting clients, in order of the time that they have used.
//   3. Tickets ascend within an account.
//
// Cost: O(log accounts) for add() and a turn. Thread safety: none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "queue/work_budget.hpp"
#include "server/rights/account.hpp"

namespace copse::server {

class FairQueue {
 public:
  class Client {
   public:
    virtual ~Client() = default;
    // Works until the budget is spent. True: more work waits.
    virtual bool work(queue::WorkBudget budget) = 0;

   private:
    friend class FairQueue;
    bool waits_for_turn_ = false;
  };
  using Ticket = std::uint64_t;

  // Adds a client with work; one that waits already stays where it is.
  void add(const Account& account, const std::shared_ptr<Client>& client);
  [[nodiscard]] bool empty() const { return by_time_.empty(); }
  // Lets the next client work. `time`: what it used is measured by this clock, in nanoseconds. REQUIRES
  // !empty().
  template <class Time>
  void run(queue::WorkBudget budget, Time time) {
    Picked picked = take();
    if (picked.client == nullptr) return;
    const std::int64_t begin = time();
    const bool more = picked.client->work(budget);
    finish(picked, time() - begin, more);
  }

  // The ticket that the next client will get.
  [[nodiscard]] Ticket next_ticket() const { return next_ticket_; }
  // Whether each client that had a ticket before `ticket` has had its turn since. O(accounts).
  [[nodiscard]] bool served(Ticket ticket) const;

  [[nodiscard]] bool check() const;

 private:
  struct Waiting {
    std::weak_ptr<Client> client;
    Ticket ticket;
  };
  struct Entry {
    std::int64_t used = 0;  // time, divided by the share
    bool is_operator = false;
    std::deque<Waiting> waiting{};
  };
  using Accounts = std::map<std::string, Entry, std::less<>>;
  struct Picked {
    Accounts::iterator account;
    std::shared_ptr<Client> client;
  };

  [[nodiscard]] Picked take();
  void finish(const Picked& picked, std::int64_t took, bool more);
  void push(Accounts::iterator at, const std::shared_ptr<Client>& client);
  void forget_idle();

  Accounts accounts_;
  std::set<std::pair<std::int64_t, const std::string*>> by_time_;
  std::int64_t served_at_ = 0;  // time used by the account in service, when its turn began
  Ticket next_ticket_ = 1;
};

}  // namespace copse::server
