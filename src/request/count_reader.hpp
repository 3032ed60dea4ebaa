// SPDX-License-Identifier: Apache-2.0
//
// The value of "count" in a resource of a jobspec (RFC 14): an integer, a range as a mapping, or a text
// (count_text.hpp); in Fluxion's words only a text that no mapping can express.
#pragma once

#include "copse/request.hpp"
#include "request/jobspec/jobspec_words.hpp"
#include "text/tree/tree.hpp"

namespace copse {

class CountReader {
 public:
  explicit CountReader(JobspecWords words) : words_(words) {}

  // Errors: invalid, limit, at the offending node.
  [[nodiscard]] Result<Count> read(TreeView node) const;

 private:
  [[nodiscard]] std::unexpected<Error> refuse(TreeView node) const;
  [[nodiscard]] Result<std::int64_t> read_number(TreeView node) const;
  [[nodiscard]] Result<std::int64_t> read_entry(TreeView node, std::string_view key) const;
  [[nodiscard]] Result<void> read_range(TreeView node, TreeView min, Count& count) const;

  JobspecWords words_;
};

}  // namespace copse
