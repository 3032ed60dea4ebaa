// SPDX-License-Identifier: Apache-2.0
#include "formats/flux/sched_status.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "formats/rv1/rv1_read.hpp"
#include "text/json_fault.hpp"
#include "text/json_text.hpp"
#include "text/json_walk.hpp"

namespace copse {

namespace {

constexpr std::array<std::string_view, 3> kParts{"all", "allocated", "down"};
constexpr std::uint32_t kDepthMax = 128;

// Of the text: the value of each key; empty: none, or null.
struct Parts {
  std::array<std::string_view, 3> text{};
};

Result<Parts> parts_of(std::string_view text, std::string_view file) {
  Parts out;
  JsonWalk walk(text, 0, file, {text.size(), text.size(), kDepthMax});
  const bool read = walk.document(
      [&](std::string_view key, JsonWalk::Value& value, const JsonWalk::Token& token) {
        const auto part = std::ranges::find(kParts, key);
        if (part != kParts.end() && token.type != JsonWalk::Type::null) {
          const std::string_view from = text.substr(token.offset);
          out.text.at(static_cast<std::size_t>(part - kParts.begin())) =
              from.substr(0, json_value_end(from));
        }
        return walk.skip(value, token);
      });
  if (!read) return std::unexpected(walk.error());
  return out;
}

}  // namespace

Result<SchedStatus> read_sched_status(std::string_view text, std::string_view file) {
  const auto parts = parts_of(text, file);
  if (!parts) return std::unexpected(parts.error());
  if (parts->text.front().empty()) {
    return fail(ErrorCode::invalid, "there is no key \"all\", the resources of the instance",
                {std::string(file)});
  }
  SchedStatus out;
  std::array<RSet*, 3> to{&out.all, &out.allocated, &out.down};
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (parts->text.at(i).empty()) continue;
    auto r = read_r(parts->text.at(i), file, {.rules = RRules::merging});
    if (!r) {
      // Its places count from the beginning of the part.
      return fail(r.error().code, fmt::format("\"{}\": {}", kParts.at(i), r.error().text),
                  {std::string(file)});
    }
    *to.at(i) = std::move(*r);
  }
  return out;
}

}  // namespace copse
