// SPDX-License-Identifier: Apache-2.0
//
// Is what a broker found on its node what the inventory says? Compares the ranks of one set, few or
// many, with what another expects of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "copse/error.hpp"
#include "rset/rset.hpp"

namespace copse {

enum class VerifyMode : std::uint8_t { strict, allow_extra, allow_missing, ignore };

struct VerifyModes {
  std::map<std::string, VerifyMode, std::less<>> of;  // "hostname", or a type of children
  VerifyMode others = VerifyMode::strict;

  [[nodiscard]] VerifyMode mode(std::string_view what) const {
    const auto at = of.find(what);
    return at == of.end() ? others : at->second;
  }
};

struct Difference {
  enum class Kind : std::uint8_t { unknown_rank, hostname, missing, extra };
  Kind kind = Kind::missing;
  Idset ranks;
  RSet::Children children;          // that are missing or extra
  std::string expected_host, host;  // of hostname, which is for one rank
};

// In the order of ranks by kind: unknown ranks, hostnames, missing, extra. A set without names is
// not compared by them. Errors: limit. O(ranges of both × log), and hosts.
[[nodiscard]] Result<std::vector<Difference>> verify(const RSet& expected, const RSet& actual,
                                                     const VerifyModes& modes = {});

}  // namespace copse
