// SPDX-License-Identifier: Apache-2.0
//
// JsonWriter: writes JSON values into a string and sets commas, colons and brackets between them,
// with ", " and ": " as separators, as readers of other tools expect them.
//
//   JsonWriter json(out);
//   json.object([&] {
//     json.member("id", 3);
//     json.array("ranks", ranks, [&](std::int64_t rank) { json.value(rank); });
//   });
//
// REQUIRES that a key is followed by one value, and that a value in an object has a key before it.
// Cost: one bit of state, and the text.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "base/idset.hpp"
#include "text/json_text.hpp"

namespace copse {

class JsonWriter {
 public:
  // Appends to `out`, which must outlive it. Others may append to it between values.
  explicit JsonWriter(std::string& out) : out_(out) {}

  void key(std::string_view name) {
    append_json(begin(), name);
    out_ += ": ";
    first_ = true;
  }

  void value(std::string_view text) { append_json(begin(), text); }
  void value(const Idset& ids) {
    begin() += '"';
    ids.append_text(out_);
    out_ += '"';
  }
  template <std::integral Number>
  void value(Number number) {
    if constexpr (std::same_as<Number, bool>) {
      begin() += number ? "true" : "false";
    } else {
      append_number(begin(), number);
    }
  }
  // Nothing is null.
  template <class Value>
  void value(const std::optional<Value>& of) {
    of ? value(*of) : json("null");
  }
  // A value that is JSON already.
  void json(std::string_view text) { begin() += text; }
  // Begins a value that the caller appends to the string.
  std::string& begin() {
    if (!first_) out_ += ", ";
    first_ = false;
    return out_;
  }

  template <class Value>
  void member(std::string_view name, const Value& of) {
    key(name);
    value(of);
  }
  void member_json(std::string_view name, std::string_view text) {
    key(name);
    json(text);
  }

  // `body` writes the members.
  template <class Body>
  void object(Body body) {
    open('{');
    body();
    close('}');
  }
  template <class Body>
  void object(std::string_view name, Body body) {
    key(name);
    object(body);
  }
  // `each` writes one value for each element of the list.
  template <class List, class Each>
  void array(const List& list, Each each) {
    open('[');
    for (const auto& element : list) each(element);
    close(']');
  }
  template <class List, class Each>
  void array(std::string_view name, const List& list, Each each) {
    key(name);
    array(list, each);
  }

  // `body` writes the values.
  template <class Body>
  void list(std::string_view name, Body body) {
    key(name);
    open('[');
    body();
    close(']');
  }

  // Brackets on their own, for text that is handed over in pieces.
  void open(char bracket) {
    begin() += bracket;
    first_ = true;
  }
  void close(char bracket) {
    out_ += bracket;
    first_ = false;
  }

 private:
  std::string& out_;
  bool first_ = true;  // no comma comes before the next value or key
};

// The text of one object; body(JsonWriter&) writes its members.
template <class Body>
[[nodiscard]] std::string object_text(Body body) {
  std::string out;
  JsonWriter json(out);
  json.object([&] { body(json); });
  return out;
}

}  // namespace copse
