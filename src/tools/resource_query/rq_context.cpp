// SPDX-License-Identifier: Apache-2.0
#include "tools/resource_query/rq_context.hpp"

#include "base/scan_text.hpp"
#include "files/read_file.hpp"

namespace copse::query {

JobId parse_job(std::string_view word) { return parse_number<JobId>(word).value_or(0); }

std::optional<std::string> Context::read(std::string_view path) {
  constexpr std::size_t kTextBytesMax = 64u << 20;
  auto text = try_read_file(std::string(path), kTextBytesMax + 1);
  if (text && text->size() <= kTextBytesMax) return std::move(*text);
  error("can't open " + std::string(path));
  return std::nullopt;
}

void Context::write_ruled(std::string_view text) {
  streams.results().append(kRule).append(text).append(kRule);
}

void Context::count_on(JobId job) {
  while (engine().grant(job) != nullptr) ++job;
  next_job = job;
}

void Context::add_job(JobId job, const Match& match, std::string_view path, double elapsed_s) {
  jobs.add(job, job, match.start, elapsed_s).file = path;
  statistics.count(static_cast<std::int64_t>(job), elapsed_s);
  count_on(job + 1);
}

}  // namespace copse::query
