// SPDX-License-Identifier: Apache-2.0
#include "server/rights/idempotency_table.hpp"

namespace copse::server {

const IdempotencyTable::Answer* IdempotencyTable::find(const std::string& owner,
                                                       const std::string& key,
                                                       std::int64_t now_s) const {
  const auto at = kept_.find({owner, key});
  if (at == kept_.end() || at->second.answer.at < now_s - kAge_s) return nullptr;
  return &at->second.answer;
}

void IdempotencyTable::erase_entry(const Key& key) {
  const auto at = kept_.find(key);
  if (at == kept_.end()) return;
  const auto own = by_owner_.find(key.first);
  own->second.erase(at->second.in_own);
  if (own->second.empty()) by_owner_.erase(own);
  all_.erase(at->second.in_all);
  kept_.erase(at);
}

void IdempotencyTable::keep(const std::string& owner, const std::string& key, Answer answer) {
  erase_entry({owner, key});
  const std::int64_t from = answer.at - kAge_s;
  while (!all_.empty() && kept_.at(*all_.front()).answer.at < from) erase_entry(Key(*all_.front()));
  if (all_.size() >= kEntriesMax) erase_entry(Key(*all_.front()));
  if (const auto own = by_owner_.find(owner); own != by_owner_.end()) {
    if (own->second.size() >= kEntriesPerOwnerMax) erase_entry(Key(*own->second.front()));
  }
  const auto at = kept_.emplace(Key(owner, key), Kept{.answer = std::move(answer)}).first;
  Keys& own = by_owner_[owner];
  at->second.in_all = all_.insert(all_.end(), &at->first);
  at->second.in_own = own.insert(own.end(), &at->first);
}

void IdempotencyTable::for_each(const std::function<void(const ClientLine& line)>& each) const {
  for (const Key* key : all_) {
    const Answer& answer = kept_.at(*key).answer;
    each({.idempotency_key = key->second,
          .owner = key->first,
          .request_digest = answer.request_digest,
          .answer = answer.text,
          .at = answer.at});
  }
}

}  // namespace copse::server
