// SPDX-License-Identifier: Apache-2.0
//
// A file that is opened before anything runs, and written at the end.
#pragma once

#include <functional>
#include <string>

#include "formats/graph_text.hpp"
#include "host/output.hpp"

namespace copse {

struct PlanFile {
  explicit PlanFile(const std::string& path) : wanted(!path.empty()) {
    if (wanted) opened = out.open(path);
  }
  Result<void> write(const std::function<Result<void>(const TextSink&)>& draw) {
    if (!wanted) return {};
    auto drawn = draw([&](std::string_view piece) { return out.write(piece); });
    if (auto closed = out.close(); !closed) return closed;  // its error names the file
    return drawn;
  }

  bool wanted;
  Output out{};
  Result<void> opened{};
};

}  // namespace copse
