// SPDX-License-Identifier: Apache-2.0
#include "request/constraint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

#include "base/hostlist.hpp"
#include "base/idset.hpp"
#include "text/tree/yaml_tree.hpp"

namespace copse {
namespace {

using Op = Constraint::Op;
using Range = std::pair<std::int64_t, std::int64_t>;

// RFC 31 lets a query language use these characters between property names.
constexpr std::string_view kPropertyCharsRefused = "!&'\"^`|()";
// A host name on the Internet has at most 253 bytes. A longer one in front of a bracket would turn
// a short text into gigabytes of names.
constexpr std::size_t kHostNameBytesMax = 255;

std::optional<Op> op_of(std::string_view word) {
  if (word == "properties") return Op::properties;
  if (word == "hostlist") return Op::hostlist;
  if (word == "ranks") return Op::ranks;
  if (word == "and") return Op::all;
  if (word == "or") return Op::any;
  if (word == "not") return Op::negate;
  return std::nullopt;
}

// Is a name of this hostlist, apart from its bracket, longer than a host name can be?
bool has_long_name(std::string_view hostlist) {
  std::size_t length = 0;
  bool in_bracket = false;
  for (const char c : hostlist) {
    if (c == '[') in_bracket = true;
    if (c == ']') in_bracket = false;
    if (c == '[' || c == ']' || in_bracket) continue;
    length = c == ',' || c == ' ' || c == '\t' ? 0 : length + 1;
    if (length > kHostNameBytesMax) return true;
  }
  return false;
}

class ConstraintReader {
 public:
  ConstraintReader(std::size_t hosts_max, JobspecWords words)
      : hosts_left_(hosts_max), words_(words) {}

  Result<Constraint> read(TreeView node) {
    if (!node.is_mapping()) return node.fail("constraint is not a mapping");
    if (node.size() > 1) return node.fail("constraint map may not contain > 1 operation");
    Constraint constraint;
    const auto key = node.first_child();
    if (!key) return constraint;
    const auto op = op_of(key->text());
    if (!op) return key->fail(fmt::format("unknown constraint operator: {}", shown(key->text())));
    const TreeView value = *key->next();
    if (!value.is_sequence()) {
      return value.fail(fmt::format("{} operator value must be an array", key->text()));
    }
    constraint.op = *op;
    for (auto entry = value.first_child(); entry; entry = entry->next()) {
      if (auto read = read_entry(constraint, *entry); !read) {
        return std::unexpected(std::move(read.error()));
      }
    }
    tidy(constraint);
    return constraint;
  }

 private:
  Result<void> read_entry(Constraint& constraint, TreeView entry) {
    switch (constraint.op) {
      case Op::properties: return read_property(constraint, entry);
      case Op::hostlist: return read_hosts(constraint, entry);
      case Op::ranks: return read_ranks(constraint, entry);
      default: break;
    }
    auto operand = read(entry);
    if (!operand) return std::unexpected(std::move(operand.error()));
    constraint.operands.push_back(std::move(*operand));
    return {};
  }

  [[nodiscard]] Result<void> read_property(Constraint& constraint, TreeView entry) const {
    if (!entry.is_quoted_string()) {
      if (words_ == JobspecWords::fluxion || !entry.is_scalar()) {
        return entry.fail("non-string property specified");
      }
      return entry.fail(fmt::format("a property needs quotes: \"{}\"", shown(entry.text())));
    }
    const std::string_view text = entry.text();
    const std::string_view name = text.substr(text.starts_with('^') ? 1 : 0);
    if (words_ == JobspecWords::own && name.empty()) return entry.fail("a property has no name");
    if (name.find_first_of(kPropertyCharsRefused) != std::string_view::npos) {
      return entry.fail(fmt::format("{} is invalid", shown(text)));
    }
    constraint.words.emplace_back(text);
    return {};
  }

  Result<void> read_hosts(Constraint& constraint, TreeView entry) {
    if (!entry.is_scalar()) return entry.fail("hostlist entry is not a scalar");
    if (has_long_name(entry.text())) {
      return entry.fail(fmt::format("host name is longer than {} bytes", kHostNameBytesMax),
                        ErrorCode::limit);
    }
    auto hosts = expand_hostlist(entry.text(), hosts_left_);
    if (!hosts && hosts.error().code == ErrorCode::limit) {
      return entry.fail(hosts.error().text, ErrorCode::limit);
    }
    if (!hosts) return entry.fail(fmt::format("Invalid hostlist `{}'", shown(entry.text())));
    hosts_left_ -= hosts->size();
    std::ranges::move(*hosts, std::back_inserter(constraint.words));
    return {};
  }

  static Result<void> read_ranks(Constraint& constraint, TreeView entry) {
    if (!entry.is_scalar()) return entry.fail("ranks entry is not a scalar");
    const auto ids = Idset::parse(entry.text());
    if (!ids && ids.error().code == ErrorCode::limit) {
      return entry.fail(ids.error().text, ErrorCode::limit);
    }
    if (!ids) return entry.fail(fmt::format("Invalid idset `{}'", shown(entry.text())));
    std::ranges::copy(ids->ranges(), std::back_inserter(constraint.ranks));
    return {};
  }

  // Sorts what was gathered in the order of the text. The values of one operator are independent:
  // they may overlap and need not ascend (RFC 31, ranks).
  static void tidy(Constraint& constraint) {
    if (constraint.op == Op::hostlist) {
      std::ranges::sort(constraint.words);
      const auto rest = std::ranges::unique(constraint.words);
      constraint.words.erase(rest.begin(), rest.end());
    }
    if (constraint.ranks.empty()) return;
    std::ranges::sort(constraint.ranks);
    std::size_t last = 0;
    for (std::size_t i = 1; i < constraint.ranks.size(); ++i) {
      const Range range = constraint.ranks[i];
      if (range.first <= constraint.ranks[last].second + 1) {
        constraint.ranks[last].second = std::max(constraint.ranks[last].second, range.second);
      } else {
        constraint.ranks[++last] = range;
      }
    }
    constraint.ranks.resize(last + 1);
  }

  std::size_t hosts_left_;
  JobspecWords words_;
};

bool has_rank(const std::vector<Range>& ranges, std::int64_t rank) {
  const auto after = std::ranges::upper_bound(ranges, rank, {}, &Range::first);
  return after != ranges.begin() && rank <= std::prev(after)->second;
}

bool has_property(const NodeFacts& node, const std::string& word) {
  const bool absent = word.starts_with('^');
  const bool present =
      node.properties != nullptr && node.properties->contains(absent ? word.substr(1) : word);
  return present != absent;
}

}  // namespace

bool holds(const Constraint& constraint, const NodeFacts& node) {
  const auto holds_here = [&node](const Constraint& operand) { return holds(operand, node); };
  const auto has_word = [&node](const std::string& word) { return has_property(node, word); };
  switch (constraint.op) {
    case Op::none: return true;
    case Op::properties: return std::ranges::all_of(constraint.words, has_word);
    case Op::hostlist:
      return std::binary_search(constraint.words.begin(), constraint.words.end(), node.name,
                                std::less<>());
    case Op::ranks: return has_rank(constraint.ranks, node.rank);
    case Op::all: return std::ranges::all_of(constraint.operands, holds_here);
    case Op::any:  // RFC 31: without operands it holds
      return constraint.operands.empty() || std::ranges::any_of(constraint.operands, holds_here);
    case Op::negate: return !std::ranges::all_of(constraint.operands, holds_here);
  }
  return false;
}

Result<Constraint> read_constraint(TreeView tree, std::size_t hosts_max, JobspecWords words) {
  return ConstraintReader(hosts_max, words).read(tree);
}

Result<Constraint> parse_constraint(std::string_view text, std::string_view file,
                                    JobspecWords words, std::size_t hosts_max) {
  auto tree = read_tree(text, file);
  if (!tree) return std::unexpected(std::move(tree.error()));
  return read_constraint(TreeView(*tree), hosts_max, words);
}

Constraint both(Constraint a, Constraint b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  Constraint out;
  out.op = Constraint::Op::all;
  out.operands.push_back(std::move(a));
  out.operands.push_back(std::move(b));
  return out;
}

}  // namespace copse
