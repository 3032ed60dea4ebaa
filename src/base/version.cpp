// SPDX-License-Identifier: Apache-2.0
#include "base/version.hpp"

namespace copse {

const char* version() { return COPSE_VERSION; }  // the one file that is compiled with it

}  // namespace copse
