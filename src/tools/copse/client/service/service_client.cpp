// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/service/service_client.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "base/utf8.hpp"
#include "host/output.hpp"
#include "text/counted.hpp"
#include "text/json_writer.hpp"
#include "text/split.hpp"
#include "text/tree/json_tree.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

constexpr TreeLimits kAnswerLimits{.depth_max = 500, .events_max = 50'000'000};

// The line was written by the command: its columns mean nothing to the user.
std::string_view without_column(std::string_view message) {
  constexpr std::string_view kMark = " (column ";
  const std::size_t at = message.rfind(kMark);
  if (at == message.npos || !message.ends_with(')')) return message;
  const std::string_view number =
      message.substr(at + kMark.size(), message.size() - at - kMark.size() - 1);
  const bool is = !number.empty() && number.find_first_not_of("0123456789") == number.npos;
  return is ? message.substr(0, at) : message;
}

Error refusal_of(TreeView answer) {
  const std::string_view code = answer.word("error");
  std::string text(without_column(answer.word("message")));
  if (code == "insufficient") return {ErrorCode::insufficient, std::move(text), {}};
  if (code == "infeasible") return {ErrorCode::infeasible, std::move(text), {}};
  if (code == "invalid") return {ErrorCode::invalid, std::move(text), {}};
  return {ErrorCode::invalid, fmt::format("{}: {}", code, text), {}};
}

}  // namespace

Result<Tree> read_answer(std::string_view text) {
  if (first_invalid_utf8(text) == std::string_view::npos) {
    if (auto tree = read_json_tree(text, {}, kAnswerLimits)) return std::move(*tree);
  }
  return fail(ErrorCode::invalid, fmt::format("{} is not a JSON object", shown_word(text)));
}

Result<ServiceClient> ServiceClient::of(const ClientOptions& options) {
  auto address = find_service(options);
  if (!address) return std::unexpected(address.error());
  return ServiceClient(std::move(*address));
}

Result<ServiceAnswer> ServiceClient::read(std::string_view text) const {
  while (text.ends_with('\n')) text.remove_suffix(1);
  auto tree = read_answer(text);
  if (!tree) {
    return fail(ErrorCode::io, fmt::format("the service at {} sent an unreadable answer: {}",
                                           address_.name, tree.error().message()));
  }
  ServiceAnswer out{std::string(text), std::move(*tree)};
  if (out.top().find("error")) return std::unexpected(refusal_of(out.top()));
  return out;
}

Result<ServiceAnswer> ServiceClient::ask(std::string_view line) const {
  auto answers = ask_all(std::string(line) + "\n");
  if (!answers) return std::unexpected(answers.error());
  return std::move(answers->front());
}

Result<std::vector<Result<ServiceAnswer>>> ServiceClient::ask_all(std::string_view lines) const {
  const auto reply = ask_http(address_, "POST", "/v1/batch", lines);
  if (!reply) return std::unexpected(reply.error());
  if (reply->status != 200) return std::unexpected(error_of(address_, *reply));
  std::vector<Result<ServiceAnswer>> out;
  for (std::string_view rest = reply->body; !rest.empty();) {
    out.push_back(read(take_part(rest, '\n')));
  }
  const auto sent = static_cast<std::size_t>(std::ranges::count(lines, '\n'));
  if (out.size() == sent) return out;
  return fail(ErrorCode::io, fmt::format("the service at {} sent {} to {}", address_.name,
                                         counted(out.size(), "answer"), counted(sent, "line")));
}

Result<ServiceAnswer> ServiceClient::get(std::string_view target) const {
  const auto reply = ask_http(address_, "GET", target);
  if (!reply) return std::unexpected(reply.error());
  if (reply->status != 200) return std::unexpected(error_of(address_, *reply));
  return read(reply->body);
}

std::string job_line(std::string_view op, std::int64_t id) {
  return object_text([&](JsonWriter& json) {
    json.member("op", op);
    json.member("id", id);
  });
}

int not_served(const Error& error) {
  if (error.code != ErrorCode::insufficient && error.code != ErrorCode::infeasible) {
    return unusable(error);
  }
  Error refusal = error;
  refusal.text = fmt::format("{}: {}", word(error.code), error.text);
  (void)unusable(refusal);
  return kNo;
}

int ask_and_show(const ClientOptions& options, std::string_view line,
                 const std::function<int(TreeView)>& show) {
  const auto service = ServiceClient::of(options);
  if (!service) return unusable(service.error());
  const auto answer = service->ask(line);
  if (!answer) return not_served(answer.error());
  return options.json ? write_line(answer->text) : show(answer->top());
}

int write_line(std::string_view text) { return write_text(std::string(text) + "\n"); }

}  // namespace copse
