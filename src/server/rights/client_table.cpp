// SPDX-License-Identifier: Apache-2.0
#include "server/rights/client_table.hpp"

#include "server/jobs/journal_parts.hpp"
#include "server/rights/client_line.hpp"
#include "session/session.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kGrantsToSpare = 1024;

bool is_granted(const Engine& engine, std::int64_t id) {
  return engine.grant(Session::job_of(id)) != nullptr;
}

}  // namespace

const ClientTable::GrantRecord* ClientTable::find_grant(std::int64_t id) const {
  const auto at = grants_.find(id);
  return at == grants_.end() ? nullptr : &at->second;
}

void ClientTable::record_grant(std::int64_t id, GrantRecord record, const Engine& engine) {
  append_line(lines_,
              {.grant = id, .owner = record.owner, .request_digest = record.request_digest});
  grants_[id] = std::move(record);
  if (grants_.size() <= 2 * engine.grant_count() + kGrantsToSpare) return;
  std::erase_if(grants_, [&](const auto& one) { return !is_granted(engine, one.first); });
}

void ClientTable::record_answer(const std::string& owner, const std::string& key,
                                IdempotencyTable::Answer answer) {
  append_line(lines_, {.idempotency_key = key,
                       .owner = owner,
                       .request_digest = answer.request_digest,
                       .answer = answer.text,
                       .at = answer.at});
  answers_.keep(owner, key, std::move(answer));
}

std::string ClientTable::state(const Engine& engine) const {
  std::string out;
  for (const auto& [id, record] : grants_) {
    if (!is_granted(engine, id)) continue;
    append_line(out, {.grant = id, .owner = record.owner, .request_digest = record.request_digest});
  }
  answers_.for_each([&](const ClientLine& line) { append_line(out, line); });
  return out;
}

Result<void> ClientTable::apply(std::string_view lines, const UserOf& user_of,
                                const std::function<void(std::int64_t id)>& granted) {
  return for_each_line(lines, "clients", [&](std::string_view text) -> Result<void> {
    auto line = read_client_line(text);
    if (!line) return std::unexpected(line.error());
    if (user_of) line->owner = user_of(line->owner);
    if (line->grant) {
      if (granted) granted(*line->grant);
      grants_[*line->grant] = {std::move(line->owner), std::move(line->request_digest)};
    } else {
      answers_.keep(line->owner, line->idempotency_key,
                    {std::move(line->request_digest), std::move(line->answer), line->at});
    }
    return {};
  });
}

}  // namespace copse::server
