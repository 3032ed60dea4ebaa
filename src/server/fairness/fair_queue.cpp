// SPDX-License-Identifier: Apache-2.0
#include "server/fairness/fair_queue.hpp"

#include <algorithm>
#include <cassert>
#include <ranges>

namespace copse::server {

namespace {

// Accounts that are kept although none of their clients waits: the time that they used counts.
constexpr std::size_t kIdleAccountsMax = 1'000;

constexpr std::int64_t kOperatorShare = 4;  // times as much as others

}  // namespace

void FairQueue::push(Accounts::iterator at, const std::shared_ptr<Client>& client) {
  if (at->second.waiting.empty()) by_time_.emplace(at->second.used, &at->first);
  at->second.waiting.push_back({client, next_ticket_++});
  client->waits_for_turn_ = true;
}

void FairQueue::add(const Account& account, const std::shared_ptr<Client>& client) {
  if (client->waits_for_turn_) return;
  const auto at = accounts_.try_emplace(account.name).first;
  Entry& entry = at->second;
  entry.is_operator = account.is_operator;
  if (entry.waiting.empty()) entry.used = std::max(entry.used, served_at_);
  push(at, client);
}

FairQueue::Picked FairQueue::take() {
  assert(!empty());
  const auto at = accounts_.find(*by_time_.begin()->second);
  Entry& entry = at->second;
  served_at_ = std::max(served_at_, entry.used);
  std::shared_ptr<Client> client = entry.waiting.front().client.lock();
  entry.waiting.pop_front();
  if (entry.waiting.empty()) by_time_.erase(by_time_.begin());
  if (client != nullptr) client->waits_for_turn_ = false;
  return {at, std::move(client)};
}

// The client may have been added again, or have freed others, while it worked.
void FairQueue::finish(const Picked& picked, std::int64_t took, bool more) {
  Entry& entry = picked.account->second;
  if (!entry.waiting.empty()) by_time_.erase({entry.used, &picked.account->first});
  entry.used += std::max<std::int64_t>(took, 0) / (entry.is_operator ? kOperatorShare : 1);
  if (!entry.waiting.empty()) by_time_.emplace(entry.used, &picked.account->first);
  if (more && !picked.client->waits_for_turn_) push(picked.account, picked.client);
  if (accounts_.size() > kIdleAccountsMax + by_time_.size()) forget_idle();
}

void FairQueue::forget_idle() {
  std::erase_if(accounts_, [](const auto& one) { return one.second.waiting.empty(); });
}

bool FairQueue::served(Ticket ticket) const {
  return std::ranges::all_of(by_time_, [&](const auto& one) {
    return accounts_.find(*one.second)->second.waiting.front().ticket >= ticket;
  });
}

bool FairQueue::check() const {
  std::size_t waiting = 0;
  for (const auto& [name, entry] : accounts_) {
    if (entry.waiting.empty()) continue;
    ++waiting;
    if (!by_time_.contains({entry.used, &name})) return false;
    if (!std::ranges::is_sorted(entry.waiting, {}, &Waiting::ticket)) return false;
  }
  return waiting == by_time_.size();
}

}  // namespace copse::server
