// SPDX-License-Identifier: Apache-2.0
//
// SelectionR: R version 1 (RFC 20), or its R_lite part, of a selection. Only cores and gpus have a
// place in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/output_request.hpp"

namespace copse {

// Lists below each exclusive pool that has no core and no gpu listed all that it has in the tree: an
// R of a whole node has its cores. Cost: O(pools); nothing is allocated where nothing is missing.
void list_contents(const ResourceGraph& graph, std::vector<ExpandedPool>& pools);

// Keeps its scratch memory from one R to the next. One thread each.
class SelectionR {
 public:
  // Appends a line; nothing, if the pools are without cores and gpus. REQUIRES a form of R.
  void write(const OutputRequest& request, Format format, std::string& out);

 private:
  bool collect_ranks(const OutputRequest& request);
  void write_r_lite(JsonWriter& json) const;
  void write_nodelist(const OutputRequest& request, JsonWriter& json);
  void write_properties(const OutputRequest& request, JsonWriter& json) const;
  void write_scheduling(const OutputRequest& request, bool shorthand, JsonWriter& json) const;

  struct RankEntry {
    std::int64_t rank;
    PoolId node;
    std::uint32_t text_first, text_size;  // its children as JSON, in children_
  };
  std::vector<std::int64_t> cores_, gpus_;
  std::string children_;
  std::vector<RankEntry> ranks_;
};

}  // namespace copse
