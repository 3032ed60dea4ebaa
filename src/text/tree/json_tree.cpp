// SPDX-License-Identifier: Apache-2.0
#include "text/tree/json_tree.hpp"

#include <simdjson.h>

#include <array>
#include <cstring>
#include <memory>

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

// A copy of a text with the bytes after it that simdjson may read. Short ones take no memory of
// their own: a jobspec is 200 to 500 bytes.
class PaddedText {
 public:
  explicit PaddedText(std::string_view text) : size_(text.size()) {
    if (size_ > kShort) long_ = std::make_unique_for_overwrite<char[]>(size_ + kPadding);
    if (size_ > 0) std::memcpy(data(), text.data(), size_);
    std::memset(data() + size_, 0, kPadding);
  }
  [[nodiscard]] char* data() { return long_ ? long_.get() : short_.data(); }
  [[nodiscard]] const char* data() const { return long_ ? long_.get() : short_.data(); }
  [[nodiscard]] simdjson::padded_string_view view() const {
    return simdjson::padded_string_view(data(), size_, size_ + kPadding);
  }

 private:
  static constexpr std::size_t kPadding = simdjson::SIMDJSON_PADDING, kShort = 2'048;
  std::size_t size_;
  std::unique_ptr<char[]> long_;
  std::array<char, kShort + kPadding> short_;
};

// Walks the text once. Every step returns false to stop; then either `refused` has the builder's
// error, or the text is not strict JSON. Recursion is bounded by the builder's depth.
class JsonReader {
 public:
  JsonReader(std::string_view text, std::string_view file, const TreeLimits& limits)
      : text_(text),
        one_ascii_line_(is_one_ascii_line(text)),
        padded_(text),
        builder_(file, text.size(), limits) {}

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
    if (parser.iterate(padded_.view()).get(document)) return std::nullopt;
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
      ondemand::field field;
      std::string_view key;
      if (std::move(next).get(field)) return false;
      const std::size_t key_offset = offset_of(field.key().raw()) - 1;  // raw() skips the quote
      if (field.unescaped_key().get(key)) return false;
      if (!scalar(key, false, key_offset) || !read_value(field.value())) return false;
    }
    return close();
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
    const std::string_view token = value.raw_json_token();
    const char* const start = token.data();
    const std::size_t offset = offset_of(start);
    switch (type) {
      case ondemand::json_type::object: {
        ondemand::object object;
        return !value.get_object().get(object) && read_object(object, offset);
      }
      case ondemand::json_type::array: {
        ondemand::array array;
        return !value.get_array().get(array) && read_array(array, offset);
      }
      case ondemand::json_type::string: {
        std::string_view text;
        return !value.get_string().get(text) && scalar(text, false, offset);
      }
      default: {
        const std::string_view word = token.substr(0, token.find_last_not_of(kJsonBlanks) + 1);
        const bool legal =
            word == "true" || word == "false" || word == "null" || is_json_number(word);
        return legal && scalar(word, true, offset);
      }
    }
  }

  [[nodiscard]] std::size_t offset_of(const char* pointer) const {
    return static_cast<std::size_t>(pointer - padded_.data());
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
  bool scalar(std::string_view text, bool plain, std::size_t offset) {
    go_to(offset);
    return keep(builder_.scalar(text, plain, position_.line, position_.column));
  }
  bool keep(Result<void> outcome) {
    if (!outcome) refused_ = std::move(outcome.error());
    return outcome.has_value();
  }

  std::string_view text_;
  bool one_ascii_line_;
  PaddedText padded_;
  TreeBuilder builder_;
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
