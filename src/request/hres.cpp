// SPDX-License-Identifier: Apache-2.0
#include "request/hres.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/scan_text.hpp"
#include "base/utf8.hpp"
#include "request/tree/yaml_tree.hpp"

namespace copse {
namespace {

constexpr std::string_view kSeparators = ",;|";
constexpr std::string_view kReserved = ",;|:=()";

bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; }
bool is_name_character(char c) { return !is_blank(c) && kReserved.find(c) == kReserved.npos; }

class HresReader {
 public:
  HresReader(std::string_view text, SourceLocation place) : text_(text), place_(std::move(place)) {
    if (place_.line == 0) place_.line = 1;
    if (place_.column == 0) place_.column = 1;
  }

  Result<HresRequest> read() {
    if (auto ok = check_text(); !ok) return std::unexpected(std::move(ok.error()));
    for (;;) {
      if (auto item = read_item(); !item) return std::unexpected(std::move(item.error()));
      if (at_end()) return std::move(request_);
      if (auto more = read_separator(); !more) return std::unexpected(std::move(more.error()));
    }
  }

  // What a job has: it may name layers, and there is nothing to choose.
  Result<std::vector<HresShare>> read_shares() {
    layers_too_ = true;
    auto request = read();
    if (!request) return std::unexpected(std::move(request.error()));
    if (request->either) return fail_at(0, "'|' is a choice, but this says what a job has");
    std::vector<HresShare> out;
    out.reserve(request->items.size());
    for (std::size_t i = 0; i < request->items.size(); ++i) {
      out.push_back({std::move(request->items[i]), std::move(layers_[i])});
    }
    return out;
  }

 private:
  Result<void> check_text() {
    if (text_.size() > kHresTextBytesMax) {
      return fail_at(0, fmt::format("the request is longer than {} bytes", kHresTextBytesMax),
                     ErrorCode::limit);
    }
    if (const std::size_t wrong = first_invalid_utf8(text_); wrong != std::string_view::npos) {
      return fail_at(wrong, "the request is not UTF-8 from here on");
    }
    if (text_.empty()) return fail_at(0, "the request is empty; an item is name or name:count");
    return {};
  }

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] char here() const { return text_[at_]; }

  std::unexpected<Error> fail_at(std::size_t at, std::string sentence,
                                 ErrorCode code = ErrorCode::invalid) {
    const auto characters =
        std::ranges::count_if(text_.substr(0, at), [](char c) { return !is_utf8_continuation(c); });
    SourceLocation place = place_;
    place.column += static_cast<std::uint32_t>(characters);
    return fail(code, std::move(sentence), std::move(place));
  }

  std::string_view word() {
    const std::size_t begin = at_;
    while (!at_end() && is_name_character(here())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // What stands here is none of what may stand here.
  std::unexpected<Error> fail_here(std::string_view expected) {
    if (at_end()) return fail_at(at_, fmt::format("expected {}, not the end", expected));
    if (is_blank(here())) {
      return fail_at(at_, "the request has a blank or a control character; there may be none");
    }
    if (here() == '(' || here() == ')') {
      return fail_at(at_,
                     "a request names resources, not layers of them; there are no parentheses");
    }
    return fail_at(at_, fmt::format("expected {}, not '{}'", expected, here()));
  }

  Result<void> read_item() {
    if (request_.items.size() == kHresItemsMax) {
      return fail_at(at_, fmt::format("more than {} items", kHresItemsMax), ErrorCode::limit);
    }
    HresItem item;
    item.name = word();
    if (item.name.empty()) return fail_here("the name of a resource");
    if (layers_too_) {
      if (auto read = read_layer(); !read) return read;
    }
    if (!at_end() && (here() == ':' || here() == '=')) {
      ++at_;
      if (auto read = read_amount(item); !read) return read;
    }
    request_.items.push_back(std::move(item));
    return {};
  }

  // "(node[01-32])", if it is there.
  Result<void> read_layer() {
    std::string& layer = layers_.emplace_back();
    if (at_end() || here() != '(') return {};
    const std::size_t end = text_.find(')', at_);
    if (end == text_.npos) return fail_at(at_, "'(' is not closed");
    layer = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return {};
  }

  Result<void> read_amount(HresItem& item) {
    const std::size_t begin = at_;
    const std::string_view amount = word();
    if (amount.empty()) return fail_here("a count or the name of a variable");
    if (!is_digit(amount.front())) {
      item.variable = amount;
      return {};
    }
    const auto read = std::from_chars(amount.data(), amount.data() + amount.size(), item.count);
    if (read.ptr != amount.data() + amount.size()) {
      return fail_at(begin, fmt::format("the count \"{}\" is not a whole number", shown(amount)));
    }
    if (read.ec != std::errc()) {
      return fail_at(begin, fmt::format("the count \"{}\" is above {}", shown(amount), INT64_MAX));
    }
    return {};
  }

  Result<void> read_separator() {
    const bool stands = kSeparators.find(here()) != kSeparators.npos;
    if (!stands) return fail_here("',', ';', '|' or the end");
    const bool either = here() == '|';
    if (request_.items.size() > 1 && either != request_.either) {
      return fail_at(at_, "'|' cannot be mixed with ',' or ';'");
    }
    request_.either = either;
    ++at_;
    return {};
  }

  std::string_view text_;
  SourceLocation place_;
  std::size_t at_ = 0;
  HresRequest request_;
  bool layers_too_ = false;
  std::vector<std::string> layers_;  // of items, if they may name them
};

}  // namespace

Result<HresRequest> parse_hres_request(std::string_view text, SourceLocation place) {
  return HresReader(text, std::move(place)).read();
}

Result<std::vector<HresShare>> parse_hres_shares(std::string_view text, SourceLocation place) {
  return HresReader(text, std::move(place)).read_shares();
}

bool is_hres_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, is_name_character);
}

std::string hres_text(const HresRequest& request) {
  std::string out;
  for (const HresItem& item : request.items) {
    if (!out.empty()) out += request.either ? '|' : ';';
    out += item.name;
    out += ':';
    out += item.variable.empty() ? std::to_string(item.count) : item.variable;
  }
  return out;
}

}  // namespace copse
