// SPDX-License-Identifier: Apache-2.0
//
// IdempotencyTable: the answers to requests with an Idempotency-Key. A client that lost an answer
// repeats the request and gets the same answer; nothing is done twice.
//
// Bounds: the last kEntriesPerOwnerMax of each client, the last kEntriesMax of all, none older than
// kAge_s. An entry of a client evicts that client's oldest entry first. Cost: O(log entries) each.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "server/rights/client_line.hpp"

namespace copse::server {

class IdempotencyTable {
 public:
  static constexpr std::int64_t kAge_s = 86'400;
  static constexpr std::size_t kEntriesMax = 100'000, kEntriesPerOwnerMax = 10'000,
                               kKeyBytesMax = 255;

  struct Answer {
    std::string request_digest{};  // of the request
    std::string text{};
    std::int64_t at = 0;  // seconds since 1970
  };

  // nullptr: unknown or expired.
  [[nodiscard]] const Answer* find(const std::string& owner, const std::string& key,
                                   std::int64_t now_s) const;
  // Replaces an entry with the same key.
  void keep(const std::string& owner, const std::string& key, Answer answer);
  [[nodiscard]] std::size_t size() const { return kept_.size(); }
  // All entries, oldest first.
  void for_each(const std::function<void(const ClientLine& line)>& each) const;

 private:
  using Key = std::pair<std::string, std::string>;  // owner, key
  using Keys = std::list<const Key*>;               // of kept_, oldest first
  struct Kept {
    Answer answer{};
    Keys::iterator in_all{}, in_own{};
  };
  void erase_entry(const Key& key);

  std::map<Key, Kept> kept_{};
  Keys all_{};
  std::unordered_map<std::string, Keys> by_owner_{};
};

}  // namespace copse::server
