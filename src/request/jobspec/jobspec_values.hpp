// SPDX-License-Identifier: Apache-2.0
//
// What the readers of a jobspec share: numbers in the text of scalars, names, and keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/known_key.hpp"
#include "request/jobspec/jobspec_words.hpp"
#include "text/tree/tree.hpp"

namespace copse {

// A decimal integer with an optional sign, as in YAML's core schema. Beyond INT64_MAX it is
// INT64_MAX, below zero it is -1: callers only compare with bounds. nullopt: not an integer.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

// A decimal number, or infinity and NaN with or without YAML's leading dot. What is too large for
// a double is infinity, what is too small is zero or the smallest double. nullopt: not a number.
[[nodiscard]] std::optional<double> parse_seconds(std::string_view text);

// Whether a scalar is a string: a word that JSON or YAML reads as a number or truth value is one
// only in quotes.
[[nodiscard]] bool is_jobspec_string(TreeView node);

// The text of a scalar: a type, label, unit or queue. Errors: invalid; limit (more than 1,024 bytes).
[[nodiscard]] Result<std::string> read_jobspec_name(TreeView node, std::string_view key);

// The first key of a mapping that is not among `keys`. O(size · keys).
[[nodiscard]] std::optional<TreeView> first_other_key(TreeView mapping, KnownKeys keys);
// Refuses such a key: with Fluxion's sentence, or with the known keys.
[[nodiscard]] std::unexpected<Error> refuse_key(TreeView key, KnownKeys keys, JobspecWords words,
                                                std::string_view fluxion_sentence);
// For a mapping in which other programs may have keys (RFC 14). In Copse's words, a key that is similar to
// a known one is refused: without its duration a job would never end.
[[nodiscard]] Result<void> check_spelling(TreeView mapping, KnownKeys keys,
                                          JobspecWords words = JobspecWords::own);

// Stores a value that was read, or returns its error.
template <class T>
[[nodiscard]] Result<void> keep(Result<T> read, T& to) {
  if (!read) return std::unexpected(std::move(read.error()));
  to = std::move(*read);
  return {};
}

// Whether a word may be a property of a resource, "name" or "^name": a sentence if not.
[[nodiscard]] std::string wrong_resource_property(std::string_view word);

}  // namespace copse
