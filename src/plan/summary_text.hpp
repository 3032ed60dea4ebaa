// SPDX-License-Identifier: Apache-2.0
//
// The figures of a schedule in words and as JSON, with what it was made with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/record.hpp"

namespace copse::plan {

// What a schedule was made with, so that it can be made again.
struct Provenance {
  std::string version, machine, policy, traverser;
  std::string stream{}, hres{};                    // files; empty: none
  std::vector<std::string> running{};              // files of jobs that run beside the stream
  std::string priority{};                          // the name of a rule
  std::string queues{}, reservations{}, events{};  // files
  std::vector<std::string> down{};                 // what is down, as the command line says it
  std::optional<std::int64_t> now_s{};
  std::int64_t processors_per_node = 0;  // 0: not said
  std::string hres_request{};
  // Of a stream that was generated.
  std::optional<double> offered_load{};
  std::optional<std::uint64_t> seed{};
  std::uint64_t generated_users = 0;
  std::vector<std::string> generated_queues{};
};

// The figures as one line of JSON, {"summary": {…}}, and as a few lines for people. `compared`:
// with p90_wait, promised and broken as well.
[[nodiscard]] std::string summary_json(const Summary& summary, std::string_view discipline,
                                       const Provenance& made_with, bool compared = false);
[[nodiscard]] std::string summary_text(const Summary& summary, std::string_view discipline);

}  // namespace copse::plan
