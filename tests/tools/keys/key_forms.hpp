// SPDX-License-Identifier: Apache-2.0
//
// Texts for tests of tables of keys: valid ones around each key, and wrong variants of them.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/known_key.hpp"

namespace copse {

using Members = std::map<std::string, std::string>;  // values as in the text

enum class Syntax : std::uint8_t { json, toml_inline, toml_lines };

// A mapping of a file: its keys, and a valid text around it.
struct Form {
  std::string name = {};
  KnownKeys keys = {};
  Syntax syntax = Syntax::json;
  std::vector<std::string> words = {};  // the command; the file is `made`
  std::string before = {}, after = {};
  Members needed = {};                                        // in every text
  Members good = {};                                          // a value for each other key
  std::map<std::string, std::set<std::string>> without = {};  // needed keys that exclude the key
  std::set<std::string> right = {};  // "key value": looks wrong, and is right for a reason below
};

// For messages of tests.
void PrintTo(const Form& form, std::ostream* out);

// The text of the form with these members.
[[nodiscard]] std::string text_of(const Form& form, const Members& members);

// A good mapping that has the key.
[[nodiscard]] Members members_with(const Form& form, const std::string& key);

// Two neighbours swapped, or a letter twice.
[[nodiscard]] std::string misspelt(std::string_view key, KnownKeys keys);

// Values of other kinds, empty texts, and numbers that are too large.
[[nodiscard]] std::vector<std::string> wrong_values(const KnownKey& key, Syntax syntax);

// A resource of a jobspec that works on every machine here.
[[nodiscard]] std::string slot_of_a_core();

// Of every table of keys that readers of files have.
[[nodiscard]] std::vector<Form> key_forms();

}  // namespace copse
