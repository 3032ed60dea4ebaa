// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_lists.hpp"

#include <limits>

#include <fmt/format.h>

#include "server/jobs/shared_job.hpp"

namespace copse::server {

namespace {

constexpr std::int64_t kListed = 1'000, kListedMax = 10'000;

struct Filter {
  std::optional<JobStage> stage{};
  bool all = false;
  std::optional<std::string_view> queue{};
  std::optional<std::string> user{};

  [[nodiscard]] bool passes(const JobRow& row) const {
    if (stage ? row.stage != *stage : !all && row.stage == JobStage::ended) return false;
    return (!queue || row.queue == *queue) && (!user || row.user == *user);
  }
};

}  // namespace

void write_job(JsonWriter& json, const JobRow& row, bool whole) {
  JobRow shown = whole ? row : shared_row(row);
  shown.arrival = 0;
  shown.placement.clear();
  json.member("id", row.id);
  if (row.stage == JobStage::pending) json.member("state", word(row.stage));
  write_changes(json, JobRow{}, shown);
}

Result<void> list_jobs(const JobRowTable& table, const SessionRequest& line, const UserOf& user_of,
                       const Viewer& viewer, std::string& out) {
  Filter filter{.queue = line.queue};
  if (line.user) filter.user = user_of ? user_of(*line.user) : std::string(*line.user);
  if (line.state && *line.state == "all") {
    filter.all = true;
  } else if (line.state) {
    const auto stage = parse_stage(*line.state);
    if (!stage) return std::unexpected(stage.error());
    filter.stage = *stage;
  }
  std::int64_t left = line.limit.value_or(kListed);
  if (left > kListedMax) {
    return fail(ErrorCode::invalid, fmt::format("\"limit\" is at most {}", kListedMax));
  }
  bool more = false;
  JsonWriter json(out);
  json.object([&] {
    json.key("jobs");
    json.open('[');
    const auto after = static_cast<JobId>(line.after.value_or(0));
    for (auto at = table.rows().upper_bound(after); at != table.rows().end(); ++at) {
      const Visibility seen = viewer.of(at->second->user);
      if (seen == Visibility::hidden || !filter.passes(*at->second)) continue;
      more = left == 0;
      if (more) break;
      --left;
      json.object([&] { write_job(json, *at->second, seen == Visibility::whole); });
    }
    json.close(']');
    json.member("next", table.events().next());
    if (more) json.member("more", true);
  });
  return {};
}

Result<void> begin_watch(const JobEventLog& events, std::string_view incarnation,
                         const SessionRequest& line, JobCaller& caller, std::string& out) {
  const std::uint64_t next = line.since ? static_cast<std::uint64_t>(*line.since) : events.next();
  if (next > events.next()) {
    return fail(ErrorCode::invalid, fmt::format("the next event is {}", events.next()));
  }
  caller.watch = {.next = next, .job = static_cast<JobId>(line.id.value_or(0))};
  JsonWriter json(out);
  json.object([&] {
    json.member("next", events.next());
    json.member("oldest", events.oldest());
    json.member("incarnation", incarnation);
  });
  return {};
}

void list_queues(queue::JobQueue& queue, std::string& out) {
  const queue::QueueView view = queue.view();
  JsonWriter json(out);
  json.object([&] {
    json.array("queues", view.queues.named(), [&](const queue::QueueTable::Entry& named) {
      const queue::WaitingQueue& line = view.queues[named.waiting_queue];
      json.object([&] {
        json.member("name", named.name);
        if (named.is_virtual) json.member("parent", line.name());
        json.member("discipline", line.discipline().name);
        if (line.depth() != SIZE_MAX) json.member("depth", line.depth());
        json.member("stopped", line.stopped());
        if (!named.is_virtual) json.member("waiting", line.waiting());
      });
    });
    json.member("waiting", queue.waiting());
    json.member("running", queue.running());
  });
}

}  // namespace copse::server
