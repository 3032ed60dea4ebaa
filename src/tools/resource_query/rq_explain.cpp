// SPDX-License-Identifier: Apache-2.0
//
// The explain command: why a jobspec gets nothing now. The reference has no such command.
#include <fmt/format.h>

#include "explain/explanation.hpp"
#include "tools/resource_query/rq_session.hpp"

namespace copse {

bool QuerySession::explain(Words words) {
  const bool json = words.size() == 3 && words[2] == "json";
  if (words.size() != 2 && !json) return malformed();
  if (!read_file(words[1])) {
    streams_.message(fmt::format("ERROR: can't open {}", words[1]));
    return true;
  }
  auto prepared = engine_.prepare(text_, words[1]);
  if (!prepared) {
    streams_.message("explain: ERROR: " + prepared.error().message());
    return true;
  }
  auto explanation = engine_.explain(**prepared);
  if (!explanation) {
    streams_.message("explain: ERROR: " + explanation.error().message());
    return true;
  }
  std::string& out = streams_.results();
  out += rule();
  if (json) {
    append_explanation_json(out, *explanation);
  } else {
    std::string lines;
    append_explanation_text(lines, *explanation);
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = lines.find('\n', at) + 1;
      out.append("INFO: ").append(lines, at, end - at);
      at = end;
    }
  }
  out += rule();
  streams_.flush_if_large();
  return true;
}

}  // namespace copse
