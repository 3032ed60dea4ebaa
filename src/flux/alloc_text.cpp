// SPDX-License-Identifier: Apache-2.0
#include "flux/alloc_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "text/json_text.hpp"
#include "text/json_walk.hpp"

namespace copse::flux {

namespace {

constexpr std::size_t kBytesMax = std::size_t{64} << 20;
constexpr std::uint32_t kDepthMax = 128;

constexpr std::array<std::string_view, 5> kKeys{"id", "priority", "userid", "t_submit", "jobspec"};

}  // namespace

Result<AllocRequest> read_alloc(std::string_view text) {
  JsonWalk walk(text, 0, "alloc", {kBytesMax, kBytesMax, kDepthMax});
  AllocRequest out;
  unsigned seen = 0;
  std::int64_t id = 0, userid = 0;
  const auto member = [&](std::string_view key, JsonWalk::Value& value,
                          const JsonWalk::Token& token) {
    const auto at = std::ranges::find(kKeys, key) - kKeys.begin();
    if (static_cast<std::size_t>(at) < kKeys.size()) seen |= 1U << at;
    switch (at) {
      case 0: return walk.integer(token, "id", 0, INT64_MAX, id);
      case 1:
        if (!walk.integer(token, "priority", INT64_MIN, INT64_MAX, out.priority)) return false;
        out.priority = std::clamp<std::int64_t>(out.priority, 0, kPriorityMax);
        return true;
      case 2: return walk.integer(token, "userid", 0, UINT32_MAX, userid);
      case 3: return walk.number(value, token, "t_submit", out.submit_s);
      case 4: {
        // The walk may read a copy of the text, with the same offsets.
        const std::string_view from = text.substr(token.offset);
        out.jobspec = from.substr(0, json_value_end(from));
        return walk.skip(value, token);
      }
      default: return walk.skip(value, token);
    }
  };
  if (!walk.document(member)) return std::unexpected(walk.error());
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if ((seen >> i & 1U) == 0) {
      return fail(ErrorCode::invalid, "alloc: there is no \"" + std::string(kKeys.at(i)) + '"');
    }
  }
  out.id = static_cast<JobId>(id);
  out.userid = static_cast<std::uint32_t>(userid);
  return out;
}

}  // namespace copse::flux
