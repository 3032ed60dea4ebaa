// SPDX-License-Identifier: Apache-2.0
//
// Records and states of a service: lines about jobs and clients beside what an engine writes, as one
// piece of bytes, so that they are on disk together or not at all.
//
//   with lines about drained nodes    0, 0, 0, 0, lines of JSON, 0; and then one of these:
//   with lines about reservations   0, 0, 0, lines of JSON, 0; and then one of these:
//   with lines about clients    0, 0, lines of JSON, 0; and then one of these:
//   with lines about jobs       0, lines of JSON, 0, the engine's bytes
//   without                     the engine's bytes, which never begin with 0
#pragma once

#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse::server {

struct JournalParts {
  std::string_view lines, engine;  // lines: about jobs, which clients may see
  std::string_view clients{};
  std::string_view reservations{};
  std::string_view drains{};
};

[[nodiscard]] std::string join_parts(const JournalParts& parts);
// Errors: invalid (an end of lines is missing).
[[nodiscard]] Result<JournalParts> split_parts(std::string_view bytes);

}  // namespace copse::server
