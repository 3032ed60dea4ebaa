// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_journal.hpp"

namespace copse::server {

std::string join_parts(std::string_view lines, std::string_view engine) {
  std::string out;
  if (!lines.empty()) {
    out.reserve(lines.size() + engine.size() + 2);
    out += '\0';
    out += lines;
    out += '\0';
  }
  out += engine;
  return out;
}

Result<JournalParts> split_parts(std::string_view bytes) {
  if (bytes.empty() || bytes.front() != '\0') return JournalParts{{}, bytes};
  const std::size_t end = bytes.find('\0', 1);
  if (end == std::string_view::npos) {
    return fail(ErrorCode::invalid, "the lines about jobs have no end");
  }
  return JournalParts{bytes.substr(1, end - 1), bytes.substr(end + 1)};
}

}  // namespace copse::server
