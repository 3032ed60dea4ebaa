// SPDX-License-Identifier: Apache-2.0
//
// SelectionR: writes a selection as R version 1 (RFC 20), or as its R_lite. An R lists only cores and
// GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/output_request.hpp"
#include "formats/selection_set.hpp"

namespace copse {

// Keeps its scratch memory from one R to the next. One thread each.
class SelectionR {
 public:
  // Appends a line; nothing if there are no cores and no GPUs. REQUIRES a form of R.
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
  SelectedNodes nodes_;
  std::string children_;
  std::vector<RankEntry> ranks_;
};

}  // namespace copse
