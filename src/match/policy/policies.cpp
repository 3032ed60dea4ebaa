// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "base/scan_text.hpp"
#include "copse/graph.hpp"
#include "copse/policy.hpp"

namespace copse {

namespace {

// Fluxion's node-centric term: 10,000 per id of the node, plus its uniq_id.
Score node_term(const ResourceGraph& graph, PoolId node) {
  const auto uniq = static_cast<Score>(graph.uniq_id(node) % 10'000);
  Score term = 0;
  if (__builtin_add_overflow(graph.id(node), Score{2}, &term) ||
      __builtin_mul_overflow(term, Score{10'000}, &term)) {
    term = INT64_MAX / 4;
  }
  return term + std::abs(uniq - 1);
}

// Fluxion's variation: classes of performance, 0 the best, as a property of any pool. A pool
// without one, or with an invalid one, goes last.
Score class_score(const ResourceGraph& graph, PoolId pool) {
  constexpr Score kWorst = 9999;
  const ResourceGraph::Attributes* properties = graph.properties(pool);
  if (properties == nullptr) return 1 + kWorst;
  const auto it = properties->find("perf_class");
  if (it == properties->end()) return 1 + kWorst;
  const Score value = parse_number<Score>(it->second).value_or(kWorst);
  return 1 + (value >= 0 && value <= kWorst ? value : kWorst);
}

// The words of a custom policy that were read so far.
struct Words {
  static constexpr std::array<std::string_view, 4> kKeys{"policy", "node_centric", "node_exclusive",
                                                         "stop_on_1_matches"};
  std::array<bool, 4> given{};
  std::array<bool, 4> on{};  // of policy: high
};

Result<void> read_word(std::string_view word, Words& words) {
  const std::size_t equals = word.find('=');
  std::string_view key = word.substr(0, equals);
  // The name in Fluxion's manual page.
  if (key == "set_stop_on_1_matches") key = "stop_on_1_matches";
  const auto* const found = std::find(Words::kKeys.begin(), Words::kKeys.end(), key);
  if (equals == std::string_view::npos || found == Words::kKeys.end()) {
    return fail(
        ErrorCode::invalid,
        fmt::format("\"{}\" is not a word of a match policy; the words are: policy=high|low, "
                    "node_centric=true|false, node_exclusive=true|false, "
                    "stop_on_1_matches=true|false",
                    word));
  }
  const auto k = static_cast<std::size_t>(found - Words::kKeys.begin());
  const std::string_view value = word.substr(equals + 1);
  const std::string_view yes = k == 0 ? "high" : "true", no = k == 0 ? "low" : "false";
  if (value != yes && value != no) {
    return fail(ErrorCode::invalid,
                fmt::format("\"{}\" in the match policy: {} is {} or {}", word, key, yes, no));
  }
  if (words.given[k]) {
    return fail(ErrorCode::invalid,
                fmt::format("\"{}\" in the match policy: {} is given twice", word, key));
  }
  words.given[k] = true;
  words.on[k] = value == yes;
  return {};
}

}  // namespace

std::span<const Policy> bundled_policies() {
  static const std::array<Policy, 13> policies{{
      {.name = "first",
       .summary = "the first that is found: untouched parts, then those with most free",
       .bundled_below_node = node_term,
       .first_found = true},
      {.name = "firstnodex",
       .summary = "first, with nodes taken whole",
       .bundled_below_node = node_term,
       .whole_nodes = true,
       .first_found = true},
      {.name = "low", .summary = "lowest ids first", .prefer_high = false},
      {.name = "high", .summary = "highest ids first"},
      {.name = "lonode",
       .summary = "the contents of the nodes with the lowest ids first",
       .prefer_high = false,
       .bundled_below_node = node_term},
      {.name = "hinode",
       .summary = "the contents of the nodes with the highest ids first",
       .bundled_below_node = node_term},
      {.name = "lonodex",
       .summary = "lonode, with nodes taken whole",
       .prefer_high = false,
       .bundled_below_node = node_term,
       .whole_nodes = true},
      {.name = "hinodex",
       .summary = "hinode, with nodes taken whole",
       .bundled_below_node = node_term,
       .whole_nodes = true},
      {.name = "locality", .summary = "the highest run of consecutive ids", .by_runs = true},
      {.name = "variation",
       .summary = "lowest property perf_class (0 to 9999) first",
       .prefer_high = false,
       .bundled_score = class_score,
       .slots_reversed = true},
      {.name = "compact",
       .summary = "few-racks; nodes with gpus last, if the request has none",
       .prefer_high = false,
       .bundled_below_node = node_term,
       .few_nodes = true,
       .few_racks = true},
      {.name = "few-racks",
       .summary = "few racks (blocks, switches), by best fit; in them few nodes, used ones first",
       .prefer_high = false,
       .bundled_below_node = node_term,
       .few_racks = true},
      {.name = "keep-large",
       .summary = "few-racks; of equal choices the one that leaves the largest piece",
       .prefer_high = false,
       .bundled_below_node = node_term,
       .few_racks = true,
       .keep_large = true},
  }};
  return policies;
}

Result<Policy> parse_policy(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  if (text.find(',') != std::string_view::npos) {
    return fail(
        ErrorCode::invalid,
        fmt::format("words of a match policy are separated by blanks, not by commas: \"{}\"",
                    text));
  }
  Words words;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    if (auto read = read_word(text.substr(at, end - at), words); !read) {
      return std::unexpected(std::move(read.error()));
    }
    at = text.find_first_not_of(kBlanks, end);
  }
  if (!words.given[0]) {
    return fail(
        ErrorCode::invalid,
        fmt::format("the match policy \"{}\" does not say policy=high or policy=low", text));
  }
  return Policy{.name = std::string(text),
                .prefer_high = words.on[0],
                .bundled_below_node = words.on[1] ? node_term : nullptr,
                .whole_nodes = words.on[2],
                .first_found = words.on[3]};
}

Result<Policy> find_policy(std::string_view name, std::span<const Policy> own) {
  for (const Policy& p : own) {
    if (p.name == name) return p;
  }
  std::string known;
  for (const Policy& p : own) known += p.name + ", ";
  for (const Policy& p : bundled_policies()) {
    if (p.name == name) return p;
    known += p.name + ", ";
  }
  if (name.find('=') != std::string_view::npos) return parse_policy(name);
  known.resize(known.size() - 2);
  return fail(ErrorCode::not_found,
              "unknown match policy \"" + std::string(name) + "\"; there are: " + known);
}

}  // namespace copse
