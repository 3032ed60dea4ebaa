// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/job_after.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "text/tree/tree.hpp"

namespace copse::plan {

namespace {

// A job of a cycle, found by removing jobs for which no remaining job waits; jobs.size() if there
// is no cycle.
std::size_t job_in_circle(const Jobs& jobs) {
  std::vector<std::uint32_t> waits_for(jobs.jobs.size());
  std::vector<std::vector<std::uint32_t>> awaited_by(jobs.jobs.size());
  std::vector<std::uint32_t> free;
  for (std::uint32_t i = 0; i < jobs.jobs.size(); ++i) {
    waits_for[i] = jobs.jobs[i].after_count;
    if (waits_for[i] == 0) free.push_back(i);
    for (const Dependency& d : jobs.after_of(jobs.jobs[i])) awaited_by[d.job].push_back(i);
  }
  while (!free.empty()) {
    const std::uint32_t done = free.back();
    free.pop_back();
    for (const std::uint32_t next : awaited_by[done]) {
      if (--waits_for[next] == 0) free.push_back(next);
    }
  }
  const auto left = std::ranges::find_if(waits_for, [](std::uint32_t n) { return n > 0; });
  return static_cast<std::size_t>(left - waits_for.begin());
}

constexpr std::array<std::pair<std::string_view, Dependency::On>, 4> kSchemes{
    {{"after", Dependency::On::started},
     {"afterany", Dependency::On::ended},
     {"afterok", Dependency::On::ended_well},
     {"afternotok", Dependency::On::failed}}};

std::unexpected<Error> no_such_job(const Awaited& awaited, std::string_view name,
                                   std::string_view file) {
  const bool minutes = awaited.on == Dependency::On::started && name.contains('+');
  return fail(
      minutes ? ErrorCode::invalid : ErrorCode::not_found,
      fmt::format("\"{}\": no job of the stream has the id \"{}\"{}", awaited.key, shown(name),
                  minutes ? "; a stream has no minutes (+N) after a start" : ""),
      {std::string(file), awaited.line, 0});
}

}  // namespace

Result<DependencyWord> parse_dependency(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos || colon + 1 == text.size()) {
    return fail(ErrorCode::invalid,
                fmt::format("{} is not a dependency: write afterok:ID, or a list of such texts",
                            shown_word(text)));
  }
  const std::string_view scheme = text.substr(0, colon);
  std::vector<std::string_view> known;
  for (const auto& [word, on] : kSchemes) {
    if (scheme == word) return DependencyWord{on, text.substr(colon + 1)};
    known.push_back(word);
  }
  return fail(ErrorCode::invalid, unknown_word("dependency", scheme, known));
}

std::vector<std::string_view> split_dependencies(std::string_view text) {
  const auto begins_one = [](std::string_view rest) {
    const std::string_view scheme = rest.substr(0, rest.find(':'));
    return scheme.size() < rest.size() &&
           std::ranges::any_of(kSchemes, [&](const auto& row) { return row.first == scheme; });
  };
  std::vector<std::string_view> out;
  std::size_t from = 0;
  for (std::size_t comma = text.find(','); comma != text.npos; comma = text.find(',', comma + 1)) {
    if (!begins_one(text.substr(comma + 1))) continue;
    out.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  out.push_back(text.substr(from));
  return out;
}

Result<void> set_after(Jobs& jobs, const std::vector<Awaited>& list, const JobNumbers& numbers,
                       std::string_view file) {
  for (const Awaited& awaited : list) {
    std::string_view rest = awaited.name;
    // "afterok:a:b" names two jobs, unless one is named "a:b".
    const bool several = awaited.several && !numbers.contains(awaited.name);
    do {
      const std::size_t end = several ? std::min(rest.find(':'), rest.size()) : rest.size();
      const std::string name(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const auto at = numbers.find(name);
      if (at == numbers.end()) return no_such_job(awaited, name, file);
      if (jobs.after.size() == kAfterMax) {
        return fail(ErrorCode::limit, "too many jobs to wait for",
                    {std::string(file), awaited.line, 0});
      }
      Job& job = jobs.jobs[awaited.job];
      if (job.after_count++ == 0) job.after_first = static_cast<std::uint32_t>(jobs.after.size());
      jobs.after.push_back({at->second, awaited.on, awaited.delay_s});
    } while (!rest.empty());
  }
  if (list.empty()) return {};
  const std::size_t circle = job_in_circle(jobs);
  if (circle == jobs.jobs.size()) return {};
  const auto line = std::ranges::find(list, circle, &Awaited::job);
  return fail(ErrorCode::invalid,
              fmt::format("\"{}\": job \"{}\" waits for a job that waits for it",
                          line == list.end() ? "after" : line->key, shown(jobs.jobs[circle].name)),
              {std::string(file), line == list.end() ? 0 : line->line, 0});
}

}  // namespace copse::plan
