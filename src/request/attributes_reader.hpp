// SPDX-License-Identifier: Apache-2.0
//
// The section "attributes" of a jobspec (RFC 14, 25): duration, queue, hierarchical resources, constraints.
#pragma once

#include "copse/request.hpp"
#include "request/jobspec_words.hpp"
#include "text/tree/tree.hpp"

namespace copse {

class AttributesReader {
 public:
  // `hosts_max` bounds the hosts of the hostlists in constraints.
  AttributesReader(JobspecWords words, std::size_t hosts_max, Request& to)
      : words_(words), hosts_max_(hosts_max), request_(to) {}

  // Errors: invalid, limit, at the offending node.
  [[nodiscard]] Result<void> read(TreeView node);

 private:
  [[nodiscard]] Result<void> read_duration(TreeView node);

  JobspecWords words_;
  std::size_t hosts_max_;
  Request& request_;
};

}  // namespace copse
