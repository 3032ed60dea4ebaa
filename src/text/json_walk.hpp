// SPDX-License-Identifier: Apache-2.0
//
// JsonWalk: one pass over a large JSON text by simdjson's On-Demand reader, for a grammar that
// names the members that it reads. No tree is made; strings are views into the text.
//
// Invariants
//   1. Every step returns false once something was refused, and nothing is read after that;
//      error() then has the one sentence, with line and column.
//   2. A grammar passes other values to skip(), which reads and validates them: on demand, a value
//   that is not requested is not read.
//   3. A string with escapes is unescaped into the parser's buffer, at most once: the buffer has
//      room for no more than the text. REQUIRES of the grammar: word() or skip() at most once for a
//      value; member_again() only for one that was not read.
//   4. Recursion is bounded: by the grammar's own depth, and in skip() by depth_max.
//
// Sketch: 4 bytes for each token (simdjson's index), and the strings with escapes. Memory is taken
// lazily: pages of the index that no token needs are never touched.
#pragma once

#include <simdjson.h>

// Without it simdjson's classes have other members than those of the library: the linker takes one of
// two functions of the same name, and the program reads what is not there.
#ifndef SIMDJSON_THREADS_ENABLED
#error "link simdjson::simdjson where this is included"
#endif

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "copse/error.hpp"

namespace copse {

class JsonWalk {
 public:
  using Value = simdjson::ondemand::value;
  using Object = simdjson::ondemand::object;
  using Array = simdjson::ondemand::array;
  using Type = simdjson::ondemand::json_type;

  struct Token {
    Type type = Type::null;
    std::string_view raw;        // of a scalar: its text, quotes included
    std::size_t offset = 0;      // of its first byte
    std::size_t key_offset = 0;  // of a member: of the first byte of its key
  };
  struct Bounds {
    std::size_t text_bytes_max, word_bytes_max;
    std::uint32_t depth_max;
  };

  // `readable_past` bytes after the text can be read; with fewer than simdjson needs it is copied.
  JsonWalk(std::string_view text, std::size_t readable_past, std::string_view file, Bounds bounds);

  // Starts again with another text; memory is kept. REQUIRES that no view of the last one is used.
  void restart(std::string_view text, std::size_t readable_past);

  // Indexes the text and opens its outermost object.
  [[nodiscard]] bool open(Object& root);
  // The same for an outermost value that may be an array; braces that are missing at the end are
  // then met where the text ends, and what follows the value by close().
  [[nodiscard]] bool open(Value& root, Token& token);
  // REQUIRES that all of the outermost value was read: nothing may follow it.
  [[nodiscard]] bool close();

  // visit(key, value, token) → bool, for each member; false stops.
  template <class Visit>
  [[nodiscard]] bool for_each_member(Object& object, Visit visit) {
    for (auto next : object) {
      simdjson::ondemand::field field;
      if (!check(std::move(next).get(field))) return false;
      Token token;
      std::string_view key;
      if (!look(field.value(), token) || !key_of(field, token, key)) return false;
      if (!visit(key, field.value(), std::as_const(token))) return false;
    }
    return true;
  }
  // visit(value, token) → bool, for each element; false stops.
  template <class Visit>
  [[nodiscard]] bool for_each_element(Array& array, Visit visit) {
    for (auto next : array) {
      Value value;
      if (!check(std::move(next).get(value))) return false;
      Token token;
      if (!look(value, token) || !visit(value, std::as_const(token))) return false;
    }
    return true;
  }

  // The same, of a value that must be an object or an array; `what` names it in the refusal.
  template <class Visit>
  [[nodiscard]] bool members(Value& value, const Token& token, std::string_view what, Visit visit) {
    Object opened;
    return object(value, token, what, opened) && for_each_member(opened, std::move(visit));
  }
  template <class Visit>
  [[nodiscard]] bool elements(Value& value, const Token& token, std::string_view what,
                              Visit visit) {
    Array opened;
    return array(value, token, what, opened) && for_each_element(opened, std::move(visit));
  }

  // Opens, reads and closes a document that is one object. visit: see for_each_member.
  template <class Visit>
  [[nodiscard]] bool document(Visit visit) {
    Object root;
    return open(root) && for_each_member(root, std::move(visit)) && close();
  }
  // Opens, reads and closes a document with one list: {"jobs": […], …}. entry(value, token) → bool for
  // each entry of the list, other(key, value, token) → bool for each other member.
  template <class Entry, class Other>
  [[nodiscard]] bool document_with_list(std::string_view list, Entry entry, Other other) {
    const std::string quoted = '"' + std::string(list) + '"';
    bool found = false;
    const auto member = [&](std::string_view key, Value& value, const Token& token) {
      if (key != list) return other(key, value, token);
      found = true;
      return elements(value, token, quoted, entry);
    };
    return document(member) && (found || refuse(0, "there is no key " + quoted));
  }

  // The value, if it is of that kind; `what` names it in the refusal: "\"size\" of a JGF node".
  [[nodiscard]] bool object(Value& value, const Token& token, std::string_view what, Object& out);
  [[nodiscard]] bool array(Value& value, const Token& token, std::string_view what, Array& out);
  [[nodiscard]] bool word(Value& value, const Token& token, std::string_view what,
                          std::string_view& out);
  [[nodiscard]] bool integer(const Token& token, std::string_view what, std::int64_t min,
                             std::int64_t max, std::int64_t& out);
  [[nodiscard]] bool number(Value& value, const Token& token, std::string_view what, double& out);
  [[nodiscard]] bool boolean(const Token& token, std::string_view what, bool& out);
  // Reads and validates a value of any kind, and drops it.
  [[nodiscard]] bool skip(Value& value, const Token& token, std::uint32_t depth = 1);
  // Goes back to the member of an object with `members_before` before it; visit(value, token) →
  // bool. REQUIRES that all members were read. Keys are not read again.
  template <class Visit>
  [[nodiscard]] bool member_again(Object& object, std::size_t members_before, Visit visit) {
    bool has_members = false;
    if (!check(object.reset().get(has_members))) return false;
    std::size_t i = 0;
    for (auto next : object) {
      simdjson::ondemand::field field;
      if (!check(std::move(next).get(field))) return false;
      if (i++ != members_before) continue;
      Token token;
      if (!look(field.value(), token)) return false;
      if (!visit(field.value(), std::as_const(token))) return false;
    }
    return true;
  }

  // Always false; the first refusal stays.
  bool refuse(std::size_t offset, std::string text, ErrorCode code = ErrorCode::invalid);
  [[nodiscard]] const Error& error() const { return *error_; }
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  [[nodiscard]] bool check(simdjson::error_code code) {
    return code == simdjson::SUCCESS || broken(code);
  }
  bool broken(simdjson::error_code code);
  [[nodiscard]] bool index(Type& outermost);
  bool not_a(const Token& token, std::string_view what, std::string_view kind);
  [[nodiscard]] bool take_plain(Value& value);
  [[nodiscard]] bool look(Value& value, Token& token);
  [[nodiscard]] bool key_of(simdjson::ondemand::field& field, Token& value, std::string_view& key);
  [[nodiscard]] std::size_t offset_of(const char* at) const {
    return static_cast<std::size_t>(at - text_.data());
  }

  std::string_view text_;
  std::size_t readable_past_;
  std::string file_;
  Bounds bounds_;
  simdjson::padded_string copy_;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
  std::optional<Error> error_;
};

// Which of up to 64 members an object has had: each may be given once.
class JsonOnce {
 public:
  explicit JsonOnce(JsonWalk& walk) : walk_(walk) {}
  [[nodiscard]] bool has(unsigned member) const { return (seen_ >> member & 1U) != 0; }
  [[nodiscard]] bool take(unsigned member, std::string_view key, const JsonWalk::Token& token) {
    if (has(member)) {
      return walk_.refuse(token.offset, '"' + std::string(key) + "\" is given twice");
    }
    seen_ |= std::uint64_t{1} << member;
    return true;
  }

 private:
  JsonWalk& walk_;
  std::uint64_t seen_ = 0;
};

}  // namespace copse
