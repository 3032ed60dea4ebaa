// SPDX-License-Identifier: Apache-2.0
#include "state/node_index.hpp"

#include <algorithm>
#include <bit>

namespace copse {

namespace {

constexpr std::uint32_t kPageBits = 4096;

std::uint64_t bit(std::uint32_t n) { return UINT64_C(1) << (n % 64); }
std::uint64_t from_bit(std::uint32_t n) { return ~UINT64_C(0) << (n % 64); }
std::uint32_t lowest(std::uint64_t word) {
  return static_cast<std::uint32_t>(std::countr_zero(word));
}

}  // namespace

NodeIndex::NodeIndex(std::uint32_t nodes, std::uint32_t cores_max)
    : where_(nodes, kNone),
      by_cores_(std::size_t{cores_max} + 1),
      used_(cores_max / 64 + 1, 0),
      used_summary_(used_.size() / 64 + 1, 0),
      pages_((nodes + kPageBits - 1) / kPageBits) {}

std::uint32_t NodeIndex::bucket_of(std::uint32_t cores, std::uint32_t gpus) {
  std::vector<Entry>& list = by_cores_[cores];
  const auto at = std::ranges::lower_bound(list, gpus, {}, &Entry::gpus);
  if (at != list.end() && at->gpus == gpus) return at->bucket;
  if (free_buckets_.empty()) {
    free_buckets_.push_back(static_cast<std::uint32_t>(buckets_.size()));
    buckets_.emplace_back().pages.resize(pages_);
  }
  const std::uint32_t made = free_buckets_.back();
  free_buckets_.pop_back();
  buckets_[made].cores = cores;
  buckets_[made].gpus = gpus;
  list.insert(at, {gpus, made});
  used_[cores / 64] |= bit(cores);
  used_summary_[cores / 4096] |= bit(cores / 64);
  return made;
}

void NodeIndex::drop_bucket(std::uint32_t bucket) {
  const std::uint32_t cores = buckets_[bucket].cores;
  std::vector<Entry>& list = by_cores_[cores];
  list.erase(std::ranges::lower_bound(list, buckets_[bucket].gpus, {}, &Entry::gpus));
  free_buckets_.push_back(bucket);
  if (!list.empty()) return;
  used_[cores / 64] &= ~bit(cores);
  if (used_[cores / 64] == 0) used_summary_[cores / 4096] &= ~bit(cores / 64);
}

void NodeIndex::put(std::uint32_t node, std::uint32_t cores, std::uint32_t gpus) {
  const std::uint32_t before = where_[node];
  if (before != kNone) {
    if (buckets_[before].cores == cores && buckets_[before].gpus == gpus) return;
    erase(node);
  }
  const std::uint32_t number = bucket_of(cores, gpus);
  Bucket& bucket = buckets_[number];
  Shared<Page>& shared = bucket.pages[node / kPageBits];
  if (!shared) {
    if (free_pages_.empty()) {
      shared = Shared<Page>::make();
    } else {
      shared = std::move(free_pages_.back());
      free_pages_.pop_back();
    }
  }
  Page& page = shared.own();
  page.words[node % kPageBits / 64] |= bit(node);
  page.summary |= bit(node % kPageBits / 64);
  ++bucket.count;
  ++size_;
  where_[node] = number;
}

void NodeIndex::erase(std::uint32_t node) {
  const std::uint32_t number = where_[node];
  if (number == kNone) return;
  where_[node] = kNone;
  --size_;
  Bucket& bucket = buckets_[number];
  Shared<Page>& shared = bucket.pages[node / kPageBits];
  Page& page = shared.own();
  std::uint64_t& word = page.words[node % kPageBits / 64];
  word &= ~bit(node);
  if (word == 0) page.summary &= ~bit(node % kPageBits / 64);
  if (page.summary == 0) free_pages_.push_back(std::move(shared));
  if (--bucket.count == 0) drop_bucket(number);
}

std::uint32_t NodeIndex::next_in(const Bucket& bucket, std::uint32_t from) const {
  for (std::uint32_t p = from / kPageBits; p < pages_; ++p, from = p * kPageBits) {
    const Page* page = bucket.pages[p].get();
    if (page == nullptr) continue;
    const std::uint32_t w = from % kPageBits / 64;
    if (const std::uint64_t word = page->words[w] & from_bit(from); word != 0) {
      return p * kPageBits + w * 64 + lowest(word);
    }
    const std::uint64_t rest = w == 63 ? 0 : page->summary & from_bit(w + 1);
    if (rest == 0) continue;
    return p * kPageBits + lowest(rest) * 64 + lowest(page->words[lowest(rest)]);
  }
  return kNone;
}

std::uint32_t NodeIndex::next_cores(std::uint32_t from) const {
  if (from >= by_cores_.size()) return kNone;
  const std::uint32_t w = from / 64;
  if (const std::uint64_t word = used_[w] & from_bit(from); word != 0) {
    return w * 64 + lowest(word);
  }
  for (std::uint32_t s = (w + 1) / 64; s < used_summary_.size(); ++s) {
    std::uint64_t words = used_summary_[s];
    if (s == (w + 1) / 64) words &= from_bit(w + 1);
    if (words == 0) continue;
    const std::uint32_t found = s * 64 + lowest(words);
    return found * 64 + lowest(used_[found]);
  }
  return kNone;
}

NodeIndex::Walk::Walk(const NodeIndex& index, std::uint32_t cores_min, std::uint32_t gpus_min)
    : index_(index), gpus_min_(gpus_min), cores_(index.next_cores(cores_min)) {}

bool NodeIndex::Walk::next_bucket() {
  while (cores_ != kNone) {
    const std::vector<Entry>& list = index_.by_cores_[cores_];
    while (entry_ < list.size() && list[entry_].gpus < gpus_min_) ++entry_;
    if (entry_ < list.size()) {
      bucket_ = list[entry_++].bucket;
      node_ = 0;
      return true;
    }
    cores_ = index_.next_cores(cores_ + 1);
    entry_ = 0;
  }
  return false;
}

void NodeIndex::Walk::skip_bucket() { bucket_ = kNone; }

std::uint32_t NodeIndex::Walk::next() {
  for (;;) {
    if (bucket_ != kNone) {
      const std::uint32_t found = index_.next_in(index_.buckets_[bucket_], node_);
      if (found != kNone) {
        node_ = found + 1;
        return found;
      }
      bucket_ = kNone;
    }
    if (!next_bucket()) return kNone;
  }
}

std::uint64_t NodeIndex::bytes() const {
  std::uint64_t n = where_.capacity() * 4 +
                    by_cores_.capacity() * sizeof(decltype(by_cores_)::value_type) +
                    used_.capacity() * 8 + free_pages_.size() * sizeof(Page);
  for (const Bucket& b : buckets_) {
    n += sizeof(Bucket) + b.pages.capacity() * 8;
    for (const auto& page : b.pages) n += page ? sizeof(Page) : 0;
  }
  return n;
}

bool NodeIndex::check() const {
  std::vector<std::uint32_t> counts(buckets_.size(), 0);
  std::uint32_t size = 0;
  for (std::uint32_t n = 0; n < where_.size(); ++n) {
    if (where_[n] == kNone) continue;
    const Page* page = buckets_[where_[n]].pages[n / kPageBits].get();
    const std::uint32_t w = n % kPageBits / 64;
    if (page == nullptr || (page->words[w] & bit(n)) == 0 || (page->summary & bit(w)) == 0) {
      return false;
    }
    ++counts[where_[n]];
    ++size;
  }
  for (std::uint32_t b = 0; b < buckets_.size(); ++b) {
    if (counts[b] != buckets_[b].count) return false;
    const std::vector<Entry>& list = by_cores_[buckets_[b].cores];
    const auto listed = std::ranges::count(list, b, &Entry::bucket);
    if (listed != (counts[b] > 0 ? 1 : 0)) return false;
    for (const auto& page : buckets_[b].pages) {
      if (page && page->summary == 0) return false;
    }
  }
  for (std::uint32_t c = 0; c < by_cores_.size(); ++c) {
    if (((used_[c / 64] & bit(c)) != 0) == by_cores_[c].empty()) return false;
    if (!std::ranges::is_sorted(by_cores_[c], {}, &Entry::gpus)) return false;
  }
  return size == size_;
}

}  // namespace copse
