// SPDX-License-Identifier: Apache-2.0
#include "text/json_walk.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_number.hpp"
#include "base/utf8.hpp"
#include "text/json_fault.hpp"

namespace copse {
namespace {

// Where the index says only that something is wrong: the first byte inside a string that must be
// escaped, or the quote that opens a string without an end. The text is UTF-8.
std::size_t bad_string(std::string_view text) {
  std::size_t opened = std::string_view::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      opened = opened == std::string_view::npos ? i : std::string_view::npos;
    } else if (opened != std::string_view::npos) {
      if (static_cast<unsigned char>(text[i]) < 0x20) return i;
      if (text[i] == '\\') ++i;
    }
  }
  return opened == std::string_view::npos ? text.size() : opened;
}

}  // namespace

JsonWalk::JsonWalk(std::string_view text, std::size_t readable_past, std::string_view file,
                   Bounds bounds)
    : text_(without_byte_order_mark(text)),
      readable_past_(readable_past),
      file_(file),
      bounds_(bounds) {}

void JsonWalk::restart(std::string_view text, std::size_t readable_past) {
  text_ = without_byte_order_mark(text);
  readable_past_ = readable_past;
  error_.reset();
}

bool JsonWalk::refuse(std::size_t offset, std::string text, ErrorCode code) {
  if (error_) return false;
  TextPosition position;
  position.advance(text_, std::min(offset, text_.size()));
  error_ = Error{code, std::move(text), {file_, position.line, position.column}};
  return false;
}

bool JsonWalk::broken(simdjson::error_code code) {
  if (error_) return false;
  switch (code) {
    case simdjson::UTF8_ERROR: return refuse(first_invalid_utf8(text_), "this byte is not UTF-8");
    case simdjson::UNESCAPED_CHARS:
      return refuse(bad_string(text_), "a control character in a string must be escaped");
    case simdjson::UNCLOSED_STRING: return refuse(bad_string(text_), "this string has no end");
    case simdjson::EMPTY: return refuse(text_.size(), "there is no JSON in this text");
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return refuse(text_.size(), "the text must end with the brace that closes the document");
    case simdjson::CAPACITY:
    case simdjson::MEMALLOC:
      return refuse(0, "no memory for the index of this text", ErrorCode::limit);
    default: break;
  }
  if (const auto fault = find_json_fault(text_)) {
    return refuse(fault->offset, "this is not JSON: " + fault->text);
  }
  const char* at = nullptr;
  if (document_.current_location().get(at) != simdjson::SUCCESS) at = text_.data() + text_.size();
  return refuse(offset_of(at), "this is not JSON: something is missing or superfluous here");
}

bool JsonWalk::index(Type& outermost) {
  if (text_.size() > bounds_.text_bytes_max) {
    return refuse(0, fmt::format("the text has more than {} bytes", bounds_.text_bytes_max),
                  ErrorCode::limit);
  }
  if (text_.find_first_not_of(kJsonBlanks) == std::string_view::npos)
    return broken(simdjson::EMPTY);
  // If braces are missing, simdjson reads the byte after the text; it must not be a brace.
  if (readable_past_ < simdjson::SIMDJSON_PADDING || text_.data()[text_.size()] != '\0') {
    copy_ = simdjson::padded_string(text_);
    text_ = copy_;
  }
  const simdjson::padded_string_view padded(text_, text_.size() + simdjson::SIMDJSON_PADDING);
  return check(parser_.iterate(padded).get(document_)) && check(document_.type().get(outermost));
}

bool JsonWalk::open(Object& root) {
  Type type{};
  if (!index(type)) return false;
  if (type == Type::object) return check(document_.get_object().get(root));
  return refuse(text_.find_first_not_of(kJsonBlanks), "the document must be a JSON object");
}

bool JsonWalk::open(Value& root, Token& token) {
  Type type{};
  if (!index(type)) return false;
  if (type == Type::object || type == Type::array) {
    return check(document_.get_value().get(root)) && look(root, token);
  }
  return refuse(text_.find_first_not_of(kJsonBlanks),
                "the document must be a JSON object or array");
}

bool JsonWalk::close() {
  const char* at = nullptr;
  if (document_.current_location().get(at) == simdjson::OUT_OF_BOUNDS) return true;
  return refuse(offset_of(at), "the JSON document ends before this, and only one is read");
}

bool JsonWalk::look(Value& value, Token& token) {
  const std::string_view raw = value.raw_json_token();
  token.offset = offset_of(raw.begin());
  if (raw.empty() || value.type().get(token.type) != simdjson::SUCCESS) {
    return refuse(token.offset, "this is not JSON: a value is missing here");
  }
  token.raw = raw;
  while (kJsonBlanks.find(token.raw.back()) != std::string_view::npos) token.raw.remove_suffix(1);
  if (token.type == Type::number && !is_json_number(token.raw)) {
    return refuse(token.offset, "this is not JSON: a number is malformed");
  }
  const bool literal = token.type == Type::boolean || token.type == Type::null;
  if (literal && token.raw != "true" && token.raw != "false" && token.raw != "null") {
    return refuse(token.offset, "this is not JSON: a word must be true, false or null");
  }
  return true;
}

bool JsonWalk::key_of(simdjson::ondemand::field& field, Token& value, std::string_view& key) {
  const char* const begin = field.key().raw();
  value.key_offset = offset_of(begin) - 1;
  const char* end = text_.data() + value.offset - 1;
  while (*end != '"') --end;  // between the key and its value are only a colon and blanks
  key = std::string_view(begin, static_cast<std::size_t>(end - begin));
  if (key.find('\\') == std::string_view::npos) return true;
  if (field.unescaped_key().get(key) == simdjson::SUCCESS) return true;
  return refuse(value.key_offset, "this string has an escape that JSON does not know");
}

bool JsonWalk::not_a(const Token& token, std::string_view what, std::string_view kind) {
  return refuse(token.offset, fmt::format("{} must be {}", what, kind));
}

bool JsonWalk::object(Value& value, const Token& token, std::string_view what, Object& out) {
  if (token.type != Type::object) return not_a(token, what, "an object");
  return check(value.get_object().get(out));
}

bool JsonWalk::array(Value& value, const Token& token, std::string_view what, Array& out) {
  if (token.type != Type::array) return not_a(token, what, "an array");
  return check(value.get_array().get(out));
}

// simdjson could read a string that was not taken as a key: "a": "b": 1 would then have the member
// "b".
bool JsonWalk::take_plain(Value& value) {
  simdjson::ondemand::raw_json_string raw;
  return check(value.get_raw_json_string().get(raw));
}

bool JsonWalk::word(Value& value, const Token& token, std::string_view what,
                    std::string_view& out) {
  if (token.type != Type::string) return not_a(token, what, "a string");
  out = token.raw.substr(1, token.raw.size() - 2);
  if (out.size() > bounds_.word_bytes_max) {
    return refuse(token.offset,
                  fmt::format("{} is longer than {} bytes", what, bounds_.word_bytes_max),
                  ErrorCode::limit);
  }
  if (out.find('\\') == std::string_view::npos) return take_plain(value);
  if (value.get_string().get(out) == simdjson::SUCCESS) return true;
  return refuse(token.offset, "this string has an escape that JSON does not know");
}

bool JsonWalk::integer(const Token& token, std::string_view what, std::int64_t min,
                       std::int64_t max, std::int64_t& out) {
  const auto number = token.type == Type::number ? json_integer(token.raw) : std::nullopt;
  if (!number || *number < min || *number > max) {
    return not_a(token, what, fmt::format("a whole number from {} to {}", min, max));
  }
  out = *number;
  return true;
}

bool JsonWalk::number(Value& value, const Token& token, std::string_view what, double& out) {
  if (token.type == Type::number && value.get_double().get(out) == simdjson::SUCCESS) return true;
  return not_a(token, what, "a number");
}

bool JsonWalk::boolean(const Token& token, std::string_view what, bool& out) {
  if (token.type != Type::boolean) return not_a(token, what, "true or false");
  out = token.raw == "true";
  return true;
}

bool JsonWalk::skip(Value& value, const Token& token, std::uint32_t depth) {
  if (depth > bounds_.depth_max) {
    return refuse(token.offset, fmt::format("more than {} levels of JSON", bounds_.depth_max),
                  ErrorCode::limit);
  }
  if (token.type == Type::object) {
    Object object;
    return check(value.get_object().get(object)) &&
           for_each_member(object, [&](std::string_view, Value& member, const Token& t) {
             return skip(member, t, depth + 1);
           });
  }
  if (token.type == Type::array) {
    Array array;
    return check(value.get_array().get(array)) &&
           for_each_element(
               array, [&](Value& element, const Token& t) { return skip(element, t, depth + 1); });
  }
  if (token.type != Type::string) return true;
  if (token.raw.find('\\') == std::string_view::npos) return take_plain(value);
  std::string_view text;
  if (value.get_string().get(text) == simdjson::SUCCESS) return true;
  return refuse(token.offset, "this string has an escape that JSON does not know");
}

}  // namespace copse
