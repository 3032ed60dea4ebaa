// SPDX-License-Identifier: Apache-2.0
#include "server/rights/answer_book.hpp"

#include <iterator>

namespace copse::server {

const AnswerBook::Answer* AnswerBook::find(const std::string& owner, const std::string& key,
                                           std::int64_t now_s) const {
  const auto at = kept_.find({owner, key});
  if (at == kept_.end() || at->second.answer.at < now_s - kAge_s) return nullptr;
  return &at->second.answer;
}

void AnswerBook::forget(const Key& key) {
  const auto at = kept_.find(key);
  if (at == kept_.end()) return;
  const auto own = by_owner_.find(key.first);
  own->second.erase(at->second.of_one);
  if (own->second.empty()) by_owner_.erase(own);
  all_.erase(at->second.of_all);
  kept_.erase(at);
}

void AnswerBook::keep(const std::string& owner, const std::string& key, Answer answer) {
  forget({owner, key});
  const std::int64_t from = answer.at - kAge_s;
  while (!all_.empty() && kept_.at(*all_.front()).answer.at < from) forget(Key(*all_.front()));
  if (all_.size() >= kOfAll) forget(Key(*all_.front()));
  if (const auto own = by_owner_.find(owner); own != by_owner_.end()) {
    if (own->second.size() >= kOfOne) forget(Key(*own->second.front()));
  }
  const auto at = kept_.emplace(Key(owner, key), Kept{.answer = std::move(answer)}).first;
  Keys& own = by_owner_[owner];
  at->second.of_all = all_.insert(all_.end(), &at->first);
  at->second.of_one = own.insert(own.end(), &at->first);
}

void AnswerBook::for_each(const std::function<void(const ClientLine& line)>& each) const {
  for (const Key* key : all_) {
    const Answer& answer = kept_.at(*key).answer;
    each({.once = key->second,
          .owner = key->first,
          .asked = answer.asked,
          .answer = answer.text,
          .at = answer.at});
  }
}

}  // namespace copse::server
