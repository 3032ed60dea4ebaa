// SPDX-License-Identifier: Apache-2.0
//
// Errors of the library. Every function that can fail returns Result<T>; no exception crosses a
// folder. An Error has a code for programs, one sentence for people, and the location of the cause.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace copse {

enum class ErrorCode : std::uint8_t {
  invalid,       // the input breaks a rule of its format; the sentence names the rule
  limit,         // the input exceeds a bound; the sentence names the bound
  not_found,     // a path, job, file or name that does not exist
  exists,        // a name or job id that is taken already
  insufficient,  // not now: the request would fit an empty system
  infeasible,    // never: the request does not fit even an empty system
  unsupported,   // valid, but not supported by this version
  io,            // the operating system refused a file
};

// Where in an input the cause is; line and column count from 1, 0 means unknown.
struct SourceLocation {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  // "file:line:column", without the parts that are unknown; empty if nothing is known.
  [[nodiscard]] std::string text() const;
};

struct Error {
  ErrorCode code = ErrorCode::invalid;
  std::string text;  // one sentence, without the location and without a final newline
  SourceLocation place;

  // "location: text", or the text alone if the location is unknown.
  [[nodiscard]] std::string message() const;
};

template <class T>
using Result = std::expected<T, Error>;

// Shorthand for `return fail(ErrorCode::limit, "...")` in a function that returns Result<T>.
[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string text,
                                                 SourceLocation place = {}) {
  return std::unexpected(Error{code, std::move(text), std::move(place)});
}

// The error, with the file as its place if it has none.
[[nodiscard]] inline std::unexpected<Error> in_file(Error error, const std::string& file) {
  if (error.place.file.empty()) error.place.file = file;
  return std::unexpected(std::move(error));
}

// A stable word for a code: "invalid", "limit", …
[[nodiscard]] const char* word(ErrorCode code);

}  // namespace copse
