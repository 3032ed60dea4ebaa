// SPDX-License-Identifier: Apache-2.0
//
// The error of a request to Fluxion's services: an errno and a text, which may be empty.
#pragma once

#include <expected>
#include <string>

namespace copse::flux {

struct RpcError {
  int number = 0;  // errno
  std::string text{};
};
template <class T>
using RpcResult = std::expected<T, RpcError>;

[[nodiscard]] inline std::unexpected<RpcError> refuse(int number, std::string text = {}) {
  return std::unexpected(RpcError{number, std::move(text)});
}

}  // namespace copse::flux
