// SPDX-License-Identifier: Apache-2.0
#include "request/shape.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/json_number.hpp"
#include "base/nearest_word.hpp"
#include "base/utf8.hpp"
#include "request/count_text.hpp"
#include "request/jobspec/jobspec_values.hpp"
#include "text/split.hpp"
#include "text/tree/tree.hpp"
#include "text/xml_text.hpp"

namespace copse {
namespace {

constexpr std::size_t kWordBytesMax = 1024;  // of a type, label, unit or id
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kTypeStops = "={}[]/;\"' \t\r\n";
constexpr std::string_view kKeyStops = ":,{}";
constexpr std::string_view kValueStops = ",{}[]";
enum Key : std::size_t { kExclusive, kUnit, kLabel, kId, kProperties };
constexpr std::array<std::string_view, 5> kKeys = {"exclusive", "unit", "label", "id",
                                                   "properties"};

struct Word {
  std::size_t at = 0;
  std::string text;
  bool quoted = false;
};

bool is_slot_in_any_case(std::string_view text) {
  return std::ranges::equal(text, std::string_view("slot"), {},
                            [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
}

// Without quotes, these are no strings (RFC 8259, section 3).
bool is_other_json(const Word& word) {
  return !word.quoted && (is_json_number(word.text) || word.text == "true" ||
                          word.text == "false" || word.text == "null");
}

class ShapeReader {
 public:
  ShapeReader(std::string_view text, std::string_view file, const JobspecLimits& limits)
      : text_(text), file_(file), limits_(limits), levels_max_(levels_max(limits.depth_max)) {}

  Result<Request> read() {
    if (text_.size() > limits_.text_bytes_max) {
      return fail_at(0, fmt::format("a shape is at most {} bytes long", limits_.text_bytes_max),
                     ErrorCode::limit);
    }
    if (const auto bad = first_invalid_utf8(text_); bad != std::string_view::npos) {
      return fail_at(bad, "a shape is text in UTF-8, and this is not");
    }
    Request request;
    Result<void> read = list(request.resources, 1);
    if (read) read = expect_end();
    if (read) read = check_labels();
    if (!read) return std::unexpected(std::move(read.error()));
    return request;
  }

 private:
  // A level is a sequence and a mapping of YAML; around all is the jobspec, and inmost is a count.
  static std::uint32_t levels_max(std::uint32_t depth_max) {
    const std::uint32_t depth = std::min(depth_max, kTreeDepthMax);
    return depth < 2 ? 0 : (depth - 2) / 2;
  }

  // The recursion over lists is bounded by levels_max_.
  Result<void> list(std::vector<Resource>& resources, std::uint32_t level) {
    skip_blanks();
    const std::size_t open = at_;
    if (!take('[')) return vertex(resources, level);
    for (;;) {
      if (auto read = vertex(resources, level); !read) return read;
      skip_blanks();
      if (take(']')) return {};
      if (take(';')) continue;
      if (done()) return fail_at(open, "this '[' is not closed");
      return expected("';' or ']'");
    }
  }

  Result<void> vertex(std::vector<Resource>& resources, std::uint32_t level) {
    skip_blanks();
    if (level > levels_max_) {
      return fail_at(at_, fmt::format("resources are nested more than {} deep", levels_max_),
                     ErrorCode::limit);
    }
    if (resources_ == limits_.resources_max) {
      return fail_at(at_, fmt::format("more than {} resources", limits_.resources_max),
                     ErrorCode::limit);
    }
    auto type = word(kTypeStops, "a resource type");
    if (!type) return std::unexpected(std::move(type.error()));
    if (type->text.empty()) return fail_at(type->at, "a resource type is not empty");
    ++resources_;
    Resource& resource = resources.emplace_back();
    resource.place = place_moving_on(type->at);
    const bool slot = type->quoted ? type->text == "slot" : is_slot_in_any_case(type->text);
    resource.type = slot ? "slot" : std::move(type->text);
    skip_blanks();
    if (take('=')) {
      skip_blanks();
      auto count = read_count_text(text_, at_);
      if (!count) return fail_at(at_, std::move(count.error().text), count.error().code);
      resource.count = std::move(*count);
    }
    skip_blanks();
    if (at('{')) {
      if (auto read = braces(resource); !read) return read;
    }
    if (slot) note_slot(resource, type->at);
    skip_blanks();
    if (take('/')) return list(resource.with, level + 1);
    if (slot) return expected("'/' and what the slot holds, as in slot=2/core=4");
    return {};
  }

  void note_slot(Resource& slot, std::size_t at) {
    ++slots_;
    if (!slot.label.empty()) return;
    slot.label = kShapeLabel;
    if (!unlabelled_at_) unlabelled_at_ = at;
  }

  Result<void> braces(Resource& resource) {
    const std::size_t open = at_++;
    keys_seen_ = {};
    skip_blanks();
    if (resource.is_slot()) {
      if (auto read = slot_label(resource); !read) return read;
    } else if (take('}')) {
      return {};
    } else if (auto read = item(resource); !read) {
      return read;
    }
    for (;;) {
      skip_blanks();
      if (take('}')) return {};
      if (done()) return fail_at(open, "this '{' is not closed");
      if (!take(',')) return expected("',' or '}'");
      if (auto read = item(resource); !read) return read;
    }
  }

  Result<void> slot_label(Resource& slot) {
    constexpr const char* kRule = "the braces of a slot begin with its label, as in slot{a,x}";
    if (at('+') || at('-') || at('}')) return fail_at(at_, kRule);
    auto label = word(kKeyStops, "the label of the slot");
    if (!label) return std::unexpected(std::move(label.error()));
    skip_blanks();
    if (at(':') || label->text.empty()) return fail_at(label->at, kRule);
    keys_seen_[kLabel] = true;
    return keep_label(slot, std::move(*label));
  }

  Result<void> keep_label(Resource& resource, Word label) {
    if (!label.text.empty() && !labels_.insert(label.text).second) {
      return fail_at(label.at, fmt::format("label \"{}\" is given twice", shown(label.text)));
    }
    resource.label = std::move(label.text);
    return {};
  }

  // key ":" value | [ "+" | "-" ] key
  Result<void> item(Resource& resource) {
    skip_blanks();
    const char sign = at('+') || at('-') ? text_[at_++] : '\0';
    auto name = word(kKeyStops, "a key");
    if (!name) return std::unexpected(std::move(name.error()));
    if (!name->quoted && name->text == "x") name->text = kKeys[kExclusive];
    const auto found = std::ranges::find(kKeys, name->text);
    if (found == kKeys.end() && sign == '\0' && is_property(resource, *name)) {
      return add_properties(resource, *name);
    }
    if (found == kKeys.end()) return unknown_key(*name);
    const auto key = static_cast<Key>(found - kKeys.begin());
    if (std::exchange(keys_seen_[key], true)) {
      return fail_at(name->at, fmt::format("key \"{}\" is given twice", kKeys[key]));
    }
    skip_blanks();
    if (sign == '\0' && take(':')) return value(resource, key);
    if (key != kExclusive) {
      return fail_at(name->at, fmt::format("key \"{0}\" needs a value, as in {0}:a", kKeys[key]));
    }
    resource.exclusive = sign == '-' ? Exclusivity::no : Exclusivity::yes;
    return {};
  }

  // A word that is no key, nor close to one, is a property: gpu=2{h200}.
  bool is_property(const Resource& resource, const Word& word) {
    skip_blanks();
    return !resource.is_slot() && !at(':') && word.text.size() > 1 && word.text != "type" &&
           word.text != "count" && word.text != "with" && nearest_word(word.text, kKeys).empty();
  }

  Result<void> add_properties(Resource& resource, const Word& words) const {
    for (std::string_view rest = words.text; !rest.empty();) {
      const std::string_view word = xml::trimmed(take_part(rest, ','));
      const std::string wrong = wrong_resource_property(word);
      if (!wrong.empty()) return fail_at(words.at, wrong);
      resource.properties.emplace_back(word);
    }
    return {};
  }

  std::unexpected<Error> unknown_key(const Word& key) const {
    if (key.text == "type" || key.text == "count") {
      return fail_at(key.at, fmt::format("the {} goes before the braces", key.text));
    }
    if (key.text == "with") {
      return fail_at(key.at, "what a resource holds goes after a '/', not in its braces");
    }
    return fail_at(key.at, fmt::format("\"{}\" is not a key of a resource; x (exclusive), unit, "
                                       "label, id and properties are",
                                       shown(key.text)));
  }

  Result<void> value(Resource& resource, Key key) {
    skip_blanks();
    const std::string_view wanted = key == kExclusive ? "true or false" : "a string";
    const auto refuse = [&](std::size_t at) {
      return fail_at(at, fmt::format("the value of \"{}\" is {}{}", kKeys[key], wanted,
                                     key == kExclusive ? "" : "; other words need quotes"));
    };
    if (at('[') || at('{')) return refuse(at_);
    auto read = word(kValueStops, "a value");
    if (!read) return std::unexpected(std::move(read.error()));
    if (key == kExclusive) {
      if (read->quoted || (read->text != "true" && read->text != "false")) return refuse(read->at);
      resource.exclusive = read->text == "true" ? Exclusivity::yes : Exclusivity::no;
      return {};
    }
    if (is_other_json(*read)) return refuse(read->at);
    if (key == kLabel) return keep_label(resource, std::move(*read));
    if (key == kProperties && resource.is_slot()) {
      return fail_at(read->at, "a slot has no properties: give them to a resource");
    }
    if (key == kProperties) return add_properties(resource, *read);
    if (key == kUnit) resource.unit = std::move(read->text);
    return {};  // an id is checked and not kept, as in a jobspec
  }

  // A string in quotes, or the text before the next of `stops`, without blanks at its ends.
  Result<Word> word(std::string_view stops, std::string_view what) {
    skip_blanks();
    if (at('"') || at('\'')) return quoted();
    Word word{.at = at_, .text = {}};
    const std::size_t end = std::min(text_.find_first_of(stops, at_), text_.size());
    std::string_view bare = text_.substr(at_, end - at_);
    bare = bare.substr(0, bare.find_last_not_of(kBlanks) + 1);
    if (bare.empty()) return expected(what);
    if (auto checked = check_string(bare); !checked) return std::unexpected(checked.error());
    at_ += bare.size();
    word.text = bare;
    return word;
  }

  Result<Word> quoted() {
    const std::size_t open = at_++;
    const char quote = text_[open];
    while (!done() && text_[at_] != quote) at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    if (done()) return fail_at(open, fmt::format("this {} is not closed", quote));
    const std::string_view inside = text_.substr(open + 1, at_ - open - 1);
    ++at_;
    if (auto checked = check_string(inside); !checked) return std::unexpected(checked.error());
    Word word{.at = open, .text = std::string(inside), .quoted = true};
    if (quote == '\'' || inside.find('\\') == std::string_view::npos) return word;
    simdjson::dom::parser parser;
    std::string_view unescaped;
    const simdjson::padded_string json(text_.substr(open, at_ - open));
    if (parser.parse(json).get(unescaped)) {
      return fail_at(open, "a '\\' in this string begins no escape of JSON");
    }
    word.text = unescaped;
    return word;
  }

  // REQUIRES that `string` is a part of the text.
  Result<void> check_string(std::string_view string) const {
    const auto begin = static_cast<std::size_t>(string.data() - text_.data());
    if (string.size() > kWordBytesMax) {
      return fail_at(begin, fmt::format("a word is at most {} bytes long", kWordBytesMax),
                     ErrorCode::limit);
    }
    const auto* control = std::ranges::find_if(
        string, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    if (control == string.end()) return {};
    return fail_at(begin + static_cast<std::size_t>(control - string.begin()),
                   "a word has no control characters; write \"\\u0007\" in double quotes");
  }

  Result<void> expect_end() {
    skip_blanks();
    if (done()) return {};
    if (at(';')) return fail_at(at_, "resources side by side need brackets, as in [core;gpu]");
    if (at(']') || at('}')) {
      return fail_at(at_, fmt::format("nothing is open that this '{}' closes", text_[at_]));
    }
    return expected("the end of the shape");
  }

  Result<void> check_labels() const {
    if (!unlabelled_at_) return {};
    if (slots_ > 1) {
      return fail_at(*unlabelled_at_, "where there are several slots each needs a label");
    }
    if (!labels_.contains(std::string(kShapeLabel))) return {};
    return fail_at(*unlabelled_at_,
                   fmt::format("a slot without a label is labelled \"{}\", which is given already",
                               kShapeLabel));
  }

  [[nodiscard]] bool done() const { return at_ >= text_.size(); }
  [[nodiscard]] bool at(char c) const { return !done() && text_[at_] == c; }
  bool take(char c) {
    if (!at(c)) return false;
    ++at_;
    return true;
  }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }

  [[nodiscard]] std::unexpected<Error> expected(std::string_view what) const {
    const std::string_view rest = text_.substr(at_);
    const std::string found = rest.empty()
                                  ? "the end of the shape"
                                  : fmt::format("'{}'", shown(rest.substr(0, utf8_length(rest))));
    return fail_at(at_, fmt::format("expected {}, not {}", what, found));
  }

  [[nodiscard]] std::unexpected<Error> fail_at(std::size_t at, std::string sentence,
                                               ErrorCode code = ErrorCode::invalid) const {
    TextPosition position;
    position.advance(text_, std::min(at, text_.size()));
    return fail(code, std::move(sentence), {file_, position.line, position.column});
  }

  // For places that only move forward, so that all of them together cost one pass.
  SourceLocation place_moving_on(std::size_t at) {
    position_.advance(text_, at);
    return {file_, position_.line, position_.column};
  }

  std::string_view text_;
  std::string file_;
  JobspecLimits limits_;
  std::uint32_t levels_max_;
  std::size_t at_ = 0;
  TextPosition position_;
  std::uint32_t resources_ = 0;
  std::uint32_t slots_ = 0;
  std::optional<std::size_t> unlabelled_at_;  // the first of the slots without a label
  std::set<std::string> labels_;
  std::array<bool, kKeys.size()> keys_seen_{};  // of the braces that are read
};

}  // namespace

Result<Request> parse_shape(std::string_view text, std::string_view file,
                            const JobspecLimits& limits) {
  return ShapeReader(text, file, limits).read();
}

}  // namespace copse
