// SPDX-License-Identifier: Apache-2.0
//
// Whether a service has granted a core to two at the same time: told from the texts of its answers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/idset.hpp"
#include "session/session.hpp"

namespace copse::server {

// Of an R: what stands behind `key`, from `at` on; `at` is then behind it. "": nothing more.
inline std::string_view next_text(std::string_view r, std::string_view key, std::size_t& at) {
  const std::size_t begin = r.find(key, at);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = r.find_first_of(key.ends_with('"') ? "\"" : ",}", begin + key.size());
  at = end;
  return r.substr(begin + key.size(), end - begin - key.size());
}

// "": none is.
inline std::string granted_twice(Session& session) {
  struct Use {
    std::int64_t from_s, until_s;
    JobId job;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Use>> uses;  // by rank and core
  for (const JobId job : session.engine().jobs()) {
    std::string text;
    session.append_grant(job, text);
    std::size_t at = 0, behind = 0;
    Use use{0, INT64_MAX, job};
    use.from_s = std::stoll(std::string(next_text(text, "\"starttime\": ", behind)));
    const auto end_s = std::stoll(std::string(next_text(text, "\"expiration\": ", behind)));
    if (end_s != 0) use.until_s = end_s;
    for (;;) {
      const auto ranks = Idset::parse(next_text(text, "\"rank\": \"", at));
      const auto cores = Idset::parse(next_text(text, "\"core\": \"", at));
      if (!ranks || !cores) return "an R can't be read: " + text;
      if (ranks->empty()) break;
      for (const auto& [first_rank, last_rank] : ranks->ranges()) {
        for (std::int64_t rank = first_rank; rank <= last_rank; ++rank) {
          for (const auto& [first_core, last_core] : cores->ranges()) {
            for (std::int64_t core = first_core; core <= last_core; ++core) {
              uses[{rank, core}].push_back(use);
            }
          }
        }
      }
    }
  }
  for (const auto& [unit, all] : uses) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (all[i].from_s < all[j].until_s && all[j].from_s < all[i].until_s) {
          return fmt::format("rank {} core {} is granted to {} and {}", unit.first, unit.second,
                             all[i].job, all[j].job);
        }
      }
    }
  }
  return {};
}

}  // namespace copse::server
