// SPDX-License-Identifier: Apache-2.0
//
// What the readers of a jobspec share: numbers in the text of scalars, names, and keys.
#pragma once

#include <array>
#include <cstddef>
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

// The members of a mapping by their keys, which are in a table: one pass over the mapping, instead of one
// for each key that is asked for. members["with"] is the value of a key, if there is one; a key that the
// table does not have does not compile. O(size · keys), once.
template <const auto& kKeys>
class KnownMembers {
 public:
  struct Key {
    consteval Key(const char* name)
        : number(static_cast<std::size_t>(find_key(kKeys, name) - kKeys.data())) {}
    std::size_t number;
  };

  // Of a node that is no mapping there are none.
  explicit KnownMembers(TreeView node) {
    for (const auto& [key, value] : node.members()) {
      const KnownKey* const known = find_key(kKeys, key.text());
      if (known != nullptr) {
        values_[static_cast<std::size_t>(known - kKeys.data())] = value;
      } else if (!other_) {
        other_ = key;
      }
    }
  }

  [[nodiscard]] const std::optional<TreeView>& operator[](Key key) const {
    return values_[key.number];
  }
  // The first key that is not in the table.
  [[nodiscard]] const std::optional<TreeView>& other() const { return other_; }

 private:
  std::array<std::optional<TreeView>, kKeys.size()> values_;
  std::optional<TreeView> other_;
};

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
