// SPDX-License-Identifier: Apache-2.0
//
// AuditFile: the changes of a service and their users, one line of logfmt each:
//
//   at=1795394232 caller=ada role=operator op=priority id=7 priority=5 request=r12 result=done
//
// Words with blanks, quotes or control characters are quoted as JSON. Only the owner can read the file.
//
// A line that can't be written stops no request. The log reports it once, and when lines can be written
// again, the number of missing lines.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "copse/error.hpp"
#include "server/rights/authorizer.hpp"

namespace copse {

class AuditFile {
 public:
  using Log = std::function<void(const std::string& line)>;

  // "-" is standard error. Errors: io.
  [[nodiscard]] static Result<AuditFile> open(const std::string& path, Log log);
  // After the file was renamed. Errors: io; it continues with the open file.
  [[nodiscard]] Result<void> reopen();
  void write(std::int64_t now_s, const server::Audit& audit);

  AuditFile(AuditFile&& other) noexcept;
  AuditFile& operator=(AuditFile&&) = delete;
  ~AuditFile();

 private:
  AuditFile() = default;
  void close();
  bool put(std::string_view text);  // false: it is written in part or not at all

  std::string path_{};
  Log log_{};
  int file_ = -1;
  std::uint64_t missing_ = 0;  // lines since the first that could not be written
  bool torn_ = false;          // the last line has no end
};

// The line, with its end.
[[nodiscard]] std::string audit_line(std::int64_t now_s, const server::Audit& audit);

}  // namespace copse
