// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/serve/audit_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "files/read_file.hpp"
#include "text/counted.hpp"
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

// The link of another user, such as in /tmp, is not followed.
int open_log(const std::string& path) {
  struct stat facts{};
  const bool foreign = ::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode) &&
                       facts.st_uid != ::geteuid() && facts.st_uid != 0;
  const int follow = foreign ? O_NOFOLLOW : 0;
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | follow, 0600);
}

}  // namespace

std::string audit_line(std::int64_t now_s, const server::Audit& audit) {
  std::string out = fmt::format("at={}", time_text(now_s));
  append_audit_word(out, "caller", audit.caller.name);
  append_audit_word(out, "role", server::word(audit.caller.role));
  append_audit_word(out, "op", audit.op);
  if (audit.id) out += fmt::format(" id={}", *audit.id);
  append_audit_word(out, "target", audit.target);
  for (const auto& [name, value] : audit.values) append_audit_word(out, name, value);
  append_audit_word(out, "request", audit.caller.request_id);
  append_audit_word(out, "result", audit.result);
  if (audit.suppressed > 0) out += fmt::format(" suppressed={}", audit.suppressed);
  return out += '\n';
}

AuditFile::AuditFile(AuditFile&& other) noexcept
    : path_(std::move(other.path_)),
      log_(std::move(other.log_)),
      file_(std::exchange(other.file_, -1)),
      missing_(other.missing_),
      torn_(other.torn_) {}

AuditFile::~AuditFile() { close(); }

void AuditFile::close() {
  if (file_ >= 0 && file_ != STDERR_FILENO) ::close(file_);
}

Result<AuditFile> AuditFile::open(const std::string& path, Log log) {
  AuditFile out;
  out.path_ = path;
  out.log_ = std::move(log);
  if (auto ok = out.reopen(); !ok) return std::unexpected(ok.error());
  return out;
}

Result<void> AuditFile::reopen() {
  int made = STDERR_FILENO;
  if (path_ != "-") made = open_log(path_);
  if (made < 0) {
    return fail(ErrorCode::io, fmt::format("can't write {}: {}", path_, reason_of(errno)));
  }
  close();
  file_ = made;
  torn_ = false;
  return {};
}

bool AuditFile::put(std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(file_, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    torn_ = true;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  torn_ = false;
  return true;
}

void AuditFile::write(std::int64_t now_s, const server::Audit& audit) {
  std::string lines = torn_ ? "\n" : "";
  if (missing_ > 0)
    lines += fmt::format("at={} op=audit result=missing lines={}\n", time_text(now_s), missing_);
  const std::size_t before = lines.size();
  lines += audit_line(now_s, audit);
  if (put(lines)) {
    if (missing_ > 0)
      log_(fmt::format("the audit log can be written again; {} missing",
                       counted(missing_, "line is", "lines are")));
    missing_ = 0;
    return;
  }
  if (missing_++ > 0) return;
  log_(fmt::format("can't write {}: {}; requests continue without an audit log, first: {}", path_,
                   reason_of(errno), lines.substr(before, lines.size() - before - 1)));
}

}  // namespace copse
