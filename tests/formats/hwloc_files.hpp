// SPDX-License-Identifier: Apache-2.0
//
// The XML files of tests/data/hwloc.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "paths.hpp"

namespace copse {

inline std::string hwloc_file(const std::string& name) {
  std::ifstream file(source_dir() + "/tests/data/hwloc/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace copse
