// SPDX-License-Identifier: Apache-2.0
#include "server/fairness/fair_limit.hpp"

#include <algorithm>
#include <cassert>

namespace copse::server {

FairLimit::Permit& FairLimit::Permit::operator=(Permit&& other) noexcept {
  release();
  places_ = std::exchange(other.places_, nullptr);
  at_ = other.at_;
  return *this;
}

void FairLimit::Permit::release() {
  if (FairLimit* places = std::exchange(places_, nullptr)) places->remove(at_);
}

void FairLimit::Permit::identify(const Account& account) {
  if (places_ == nullptr || (!at_->is_stranger && at_->account.name == account.name)) return;
  Holder holder = *at_;
  places_->remove(at_);
  holder.account = account;
  holder.is_stranger = false;
  at_ = places_->add(std::move(holder));
}

void FairLimit::Permit::on_replaced(std::function<void()> close) {
  if (places_ != nullptr) at_->close = std::move(close);
}

std::list<FairLimit::Holder>::iterator FairLimit::add(Holder holder) {
  Group& group = groups_[holder.account.name];
  group.is_operator = holder.account.is_operator;
  group.strangers += holder.is_stranger ? 1 : 0;
  group.holders.push_back(std::move(holder));
  ++size_;
  return std::prev(group.holders.end());
}

void FairLimit::remove(std::list<Holder>::iterator at) {
  const auto group = groups_.find(at->account.name);
  assert(group != groups_.end());
  group->second.strangers -= at->is_stranger ? 1 : 0;
  group->second.holders.erase(at);
  --size_;
  if (group->second.holders.empty()) groups_.erase(group);
}

void FairLimit::replace(const Holder& holder) {
  const auto close = holder.close;  // the holder is destroyed with its place
  ++replaced_;
  close();
}

bool FairLimit::make_room(const Holder& holder) {
  if (size_ < most_) return true;
  const Group *strangest = nullptr, *largest = nullptr;
  for (const auto& [name, group] : groups_) {
    if (strangest == nullptr || group.strangers > strangest->strangers) strangest = &group;
    if (group.is_operator || name == holder.account.name) continue;
    if (largest == nullptr || group.holders.size() > largest->holders.size()) largest = &group;
  }
  const auto own = groups_.find(holder.account.name);
  const std::size_t has = own == groups_.end() ? 0 : own->second.holders.size();
  const std::size_t least = has + (holder.account.is_operator ? 1 : 2);
  if (strangest != nullptr && strangest->strangers > 0) {
    replace(*std::ranges::find(strangest->holders, true, &Holder::is_stranger));
  } else if (largest != nullptr && largest->holders.size() >= least) {
    replace(largest->holders.front());
  }
  return size_ < most_;
}

FairLimit::Permit FairLimit::take(Holder holder) {
  Permit out;
  if (!make_room(holder)) return out;
  out.places_ = this;
  out.at_ = add(std::move(holder));
  return out;
}

bool FairLimit::check() const {
  std::size_t sum = 0;
  for (const auto& [name, group] : groups_) {
    sum += group.holders.size();
    if (group.holders.empty()) return false;
    if (std::ranges::count(group.holders, true, &Holder::is_stranger) !=
        static_cast<std::ptrdiff_t>(group.strangers))
      return false;
    if (!std::ranges::all_of(group.holders,
                             [&](const auto& one) { return one.account.name == name; }))
      return false;
  }
  return sum == size_ && size_ <= most_;
}

}  // namespace copse::server
