// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/serve/audit_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "files/read_file.hpp"
#include "text/json_text.hpp"

namespace copse {

namespace {

void append_audit_word(std::string& out, std::string_view name, std::string_view word) {
  if (word.empty()) return;
  out += fmt::format(" {}=", name);
  const bool plain = std::ranges::all_of(word, [](unsigned char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '=' && c != '\\';
  });
  if (plain) {
    out += word;
  } else {
    append_json(out, word);
  }
}

}  // namespace

std::string audit_line(std::int64_t now_s, const server::Audit& audit) {
  std::string out = fmt::format("at={}", now_s);
  append_audit_word(out, "who", audit.who.name);
  append_audit_word(out, "role", server::word(audit.who.role));
  append_audit_word(out, "op", audit.op);
  if (audit.id) out += fmt::format(" id={}", *audit.id);
  append_audit_word(out, "request", audit.who.request);
  append_audit_word(out, "result", audit.result);
  return out += '\n';
}

Result<AuditFile> AuditFile::open(const std::string& path) {
  AuditFile out;
  out.path_ = path;
  if (auto ok = out.reopen(); !ok) return std::unexpected(ok.error());
  return out;
}

Result<void> AuditFile::reopen() {
  if (path_ == "-") {
    file_.reset(stderr);
    return {};
  }
  const int made = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (made < 0) {
    return fail(ErrorCode::io, fmt::format("can't write {}: {}", path_, reason_of(errno)));
  }
  std::FILE* const file = ::fdopen(made, "a");
  if (file == nullptr) {
    ::close(made);
    return fail(ErrorCode::io, fmt::format("can't write {}: {}", path_, reason_of(ENOMEM)));
  }
  file_.reset(file);
  return {};
}

void AuditFile::write(std::int64_t now_s, const server::Audit& audit) {
  const std::string line = audit_line(now_s, audit);
  (void)std::fwrite(line.data(), 1, line.size(), file_.get());
  (void)std::fflush(file_.get());
}

}  // namespace copse
