// SPDX-License-Identifier: Apache-2.0
//
// JournalParts: the parts of a record or state of a service: lines about jobs, clients,
// reservations, drains and usage, and the engine's bytes. They are one byte string, so that they are
// written together.
//
//   usage          0, 0, 0, 0, 0, lines of JSON, 0; followed by the next parts
//   drains         0, 0, 0, 0, lines of JSON, 0; followed by the next parts
//   reservations   0, 0, 0, lines of JSON, 0; followed by the next parts
//   clients        0, 0, lines of JSON, 0; followed by the next parts
//   jobs           0, lines of JSON, 0; followed by the engine
//   engine         bytes that do not begin with 0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "copse/error.hpp"

namespace copse::server {

struct JournalParts {
  std::string_view jobs, engine;  // jobs: lines that clients may see
  std::string_view clients{};
  std::string_view reservations{};
  std::string_view drains{};
  std::string_view usage{};
};

[[nodiscard]] std::string join_parts(const JournalParts& parts);
// Errors: invalid (a missing end of lines).
[[nodiscard]] Result<JournalParts> split_parts(std::string_view bytes);

// Applies each line of a part. Errors: those of `apply`, with the number of the line and the part: "line 3
// about jobs: …".
[[nodiscard]] Result<void> for_each_line(
    std::string_view lines, std::string_view about,
    const std::function<Result<void>(std::string_view line)>& apply);

}  // namespace copse::server
