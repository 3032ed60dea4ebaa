// SPDX-License-Identifier: Apache-2.0
#include "resource/policies/base/match_op.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>

namespace copse::reapi {

namespace {

constexpr std::array<const char*, 7> kMatchOps{nullptr,
                                               "allocate",
                                               "allocate_with_satisfiability",
                                               "allocate_orelse_reserve",
                                               "satisfiability",
                                               "without_allocating",
                                               "without_allocating_future"};

}  // namespace

extern "C" {

bool match_op_valid(match_op_t op) {
  const auto number = static_cast<int>(op);
  return number > 0 && number < static_cast<int>(kMatchOps.size());
}

const char* match_op_to_string(match_op_t op) {
  if (match_op_valid(op)) return kMatchOps.at(static_cast<std::size_t>(op));
  errno = static_cast<int>(op) == 0 ? ENOENT : EINVAL;
  return nullptr;
}

match_op_t match_op_from_string(const char* str) {
  if (str == nullptr) {
    errno = EINVAL;
    return MATCH_UNKNOWN;
  }
  for (std::size_t i = 1; i < kMatchOps.size(); ++i) {
    if (std::string_view(str) == kMatchOps.at(i)) return static_cast<match_op_t>(i);
  }
  errno = ENOENT;
  return MATCH_UNKNOWN;
}

}  // extern "C"

}  // namespace copse::reapi
