// SPDX-License-Identifier: Apache-2.0
#include "server/rights/client_book.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "server/rights/client_line.hpp"
#include "session/session.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kGrantsToSpare = 1024;

bool is_granted(const Engine& engine, std::int64_t id) {
  return engine.grant(Session::job_of(id)) != nullptr;
}

}  // namespace

const ClientBook::Taken* ClientBook::find_grant(std::int64_t id) const {
  const auto at = grants_.find(id);
  return at == grants_.end() ? nullptr : &at->second;
}

void ClientBook::take_grant(std::int64_t id, Taken taken, const Engine& engine) {
  append_line(lines_, {.grant = id, .owner = taken.owner, .asked = taken.asked});
  grants_[id] = std::move(taken);
  if (grants_.size() <= 2 * engine.grant_count() + kGrantsToSpare) return;
  std::erase_if(grants_, [&](const auto& one) { return !is_granted(engine, one.first); });
}

void ClientBook::keep_answer(const std::string& owner, const std::string& key,
                             AnswerBook::Answer answer) {
  append_line(
      lines_,
      {.once = key, .owner = owner, .asked = answer.asked, .answer = answer.text, .at = answer.at});
  answers_.keep(owner, key, std::move(answer));
}

std::string ClientBook::state(const Engine& engine) const {
  std::string out;
  for (const auto& [id, taken] : grants_) {
    if (!is_granted(engine, id)) continue;
    append_line(out, {.grant = id, .owner = taken.owner, .asked = taken.asked});
  }
  answers_.for_each([&](const ClientLine& line) { append_line(out, line); });
  return out;
}

Result<void> ClientBook::apply(std::string_view lines, const UserOf& user_of) {
  for (std::size_t number = 1; !lines.empty(); ++number) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    auto line = read_client_line(lines.substr(0, end));
    if (!line) {
      return fail(line.error().code,
                  fmt::format("line {} about clients: {}", number, line.error().message()));
    }
    if (user_of) line->owner = user_of(line->owner);
    if (line->grant) {
      grants_[*line->grant] = {std::move(line->owner), std::move(line->asked)};
    } else {
      answers_.keep(line->owner, line->once,
                    {std::move(line->asked), std::move(line->answer), line->at});
    }
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return {};
}

}  // namespace copse::server
