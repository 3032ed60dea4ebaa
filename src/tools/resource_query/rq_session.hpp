// SPDX-License-Identifier: Apache-2.0
//
// A session of resource-query: lines of words, and the commands that they call.
#pragma once

#include <string_view>
#include <vector>

#include "tools/resource_query/rq_context.hpp"

namespace copse {

class QuerySession {
 public:
  QuerySession(Engine& engine, Format format, bool timing, QueryStreams& streams)
      : context_{engine, streams, Writer(format), timing} {}

  // Runs one line. Unknown commands and empty lines do nothing (scripts have comments that way).
  // False after `quit`.
  bool run(std::string_view line);

 private:
  query::Context context_;
  std::vector<std::string_view> words_;
};

}  // namespace copse
