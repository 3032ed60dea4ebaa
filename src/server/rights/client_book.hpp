// SPDX-License-Identifier: Apache-2.0
//
// ClientBook: what a service remembers of its clients: whose each grant is, and what was asked for
// under its id; and answers that are to be given again.
//
// Invariant: lines of take_lines(), applied in order to a book with the lines of an earlier state, make
// this book, but for grants that are no more.
//
// Memory: some 200 bytes a grant, and an AnswerBook.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "copse/engine.hpp"
#include "server/rights/answer_book.hpp"
#include "server/rights/user_names.hpp"

namespace copse::server {

// What a client may ask for again: a digest of its request, and its key (Idempotency-Key); "": it has
// none.
struct AskedFor {
  std::string digest{}, key{};
};

class ClientBook {
 public:
  struct Taken {
    std::string owner{};
    std::string asked{};  // a digest of the request; "": none is known
  };

  // nullptr: nobody knows.
  [[nodiscard]] const Taken* find_grant(std::int64_t id) const;
  // Grants that are no more are forgotten now and then, so that it costs O(1) a grant.
  void take_grant(std::int64_t id, Taken taken, const Engine& engine);

  [[nodiscard]] const AnswerBook& answers() const { return answers_; }
  void keep_answer(const std::string& owner, const std::string& key, AnswerBook::Answer answer);

  // What was written down since the last call, as lines; then they are in a record.
  [[nodiscard]] std::string take_lines() { return std::exchange(lines_, {}); }
  // All that counts, as lines. O(what there is).
  [[nodiscard]] std::string state(const Engine& engine) const;
  // `user_of`: how users are called by now. Errors: invalid, with the line.
  [[nodiscard]] Result<void> apply(std::string_view lines, const UserOf& user_of = {});

 private:
  std::unordered_map<std::int64_t, Taken> grants_{};
  AnswerBook answers_{};
  std::string lines_{};
};

}  // namespace copse::server
