// SPDX-License-Identifier: Apache-2.0
//
// Whatever expand_hostlist accepts must read back from its compressed text as the same list.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/hostlist.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kTextMax = 4096;
  constexpr std::size_t kHostsMax = 1024;
  if (size > kTextMax) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto hosts = copse::expand_hostlist(text, kHostsMax);
  if (!hosts) return 0;

  if (hosts->size() > kHostsMax) std::abort();
  const auto again = copse::expand_hostlist(copse::compress_hostlist(*hosts), kHostsMax);
  if (!again || *again != *hosts) std::abort();
  return 0;
}
