// SPDX-License-Identifier: Apache-2.0
//
// Slurm's lists of hosts. They are hostlists (RFC 29, base/hostlist.hpp) but for one rule: a name may
// have several lists of numbers.
//
//   list = [ name *( 1*( "," / blank ) name ) ]
//   name = *( text / "[" numbers "]" )
//
// "r[1-2]b[1-3]" is r1b1, r1b2, r1b3, r2b1, r2b2, r2b3: the last list runs first.
// Sources: slurm.conf(5), NodeName; scontrol(1), show hostnames.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"

namespace copse {

// Errors: those of expand_hostlist(); hosts and the bytes of their names are bounded before they are made. O(length of the
// text + length of the result).
[[nodiscard]] Result<std::vector<std::string>> expand_slurm_hosts(std::string_view text,
                                                                  std::size_t hosts_max = 1U << 20);

}  // namespace copse
