// SPDX-License-Identifier: Apache-2.0
#include "capi/match_out.hpp"

#include "copse/formats.hpp"
#include "formats/formats.hpp"

namespace copse::capi {

namespace {

// In an R, 0 means no end (RFC 20).
Match without_end(Match match) {
  match.end = 0;
  return match;
}

}  // namespace

Outcome<void> check_format(const char* format) {
  if (format == nullptr || parse_format(format)) return {};
  return refuse(COPSE_UNSUPPORTED, "unknown format '" + std::string(format).substr(0, 64) + "'");
}

Outcome<void> match_out(const Engine& engine, const Match& match, const char* format,
                        copse_result* result) {
  if (result == nullptr) return {};
  copse_result value = COPSE_RESULT_INIT;
  value.start = match.start;
  value.end = match.end;
  value.slots = match.nslots;
  value.visits = match.visits;
  if (format != nullptr) {
    const bool endless = match.end >= engine.options().horizon;
    const auto text = endless ? write_match(engine.graph(), without_end(match), format)
                              : write_match(engine.graph(), match, format);
    if (!text) return std::unexpected(Failure(text.error()));
    if (auto ok = text_out(*text, &value.text, &value.text_length); !ok) return ok;
  }
  write_struct(value, result);
  return {};
}

}  // namespace copse::capi
