// SPDX-License-Identifier: Apache-2.0
//
// Whatever expand_hostlist accepts must read back from its compressed text as the same list.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/hostlist.hpp"
#include "go_on.hpp"
#include "target.hpp"

FUZZ_TARGET(hostlist) {
  constexpr std::size_t kTextMax = 4096;
  constexpr std::size_t kHostsMax = 1024;
  if (size > kTextMax) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto hosts = copse::expand_hostlist(text, kHostsMax);
  if (!hosts) return 0;

  if (hosts->size() > kHostsMax) std::abort();
  const auto again = copse::expand_hostlist(copse::compress_hostlist(*hosts), kHostsMax);
  if (!again || *again != *hosts) std::abort();
  static const auto engine = copse::fuzz::engine_on(copse::fuzz::small_machine(), "first");
  copse::Constraint names;
  names.op = copse::Constraint::Op::hostlist;
  names.words = *hosts;
  std::sort(names.words.begin(), names.words.end());
  copse::fuzz::match_once(*engine, copse::fuzz::with_constraint(std::move(names)));
  return 0;
}
