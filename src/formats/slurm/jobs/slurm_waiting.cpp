// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/jobs/slurm_waiting.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "text/split.hpp"

namespace copse {

namespace {

constexpr std::int64_t kMinutesMax = INT64_C(1) << 32;

std::optional<std::int64_t> number_at(std::string_view& rest) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), out);
  if (error != std::errc{} || out < 0 || out >= Idset::kIdMax) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return out;
}

void add_jobs(ClusterRequest& request, std::string_view jobs, std::string_view task,
              ClusterAfter::On on) {
  while (!jobs.empty()) {
    std::string_view job = take_part(jobs, ':');
    const std::size_t plus = std::min(job.find('+'), job.size());
    std::string_view minutes = job.substr(plus);
    std::int64_t later_s = 0;
    if (on == ClusterAfter::On::started && !minutes.empty()) {
      minutes.remove_prefix(1);
      const auto number = number_at(minutes);
      request.unread |= !number || !minutes.empty() || *number > kMinutesMax;
      later_s = std::min(number.value_or(0), kMinutesMax) * 60;
    }
    job = job.substr(0, plus);
    if (job.ends_with("_*")) job.remove_suffix(2);
    if (job.empty()) continue;
    request.after.push_back({std::string(job), on, later_s});
    if (!task.empty()) request.after.back().id.append("_").append(task);
  }
}

// One dependency, without the "(state)" after it.
void add_one(ClusterRequest& request, std::string_view one, std::string_view task) {
  const std::string_view type = take_part(one, ':');
  using On = ClusterAfter::On;
  constexpr std::array<std::pair<std::string_view, On>, 6> kTypes{
      {{"afterok", On::ended_well},
       {"aftercorr", On::ended_well},
       {"afterburstbuffer", On::ended_well},
       {"afterany", On::ended},
       {"afternotok", On::failed},
       {"after", On::started}}};
  const auto known = std::ranges::find(kTypes, type, [](const auto& row) { return row.first; });
  if (type == "singleton") {
    request.alone_of_name = true;
  } else if (known != kTypes.end()) {
    add_jobs(request, one, type == "aftercorr" ? task : "", known->second);
  } else if (type != "expand") {
    request.unread = true;
  }
}

// "4", "1-3" or "1-7:2".
bool add_range(std::string_view piece, std::int64_t tasks_max, Idset& out) {
  const auto first = number_at(piece);
  if (!first) return false;
  std::int64_t last = *first, step = 1;
  if (piece.starts_with('-')) {
    piece.remove_prefix(1);
    const auto to = number_at(piece);
    if (!to || *to < *first) return false;
    last = *to;
    if (piece.starts_with(':')) {
      piece.remove_prefix(1);
      step = number_at(piece).value_or(0);
      if (step == 0) return false;
    }
  }
  if (!piece.empty()) return false;
  if (step == 1) {
    out.add_range(*first, last);
    return true;
  }
  if ((last - *first) / step >= tasks_max) last = *first + tasks_max * step;
  for (std::int64_t id = *first; id <= last; id += step) out.add(id);
  return true;
}

}  // namespace

void add_slurm_dependency(ClusterRequest& request, std::string_view text, std::string_view task) {
  if (text == "(null)") return;
  const bool any = text.contains('?');
  const bool done = any && text.contains("(fulfilled)");
  while (!text.empty() && !done) {
    std::string_view one = take_part(text, any ? '?' : ',');
    const std::size_t bracket = std::min(one.find('('), one.size());
    const std::string_view state = one.substr(bracket);
    one = one.substr(0, bracket);
    if (one.empty() || state == "(fulfilled)") continue;
    if (any) {
      request.unread = true;
    } else if (state == "(failed)") {
      request.held = true;
    } else {
      add_one(request, one, task);
    }
  }
}

Result<Idset> parse_slurm_tasks(std::string_view text, std::int64_t tasks_max,
                                std::string_view command) {
  const std::string_view whole = text;
  text = text.substr(0, text.find('%'));
  Idset out;
  while (!text.empty()) {
    const std::string_view piece = take_part(text, ',');
    if (piece.ends_with("...")) {
      return fail(ErrorCode::invalid,
                  fmt::format("Slurm cut the list of tasks short: run {} with SLURM_BITSTR_LEN=0",
                              command));
    }
    if (!add_range(piece, tasks_max, out)) {
      return fail(ErrorCode::invalid,
                  fmt::format("{} is not a list of tasks, such as 1-3,8%2", shown_word(whole)));
    }
    if (out.count() > tasks_max) {
      return fail(ErrorCode::limit, fmt::format("an array of more than {} tasks", tasks_max));
    }
  }
  return out;
}

}  // namespace copse
