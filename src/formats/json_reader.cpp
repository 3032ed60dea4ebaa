// SPDX-License-Identifier: Apache-2.0
#include "formats/json_reader.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace copse {

namespace {

namespace ondemand = simdjson::ondemand;

constexpr int kDepthMax = 256;  // of what is passed over

}  // namespace

std::unexpected<Error> JsonReader::refuse(const char* at, std::string sentence,
                                          ErrorCode code) const {
  TextPosition position;
  position.advance(text_, std::min(static_cast<std::size_t>(at - padded_.data()), text_.size()));
  return fail(code, std::move(sentence), {file_, position.line, position.column});
}

std::unexpected<Error> JsonReader::broken(simdjson::error_code error) {
  if (error == simdjson::SCALAR_DOCUMENT_AS_VALUE) {
    return refuse(padded_.data(), "this is neither a JSON object nor an array");
  }
  const char* at = nullptr;
  if (document_.current_location().get(at)) at = padded_.data() + text_.size();
  return refuse(at, fmt::format("this is not JSON: {}", simdjson::error_message(error)));
}

std::unexpected<Error> JsonReader::broken_as_a_whole(simdjson::error_code error) const {
  if (error == simdjson::EMPTY) return refuse(padded_.data(), "the text is empty");
  return refuse(padded_.data(),
                fmt::format("this is not JSON: {}", simdjson::error_message(error)));
}

std::unexpected<Error> JsonReader::missing(const char* at, const char* what,
                                           const char* key) const {
  return refuse(at, fmt::format("{} has no key \"{}\"", what, key));
}

Result<void> JsonReader::check_utf8() const {
  const std::size_t bad = first_invalid_utf8(text_);
  if (bad == std::string_view::npos) return {};
  return refuse(padded_.data() + bad, "the text is not valid UTF-8");
}

Result<void> JsonReader::check_end() {
  const char* end = nullptr;
  if (document_.current_location().get(end)) return {};
  return refuse(end, "there is more text after the end of the JSON value");
}

Result<std::string_view> JsonReader::read_string(Value value, const std::string& what) {
  const char* at = start(value);
  std::string_view text;
  if (auto error = value.get_string().get(text)) {
    if (error != simdjson::INCORRECT_TYPE) return broken(error);
    return refuse(at, what + " must be a string");
  }
  return text;
}

Result<std::int64_t> JsonReader::read_integer(Value value, const std::string& what) {
  const char* at = start(value);
  std::int64_t number = 0;
  if (value.get_int64().get(number)) return refuse(at, what + " must be an integer");
  return number;
}

Result<double> JsonReader::read_number(Value value, const std::string& what) {
  const char* at = start(value);
  double number = 0;
  if (value.get_double().get(number)) return refuse(at, what + " must be a number");
  return number;
}

Result<void> JsonReader::pass_over(Value value, int depth) {
  const char* at = start(value);
  if (depth > kDepthMax) {
    return refuse(at, fmt::format("values are nested more than {} deep", kDepthMax),
                  ErrorCode::limit);
  }
  ondemand::json_type type{};
  if (auto error = value.type().get(type)) return broken(error);
  simdjson::error_code error = simdjson::SUCCESS;
  switch (type) {
    case ondemand::json_type::object: return pass_over_object(value, depth);
    case ondemand::json_type::array:
      return each_element(value, "", [&](auto v) { return pass_over(v, depth + 1); });
    case ondemand::json_type::string: error = value.get_string().error(); break;
    case ondemand::json_type::number: error = value.get_double().error(); break;
    case ondemand::json_type::boolean: error = value.get_bool().error(); break;
    case ondemand::json_type::null: {
      bool null = false;
      error = value.is_null().get(null);
      if (!null && error == simdjson::SUCCESS) error = simdjson::N_ATOM_ERROR;
      break;
    }
  }
  if (error) return refuse(at, fmt::format("this is not JSON: {}", simdjson::error_message(error)));
  return {};
}

Result<void> JsonReader::pass_over_object(Value value, int depth) {
  ondemand::object object;
  if (auto error = value.get_object().get(object)) return broken(error);
  for (auto next : object) {
    ondemand::field field;
    std::string_view key;
    if (auto error = std::move(next).get(field)) return broken(error);
    if (auto error = field.unescaped_key().get(key)) return broken(error);
    if (auto ok = pass_over(field.value(), depth + 1); !ok) return ok;
  }
  return {};
}

}  // namespace copse
