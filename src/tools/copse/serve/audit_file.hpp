// SPDX-License-Identifier: Apache-2.0
//
// AuditFile: who changed what in a service, a line of logfmt each:
//
//   at=1795394232 who=ada role=user op=alloc id=7 request=r12 result=done
//
// Words with blanks, quotes or control characters are quoted as JSON. The file is its owner's alone.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "copse/error.hpp"
#include "server/rights/gate.hpp"

namespace copse {

class AuditFile {
 public:
  // "-" is standard error. Errors: io.
  [[nodiscard]] static Result<AuditFile> open(const std::string& path);
  // After somebody has renamed it. Errors: io; it goes on with the file that it has.
  [[nodiscard]] Result<void> reopen();
  void write(std::int64_t now_s, const server::Audit& audit);

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stderr) (void)std::fclose(file);
    }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

// The line, with its end.
[[nodiscard]] std::string audit_line(std::int64_t now_s, const server::Audit& audit);

}  // namespace copse
