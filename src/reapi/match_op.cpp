// SPDX-License-Identifier: Apache-2.0
#include "resource/policies/base/match_op.h"

#include <cerrno>

#include "match/option_names.hpp"

namespace copse::reapi {

extern "C" {

bool match_op_valid(match_op_t op) {
  const auto number = static_cast<int>(op);
  return number > 0 && number <= static_cast<int>(kOperationNames.size());
}

const char* match_op_to_string(match_op_t op) {
  if (match_op_valid(op)) return word(static_cast<Operation>(static_cast<int>(op) - 1));
  errno = static_cast<int>(op) == 0 ? ENOENT : EINVAL;
  return nullptr;
}

match_op_t match_op_from_string(const char* str) {
  if (str == nullptr) {
    errno = EINVAL;
    return MATCH_UNKNOWN;
  }
  if (const auto known = parse_operation(str)) {
    return static_cast<match_op_t>(static_cast<int>(*known) + 1);
  }
  errno = ENOENT;
  return MATCH_UNKNOWN;
}

}  // extern "C"

}  // namespace copse::reapi
