// SPDX-License-Identifier: Apache-2.0
#include "text/json_fault.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/json_number.hpp"
#include "base/nearest_word.hpp"
#include "base/utf8.hpp"

namespace copse {

namespace {

constexpr std::size_t kDepthMax = 10'000;
constexpr std::string_view kPunctuation = "{}[],:\"";

class FaultFinder {
 public:
  FaultFinder(std::string_view text, bool is_line) : text_(text), is_line_(is_line) {}

  std::optional<JsonFault> find() {
    do {
      at_ = std::min(text_.find_first_not_of(kJsonBlanks, at_), text_.size());
      token_ = token();
      if (auto fault = step()) return fault;
      at_ += token_.size();
    } while (!open_.empty() && !token_.empty() && open_.size() <= kDepthMax);
    if (!is_line_ || !open_.empty()) return std::nullopt;
    at_ = std::min(text_.find_first_not_of(kJsonBlanks, at_), text_.size());
    token_ = token();
    if (token_.empty()) return std::nullopt;
    return fault(shown_token() + " comes after the end of the value");
  }

 private:
  enum class Next { value, value_or_end, key, key_or_end, colon, comma_or_end };
  struct Open {
    char brace;
    std::size_t offset;
  };

  [[nodiscard]] JsonFault fault(std::string text) const { return {at_, std::move(text)}; }

  // The token at at_: a character, a string with its quotes, or a word; empty: the end.
  [[nodiscard]] std::string_view token() const {
    const std::string_view rest = text_.substr(at_);
    if (rest.empty()) return rest;
    if (rest[0] == '"') {
      std::size_t end = 1;
      while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
      return rest.substr(0, end + 1);
    }
    if (kPunctuation.find(rest[0]) != kPunctuation.npos) return rest.substr(0, 1);
    const std::size_t blank = rest.find_first_of(kJsonBlanks);
    return rest.substr(0, std::min(blank, rest.find_first_of(kPunctuation)));
  }

  [[nodiscard]] std::string shown_token() const {
    const bool string = token_.size() > 1 && token_.front() == '"';
    return shown_word(string ? token_.substr(1, token_.size() - 2) : token_);
  }
  [[nodiscard]] std::string before() const { return " before " + shown_token(); }

  std::optional<JsonFault> step() {
    if (token_.empty()) return ended();
    if (token_[0] == '"' && (token_.size() < 2 || token_.back() != '"')) {
      return fault("this string has no end");
    }
    const bool ends = token_ == "}" || token_ == "]";
    switch (next_) {
      case Next::colon:
        if (token_ != ":") return fault("a colon is missing" + before());
        next_ = Next::value;
        return std::nullopt;
      case Next::key:
      case Next::key_or_end:
        if (ends && next_ == Next::key_or_end) return close();
        if (token_ == "}") return fault("unexpected comma" + before());
        if (token_[0] != '"') return fault("a key in double quotes is missing" + before());
        next_ = Next::colon;
        return std::nullopt;
      case Next::comma_or_end:
        if (ends) return close();
        if (token_ != ",") return fault("a comma is missing" + before());
        next_ = open_.back().brace == '{' ? Next::key : Next::value;
        return std::nullopt;
      case Next::value_or_end:
        if (ends) return close();
        return value();
      case Next::value: return value();
    }
    return std::nullopt;
  }

  std::optional<JsonFault> value() {
    if (token_ == "{" || token_ == "[") {
      open_.push_back({token_[0], at_});
      next_ = token_ == "{" ? Next::key_or_end : Next::value_or_end;
      return std::nullopt;
    }
    if (kPunctuation.find(token_[0]) != kPunctuation.npos && token_[0] != '"') {
      return fault("a value is missing" + before());
    }
    next_ = Next::comma_or_end;
    constexpr std::array<std::string_view, 3> kWords{"true", "false", "null"};
    if (token_[0] == '"' || is_json_number(token_)) return std::nullopt;
    if (std::ranges::find(kWords, token_) != kWords.end()) return std::nullopt;
    const std::string_view near = nearest_word(token_, kWords);
    return fault(
        shown_word(token_) + " is not a JSON value" +
        (near.empty() ? "; texts need double quotes" : fmt::format("; did you mean {}?", near)));
  }

  std::optional<JsonFault> close() {
    const char wanted = open_.back().brace == '{' ? '}' : ']';
    if (token_[0] != wanted) {
      return fault(fmt::format("\"{}\" is missing{}", wanted, before()));
    }
    open_.pop_back();
    next_ = Next::comma_or_end;
    return std::nullopt;
  }

  std::optional<JsonFault> ended() const {
    if (open_.empty()) return std::nullopt;
    const auto [brace, offset] = open_.back();
    if (is_line_) {
      TextPosition position;
      position.advance(text_, offset);
      return fault(fmt::format("the line ends, and \"{}\" of column {} is not closed", brace,
                               position.column));
    }
    const auto line = 1 + std::ranges::count(text_.substr(0, offset), '\n');
    return fault(fmt::format("the text ends, and \"{}\" of line {} is not closed", brace, line));
  }

  std::string_view text_, token_{};
  bool is_line_;
  std::size_t at_ = 0;
  Next next_ = Next::value;
  std::vector<Open> open_;
};

}  // namespace

std::optional<JsonFault> find_json_fault(std::string_view text) {
  return FaultFinder(text, false).find();
}

std::optional<JsonFault> find_json_fault_of_line(std::string_view line) {
  return FaultFinder(line, true).find();
}

}  // namespace copse
