// SPDX-License-Identifier: Apache-2.0
//
// The types of objects of hwloc 1 and 2 (another version would be a guess), and their sorts:
// hwloc keeps a list of children for each sort, and breaks where a child is in the wrong one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace copse::hwloc_xml {

enum class Sort : std::uint8_t { normal, unit, numa, memory, io, device, misc };
struct Type {
  std::string_view name;
  Sort sort;
};
inline constexpr std::array kTypes{
    Type{"Machine", Sort::normal},  Type{"System", Sort::normal},   Type{"Package", Sort::normal},
    Type{"Socket", Sort::normal},   Type{"Die", Sort::normal},      Type{"Core", Sort::normal},
    Type{"PU", Sort::unit},         Type{"NUMANode", Sort::numa},   Type{"Node", Sort::numa},
    Type{"Cache", Sort::normal},    Type{"L1Cache", Sort::normal},  Type{"L2Cache", Sort::normal},
    Type{"L3Cache", Sort::normal},  Type{"L4Cache", Sort::normal},  Type{"L5Cache", Sort::normal},
    Type{"L1iCache", Sort::normal}, Type{"L2iCache", Sort::normal}, Type{"L3iCache", Sort::normal},
    Type{"MemCache", Sort::memory}, Type{"Group", Sort::normal},    Type{"Bridge", Sort::io},
    Type{"PCIDev", Sort::io},       Type{"OSDev", Sort::device},    Type{"Misc", Sort::misc}};

[[nodiscard]] inline const Type* find_type(std::string_view name) {
  const auto type = std::ranges::find(kTypes, name, &Type::name);
  return type == kTypes.end() ? nullptr : &*type;
}

// Whether an object may be below another; in version 1, NUMA nodes are normal objects.
[[nodiscard]] inline bool fits(Sort parent, Sort child, bool version1) {
  if (version1 && parent == Sort::numa) parent = Sort::normal;
  if (version1 && child == Sort::numa) child = Sort::normal;
  switch (child) {
    case Sort::normal:
    case Sort::unit: return parent == Sort::normal;
    case Sort::numa:
    case Sort::memory: return parent == Sort::normal || parent == Sort::memory;
    case Sort::io:
    case Sort::device: return parent == Sort::normal || parent == Sort::io;
    case Sort::misc: return true;
  }
  return false;
}

}  // namespace copse::hwloc_xml
