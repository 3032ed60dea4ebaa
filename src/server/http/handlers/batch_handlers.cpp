// SPDX-License-Identifier: Apache-2.0
//
// Many requests of the session protocol in one HTTP request: executed (/v1/batch), or tried on a
// copy of the state (/v1/simulate). Each line is one step: other clients are served in between.
#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "server/http/handlers/handlers.hpp"
#include "server/http/problem.hpp"
#include "text/split.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kBatchLinesMax = 10'000, kSimulateLinesMax = 1'000;
constexpr std::size_t kAnswersBytesMax = std::size_t{64} << 20;

// Answers one line in each step; a dear one in several.
class LinesWork : public ResponseWork {
 public:
  explicit LinesWork(std::string_view body) : rest_(body) {}

  bool step(HttpResponse& out, std::int64_t now_s) final {
    if (works_) {
      works_ = !work(now_s, out.body);
      return !works_ && rest_.empty();
    }
    if (rest_.empty()) return true;
    const std::string_view line = take_part(rest_, '\n');
    if (out.body.size() > kAnswersBytesMax) {
      out.body +=
          "{\"error\": \"invalid\", \"message\": \"the previous answers have too many bytes: "
          "this was not executed\"}\n";
    } else if (!answer(line, now_s, out.body)) {
      return true;
    }
    return rest_.empty() && !works_;
  }

 protected:
  // The line is not answered yet: work() does it.
  void begin_work() { works_ = true; }

 private:
  // False: it ends the session.
  virtual bool answer(std::string_view line, std::int64_t now_s, std::string& out) = 0;
  // True: the line is answered.
  virtual bool work(std::int64_t /*now_s*/, std::string& /*out*/) { return true; }

  std::string_view rest_;
  bool works_ = false;
};

class Batch final : public LinesWork {
 public:
  Batch(HttpContext& context, const HttpRequest& request)
      : LinesWork(request.body), service_(context.service), caller_(request.caller) {}

 private:
  bool answer(std::string_view line, std::int64_t now_s, std::string& out) override {
    auto answer = service_.begin(line, now_s, 0, caller_);
    work_ = std::move(answer.work);
    if (work_ != nullptr) begin_work();
    if (work_ == nullptr) append_line(out, answer.value);
    return !answer.value.last;
  }
  bool work(std::int64_t now_s, std::string& out) override {
    Service::Answer answer;
    if (!work_->step(now_s, answer)) return false;
    work_.reset();
    append_line(out, answer.value);
    return true;
  }

  Service& service_;
  Caller caller_;
  std::shared_ptr<Service::Work> work_{};  // of the line that is not answered yet
};

class Simulate final : public LinesWork {
 public:
  Simulate(HttpContext& context, const HttpRequest& request)
      : LinesWork(request.body),
        tried_(context.service.session().what_if()),
        misses_some_(context.service.viewer_of(request.caller).misses_some()) {}

 private:
  // The copy does not know whose grants there are: where jobs are private, it shows none.
  bool answer(std::string_view line, std::int64_t /*now_s*/, std::string& out) override {
    const auto request = tried_.read(line);
    if (!request) {
      answer_.refuse(request.error());
    } else if (misses_some_ && shows_grants(request->op)) {
      answer_.forbid("jobs of other users are private (--private-data)");
    } else {
      tried_.answer(*request, {}, answer_);
    }
    append_line(out, answer_);
    return !answer_.last;
  }
  static bool shows_grants(SessionOp op) {
    return op == SessionOp::info || op == SessionOp::explain;
  }

  Session tried_;
  SessionAnswer answer_{};
  bool misses_some_;
};

template <class Work>
HttpResponse lines_response(HttpContext& context, const HttpRequest& request,
                            std::size_t lines_max) {
  const auto lines = static_cast<std::size_t>(std::ranges::count(request.body, '\n'));
  if (lines > lines_max) {
    return problem(Problem::too_large,
                   fmt::format("the body has {} lines; the limit is {}", lines, lines_max));
  }
  return {.type = "application/jsonl", .work = std::make_shared<Work>(context, request)};
}

}  // namespace

HttpResponse post_batch(HttpContext& context, const HttpCall& call) {
  return lines_response<Batch>(context, call.request, kBatchLinesMax);
}

HttpResponse post_simulate(HttpContext& context, const HttpCall& call) {
  return lines_response<Simulate>(context, call.request, kSimulateLinesMax);
}

}  // namespace copse::server
