// SPDX-License-Identifier: Apache-2.0
#include "flux/fluxion/resource_options.hpp"

#include <fmt/format.h>

#include <array>

#include "base/nearest_word.hpp"
#include "base/scan_text.hpp"
#include "files/read_file.hpp"
#include "flux/machine/machine.hpp"
#include "fluxion/option_words.hpp"
#include "formats/formats.hpp"
#include "text/json_writer.hpp"
#include "text/split.hpp"

namespace copse::flux {

namespace {

constexpr std::int64_t kCenturyOfPlans_s = 3'153'600'000;
constexpr std::int64_t kReservePoolsMax = 2'000'000;

constexpr std::array<std::string_view, 11> kResourceKeys{
    "load-file",       "load-format",  "load-allowlist",  "match-policy",
    "policy",          "match-format", "reserve-vtx-vec", "prune-filters",
    "update-interval", "subsystems",   "traverser"};

// Within [1, max]; else nothing is set.
bool set_number(std::string_view text, std::int64_t max, std::int64_t& out) {
  const auto number = parse_number<std::int64_t>(text);
  if (!number || *number < 1 || *number > max) return false;
  out = *number;
  return true;
}

}  // namespace

Result<std::string> ResourceOptions::set(std::string_view key, std::string_view value) {
  const auto ignored = [&] { return fmt::format("unknown {} \"{}\" is ignored", key, value); };
  if (key == "load-file") {
    load_file = value;
  } else if (key == "load-allowlist") {
    load_allowlist = value;
  } else if (key == "subsystems") {
    subsystems = value;
  } else if (key == "load-format") {
    if (!fluxion::is_load_format(value)) return ignored();
    load_format = value;
  } else if (key == "match-policy" || key == "policy") {
    auto found = find_policy(value);
    if (!found) return std::unexpected(found.error());
    policy = std::move(*found);
    policy_name = value;
  } else if (key == "traverser") {
    const auto known = fluxion::parse_traverser(value);
    if (!known) {
      return fail(ErrorCode::not_found, unknown_word("traverser", value, fluxion::kTraversers));
    }
    traverser = *known;
  } else if (key == "match-format") {
    const auto known = parse_format(value);
    if (!known) return ignored();
    match_format = *known;
  } else if (key == "prune-filters") {
    prune_filters = own_prune_filters_ ? prune_filters + ',' + std::string(value) : value;
    own_prune_filters_ = true;
  } else if (key == "reserve-vtx-vec") {
    if (!set_number(value, kReservePoolsMax, reserve_pools)) return ignored();
  } else if (key == "update-interval") {
    if (!set_number(value, kReservePoolsMax, update_interval_s)) return ignored();
  } else {
    return fail(ErrorCode::invalid, unknown_word("option", key, kResourceKeys));
  }
  return std::string();
}

std::string ResourceOptions::dominant() const {
  const auto names = split(subsystems, ',');
  return names.empty() ? "containment" : std::string(names.front());
}

EngineOptions ResourceOptions::engine(std::int64_t now_s) const {
  EngineOptions out;
  out.policy = policy;
  out.traverser = traverser;
  out.prune_filters = prune_filters;
  const auto names = split(subsystems, ',');
  out.auxiliary.assign(names.begin(), names.end());
  out.now = now_s;
  out.horizon = now_s + kCenturyOfPlans_s;
  return out;
}

Result<std::unique_ptr<Engine>> ResourceOptions::load_engine(std::int64_t now_s) const {
  const auto text = read_file(load_file);
  if (!text) return std::unexpected(text.error());
  const std::string root = dominant();
  return engine_of_file(
      *text,
      {.file = load_file, .format = load_format, .allowlist = load_allowlist, .dominant = root},
      engine(now_s));
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
      json.member("traverser", std::string_view(word(traverser)));
    });
  });
  return out;
}

}  // namespace copse::flux
