// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/client_commands.hpp"

#include <fmt/format.h>

#include "base/idset.hpp"
#include "base/nearest_word.hpp"

namespace copse {

namespace {

constexpr std::size_t kIdsMax = 9'999;  // a batch has at most 10,000 lines

}  // namespace

void add_client_commands(CommandLine& line) {
  add_submit(line);
  add_jobs(line);
  add_why(line);
  add_job_changes(line);
  add_wait(line);
  add_nodes(line);
  add_usage(line);
  add_reserve(line);
  add_reservation(line);
  add_run(line);
}

Result<std::vector<std::int64_t>> parse_ids(const std::vector<std::string>& words) {
  std::vector<std::int64_t> out;
  for (const std::string& word : words) {
    const auto ids = Idset::parse(word);
    if (!ids || ids->empty()) {
      return fail(ErrorCode::invalid,
                  fmt::format("{} is not a job id: write 7, or 3-5,9", shown_word(word)));
    }
    if (ids->count() > static_cast<std::int64_t>(kIdsMax - out.size())) {
      return fail(ErrorCode::limit, fmt::format("more than {} jobs", kIdsMax));
    }
    for (const auto& [first, last] : ids->ranges()) {
      for (std::int64_t id = first; id <= last; ++id) out.push_back(id);
    }
  }
  return out;
}

}  // namespace copse
