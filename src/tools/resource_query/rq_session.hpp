// SPDX-License-Identifier: Apache-2.0
//
// A session of resource-query: it splits lines into words and runs their commands.
#pragma once

#include <string_view>
#include <vector>

#include "tools/resource_query/rq_context.hpp"

namespace copse {

class QuerySession {
 public:
  QuerySession(Engine& engine, Format format, bool timing, QueryStreams& streams)
      : context_{{engine, format}, streams, timing} {}

  // Runs one line. Unknown commands and empty lines have no effect, so scripts can have comments.
  // False after `quit`.
  bool run(std::string_view line);

 private:
  query::Context context_;
  std::vector<std::string_view> words_;
};

}  // namespace copse
