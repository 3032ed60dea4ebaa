// SPDX-License-Identifier: Apache-2.0
//
// ClientTable: what a service stores about clients: the owner and the request of each grant, and
// answers for idempotent retries.
//
// Invariant: the lines of take_lines(), applied in order to a table with the lines of an earlier
// state, make this table, except for grants that have ended.
//
// Memory: about 200 bytes a grant, and an IdempotencyTable.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "copse/engine.hpp"
#include "server/rights/idempotency_table.hpp"
#include "server/rights/user_names.hpp"

namespace copse::server {

// Identifies a request that a client may retry: its digest, and its Idempotency-Key; "": none.
struct RequestIdentity {
  std::string digest{}, key{};
};

class ClientTable {
 public:
  struct GrantRecord {
    std::string owner{};
    std::string request_digest{};  // "": unknown
  };

  // nullptr: unknown.
  [[nodiscard]] const GrantRecord* find_grant(std::int64_t id) const;
  // Records of ended grants are removed now and then: amortized O(1) a grant.
  void record_grant(std::int64_t id, GrantRecord record, const Engine& engine);

  [[nodiscard]] const IdempotencyTable& answers() const { return answers_; }
  void record_answer(const std::string& owner, const std::string& key,
                     IdempotencyTable::Answer answer);

  // The lines since the last call, for the next record.
  [[nodiscard]] std::string take_lines() { return std::exchange(lines_, {}); }
  // The whole content as lines. O(content).
  [[nodiscard]] std::string state(const Engine& engine) const;
  // `user_of`: today's user names. `granted` receives the id of each grant. Errors: invalid, with
  // the line.
  [[nodiscard]] Result<void> apply(std::string_view lines, const UserOf& user_of = {},
                                   const std::function<void(std::int64_t id)>& granted = {});

 private:
  std::unordered_map<std::int64_t, GrantRecord> grants_{};
  IdempotencyTable answers_{};
  std::string lines_{};
};

}  // namespace copse::server
