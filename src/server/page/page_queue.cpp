// SPDX-License-Identifier: Apache-2.0
//
// Pages of jobs with reasons, and the details of one job.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "queue/answers/answer_text.hpp"
#include "queue/reservation/reservation.hpp"
#include "server/answers/job_answers.hpp"
#include "server/http/problem.hpp"
#include "server/jobs/shared_job.hpp"
#include "server/page/page_handlers.hpp"
#include "text/counted.hpp"

namespace copse::server {

namespace {

constexpr std::int64_t kRowsUsual = 100, kRowsMost = 500;
constexpr std::size_t kEventsOfJob = 50, kEventBytesMax = 4'096, kTextOfRequestMax = 512;

struct JobFilter {
  std::string_view user{}, queue{}, text{}, state = "waiting";

  [[nodiscard]] bool passes(const JobRow& row) const {
    if (!user.empty() && row.user != user) return false;
    if (!queue.empty() && row.queue != queue) return false;
    return text.empty() || row.name.contains(text) || row.user.contains(text) ||
           std::to_string(row.id).contains(text);
  }
};

// `row`: as the caller sees it. A jobspec that it does not see leaves the sizes.
void append_request(JsonWriter& json, const JobRow& row) {
  std::string request = row.jobspec.empty() ? row.shape : row.jobspec;
  if (request.empty()) {
    request = fmt::format("a jobspec: {}, {}, {}", counted(row.nnodes, "node"),
                          counted(row.ncores, "core"), counted(row.ngpus, "gpu"));
  }
  std::string_view shown(request);
  // Do not cut within a UTF-8 character.
  if (shown.size() > kTextOfRequestMax) {
    std::size_t end = kTextOfRequestMax;
    while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0U) == 0x80U) --end;
    json.member("request", std::string(shown.substr(0, end)) + "…");
  } else {
    json.member("request", shown);
  }
  if (!row.hres.empty()) json.member("hres", row.hres);
  json.member("submit", row.submitted);
  if (row.duration > 0) json.member("limit", row.duration);
  if (row.priority != 0) json.member("priority", row.priority);
  if (row.first_planned >= 0) json.member("first_planned", row.first_planned);
}

void append_when(JsonWriter& json, const queue::Answers::Brief& brief, const JobRow& row,
                 std::string_view text) {
  json.member("ahead", brief.when.ahead);
  json.member("cause", std::string_view(queue::word(brief.why.cause)));
  json.member("text", text);
  json.key("start");
  if (row.stage == JobStage::planned) {
    json.value(row.planned);
  } else if (brief.when.start_s) {
    json.value(*brief.when.start_s);
  } else {
    json.json("null");
  }
  json.member("promised", row.stage == JobStage::planned);
}

// What the caller sees of jobs, and of their reasons.
struct PageViewer {
  Viewer viewer;
  IsHidden hidden;
  queue::Answers& answers;

  // Cached texts name all jobs: a caller that misses some gets its own.
  [[nodiscard]] std::string text_of(const queue::Answers::Brief& brief) const {
    if (!hidden) return brief.why.text;
    const auto answer = visible_answer(answers, brief.when.job, hidden);
    return answer ? answer->reason.text : std::string();
  }
};

// Writes the rows of one page, and counts all that match.
class Page {
 public:
  Page(JsonWriter& json, const JobFilter& filter, const PageViewer& viewer, std::size_t offset,
       std::size_t limit)
      : json_(json), filter_(filter), viewer_(viewer), offset_(offset), limit_(limit) {}

  void add(const JobRow& row, const queue::Answers::Brief* brief) {
    const Visibility seen = viewer_.viewer.of(row.user);
    if (seen == Visibility::hidden || !filter_.passes(row)) return;
    const std::size_t place = total_++;
    if (place < offset_ || place - offset_ >= limit_) return;
    json_.object([&] {
      append_job_summary(json_, row);
      append_request(json_, seen == Visibility::whole ? row : shared_row(row));
      if (brief != nullptr) append_when(json_, *brief, row, viewer_.text_of(*brief));
      if (!row.message.empty()) json_.member("message", row.message);
    });
  }
  [[nodiscard]] std::size_t total() const { return total_; }

 private:
  JsonWriter& json_;
  const JobFilter& filter_;
  const PageViewer& viewer_;
  std::size_t offset_, limit_, total_ = 0;
};

// Waiting jobs in queue order; then those that came since.
void add_waiting(const JobRowTable& table, const std::vector<queue::Answers::Brief>& all,
                 bool looking, Page& page) {
  std::vector<JobId> known;
  for (const queue::Answers::Brief& brief : all) {
    const JobRow* row = table.find(brief.when.job);
    if (row == nullptr || row->stage == JobStage::running || row->stage == JobStage::ended)
      continue;
    page.add(*row, &brief);
    if (looking) known.push_back(brief.when.job);
  }
  if (!looking) return;
  std::ranges::sort(known);
  for (const auto& [id, row] : table.rows()) {
    if (row->stage != JobStage::pending && row->stage != JobStage::planned) continue;
    if (!std::ranges::binary_search(known, id)) page.add(*row, nullptr);
  }
}

void add_stage(const JobRowTable& table, JobStage stage, Page& page) {
  for (auto at = table.rows().rbegin(); at != table.rows().rend(); ++at) {
    if (at->second->stage == stage) page.add(*at->second, nullptr);
  }
}

void append_places(JsonWriter& json, std::span<const plan::NodeRange> places) {
  json.array("places", places, [&](const plan::NodeRange& place) {
    json.array(std::initializer_list<std::uint32_t>{place.first, place.count, place.share},
               [&](std::uint32_t number) { json.value(number); });
  });
}

void append_placements(JsonWriter& json, PageService& page, JobId job) {
  const auto stay = [&](std::string_view kind, std::int64_t start_s, std::int64_t end_s,
                        std::span<const plan::NodeRange> places) {
    json.object([&] {
      json.member("kind", kind);
      json.member("start", start_s);
      json.member("end", end_s);
      append_places(json, places);
    });
  };
  const MachineWatch& machine = page.machine();
  json.key("placements");
  json.open('[');
  for (const AllocatedNodes& gone : machine.past()) {
    if (gone.job == job) stay("past", gone.start_s, gone.end_s, gone.nodes);
  }
  const auto held = machine.allocations().find(job);
  if (held != machine.allocations().end()) {
    const AllocatedNodes& has = held->second;
    stay(has.runs ? "running" : "promised", has.start_s, has.end_s, has.nodes);
  } else {
    const Forecast& forecast = page.forecast();
    for (const Forecast::Start& start : forecast.starts()) {
      if (start.job != job) continue;
      stay("forecast", start.start_s, start.end_s, std::span(forecast.places(start), start.runs));
    }
  }
  json.close(']');
}

void append_row(JsonWriter& json, const JobRow& row) {
  append_job_summary(json, row);
  append_request(json, row);
  if (!row.constraints.empty()) json.member_json("constraints", row.constraints);
  if (!row.jobspec.empty()) json.member_json("jobspec", row.jobspec);
  if (row.lease > 0) json.member("lease", row.lease);
  if (row.status != 0) json.member("status", row.status);
  if (!row.message.empty()) json.member("message", row.message);
}

void append_events(JsonWriter& json, const Service& service, const Viewer& viewer, JobId job) {
  json.key("events");
  json.open('[');
  for (const auto& [number, line] : service.events().of(job, kEventsOfJob)) {
    const Visibility seen = service.visibility_of_event(viewer, number);
    std::string text;
    if (seen == Visibility::shared) append_shared_event(line, text);
    if (seen == Visibility::whole) text = line.substr(0, line.size() - 1);  // without the newline
    if (seen != Visibility::hidden && text.size() <= kEventBytesMax) json.json(text);
  }
  json.close(']');
}

}  // namespace

HttpResponse get_page_queue(HttpContext& context, const HttpCall& call) {
  if (context.page == nullptr) return no_page();
  const auto offset = number_of(call.target, "offset", 0, 0, INT64_C(1) << 40);
  if (!offset) return problem_of(offset.error());
  const auto limit = number_of(call.target, "limit", kRowsUsual, 1, kRowsMost);
  if (!limit) return problem_of(limit.error());
  JobFilter filter;
  const auto word_of = [&](std::string_view name, std::string_view& to) {
    if (const std::string* text = call.target.find(name)) to = *text;
  };
  word_of("user", filter.user);
  word_of("queue", filter.queue);
  word_of("text", filter.text);
  word_of("state", filter.state);
  LiveJobs& jobs = context.service.live_jobs();
  const bool looking = !jobs.update_answers();
  std::string body;
  JsonWriter json(body);
  std::string refused;
  json.object([&] {
    json.key("rows");
    json.open('[');
    const PageViewer viewer{context.service.viewer_of(call.request.caller),
                            context.service.hidden_from(call.request.caller), jobs.answers()};
    Page page(json, filter, viewer, static_cast<std::size_t>(*offset),
              static_cast<std::size_t>(*limit));
    if (filter.state == "waiting") {
      add_waiting(jobs.table(), jobs.answers().all(), looking, page);
    } else if (const auto stage = parse_stage(filter.state)) {
      add_stage(jobs.table(), *stage, page);
    } else {
      refused = stage.error().message();
    }
    json.close(']');
    json.member("total", page.total());
    json.member("searching", looking);
    json.member("now", context.service.session().engine().now());
  });
  if (!refused.empty()) return problem(Problem::invalid, refused);
  return page_answer(call, std::move(body));
}

HttpResponse get_page_job(HttpContext& context, const HttpCall& call) {
  if (context.page == nullptr) return no_page();
  const auto id = parse_integer(call.parameter, "the id of a job");
  if (!id) return problem_of(id.error());
  const JobId job = Session::job_of(*id);
  LiveJobs& jobs = context.service.live_jobs();
  const JobRow* row = jobs.table().find(job);
  const Grant* grant = context.service.session().engine().grant(job);
  const Viewer viewer = context.service.viewer_of(call.request.caller);
  const Visibility seen = context.service.visibility(viewer, job);
  if ((row == nullptr && grant == nullptr) || seen == Visibility::hidden) {
    return problem(Problem::not_found, fmt::format("there is no job {}", *id));
  }
  std::string body;
  JsonWriter json(body);
  json.object([&] {
    json.object("job", [&] {
      if (row != nullptr) {
        append_row(json, seen == Visibility::whole ? *row : shared_row(*row));
      } else {
        append_job_id(json, "id", job);
        json.member("state", std::string_view("grant"));
      }
    });
    const bool waits =
        row != nullptr && (row->stage == JobStage::pending || row->stage == JobStage::planned);
    if (waits) {
      json.member("searching", !jobs.update_answers());
      const IsHidden hidden = context.service.hidden_from(call.request.caller);
      if (const auto answer = visible_answer(jobs.answers(), job, hidden)) {
        json.key("answer");
        queue::append_answer_json(
            json.begin(), *answer, [](std::uint64_t of) { return std::to_string(of); },
            JobMember::name);
      }
    }
    append_placements(json, *context.page, job);
    if (grant != nullptr) {
      std::string r;
      context.service.session().append_r(*grant, row == nullptr ? "" : row->queue, r);
      json.key("R");
      seen == Visibility::whole ? json.json(r) : append_shared_r(r, json.begin());
    }
    append_events(json, context.service, viewer, job);
  });
  return page_answer(call, std::move(body));
}

}  // namespace copse::server
