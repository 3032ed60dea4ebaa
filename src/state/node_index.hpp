// SPDX-License-Identifier: Apache-2.0
//
// NodeIndex: nodes ordered by (free cores, free GPUs, number), so that the next node with at least
// given numbers of both is found without visiting the others.
//
// Nodes with equal numbers of both form a bucket: a set of node numbers in pages of 4,096 bits,
// each with a word that summarizes its 64 words; the buckets of one number of cores form a sorted
// list, and a summarized bitmap has the numbers of cores with buckets.
//
// Invariants
//   1. No bucket and no page is empty (pages that become empty are reused).
//   2. where_[n] is the bucket of node n, kNone if it is in none.
// Size: 4 bytes per node; a bucket about 100 bytes, and 520 for each page with nodes. insert,
// erase: O(log buckets of one number of cores) and a few words; next: a few words for each number
// of cores skipped. A copy shares pages (copy on write): 4 bytes per node, and the buckets.
#pragma once

#include <cstdint>
#include <vector>

#include "copse/shared.hpp"

namespace copse {

class NodeIndex {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // Nodes are numbered below `nodes`, and have at most `cores_max` cores.
  NodeIndex(std::uint32_t nodes, std::uint32_t cores_max);

  [[nodiscard]] bool contains(std::uint32_t node) const { return where_[node] != kNone; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  // Inserts a node, or moves it to its bucket. REQUIRES cores <= cores_max.
  void put(std::uint32_t node, std::uint32_t cores, std::uint32_t gpus);
  void erase(std::uint32_t node);  // no effect if it is not contained
  // REQUIRES contains(node).
  [[nodiscard]] std::uint32_t cores_of(std::uint32_t node) const {
    return buckets_[where_[node]].cores;
  }
  [[nodiscard]] std::uint32_t gpus_of(std::uint32_t node) const {
    return buckets_[where_[node]].gpus;
  }

  // Iterates over the nodes with at least the given cores and GPUs, in order. The index must not
  // change meanwhile.
  class Walk {
   public:
    Walk(const NodeIndex& index, std::uint32_t cores_min, std::uint32_t gpus_min);
    [[nodiscard]] std::uint32_t next();  // kNone at the end
    void skip_bucket();                  // skips the rest of the last node's bucket

   private:
    bool next_bucket();
    const NodeIndex& index_;
    std::uint32_t gpus_min_, cores_;
    std::size_t entry_ = 0;  // the next one in the list of cores_
    std::uint32_t bucket_ = kNone, node_ = 0;
  };

  [[nodiscard]] std::uint64_t bytes() const;
  // Whether the invariants hold. O(nodes + buckets).
  [[nodiscard]] bool check() const;

 private:
  struct Page {
    std::uint64_t summary = 0;
    std::uint64_t words[64] = {};
  };
  struct Bucket {
    std::uint32_t cores = 0, gpus = 0, count = 0;
    std::vector<Shared<Page>> pages;
  };
  struct Entry {  // an entry in the list of one number of cores
    std::uint32_t gpus, bucket;
  };

  std::uint32_t bucket_of(std::uint32_t cores, std::uint32_t gpus);
  void drop_bucket(std::uint32_t bucket);
  [[nodiscard]] std::uint32_t next_in(const Bucket& bucket, std::uint32_t from) const;
  // The least number of cores from `from` on that has a bucket; kNone.
  [[nodiscard]] std::uint32_t next_cores(std::uint32_t from) const;

  std::vector<std::uint32_t> where_;
  std::vector<Bucket> buckets_;
  std::vector<std::uint32_t> free_buckets_;
  std::vector<std::vector<Entry>> by_cores_;
  std::vector<std::uint64_t> used_, used_summary_;  // numbers of cores that have buckets
  std::vector<Shared<Page>> free_pages_;
  std::uint32_t pages_;  // of a bucket
  std::uint32_t size_ = 0;
};

}  // namespace copse
