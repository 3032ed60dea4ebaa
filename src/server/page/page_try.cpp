// SPDX-License-Identifier: Apache-2.0
//
// Will it run? The job is submitted to a copy of the queue, and the copy answers; nothing is
// changed. The copy is simulated until the job starts, to find its nodes. All in steps: other clients
// are served in between.
#include <chrono>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "explain/explanation.hpp"
#include "queue/answers/answer_text.hpp"
#include "queue/answers/what_if.hpp"
#include "server/answers/job_answers.hpp"
#include "server/fairness/time_budget.hpp"
#include "server/http/handlers/handlers.hpp"
#include "server/http/problem.hpp"
#include "server/page/page_handlers.hpp"
#include "session/protocol/request_reader.hpp"
#include "session/request_cache.hpp"

namespace copse::server {

namespace {

using SteadyClock = std::chrono::steady_clock;

// Of one step, and of each phase: a trial that takes longer is not complete.
constexpr auto kStep = std::chrono::milliseconds(2), kPhase = std::chrono::milliseconds(250);

struct TrialResult {
  std::optional<std::int64_t> start_s{};
  std::string nodes{};
  bool complete = true, denied = false;
  std::optional<queue::Answer> answer{};
};

// The queue's own steps come first, then those of its answers, then the future until the job starts.
class QueueTrial {
 public:
  // `hidden`: jobs that the answer does not name.
  QueueTrial(HttpContext& context, IsHidden hidden, const Request& request)
      : context_(context),
        hidden_(std::move(hidden)),
        request_(request),
        future_(context.service.jobs().queue(), [this](const Grant& grant) { started(grant); }) {}

  // Errors: those of JobQueue::submit.
  [[nodiscard]] Result<void> submit(const SessionRequest& line) {
    const queue::JobQueue& queue = context_.service.jobs().queue();
    const JobRowTable& table = context_.service.jobs().table();
    id_ = table.next_id();
    while (queue.engine().grant(id_) != nullptr) ++id_;
    const std::string kind = fmt::format("try {}", id_);
    const auto submitted = future_.queue().submit({.id = id_,
                                                   .submit_s = queue.engine().now(),
                                                   .duration_s = request_.duration_s,
                                                   .priority = line.priority.value_or(0),
                                                   .queue = line.queue.value_or(""),
                                                   .user = line.user.value_or(""),
                                                   .kind = kind,
                                                   .request = &request_,
                                                   .arrival = table.events().next() + 1});
    if (!submitted) return std::unexpected(submitted.error());
    return {};
  }

  // Works for one step; true: the result is there. Errors: those of Answers::of.
  [[nodiscard]] Result<bool> step() {
    TimeBudget time(kStep);
    queue::WorkBudget budget = time.budget();
    const SteadyClock::time_point begin = SteadyClock::now();
    const bool done = work(budget);
    spent_ += SteadyClock::now() - begin;
    if (!done && spent_ < kPhase) return false;
    spent_ = {};
    switch (phase_) {
      case Phase::queue:
        worked_ = done;
        out_.denied = !future_.queue().state(id_);
        if (out_.denied || out_.start_s) return true;
        answers_.emplace(future_.queue(), visible_names(hidden_));
        phase_ = Phase::answers;
        return false;
      case Phase::answers: return answer(worked_ && done);
      case Phase::future: break;
    }
    if (out_.start_s != told_s_) out_.nodes.clear();
    out_.start_s = told_s_;
    return true;
  }
  [[nodiscard]] const TrialResult& result() const { return out_; }

 private:
  enum class Phase : std::uint8_t { queue, answers, future };

  bool work(queue::WorkBudget& budget) {
    switch (phase_) {
      case Phase::queue: return future_.queue().work(budget);
      case Phase::answers: return !worked_ || answers_->work(budget);
      case Phase::future: return out_.start_s || future_.work(budget);
    }
    return true;
  }

  // The answer of `when`. If other jobs let it start earlier, its nodes are unknown.
  Result<bool> answer(bool complete) {
    out_.complete = complete;
    auto answer = answers_->of(id_);
    if (!answer) return std::unexpected(answer.error());
    hide_jobs(*answer, hidden_);
    told_s_ = answer->promised_s ? answer->promised_s : answer->expected_s;
    out_.answer = std::move(*answer);
    phase_ = Phase::future;
    return !told_s_;
  }

  void started(const Grant& grant) {
    if (grant.job != id_) return;
    out_.start_s = grant.start;
    const NodeRows& lanes = context_.page->machine().node_rows();
    std::vector<NodeRange> runs;
    (void)lanes.taken(grant.selection, runs);
    lanes.append_names(out_.nodes, runs);
  }

  HttpContext& context_;
  IsHidden hidden_;
  const Request& request_;
  JobId id_ = 0;
  TrialResult out_{};
  queue::QueueSimulation future_;
  std::optional<queue::Answers> answers_{};
  std::optional<std::int64_t> told_s_{};
  Phase phase_ = Phase::queue;
  bool worked_ = false;  // the pass of the queue is complete
  SteadyClock::duration spent_{};
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
  json.member("start", tried.start_s);
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

// REQUIRES that the request of the route outlives it.
class TryWork final : public ResponseWork {
 public:
  TryWork(HttpContext& context, const HttpRequest& asked, Request request)
      : context_(context),
        hidden_(context.service.hidden_from(asked.caller)),
        accept_encoding_(asked.accept_encoding),
        request_(std::move(request)),
        trial_(context, hidden_, request_) {}

  [[nodiscard]] Result<void> submit(const SessionRequest& line) { return trial_.submit(line); }

  bool step(HttpResponse& out, std::int64_t /*now_s*/) override {
    const auto done = trial_.step();
    if (!done) {
      out = problem_of(done.error());
      return true;
    }
    if (!*done) return false;
    const TrialResult& tried = trial_.result();
    const Engine& engine = context_.service.session().engine();
    const bool now = tried.start_s && *tried.start_s <= engine.now();
    const Explained why =
        now ? Explained() : explained(context_.service.jobs(), engine, request_, hidden_);
    out = page_object(accept_encoding_,
                      [&](JsonWriter& json) { append_tried(json, tried, engine.now(), why); });
    return true;
  }

 private:
  HttpContext& context_;
  IsHidden hidden_;
  std::string_view accept_encoding_;
  Request request_;
  QueueTrial trial_;
};

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
  auto request = request_of(texts_of(*line), context.service.session().limits().request);
  if (!request) return problem_of(request.error());
  if (line->jobspec.empty()) request->duration_s = line->duration_s.value_or(0);
  const queue::QueueDefaults& defaults = context.service.jobs().defaults();
  const std::string queue = line->queue ? std::string(*line->queue) : defaults.queue();
  if (auto ok = add_defaults(*request, defaults.of(queue), queue); !ok) {
    return problem_of(ok.error());
  }
  auto work = std::make_shared<TryWork>(context, call.request, std::move(*request));
  if (auto submitted = work->submit(*line); !submitted) return problem_of(submitted.error());
  return {.work = std::move(work)};
}

}  // namespace copse::server
