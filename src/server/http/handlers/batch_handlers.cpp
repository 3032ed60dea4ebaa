// SPDX-License-Identifier: Apache-2.0
//
// Many requests of the session protocol in one HTTP request: executed (/v1/batch), or tried on a
// copy of the state (/v1/simulate).
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "server/http/handlers/handlers.hpp"
#include "server/http/problem.hpp"

namespace copse::server {

namespace {

// Other clients wait while a batch runs.
constexpr std::size_t kBatchLinesMax = 10'000, kSimulateLinesMax = 1'000;
constexpr std::size_t kAnswersBytesMax = std::size_t{64} << 20;

template <class Answer>
HttpResponse answer_lines(std::string_view body, std::size_t lines_max, Answer answer) {
  const auto lines = static_cast<std::size_t>(std::ranges::count(body, '\n'));
  if (lines > lines_max) {
    return problem(Problem::too_large,
                   fmt::format("the body has {} lines; the limit is {}", lines, lines_max));
  }
  HttpResponse out;
  out.type = "application/jsonl";
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    if (out.body.size() > kAnswersBytesMax) {
      out.body +=
          "{\"error\": \"invalid\", \"message\": \"the previous answers have too many bytes: "
          "this was not executed\"}\n";
    } else if (!answer(body.substr(0, end), out.body)) {
      break;
    }
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return out;
}

}  // namespace

HttpResponse post_batch(HttpContext& context, const HttpCall& call) {
  return answer_lines(
      call.request.body, kBatchLinesMax, [&](std::string_view line, std::string& out) {
        const auto answer = context.service.answer(line, call.now_s, 0, call.request.caller);
        out += answer.text;
        return !answer.last;
      });
}

HttpResponse post_simulate(HttpContext& context, const HttpCall& call) {
  // The copy does not know whose grants there are: where jobs are private, it shows none.
  const bool private_jobs = context.service.viewer_of(call.request.caller).misses_some();
  SessionEnvironment environment;
  environment.denial_reason = [private_jobs](const SessionRequest& line) {
    const bool shows = line.op == SessionOp::info || line.op == SessionOp::explain;
    return std::string(private_jobs && shows ? "jobs of other users are private (--private-data)"
                                             : "");
  };
  Session tried = context.service.session().what_if(std::move(environment));
  return answer_lines(
      call.request.body, kSimulateLinesMax,
      [&](std::string_view line, std::string& out) { return tried.answer(line, out); });
}

}  // namespace copse::server
