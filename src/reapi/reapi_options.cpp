// SPDX-License-Identifier: Apache-2.0
#include "reapi/reapi_options.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "fluxion/option_words.hpp"
#include "formats/formats.hpp"
#include "text/json_walk.hpp"

namespace copse::reapi {

namespace {

constexpr JsonWalk::Bounds kOptionBounds{
    .text_bytes_max = 1u << 20, .word_bytes_max = 64u << 10, .depth_max = 32};
constexpr std::array<std::string_view, 7> kWords{
    "load_format",      "load_allowlist", "matcher_name", "matcher_policy",
    "traverser_policy", "match_format",   "prune_filters"};

using Given = std::map<std::string_view, std::string>;

// The options that are words. Errors: invalid.
Result<Given> read_words(std::string_view text) {
  JsonWalk walk(text, 0, {}, kOptionBounds);
  Given out;
  JsonWalk::Object root;
  const bool read = walk.open(root) &&
                    walk.for_each_member(
                        root, [&](std::string_view key, auto& value, const JsonWalk::Token& token) {
                          std::string_view word;
                          std::int64_t number = 0;
                          bool yes = false;
                          if (key == "reserve_vtx_vec")
                            return walk.integer(token, key, 0, INT32_MAX, number);
                          if (key == "elapse_time") return walk.boolean(token, key, yes);
                          const auto* const known = std::ranges::find(kWords, key);
                          if (known == kWords.end()) return walk.skip(value, token);
                          if (!walk.word(value, token, key, word)) return false;
                          out[*known] = word;
                          return true;
                        });
  if (!read) return std::unexpected(walk.error());
  return out;
}

}  // namespace

Result<Options> read_options(std::string_view text) {
  auto given = read_words(text);
  if (!given) {
    return fail(ErrorCode::invalid,
                "can't set resource graph parameters: " + given.error().message());
  }
  Options out;
  const std::string policy =
      given->contains("matcher_policy") ? (*given)["matcher_policy"] : "first";
  auto found = find_policy(policy);
  if (!found) return fail(ErrorCode::invalid, "can't create matcher: " + found.error().text);
  out.policy = std::move(*found);
  if (given->contains("matcher_name")) {
    out.subsystems = fluxion::matcher_subsystems((*given)["matcher_name"]);
    if (out.subsystems.empty()) {
      return fail(ErrorCode::invalid,
                  "can't create matcher: unknown matcher_name " + (*given)["matcher_name"]);
    }
  }
  if (const std::string& name = (*given)["traverser_policy"]; !name.empty()) {
    const auto traverser = fluxion::parse_traverser(name);
    if (!traverser) {
      return fail(ErrorCode::invalid, "can't create traverser: unknown traverser_policy " + name);
    }
    out.traverser = *traverser;
  }
  out.load_format = (*given)["load_format"];
  if (!out.load_format.empty() && !fluxion::is_load_format(out.load_format)) {
    return fail(ErrorCode::invalid, "can't create reader: unknown load_format " + out.load_format);
  }
  out.load_allowlist = (*given)["load_allowlist"];
  if (given->contains("match_format")) {
    out.match_format = parse_format((*given)["match_format"]).value_or(Format::simple);
  }
  if (given->contains("prune_filters")) out.prune_filters = (*given)["prune_filters"];
  return out;
}

}  // namespace copse::reapi
