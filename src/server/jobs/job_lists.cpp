// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_lists.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "server/jobs/shared_job.hpp"

namespace copse::server {

namespace {

constexpr std::int64_t kListed = 1'000, kListedMax = 10'000;

struct Filter {
  std::optional<JobStage> stage{};
  bool all = false;
  std::optional<std::string_view> queue{};
  std::vector<std::string> users{};  // none: all

  [[nodiscard]] bool passes(const JobRow& row) const {
    if (stage ? row.stage != *stage : !all && row.stage == JobStage::ended) return false;
    return (!queue || row.queue == *queue) &&
           (users.empty() || std::ranges::find(users, row.user) != users.end());
  }
};

// Names of users have no commas.
std::vector<std::string> users_of(std::string_view names, const UserOf& user_of) {
  std::vector<std::string> out;
  for (std::size_t from = 0; from <= names.size();) {
    const std::size_t end = std::min(names.find(',', from), names.size());
    const std::string name(names.substr(from, end - from));
    out.push_back(user_of ? user_of(name) : name);
    from = end + 1;
  }
  return out;
}

// Jobs keep the names of queues that no longer exist.
Result<void> check_queue(const JobRowTable& table, std::span<const queue::QueueSpec> queues,
                         std::string_view name) {
  std::vector<std::string_view> known;
  for (const queue::QueueSpec& queue : queues) known.emplace_back(queue.name);
  if (std::ranges::find(known, name) != known.end()) return {};
  const bool has_job =
      std::ranges::any_of(table.rows(), [&](const auto& row) { return row.second->queue == name; });
  if (has_job) return {};
  if (known.size() == 1 && known.front().empty()) {
    return fail(ErrorCode::not_found, fmt::format("unknown queue {}; there is one queue, which has "
                                                  "no name",
                                                  shown_word(name)));
  }
  return fail(ErrorCode::not_found, unknown_word("queue", name, known));
}

}  // namespace

void write_job(JsonWriter& json, const JobRow& row, bool whole) {
  JobRow shown = whole ? row : shared_row(row);
  shown.arrival = 0;
  shown.placement.clear();
  json.member("id", row.id);
  if (row.stage == JobStage::pending) json.member("state", word(row.stage));
  write_changes(json, JobRow{}, shown);
}

void show_job(Session& session, const JobRow& row, const Viewer& viewer, std::string& out) {
  const bool whole = viewer.of(row.user) == Visibility::whole;
  const bool runs = row.stage == JobStage::running;
  const Grant* grant = runs ? session.engine().grant(row.id) : nullptr;
  std::string r;
  if (grant != nullptr) session.append_r(*grant, row.queue, r);
  JsonWriter json(out);
  json.object([&] {
    write_job(json, row, whole);
    if (grant == nullptr) return;
    json.key("R");
    whole ? json.json(r) : append_shared_r(r, json.begin());
  });
}

Result<void> list_jobs(const JobRowTable& table, std::span<const queue::QueueSpec> queues,
                       const SessionRequest& line, const UserOf& user_of, const Viewer& viewer,
                       std::string& out) {
  Filter filter{.queue = line.queue};
  if (line.queue) {
    if (auto ok = check_queue(table, queues, *line.queue); !ok) return ok;
  }
  if (line.user) filter.users = users_of(*line.user, user_of);
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
                         const SessionRequest& line, SessionAnswer& answer) {
  const std::uint64_t next = line.since ? static_cast<std::uint64_t>(*line.since) : events.next();
  if (next > events.next()) {
    return fail(ErrorCode::invalid, fmt::format("the next event is {}", events.next()));
  }
  answer.watch = {.next = next, .job = static_cast<JobId>(line.id.value_or(0))};
  JsonWriter json(answer.body);
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

void list_usage(queue::JobQueue& queue, const Viewer& viewer, std::string& out) {
  const queue::QueueView view = queue.view();
  auto all = view.priorities.usage(view.engine.now());
  std::erase_if(all, [&](const queue::Priorities::UserUsage& one) {
    return one.user.empty() || viewer.of(one.user) == Visibility::hidden;
  });
  JsonWriter json(out);
  json.object([&] {
    json.array("users", all, [&](const queue::Priorities::UserUsage& one) {
      json.object([&] {
        json.member("user", one.user);
        json.member("core_seconds", static_cast<std::int64_t>(one.core_s));
        json.member_json("part", fmt::format("{:.4f}", one.part));
        json.member_json("share", fmt::format("{:.4f}", one.share));
        json.member_json("fair_share", fmt::format("{:.4f}", one.fair_share));
      });
    });
  });
}

}  // namespace copse::server
