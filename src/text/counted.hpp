// SPDX-License-Identifier: Apache-2.0
//
// Counts of things in sentences: "1 job", "2 jobs", "0 jobs".
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace copse {

[[nodiscard]] inline std::string counted(std::integral auto n, std::string_view one,
                                         std::string_view many) {
  std::string out = std::to_string(n);
  out += ' ';
  return out += n == 1 ? one : many;
}
// With an "s" for many.
[[nodiscard]] inline std::string counted(std::integral auto n, std::string_view one) {
  std::string many(one);
  many += 's';
  return counted(n, one, many);
}

}  // namespace copse
