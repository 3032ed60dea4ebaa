// SPDX-License-Identifier: Apache-2.0
#include "host/host_name.hpp"

#include <unistd.h>

#include <array>

namespace copse {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace copse
