// SPDX-License-Identifier: Apache-2.0
//
// Pages of jobs with reasons, and the details of one job.
#include <algorithm>
#include <memory>

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
  std::string user{}, queue{}, text{}, state = "waiting";

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

struct Words {
  std::string brief{}, text{};
};

void append_when(JsonWriter& json, const queue::Answers::Brief& brief, const JobRow& row,
                 const Words& words) {
  json.member("ahead", brief.when.ahead);
  json.member("cause", std::string_view(queue::word(brief.why.cause)));
  json.member("short", words.brief);
  json.member("text", words.text);
  const bool promised = row.stage == JobStage::planned;
  json.member("start", promised ? std::optional(row.planned) : brief.when.start_s);
  json.member("promised", promised);
}

// The rows of one page: a step each, because the reason of a job takes a search.
class QueuePage final : public ResponseWork {
 public:
  QueuePage(HttpContext& context, const HttpCall& call, std::size_t offset, std::size_t limit)
      : context_(context),
        viewer_(context.service.viewer_of(call.request.caller)),
        hidden_(context.service.hidden_from(call.request.caller)),
        accept_encoding_(call.request.accept_encoding),
        offset_(offset),
        limit_(limit) {}

  // Chooses the rows. `searching`: the answers are of an older state.
  void choose(const JobFilter& filter, std::optional<JobStage> stage, bool searching) {
    searching_ = searching;
    if (stage) {
      choose_stage(filter, *stage);
    } else {
      choose_waiting(filter);
    }
  }

  bool step(HttpResponse& out, std::int64_t /*now_s*/) override {
    if (next_entry_ < entries_.size()) {
      choose_some();
      return false;
    }
    if (std::exchange(others_left_, false)) {
      choose_others();
      return false;
    }
    if (next_ < rows_.size()) {
      write(rows_[next_++]);
      return false;
    }
    out = page_object(accept_encoding_, [&](JsonWriter& json) {
      json.member_json("rows", "[" + text_ + "]");
      json.member("total", total_);
      json.member("searching", searching_);
      json.member("now", context_.service.session().engine().now());
    });
    return true;
  }

 private:
  struct Row {
    std::shared_ptr<const JobRow> job;
    std::optional<queue::Outlook::Entry> entry{};
  };

  void add(const std::shared_ptr<const JobRow>& job, const JobFilter& filter,
           const std::optional<queue::Outlook::Entry>& entry) {
    if (viewer_.of(job->user) == Visibility::hidden || !filter.passes(*job)) return;
    const std::size_t place = total_++;
    if (place >= offset_ && place - offset_ < limit_) rows_.push_back({job, entry});
  }

  // Waiting jobs in queue order; then those that came since. There may be many: some at a step, each as it
  // is then.
  void choose_waiting(const JobFilter& filter) {
    const queue::Answers& answers = context_.service.live_jobs().answers();
    entries_.reserve(answers.size());
    for (std::size_t n = 0; n < answers.size(); ++n) entries_.push_back(answers.entry(n));
    filter_ = filter;
    others_left_ = searching_;
  }

  void choose_some() {
    constexpr std::size_t kAtOnce = 500;
    const JobRowTable::Rows& rows = context_.service.jobs().table().rows();
    const std::size_t end = std::min(entries_.size(), next_entry_ + kAtOnce);
    for (; next_entry_ < end; ++next_entry_) {
      const queue::Outlook::Entry& entry = entries_[next_entry_];
      const auto at = rows.find(entry.job);
      if (at == rows.end() || !at->second->waits()) continue;
      add(at->second, filter_, entry);
      if (searching_) known_.push_back(entry.job);
    }
  }

  void choose_others() {
    std::ranges::sort(known_);
    for (const auto& [id, row] : context_.service.jobs().table().rows()) {
      if (row->waits() && !std::ranges::binary_search(known_, id)) add(row, filter_, std::nullopt);
    }
  }

  void choose_stage(const JobFilter& filter, JobStage stage) {
    const JobRowTable::Rows& rows = context_.service.jobs().table().rows();
    for (auto at = rows.rbegin(); at != rows.rend(); ++at) {
      if (at->second->stage == stage) add(at->second, filter, std::nullopt);
    }
  }

  // Cached texts name all jobs: a caller that misses some gets its own.
  Words words_of(const queue::Answers::Brief& brief) {
    if (!hidden_) return {brief.why.brief, brief.why.text};
    const auto answer =
        visible_answer(context_.service.live_jobs().answers(), brief.when.job, viewer_, hidden_);
    return answer ? Words{answer->reason.brief, answer->reason.text} : Words{};
  }

  void write(const Row& row) {
    if (!text_.empty()) text_ += ", ";
    const bool whole = viewer_.of(row.job->user) == Visibility::whole;
    JsonWriter json(text_);
    json.object([&] {
      append_job_summary(json, *row.job);
      append_request(json, whole ? *row.job : shared_row(*row.job));
      const auto brief =
          row.entry ? context_.service.live_jobs().answers().brief(*row.entry) : std::nullopt;
      if (brief) append_when(json, *brief, *row.job, words_of(*brief));
      if (!row.job->message.empty()) json.member("message", row.job->message);
    });
  }

  HttpContext& context_;
  Viewer viewer_;
  IsHidden hidden_;
  std::string_view accept_encoding_;  // of the request, which outlives this
  std::size_t offset_, limit_, total_ = 0, next_ = 0;
  bool searching_ = false;
  JobFilter filter_{};
  std::vector<queue::Outlook::Entry> entries_{};
  std::size_t next_entry_ = 0;
  bool others_left_ = false;  // and the jobs without an entry
  std::vector<JobId> known_{};
  std::vector<Row> rows_{};
  std::string text_{};  // of the rows so far
};

void append_places(JsonWriter& json, std::span<const NodeRange> places) {
  json.array("places", places, [&](const NodeRange& place) {
    json.array(std::initializer_list<std::uint32_t>{place.first, place.count, place.share},
               [&](std::uint32_t number) { json.value(number); });
  });
}

void append_placements(JsonWriter& json, PageService& page, JobId job) {
  const auto stay = [&](std::string_view kind, std::int64_t start_s, std::int64_t end_s,
                        std::span<const NodeRange> places) {
    json.object([&] {
      json.member("kind", kind);
      json.member("start", start_s);
      json.member("end", end_s);
      append_places(json, places);
    });
  };
  const MachineWatch& machine = page.machine();
  json.list("placements", [&] {
    for (const AllocatedNodes& gone : machine.past()) {
      if (gone.job == job) stay("past", gone.start_s, gone.end_s, gone.nodes);
    }
    const auto held = machine.allocations().find(job);
    if (held != machine.allocations().end()) {
      const AllocatedNodes& has = held->second;
      return stay(has.runs ? "running" : "promised", has.start_s, has.end_s, has.nodes);
    }
    const Forecast& forecast = page.forecast();
    for (const Forecast::Start& start : forecast.starts()) {
      if (start.job != job) continue;
      stay("forecast", start.start_s, start.end_s, std::span(forecast.places(start), start.runs));
    }
  });
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
  json.array("events", service.events().of(job, kEventsOfJob), [&](const auto& event) {
    const auto& [number, line] = event;
    const Visibility seen = service.visibility_of_event(viewer, number);
    std::string text;
    if (seen == Visibility::shared) append_shared_event(line, text);
    if (seen == Visibility::whole) text = line.substr(0, line.size() - 1);  // without the newline
    if (seen != Visibility::hidden && text.size() <= kEventBytesMax) json.json(text);
  });
}

}  // namespace

HttpResponse get_page_queue(HttpContext& context, const HttpCall& call) {
  if (context.page == nullptr) return no_page();
  const auto offset = number_of(call.target, "offset", 0, 0, INT64_C(1) << 40);
  if (!offset) return problem_of(offset.error());
  const auto limit = number_of(call.target, "limit", kRowsUsual, 1, kRowsMost);
  if (!limit) return problem_of(limit.error());
  JobFilter filter;
  const auto word_of = [&](std::string_view name, std::string& to) {
    if (const std::string* text = call.target.find(name)) to = *text;
  };
  word_of("user", filter.user);
  word_of("queue", filter.queue);
  word_of("text", filter.text);
  word_of("state", filter.state);
  std::optional<JobStage> stage;
  if (filter.state != "waiting") {
    const auto read = parse_stage(filter.state);
    if (!read) return problem_of(read.error());
    stage = *read;
  }
  const bool searching = !context.service.live_jobs().update_answers();
  auto page = std::make_shared<QueuePage>(context, call, static_cast<std::size_t>(*offset),
                                          static_cast<std::size_t>(*limit));
  page->choose(filter, stage, searching);
  return {.work = std::move(page)};
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
  return page_object(call, [&](JsonWriter& json) {
    json.object("job", [&] {
      if (row != nullptr) {
        append_row(json, seen == Visibility::whole ? *row : shared_row(*row));
      } else {
        append_job_id(json, "id", job);
        json.member("state", std::string_view("grant"));
      }
    });
    if (row != nullptr && row->waits()) {
      json.member("searching", !jobs.update_answers());
      const IsHidden hidden = context.service.hidden_from(call.request.caller);
      if (const auto answer = visible_answer(jobs.answers(), job, viewer, hidden)) {
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
}

}  // namespace copse::server
