// SPDX-License-Identifier: Apache-2.0
#include "text/tree/json_tree.hpp"

#include <simdjson.h>

#include <utility>

#include "base/json_number.hpp"
#include "base/utf8.hpp"
#include "text/json_fault.hpp"
#include "text/json_text.hpp"

namespace copse {
namespace {

namespace ondemand = simdjson::ondemand;

// Of such a text a character's column is its offset; what programs write as JSON is seldom more.
bool is_one_ascii_line(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(kJsonBlanks) + 1);
  unsigned all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80 && text.find('\n') == std::string_view::npos;
}

// Without the blanks between it and the next token.
std::string_view without_blanks(std::string_view token) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!token.empty() && is_blank(token.back())) token.remove_suffix(1);
  return token;
}

// Walks the text once. Every step returns false to stop; then either `refused` has the builder's
// error, or the text is not strict JSON. Recursion is bounded by the builder's depth. Texts of scalars
// are parts of the copy that the builder keeps, but for strings with escapes.
class JsonReader {
 public:
  JsonReader(std::string_view text, std::string_view file, const TreeLimits& limits)
      : one_ascii_line_(is_one_ascii_line(text)),
        has_escapes_(text.find('\\') != std::string_view::npos),
        builder_(file, text, simdjson::SIMDJSON_PADDING, limits),
        text_(builder_.document(), text.size()) {}

  std::optional<Result<Tree>> read() {
    if (text_.size() > kShort) {
      ondemand::parser parser;
      return read(parser);
    }
    // A parser has memory for the longest text that it has read.
    thread_local ondemand::parser parser;
    return read(parser);
  }

 private:
  static constexpr std::size_t kShort = std::size_t{64} << 10;

  std::optional<Result<Tree>> read(ondemand::parser& parser) {
    ondemand::document document;
    ondemand::object root;
    const simdjson::padded_string_view padded(text_, text_.size() + simdjson::SIMDJSON_PADDING);
    if (parser.iterate(padded).get(document)) return std::nullopt;
    if (document.get_object().get(root)) return std::nullopt;
    const bool whole = read_object(root, text_.find('{')) &&
                       document.current_location().error() == simdjson::OUT_OF_BOUNDS;
    if (refused_) return std::unexpected(std::move(*refused_));
    if (!whole) return std::nullopt;
    return builder_.finish();
  }

  bool read_object(ondemand::object& object, std::size_t offset) {
    if (!open(TreeNode::Kind::mapping, offset)) return false;
    for (auto next : object) {
      if (next.error()) return false;
      ondemand::field&& field = std::move(next).value_unsafe();  // not a copy
      if (!read_key(field) || !read_value(field.value())) return false;
    }
    return close();
  }

  bool read_key(ondemand::field& field) {
    const char* const begin = field.key().raw();
    const char* end = field.value().raw_json_token().data() - 1;
    while (*end != '"') --end;  // between a key and its value are only a colon and blanks
    const std::size_t offset = offset_of(begin) - 1;  // raw() skips the quote
    const std::string_view raw(begin, static_cast<std::size_t>(end - begin));
    if (!is_escaped(raw)) return part(raw, false, offset);
    std::string_view key;
    return !field.unescaped_key().get(key) && scalar(key, offset);
  }

  bool read_array(ondemand::array& array, std::size_t offset) {
    if (!open(TreeNode::Kind::sequence, offset)) return false;
    for (auto next : array) {
      ondemand::value value;
      if (std::move(next).get(value)) return false;
      if (!read_value(value)) return false;
    }
    return close();
  }

  bool read_value(ondemand::value& value) {
    ondemand::json_type type{};
    if (value.type().get(type)) return false;
    const std::string_view token = without_blanks(value.raw_json_token());
    const char* const begin = token.data();
    const std::size_t offset = offset_of(begin);
    switch (type) {
      case ondemand::json_type::object: {
        ondemand::object object;
        return !value.get_object().get(object) && read_object(object, offset);
      }
      case ondemand::json_type::array: {
        ondemand::array array;
        return !value.get_array().get(array) && read_array(array, offset);
      }
      case ondemand::json_type::string: return read_string(value, token, offset);
      default: {
        const bool legal =
            token == "true" || token == "false" || token == "null" || is_json_number(token);
        return legal && part(token, true, offset);
      }
    }
  }

  // simdjson could read a string that was not taken as a key.
  bool read_string(ondemand::value& value, std::string_view token, std::size_t offset) {
    const std::string_view raw = token.substr(1, token.size() - 2);
    if (!is_escaped(raw)) {
      ondemand::raw_json_string taken;
      return !value.get_raw_json_string().get(taken) && part(raw, false, offset);
    }
    std::string_view text;
    return !value.get_string().get(text) && scalar(text, offset);
  }

  [[nodiscard]] bool is_escaped(std::string_view raw) const {
    return has_escapes_ && raw.find('\\') != std::string_view::npos;
  }

  [[nodiscard]] std::size_t offset_of(const char* pointer) const {
    return static_cast<std::size_t>(pointer - text_.data());
  }

  void go_to(std::size_t offset) {
    if (one_ascii_line_) {
      position_ = {.offset = offset, .column = static_cast<std::uint32_t>(offset + 1)};
    } else {
      position_.advance(text_, offset);
    }
  }
  bool open(TreeNode::Kind kind, std::size_t offset) {
    go_to(offset);
    return keep(builder_.open(kind, position_.line, position_.column));
  }
  bool close() { return keep(builder_.close()); }
  bool part(std::string_view text, bool plain, std::size_t offset) {
    go_to(offset);
    return keep(builder_.part(text, plain, position_.line, position_.column));
  }
  bool scalar(std::string_view unescaped, std::size_t offset) {
    go_to(offset);
    return keep(builder_.scalar(unescaped, false, position_.line, position_.column));
  }
  bool keep(Result<void>&& outcome) {
    if (!outcome) refused_ = std::move(outcome.error());
    return outcome.has_value();
  }

  bool one_ascii_line_, has_escapes_;
  TreeBuilder builder_;
  std::string_view text_;
  TextPosition position_;
  std::optional<Error> refused_;
};

}  // namespace

bool looks_like_json(std::string_view text) {
  text = without_byte_order_mark(text);
  const std::size_t first = text.find_first_not_of(kJsonBlanks);
  return first != std::string_view::npos && text[first] == '{';
}

std::optional<Result<Tree>> read_json_tree(std::string_view text, std::string_view file,
                                           const TreeLimits& limits) {
  return JsonReader(without_byte_order_mark(text), file, limits).read();
}

void append_json(std::string& out, TreeView tree) {
  if (tree.is_null()) {
    out += "null";
  } else if (tree.is_mapping() || tree.is_sequence()) {
    const bool pairs = tree.is_mapping();
    out += pairs ? '{' : '[';
    bool key = true, first = true;
    for (auto child = tree.first_child(); child; child = child->next()) {
      if (pairs && !key) {
        out += ": ";
      } else if (!first) {
        out += ", ";
      }
      first = false;
      if (pairs && key) {
        append_json(out, child->text());
      } else {
        append_json(out, *child);
      }
      key = !key;
    }
    out += pairs ? '}' : ']';
  } else {
    const std::string_view text = tree.text();
    const bool plain =
        !tree.is_quoted_string() && (text == "true" || text == "false" || is_json_number(text));
    if (plain) {
      out += text;
    } else {
      append_json(out, text);
    }
  }
}

Result<Tree> read_json_object(std::string_view text, const TreeLimits& limits) {
  if (first_invalid_utf8(text) != text.npos)
    return fail(ErrorCode::invalid, "the text is not UTF-8");
  if (auto tree = read_json_tree(text, {}, limits)) return std::move(*tree);
  return fail(ErrorCode::invalid, "this is not a JSON object");
}

}  // namespace copse
