// SPDX-License-Identifier: Apache-2.0
#include "text/tree/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json_number.hpp"
#include "base/scan_text.hpp"
#include "base/utf8.hpp"

namespace copse {
namespace {

constexpr std::size_t kShownBytesMax = 200;
constexpr std::uint32_t kFewKeys = 16;  // up to here comparing all pairs is faster than sorting

using KeyAndNumber = std::pair<std::string_view, std::uint32_t>;

// Most keys differ in their length or in their first byte.
bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && (a.empty() || (a.front() == b.front() && a == b));
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  if (const auto plain = json_integer(text)) return plain;
  const auto value = is_json_number(text) ? parse_number<double>(text) : std::nullopt;
  if (!value || *value != std::floor(*value)) return std::nullopt;
  constexpr double kExactMax = 9007199254740992.0;  // 2^53
  return std::abs(*value) <= kExactMax ? std::optional(static_cast<std::int64_t>(*value))
                                       : std::nullopt;
}

}  // namespace

bool TreeView::is_null() const {
  if (!is(TreeNode::Kind::scalar) || !node().plain) return false;
  const std::string_view word = text();
  return word.empty() || word == "~" || word == "null" || word == "Null" || word == "NULL";
}

std::optional<TreeView> TreeView::find(std::string_view key) const {
  if (!is_mapping()) return std::nullopt;
  const std::vector<TreeNode>& nodes = tree_->nodes;
  for (std::uint32_t name = node().first_child; name != 0; name = nodes[nodes[name].next].next) {
    if (same(TreeView(*tree_, name).text(), key)) return TreeView(*tree_, nodes[name].next);
  }
  return std::nullopt;
}

std::optional<std::int64_t> TreeView::integer() const {
  return is_plain() ? parse_number<std::int64_t>(text()) : std::nullopt;
}

std::optional<double> TreeView::real() const {
  return is_plain() ? parse_number<double>(text()) : std::nullopt;
}

std::optional<bool> TreeView::truth() const {
  if (!is_plain()) return std::nullopt;
  const std::string_view word = text();
  return word == "true" || word == "false" ? std::optional(word == "true") : std::nullopt;
}

std::optional<std::int64_t> TreeView::number(std::string_view key) const {
  const auto member = find(key);
  return member ? member->integer() : std::nullopt;
}

std::string_view TreeView::word(std::string_view key) const {
  const auto member = find(key);
  return member && member->is_quoted_string() ? member->text() : std::string_view();
}

bool TreeView::is_true(std::string_view key) const {
  const auto member = find(key);
  return member && member->truth().value_or(false);
}

Result<std::string> TreeView::read_text(std::string_view what) const {
  if (is_quoted_string()) return std::string(text());
  return fail(fmt::format("{} must be a string", what));
}

Result<TreeView> TreeView::read_table(std::string_view what) const {
  if (is_mapping()) return *this;
  return fail(fmt::format("{} must be a table", what));
}

Result<bool> TreeView::read_truth(std::string_view what) const {
  if (const auto value = truth()) return *value;
  return fail(fmt::format("\"{}\" is not true or false", what));
}

Result<std::int64_t> TreeView::read_whole(std::string_view what, std::int64_t least,
                                          std::int64_t most) const {
  const auto number = is_plain() ? whole_number(text()) : std::nullopt;
  if (number && *number >= least && *number <= most) return *number;
  return fail(fmt::format("\"{}\" is not a whole number from {} to {}", what, least, most));
}

Result<std::string> TreeView::read_name(std::string_view what, std::size_t bytes_max) const {
  if (is_scalar() && !text().empty() && text().size() <= bytes_max) return std::string(text());
  return fail(fmt::format("\"{}\" is not a text of 1 to {} bytes", what, bytes_max));
}

TreeBuilder::TreeBuilder(std::string_view file, const TreeLimits& limits, std::size_t text_bytes)
    : events_max_(limits.events_max), depth_max_(std::min(limits.depth_max, kTreeDepthMax)) {
  tree_.file = file;
  // Room for an ordinary jobspec, whatever the length of this text claims.
  tree_.nodes.reserve(std::min<std::size_t>(text_bytes / 6 + 1, 256));
}

TreeBuilder::TreeBuilder(std::string_view file, std::size_t text_bytes, const TreeLimits& limits)
    : TreeBuilder(file, limits, text_bytes) {
  tree_.text.reserve(std::min<std::size_t>(text_bytes, 4096));
}

TreeBuilder::TreeBuilder(std::string_view file, std::string_view document, std::size_t zeros,
                         const TreeLimits& limits)
    : TreeBuilder(file, limits, document.size()) {
  tree_.text.reserve(2 * document.size() + zeros);
  tree_.text.append(document).append(zeros, '\0');
}

std::unexpected<Error> TreeBuilder::too_deep(std::uint32_t line, std::uint32_t column) const {
  return fail_at(ErrorCode::limit, fmt::format("nested deeper than {} levels", depth_max_), line,
                 column);
}

std::unexpected<Error> TreeBuilder::too_many_events(std::uint32_t line,
                                                    std::uint32_t column) const {
  return fail_at(ErrorCode::limit, fmt::format("more than {} YAML events", events_max_), line,
                 column);
}

std::unexpected<Error> TreeBuilder::no_key(std::uint32_t line, std::uint32_t column) const {
  return fail_at(ErrorCode::invalid, "a key of a mapping is not a scalar", line, column);
}

Result<void> TreeBuilder::check_keys(const TreeNode& mapping) const {
  const std::vector<TreeNode>& nodes = tree_.nodes;
  const auto text_of = [&](std::uint32_t number) {
    return std::string_view(tree_.text.data() + nodes[number].text_begin, nodes[number].text_size);
  };
  const auto refuse = [&](std::uint32_t number) {
    return fail_at(ErrorCode::invalid,
                   fmt::format("key \"{}\" is given twice", shown(text_of(number))),
                   nodes[number].line, nodes[number].column);
  };
  const auto next_key = [&](std::uint32_t key) { return nodes[nodes[key].next].next; };  // 0: none
  if (mapping.children / 2 <= kFewKeys) {
    for (std::uint32_t key = mapping.first_child; key != 0; key = next_key(key)) {
      const std::string_view text = text_of(key);
      for (std::uint32_t before = mapping.first_child; before != key; before = next_key(before)) {
        if (same(text_of(before), text)) return refuse(key);
      }
    }
    return {};
  }
  std::vector<KeyAndNumber> keys;
  keys.reserve(mapping.children / 2);
  for (std::uint32_t key = mapping.first_child; key != 0; key = next_key(key)) {
    keys.emplace_back(text_of(key), key);
  }
  std::ranges::sort(keys);
  const auto twice = std::ranges::adjacent_find(keys, {}, &KeyAndNumber::first);
  return twice == keys.end() ? Result<void>() : refuse(std::next(twice)->second);
}

std::string shown(std::string_view text) {
  const bool cut = text.size() > kShownBytesMax;
  if (cut) {
    std::size_t end = kShownBytesMax;
    while (end > 0 && is_utf8_continuation(text[end])) --end;
    text = text.substr(0, end);
  }
  std::string out(text);
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  if (cut) out += "…";
  return out;
}

}  // namespace copse
