// SPDX-License-Identifier: Apache-2.0
//
// Will it run? The job is submitted to a copy of the queue, and the copy answers; nothing is
// changed. The copy is simulated until the job starts, to find its nodes.
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "explain/explanation.hpp"
#include "queue/answers/answer_text.hpp"
#include "queue/answers/what_if.hpp"
#include "server/answers/job_answers.hpp"
#include "server/http/handlers/handlers.hpp"
#include "server/http/problem.hpp"
#include "server/page/page_handlers.hpp"
#include "session/protocol/request_reader.hpp"
#include "session/request_cache.hpp"

namespace copse::server {

namespace {

using SteadyClock = std::chrono::steady_clock;

// Other clients wait while it is simulated.
constexpr auto kPlayed = std::chrono::milliseconds(250);

struct TimeBudget {
  SteadyClock::time_point end = SteadyClock::now() + kPlayed;
  queue::WorkBudget slice{
      .expired = [](void* of) { return SteadyClock::now() >= static_cast<TimeBudget*>(of)->end; },
      .context = this};
  TimeBudget() = default;
  TimeBudget(const TimeBudget&) = delete;
  TimeBudget& operator=(const TimeBudget&) = delete;
};

struct TrialResult {
  std::optional<std::int64_t> start_s{};
  std::string nodes{};
  bool complete = true, denied = false;
  std::optional<queue::Answer> answer{};
};

class QueueTrial {
 public:
  // `hidden`: jobs that the answer does not name.
  QueueTrial(HttpContext& context, IsHidden hidden, const SessionRequest& line, Request request)
      : context_(context), hidden_(std::move(hidden)), line_(line), request_(std::move(request)) {}

  // Errors: those of JobQueue::submit.
  [[nodiscard]] Result<TrialResult> run() {
    TimeBudget budget;
    const queue::JobQueue& queue = context_.service.jobs().queue();
    const JobRowTable& table = context_.service.jobs().table();
    id_ = table.next_id();
    while (queue.engine().grant(id_) != nullptr) ++id_;
    TrialResult out;
    queue::QueueSimulation future(queue, [&](const Grant& grant) { started(grant, out); });
    const std::string kind = fmt::format("try {}", id_);
    const auto submitted = future.queue().submit({.id = id_,
                                                  .submit_s = queue.engine().now(),
                                                  .duration_s = request_.duration_s,
                                                  .priority = line_.priority.value_or(0),
                                                  .queue = line_.queue.value_or(""),
                                                  .user = line_.user.value_or(""),
                                                  .kind = kind,
                                                  .request = &request_,
                                                  .arrival = table.events().next() + 1});
    if (!submitted) return std::unexpected(submitted.error());
    const bool worked = future.queue().work(budget.slice);
    out.denied = !future.queue().state(id_);
    if (out.denied || out.start_s) return out;
    queue::Answers answers(future.queue(), visible_names(hidden_));
    out.complete = worked && answers.work(budget.slice);
    auto answer = visible_answer(answers, id_, hidden_);
    if (!answer) return std::unexpected(answer.error());
    // The answer of `when`. If other jobs let it start earlier, its nodes are unknown.
    const auto told_s = answer->promised_s ? answer->promised_s : answer->expected_s;
    out.answer = std::move(*answer);
    TimeBudget more;
    while (told_s && !out.start_s && !future.work(more.slice)) {
      if (more.slice.spend()) break;
    }
    if (out.start_s != told_s) out.nodes.clear();
    out.start_s = told_s;
    return out;
  }

 private:
  void started(const Grant& grant, TrialResult& out) const {
    if (grant.job != id_) return;
    out.start_s = grant.start;
    const plan::NodeRows& lanes = context_.page->machine().node_rows();
    std::vector<plan::NodeRange> runs;
    (void)lanes.taken(grant.selection, runs);
    lanes.append_names(out.nodes, runs);
  }

  HttpContext& context_;
  IsHidden hidden_;
  const SessionRequest& line_;
  Request request_;
  JobId id_ = 0;
};

// Why not now, or never, as for a request outside the queue: as text and as JSON.
struct Explained {
  std::string text{}, json{};
};
Explained explained(const LiveJobs& jobs, const Engine& engine, const Request& request,
                    const IsHidden& hidden) {
  const auto copy = engine.clone();
  auto prepared = copy->prepare(request);
  if (!prepared) return {.text = prepared.error().message()};
  auto explanation = copy->explain(*prepared);
  if (!explanation) return {.text = explanation.error().message()};
  hide_jobs(*explanation, hidden);
  const JobNames names = [&](std::uint64_t id) {
    std::string label = jobs.reservation_label(id);
    return label.empty() ? visible_names(hidden)(id) : label;
  };
  Explained out;
  append_explanation_text(out.text, *explanation, names);
  append_explanation_json(out.json, *explanation, names, JobMember::name);
  while (out.json.ends_with('\n')) out.json.pop_back();
  return out;
}

void append_tried(JsonWriter& json, const TrialResult& tried, std::int64_t now_s,
                  const Explained& why) {
  json.member("now", now_s);
  const bool starts_now = tried.start_s && *tried.start_s <= now_s;
  json.member("verdict", std::string_view(tried.denied    ? "never"
                                          : starts_now    ? "now"
                                          : tried.start_s ? "later"
                                                          : "unknown"));
  json.key("start");
  if (tried.start_s) {
    json.value(*tried.start_s);
  } else {
    json.json("null");
  }
  json.member("complete", tried.complete);
  if (!tried.nodes.empty()) json.member("nodes", tried.nodes);
  if (tried.answer) {
    json.key("answer");
    queue::append_answer_json(
        json.begin(), *tried.answer, [](std::uint64_t id) { return std::to_string(id); },
        JobMember::name);
  }
  if (!why.text.empty()) json.member("text", why.text);
  if (!why.json.empty()) json.member_json("explanation", why.json);
}

}  // namespace

HttpResponse post_page_try(HttpContext& context, const HttpCall& call) {
  if (context.page == nullptr) return no_page();
  const auto text = line_of(call.request.body, "submit", {});
  if (!text) return problem_of(text.error());
  SessionRequestReader reader({}, true);
  auto line = reader.read(*text, 0);
  if (!line) return problem_of(line.error());
  if (line->jobspec.empty() == !line->shape) {
    return problem(Problem::invalid, "give either \"shape\" or \"jobspec\"");
  }
  auto request = request_of(*line);
  if (!request) return problem_of(request.error());
  if (line->jobspec.empty()) request->duration_s = line->duration_s.value_or(0);
  const Engine& engine = context.service.session().engine();
  const IsHidden hidden = context.service.hidden_from(call.request.caller);
  const auto tried = QueueTrial(context, hidden, *line, *request).run();
  if (!tried) return problem_of(tried.error());
  const bool now = tried->start_s && *tried->start_s <= engine.now();
  const Explained why =
      now ? Explained() : explained(context.service.jobs(), engine, *request, hidden);
  std::string body;
  JsonWriter json(body);
  json.object([&] { append_tried(json, *tried, engine.now(), why); });
  return page_answer(call, std::move(body));
}

}  // namespace copse::server
