// SPDX-License-Identifier: Apache-2.0
#include "engine/prepared_cache.hpp"

#include <cassert>
#include <iterator>
#include <utility>

#include <xxhash.h>

namespace copse {

namespace {

std::size_t hash_of(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

}  // namespace

PreparedRequest* PreparedCache::find(std::string_view text) {
  if (!entries_.empty() && entries_.front().text == text) return &entries_.front().request;
  const std::size_t hash = hash_of(text);
  for (std::size_t at = home(hash); buckets_[at].entry != nullptr; at = after(at)) {
    Entry& entry = *buckets_[at].entry;
    if (buckets_[at].hash != hash || entry.text != text) continue;
    entries_.splice(entries_.begin(), entries_, entry.self);
    return &entry.request;
  }
  return nullptr;
}

void PreparedCache::add_to_index(Entry& entry) {
  std::size_t at = home(entry.hash);
  while (buckets_[at].entry != nullptr) at = after(at);
  buckets_[at] = {entry.hash, &entry};
}

void PreparedCache::remove_from_index(const Entry& entry) {
  std::size_t hole = home(entry.hash);
  while (buckets_[hole].entry != &entry) hole = after(hole);
  // Each entry after it, up to a free bucket, must still be found from its home.
  for (std::size_t at = after(hole); buckets_[at].entry != nullptr; at = after(at)) {
    const std::size_t from_home = home(at - home(buckets_[at].hash));
    if (from_home < home(at - hole)) continue;
    buckets_[hole] = buckets_[at];
    hole = at;
  }
  buckets_[hole] = {};
}

PreparedRequest* PreparedCache::insert(std::string_view text, PreparedRequest&& request,
                                       std::size_t pools) {
  assert(find(text) == nullptr);
  constexpr std::size_t kBitsInByte = 8;
  const bool constrained = !request.request().constraint.empty();
  const std::size_t bytes = text.size() + (constrained ? pools / kBitsInByte : 0);
  std::list<Entry> spare;
  while (!entries_.empty() && (entries_.size() >= entries_max_ || bytes_ + bytes > bytes_max_)) {
    bytes_ -= entries_.back().bytes;
    remove_from_index(entries_.back());
    spare.splice(spare.begin(), entries_, std::prev(entries_.end()));
  }
  if (spare.empty()) spare.emplace_front();
  Entry& entry = spare.front();
  entry.text = text;
  entry.hash = hash_of(text);
  entry.request = std::move(request);
  entry.bytes = bytes;
  entries_.splice(entries_.begin(), spare, spare.begin());
  entry.self = entries_.begin();
  if (entries_.size() > buckets_.size() / 2) {
    buckets_ = std::vector<Bucket>(2 * buckets_.size());
    for (Entry& each : entries_) add_to_index(each);
  } else {
    add_to_index(entry);
  }
  bytes_ += bytes;
  return &entry.request;
}

}  // namespace copse
