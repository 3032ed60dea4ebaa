// SPDX-License-Identifier: Apache-2.0
#include "paths.hpp"

namespace copse {

const std::string& source_dir() {
  static const std::string path = COPSE_SOURCE_DIR;
  return path;
}

const std::string& build_dir() {
  static const std::string path = COPSE_BINARY_DIR;
  return path;
}

}  // namespace copse
