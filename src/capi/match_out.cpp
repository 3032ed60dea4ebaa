// SPDX-License-Identifier: Apache-2.0
#include "capi/match_out.hpp"

#include "copse/formats.hpp"
#include "formats/formats.hpp"

namespace copse::capi {

Outcome<void> check_format(const char* format) {
  if (format == nullptr || parse_format(format)) return {};
  return refuse(COPSE_UNSUPPORTED, "unknown format '" + std::string(format).substr(0, 64) + "'");
}

Outcome<void> match_out(const ResourceGraph& graph, const Match& match, const char* format,
                        copse_result* result) {
  if (result == nullptr) return {};
  copse_result value = COPSE_RESULT_INIT;
  value.start = match.start;
  value.end = match.end;
  value.slots = match.nslots;
  value.visits = match.visits;
  if (format != nullptr) {
    const auto text = write_match(graph, match, format);
    if (!text) return std::unexpected(Failure(text.error()));
    if (auto ok = text_out(*text, &value.text, &value.text_length); !ok) return ok;
  }
  write_struct(value, result);
  return {};
}

}  // namespace copse::capi
