// SPDX-License-Identifier: Apache-2.0
//
// `topo_ids` of a `scheduling` key (rset/rset_scheduling.hpp): on a rank that an entry names, core
// k of R_lite is the k-th smallest, from 0, of the entry's ids of type core in `topo`; gpus
// likewise. What no entry names has the ids of `topo`.
//
// Here layouts are translated to the ids of R_lite. An id of `topo` that the entry does not have is
// none of the instance's and goes; a domain that is left without any stays, empty, as one does that
// a node has nothing of. An id of R_lite that the entry has no place for is in no domain.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "copse/layout.hpp"
#include "rset/rset.hpp"

namespace copse {

// Translates layouts; each of them once for each entry that it meets.
// Cost: O(text of the layouts × log ranges of the entry) for each such pair, at most `bytes_max`
// bytes altogether.
class TopoIds {
 public:
  TopoIds(const std::vector<REntry>& entries, std::size_t bytes_max)
      : entries_(entries), bytes_max_(bytes_max) {}

  // Splits `ranks` (ascending, `layout` an index of `layouts`) where entries begin and end, and
  // appends to `layouts` what those parts have that an entry names. False if that is too much.
  [[nodiscard]] bool translate(std::vector<Layouts::Ranks>& ranks, std::vector<Layout>& layouts);

 private:
  struct Part {
    std::int64_t first, last;
    std::uint32_t entry;
  };
  [[nodiscard]] std::vector<Part> parts() const;
  [[nodiscard]] bool layout_of(std::uint32_t entry, std::uint32_t layout,
                               std::vector<Layout>& layouts, std::uint32_t& out);

  const std::vector<REntry>& entries_;
  std::size_t bytes_max_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // layout and entry → layout
};

}  // namespace copse
