// SPDX-License-Identifier: Apache-2.0
//
// The figures of a schedule as text and as JSON, with its inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/record.hpp"

namespace copse::plan {

// The inputs of a schedule, so that it can be repeated.
struct Provenance {
  std::string version, machine, policy, traverser;
  std::string stream{}, hres{};                    // files; empty: none
  std::vector<std::string> running{};              // files of jobs outside the stream
  std::string priority{};                          // the name of a rule
  std::string queues{}, reservations{}, events{};  // files
  std::vector<std::string> down{};                 // as on the command line
  std::optional<std::int64_t> now_s{};
  std::int64_t processors_per_node = 0;  // 0: not set
  std::string hres_request{};
  // Of a generated stream.
  std::optional<double> offered_load{};
  std::optional<std::uint64_t> seed{};
  std::uint64_t generated_users = 0;
  std::vector<std::string> generated_queues{};
};

// The figures as one line of JSON, {"summary": {…}}, and as a few lines of text. Figures over no job
// are null.
[[nodiscard]] std::string summary_json(const Summary& summary, std::string_view discipline,
                                       const Provenance& made_with);
[[nodiscard]] std::string summary_text(const Summary& summary, std::string_view discipline);
// A line with the commonest reason for which jobs were refused; "": none was refused.
[[nodiscard]] std::string refusal_text(const Summary& summary);

}  // namespace copse::plan
