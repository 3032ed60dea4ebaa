// SPDX-License-Identifier: Apache-2.0
#include "copse/error.hpp"

namespace copse {

std::string SourceLocation::text() const {
  std::string out = file;
  if (line != 0) {
    if (!out.empty()) out += ':';
    out += std::to_string(line);
    if (column != 0) out += ':' + std::to_string(column);
  }
  return out;
}

std::string Error::message() const {
  std::string where = place.text();
  return where.empty() ? text : where + ": " + text;
}

const char* word(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid: return "invalid";
    case ErrorCode::limit: return "limit";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::exists: return "exists";
    case ErrorCode::insufficient: return "insufficient";
    case ErrorCode::infeasible: return "infeasible";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::io: return "io";
  }
  return "invalid";
}

}  // namespace copse
