// SPDX-License-Identifier: Apache-2.0
#include "flux/fluxion/resource_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "base/nearest_word.hpp"
#include "formats/formats.hpp"
#include "text/json_writer.hpp"

namespace copse::flux {

namespace {

constexpr std::int64_t kCenturyOfPlans_s = 3'153'600'000;
constexpr std::int64_t kReservePoolsMax = 2'000'000;

constexpr std::array<std::string_view, 6> kLoadFormats{"grug",          "hwloc",   "jgf",
                                                       "jgf_shorthand", "rv1exec", "rv1exec_force"};
constexpr std::array<std::string_view, 11> kResourceKeys{
    "load-file",       "load-format",  "load-allowlist",  "match-policy",
    "policy",          "match-format", "reserve-vtx-vec", "prune-filters",
    "update-interval", "subsystems",   "traverser"};

std::vector<std::string> words_between_commas(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) out.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

// Within [1, max]; else nothing is set.
bool set_number(std::string_view text, std::int64_t max, std::int64_t& out) {
  std::int64_t number = 0;
  const auto [at, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || at != text.data() + text.size() || number < 1 || number > max) {
    return false;
  }
  out = number;
  return true;
}

}  // namespace

Result<std::string> ResourceOptions::set(std::string_view key, std::string_view value) {
  const auto passed_over = [&] {
    return fmt::format("{} \"{}\" is not known, and passed over", key, value);
  };
  if (key == "load-file") {
    load_file = value;
  } else if (key == "load-allowlist") {
    load_allowlist = value;
  } else if (key == "subsystems") {
    subsystems = value;
  } else if (key == "load-format") {
    if (std::ranges::find(kLoadFormats, value) == kLoadFormats.end()) return passed_over();
    load_format = value;
  } else if (key == "match-policy" || key == "policy") {
    auto found = find_policy(value);
    if (!found) return std::unexpected(found.error());
    policy = std::move(*found);
    policy_name = value;
  } else if (key == "traverser") {
    if (value != "simple" && value != "flexible" && value != "loop-aware") {
      constexpr std::array<std::string_view, 3> kNames{"simple", "flexible", "loop-aware"};
      return fail(ErrorCode::not_found, unknown_word("traverser", value, kNames));
    }
    traverser = value == "simple"     ? Traverser::simple
                : value == "flexible" ? Traverser::flexible
                                      : Traverser::loop_aware;
    traverser_name = value;
  } else if (key == "match-format") {
    const auto known = parse_format(value);
    if (!known) return passed_over();
    match_format = *known;
  } else if (key == "prune-filters") {
    prune_filters = own_prune_filters_ ? prune_filters + ',' + std::string(value) : value;
    own_prune_filters_ = true;
  } else if (key == "reserve-vtx-vec") {
    if (!set_number(value, kReservePoolsMax, reserve_pools)) return passed_over();
  } else if (key == "update-interval") {
    if (!set_number(value, kReservePoolsMax, update_interval_s)) return passed_over();
  } else {
    return fail(ErrorCode::invalid, unknown_word("option", key, kResourceKeys));
  }
  return std::string();
}

std::string ResourceOptions::dominant() const {
  const auto names = words_between_commas(subsystems);
  return names.empty() ? "containment" : names.front();
}

EngineOptions ResourceOptions::engine(std::int64_t now_s) const {
  EngineOptions out;
  out.policy = policy;
  out.traverser = traverser;
  out.prune_filters = prune_filters;
  out.auxiliary = words_between_commas(subsystems);
  out.now = now_s;
  out.horizon = now_s + kCenturyOfPlans_s;
  return out;
}

std::string ResourceOptions::params() const {
  std::string out;
  JsonWriter json(out);
  const auto text_or_null = [&](std::string_view key, const std::string& text) {
    if (text.empty()) {
      json.member_json(key, "null");
    } else {
      json.member(key, text);
    }
  };
  json.object([&] {
    json.object("params", [&] {
      text_or_null("load-file", load_file);
      json.member("load-format", load_format);
      text_or_null("load-allowlist", load_allowlist);
      json.member("policy", policy_name);
      json.member("match-format", std::string_view(word(match_format)));
      json.member("subsystems", subsystems);
      json.member("reserve-vtx-vec", reserve_pools);
      json.member("prune-filters", prune_filters);
      json.member("update-interval", update_interval_s);
      json.member("traverser", traverser_name);
    });
  });
  return out;
}

}  // namespace copse::flux
