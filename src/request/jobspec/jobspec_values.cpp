// SPDX-License-Identifier: Apache-2.0
#include "request/jobspec/jobspec_values.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <locale>
#include <sstream>

#include <fmt/format.h>

#include "base/json_number.hpp"
#include "base/nearest_word.hpp"
#include "base/scan_text.hpp"
#include "rset/rset_properties.hpp"

namespace copse {
namespace {

constexpr std::size_t kNameBytesMax = 1024;

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

std::string_view without_sign(std::string_view text) {
  return text.substr(text.starts_with('+') || text.starts_with('-') ? 1 : 0);
}

// The number that std::from_chars found to be beyond the range of a double.
double at_the_edge(std::string_view text) {
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  double value = 0;
  if (stream >> value) return value;  // too small
  return value < 0 ? -std::numeric_limits<double>::infinity()
                   : std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const std::string_view digits = without_sign(text);
  if (!is_digits(digits)) return std::nullopt;
  std::int64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc()) value = INT64_MAX;
  return text.starts_with('-') && value != 0 ? -1 : value;
}

std::optional<double> parse_seconds(std::string_view text) {
  const std::string_view size = without_sign(text);
  if (size.empty() || size.starts_with('-')) return std::nullopt;
  const double sign = text.starts_with('-') ? -1 : 1;
  for (const std::string_view word : {".inf", ".Inf", ".INF"}) {
    if (size == word) return sign * std::numeric_limits<double>::infinity();
  }
  for (const std::string_view word : {".nan", ".NaN", ".NAN"}) {
    if (size == word) return std::numeric_limits<double>::quiet_NaN();
  }
  double value = 0;
  const auto read = std::from_chars(size.data(), size.data() + size.size(), value);
  if (read.ptr != size.data() + size.size()) return std::nullopt;
  if (read.ec == std::errc::result_out_of_range) return sign * at_the_edge(size);
  if (read.ec != std::errc()) return std::nullopt;
  return sign * value;
}

bool is_jobspec_string(TreeView node) {
  if (!node.is_scalar()) return false;
  const std::string_view word = node.text();
  return node.is_quoted_string() ||
         !(is_json_number(word) || parse_integer(word) || word == "true" || word == "false");
}

Result<std::string> read_jobspec_name(TreeView node, std::string_view key) {
  if (!node.is_scalar()) return node.fail(fmt::format("Value of \"{}\" must be a scalar", key));
  if (node.text().size() > kNameBytesMax) {
    return node.fail(fmt::format("Value of \"{}\" is longer than {} bytes", key, kNameBytesMax),
                     ErrorCode::limit);
  }
  return std::string(node.text());
}

std::optional<TreeView> first_other_key(TreeView mapping, KnownKeys keys) {
  for (auto key = mapping.first_child(); key; key = key->next()->next()) {
    if (find_key(keys, key->text()) == nullptr) return key;
  }
  return std::nullopt;
}

std::unexpected<Error> refuse_key(TreeView key, KnownKeys keys, JobspecWords words,
                                  std::string_view fluxion_sentence) {
  if (words == JobspecWords::fluxion) return key.fail(std::string(fluxion_sentence));
  return key.fail(unknown_key("key", key.text(), keys));
}

Result<void> check_spelling(TreeView mapping, KnownKeys keys, JobspecWords words) {
  if (words == JobspecWords::fluxion) return {};
  for (const auto& [key, value] : mapping.members()) {
    if (is_misspelt(key.text(), keys)) return refuse_key(key, keys, words, {});
  }
  return {};
}

std::string wrong_resource_property(std::string_view word) {
  const std::string_view name = word.starts_with('^') ? word.substr(1) : word;
  if (!name.empty() && wrong_property(name).empty()) return {};
  return fmt::format("{} is no property: names have none of ! & ' \" ^ ` | ( )", shown_word(word));
}

}  // namespace copse
