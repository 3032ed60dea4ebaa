// SPDX-License-Identifier: Apache-2.0
//
// Values of the JSON that Slurm's commands write. Since 23.02 a number may be an object,
//   {"set": true, "infinite": false, "number": 60},
// and a state a list of words; before, both were plain, and the largest numbers of 32 and 64 bits
// meant "infinite" and "not set".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/json_walk.hpp"

namespace copse {

inline constexpr std::int64_t kSlurmInfinite = INT64_MAX;
inline constexpr JsonWalk::Bounds kSlurmJsonBounds{
    .text_bytes_max = std::size_t{1} << 31, .word_bytes_max = 1U << 20, .depth_max = 64};

// Each returns false once something was refused, as JsonWalk does.
//
// A number; none if it is not set. Null is none as well.
[[nodiscard]] bool slurm_number(JsonWalk& walk, JsonWalk::Value& value,
                                const JsonWalk::Token& token, std::string_view what,
                                std::optional<std::int64_t>& out);
// A word or a list of words; null is none.
[[nodiscard]] bool slurm_words(JsonWalk& walk, JsonWalk::Value& value, const JsonWalk::Token& token,
                               std::string_view what, std::vector<std::string>& out);
// A text; null is "".
[[nodiscard]] bool slurm_text(JsonWalk& walk, JsonWalk::Value& value, const JsonWalk::Token& token,
                              std::string_view what, std::string& out);

}  // namespace copse
