// SPDX-License-Identifier: Apache-2.0
//
// CandidateSources: pools of one type, in the policy's order: the children of a pool, or all of the
// machine. If they are many and interior, a list with the free amounts of each skips those that do
// not fit.
//
// Size: 4 bytes for each pool of a type that is searched for anywhere, or among more than kFew
// children; plus the CandidateLists in use. Lists of the state are not used with policies that read
// properties, because their order may change. Thread safety: none.
#pragma once

#include <cassert>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "copse/graph.hpp"
#include "match/shared/eligibility.hpp"

namespace copse {

// PoolTypes: facts about the types of a graph: the sizes of their pools, and which types are below
// which. Pools of size 0 are ignored, because they are never taken. Cost: O(pools), once.
class PoolTypes {
 public:
  explicit PoolTypes(const ResourceGraph& graph);

  // types with pools have lower numbers
  [[nodiscard]] std::size_t count() const { return sizes_.size(); }
  // The size of every pool of the type; -1 if they differ, or there is none.
  [[nodiscard]] std::int64_t size(TypeId type) const {
    return type.v < sizes_.size() && sizes_[type.v] > 0 ? sizes_[type.v] : -1;
  }
  [[nodiscard]] bool differ(TypeId type) const {
    return type.v < sizes_.size() && sizes_[type.v] < 0;
  }
  // Whether some pool of type `above` has pools of type `below` below it.
  [[nodiscard]] bool nests(TypeId above, TypeId below) const {
    return nests_.contains(std::uint32_t{above.v} << 16 | below.v);
  }

 private:
  std::vector<std::int64_t> sizes_;          // by type; 0: no pool, -1: they differ
  std::unordered_set<std::uint32_t> nests_;  // type above, type below
};

class CandidateSources {
 public:
  static constexpr std::uint32_t kFew = 64;  // more children are kept as a list

  struct Source {
    WatchedList* list = nullptr;
    const std::vector<PoolId>* kept = nullptr;  // if neither is set: `count` entries from `first`
                                                // on of a stack
    std::uint32_t first = 0, count = 0;
    std::int64_t size = -1;  // of each of them; -1 if they differ
  };
  struct Cursor {
    CandidateList::Position at;
    std::uint32_t next = 0;
  };

  CandidateSources(const Eligibility& eligibility, State& state, const Policy& policy,
                   const PoolTypes& types)
      : eligibility_(eligibility),
        state_(state),
        policy_(policy),
        types_(types),
        of_types_(types.count()) {}

  // After the scores changed.
  void forget_orders();

  // --- A source is valid until the stack is rewound to an earlier mark.
  [[nodiscard]] std::size_t mark() const { return stack_.size(); }
  void rewind(std::size_t mark) {
    assert(mark <= stack_.size());
    stack_.resize(mark);
  }
  // The children of `at` of a type; kNoPool: all pools of the type. O(children) for few children;
  // for many only once.
  [[nodiscard]] Source of_type(PoolId at, TypeId type);
  [[nodiscard]] Source of(const std::vector<PoolId>& pools) const;
  // The next candidate that may serve a level; kNoPool at the end.
  [[nodiscard]] PoolId next(const Source& source, const Level& level, bool exclusive,
                            Cursor& cursor);

  // Puts pools in order of preference; `anywhere`: by scores that include the term of the node
  // above.
  void sort(std::vector<PoolId>& pools, bool anywhere) const { sort(pools, 0, anywhere); }
  // The term that the node above u adds to its score.
  [[nodiscard]] Score enclosing_term(PoolId u) const;

 private:
  // All pools of a type.
  struct OfType {
    std::vector<PoolId> pools;
    WatchedList* list = nullptr;
    bool listed = false;
  };

  void sort(std::vector<PoolId>& pools, std::size_t first, bool anywhere) const;
  [[nodiscard]] Source children(PoolId u, TypeId type);
  [[nodiscard]] Source anywhere(TypeId type);
  void push_children(PoolId u, TypeId type, const ChildRun* only);

  const Eligibility& eligibility_;
  State& state_;
  const Policy& policy_;
  const PoolTypes& types_;
  std::unordered_map<std::uint64_t, WatchedList*> child_lists_;
  std::unordered_map<std::uint64_t, std::vector<PoolId>> child_orders_;
  std::vector<OfType> of_types_;
  std::vector<PoolId> stack_;
};

}  // namespace copse
