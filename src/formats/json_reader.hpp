// SPDX-License-Identifier: Apache-2.0
//
// What a reader of one JSON text needs around simdjson: members and elements one by one, errors
// with line and column. simdjson reads on demand, so that a value nobody asks for goes unchecked: a
// reader asks for every value, with pass_over() for those that it has no use for.
//
// Cost: O(length), and a copy of the text; a place costs O(length), once, when something is
// refused.
#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <string>
#include <string_view>
#include <unordered_set>

#include "copse/error.hpp"
#include "formats/xml_text.hpp"

namespace copse {

class JsonReader {
 public:
  JsonReader(std::string_view text, std::string_view file)
      : text_(text), file_(file), padded_(text) {}

 protected:
  using Value = simdjson::ondemand::value;

  // Calls visit(value) for the outermost value, and checks that there is nothing behind it.
  template <class Visit>
  Result<void> read_document(Visit visit) {
    if (auto ok = check_utf8(); !ok) return ok;
    Value root;
    if (auto error = parser_.iterate(padded_).get(document_)) return broken_as_a_whole(error);
    if (auto error = document_.get_value().get(root)) return broken(error);
    if (auto ok = visit(root); !ok) return ok;
    return check_end();
  }

  // Calls visit(key, where the key stands, value) for each member of an object. Errors: invalid,
  // if `value` is none, or has a key twice.
  template <class Visit>
  Result<void> each_member(Value value, const std::string& what, Visit visit) {
    const char* at = start(value);
    simdjson::ondemand::object object;
    if (auto error = value.get_object().get(object)) {
      if (error != simdjson::INCORRECT_TYPE) return broken(error);
      return refuse(at, fmt::format("{} must be an object", what));
    }
    std::unordered_set<std::string> met;
    for (auto next : object) {
      simdjson::ondemand::field field;
      std::string_view unescaped;
      if (auto error = std::move(next).get(field)) return broken(error);
      const char* key_at = field.key().raw() - 1;
      if (auto error = field.unescaped_key().get(unescaped)) return broken(error);
      const auto [key, fresh] = met.emplace(unescaped);
      if (!fresh) {
        return refuse(key_at, fmt::format("{} has the key {} twice", what, xml::quoted(*key)));
      }
      if (auto ok = visit(*key, key_at, field.value()); !ok) return ok;
    }
    return {};
  }
  // Calls visit(value) for each element of an array. Errors: invalid, if `value` is none.
  template <class Visit>
  Result<void> each_element(Value value, const std::string& what, Visit visit) {
    const char* at = start(value);
    simdjson::ondemand::array array;
    if (auto error = value.get_array().get(array)) {
      if (error != simdjson::INCORRECT_TYPE) return broken(error);
      return refuse(at, fmt::format("{} must be an array", what));
    }
    for (auto next : array) {
      simdjson::ondemand::value element;
      if (auto error = std::move(next).get(element)) return broken(error);
      if (auto ok = visit(element); !ok) return ok;
    }
    return {};
  }
  // Errors: invalid, if `value` is not what is asked for. The text stays good while this lives.
  Result<std::string_view> read_string(Value value, const std::string& what);
  Result<std::int64_t> read_integer(Value value, const std::string& what);
  Result<double> read_number(Value value, const std::string& what);
  Result<void> pass_over(Value value, int depth = 0);

  static const char* start(Value& value) { return value.raw_json_token().data(); }
  [[nodiscard]] std::unexpected<Error> refuse(const char* at, std::string sentence,
                                              ErrorCode code = ErrorCode::invalid) const;
  [[nodiscard]] std::unexpected<Error> broken(simdjson::error_code error);
  [[nodiscard]] std::unexpected<Error> missing(const char* at, const char* what,
                                               const char* key) const;

 private:
  // The same where there is no document to ask for a place.
  [[nodiscard]] std::unexpected<Error> broken_as_a_whole(simdjson::error_code error) const;
  Result<void> check_utf8() const;
  Result<void> check_end();
  Result<void> pass_over_object(Value value, int depth);

  std::string_view text_;
  std::string file_;
  simdjson::padded_string padded_;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
};

}  // namespace copse
