// SPDX-License-Identifier: Apache-2.0
//
// AuditFile: who changed what in a service, a line of logfmt each:
//
//   at=1795394232 who=ada role=user op=alloc id=7 request=r12 result=done
//
// Words with blanks, quotes or control characters are quoted as JSON. The file is its owner's alone.
//
// A line that can't be written stops nobody: the log is told so once, and when lines can be written
// again, how many are missing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "server/rights/gate.hpp"

namespace copse {

class AuditFile {
 public:
  using Log = std::function<void(const std::string& line)>;

  // "-" is standard error. Errors: io.
  [[nodiscard]] static Result<AuditFile> open(const std::string& path, Log log);
  // After somebody has renamed it. Errors: io; it goes on with the file that it has.
  [[nodiscard]] Result<void> reopen();
  void write(std::int64_t now_s, const server::Audit& audit);

  AuditFile(AuditFile&& other) noexcept;
  AuditFile& operator=(AuditFile&&) = delete;
  ~AuditFile();

 private:
  AuditFile() = default;
  void close();
  bool put(std::string_view text);  // false: not all of it is there

  std::string path_{};
  Log log_{};
  int file_ = -1;
  std::uint64_t missing_ = 0;  // lines, since one could not be written
  bool torn_ = false;          // the last line has no end
};

// The line, with its end.
[[nodiscard]] std::string audit_line(std::int64_t now_s, const server::Audit& audit);

}  // namespace copse
