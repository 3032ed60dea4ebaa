// SPDX-License-Identifier: Apache-2.0
#include "engine/prepared_cache.hpp"

#include <iterator>
#include <utility>

namespace copse {

PreparedRequest* PreparedCache::find(std::string_view text) {
  if (!entries_.empty() && entries_.front().text == text) return &entries_.front().request;
  auto it = index_.find(text);
  if (it == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, it->second);
  return &entries_.front().request;
}

PreparedRequest* PreparedCache::insert(std::string_view text, PreparedRequest request) {
  if (entries_.size() < max_ || entries_.empty()) {
    entries_.push_front({std::string(text), std::move(request)});
    index_.emplace(entries_.front().text, entries_.begin());
    return &entries_.front().request;
  }
  std::string own(text);  // may throw; the following must not
  auto indexed = index_.extract(entries_.back().text);
  entries_.splice(entries_.begin(), entries_, std::prev(entries_.end()));
  Entry& entry = entries_.front();
  entry.text = std::move(own);
  entry.request = std::move(request);
  indexed.key() = entry.text;
  index_.insert(std::move(indexed));
  return &entry.request;
}

}  // namespace copse
