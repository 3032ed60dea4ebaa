// SPDX-License-Identifier: Apache-2.0
//
// AnswerBook: answers to requests that have a key of their client's (Idempotency-Key). Who lost an
// answer asks again, and nothing is done twice.
//
// Bounds: of each client the last kOfOne, of all the last kOfAll, none older than kAge_s. What one
// client keeps pushes out that client's first.
// Cost: O(log answers) each.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "server/rights/client_line.hpp"

namespace copse::server {

class AnswerBook {
 public:
  static constexpr std::int64_t kAge_s = 86'400;
  static constexpr std::size_t kOfAll = 100'000, kOfOne = 10'000, kKeyBytesMax = 255;

  struct Answer {
    std::string asked{};  // a digest of the request
    std::string text{};
    std::int64_t at = 0;  // seconds since 1970
  };

  // nullptr: there is none, or it is too old.
  [[nodiscard]] const Answer* find(const std::string& owner, const std::string& key,
                                   std::int64_t now_s) const;
  // In the place of one with the same key, if there is one.
  void keep(const std::string& owner, const std::string& key, Answer answer);
  [[nodiscard]] std::size_t size() const { return kept_.size(); }
  // All of them, the oldest first.
  void for_each(const std::function<void(const ClientLine& line)>& each) const;

 private:
  using Key = std::pair<std::string, std::string>;  // owner, key
  using Keys = std::list<const Key*>;               // of kept_, the oldest first
  struct Kept {
    Answer answer{};
    Keys::iterator of_all{}, of_one{};
  };
  void forget(const Key& key);

  std::map<Key, Kept> kept_{};
  Keys all_{};
  std::unordered_map<std::string, Keys> by_owner_{};
};

}  // namespace copse::server
