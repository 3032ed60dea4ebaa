// SPDX-License-Identifier: Apache-2.0
//
// The key `scheduling` of an R: a scheduler's own, and carried as text. Only what TreePool writes
// (RFC 49) names ranks in a way that is known; so of that the ranks are kept apart, and follow when
// ranks are left out or get other numbers. `topo` stays text here; its users parse it.
//
// Sub-instances. An instance that starts inside a job numbers its ranks and, on each, all ids but
// those of gpus from 0; `topo` goes on to describe the whole node by the ids that this has. What
// joins the two is kept in a member of Copse's own, `topo_ids`, which RFC 49 neither has nor
// forbids, and which exists only if it is needed:
//
//   "topo_ids": [{"rank": "0", "children": {"core": "15-44"}}]
//
// says: on rank 0, core k of this R is the k-th smallest (from 0) of 15-44 in `topo`. For ranks and
// types that it does not name, ids are those of `topo`. It is a map from all ids that the instance
// has: taking some of them away does not change it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/idset.hpp"
#include "copse/layout.hpp"

namespace copse {

// Resources of each of some ranks: type, ids.
struct REntry {
  Idset ranks;
  std::vector<std::pair<std::string, Idset>> children;
};

struct RScheduling {
  using Member = std::pair<std::string, std::string>;  // key, JSON text of the value
  struct Child {
    Idset ranks;
    std::string topo;          // JSON text of the object
    std::vector<Member> more;  // keys that RFC 49 does not have
    Layout layout{};           // what topo says, while an R is read with its layouts
  };

  std::string text;  // of a writer other than TreePool: JSON of all of it; empty: not there

  bool treepool = false;
  std::vector<Member> members;  // of TreePool: all but children and topo_ids, writer among them
  std::vector<Child> children;
  std::vector<REntry> topo_ids;  // ids in `topo`; ranks of entries are disjoint

  [[nodiscard]] bool present() const { return treepool || !text.empty(); }
};

// Gives the ranks of each entry their new numbers, map(ranks) → Idset; entries that are left without
// one are removed.
template <class Entry, class Map>
void map_ranks(std::vector<Entry>& entries, Map map) {
  for (Entry& entry : entries) entry.ranks = map(entry.ranks);
  std::erase_if(entries, [](const Entry& entry) { return entry.ranks.empty(); });
}
template <class Map>
void map_ranks(RScheduling& scheduling, Map map) {
  map_ranks(scheduling.children, map);
  map_ranks(scheduling.topo_ids, map);
}

// All ranks that `children` names.
[[nodiscard]] Idset child_ranks(const RScheduling& scheduling);

// If `children` names as many ranks as there are, its k-th is used for the k-th of them: where
// ranks got new numbers and `scheduling` did not. Else ranks mean themselves.
void align(RScheduling& scheduling, const Idset& ranks);

// RFC 49, *Allocated R*: children are trimmed to the ranks, and those that are left without one are
// removed. Another writer's text is unchanged.
void trim(RScheduling& scheduling, const Idset& ranks);

// Children with equal layout texts become one, at the position of the first of them (RFC 49:
// ranks with equal topology may share an entry). O(length of the text + ranges × log ranges).
void join(RScheduling& scheduling);

// `children` of `more` for ranks that `into` does not describe are added to it; equal ones are
// joined. If `into` has nothing it becomes `more`; of two schedulers' texts `into` stays.
void add(RScheduling& into, const RScheduling& more);

}  // namespace copse
