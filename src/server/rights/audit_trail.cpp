// SPDX-License-Identifier: Apache-2.0
#include "server/rights/audit_trail.hpp"

namespace copse::server {

std::string audit_text(std::string text) {
  if (text.size() <= kAuditValueBytesMax) return text;
  std::size_t end = kAuditValueBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

AuditValues audit_values(const SessionRequest& line) {
  AuditValues out;
  const auto text = [&](std::string_view name, const auto& value) {
    if (value) out.emplace_back(name, audit_text(std::string(*value)));
  };
  const auto number = [&](std::string_view name, const std::optional<std::int64_t>& value) {
    if (value) out.emplace_back(name, std::to_string(*value));
  };
  text("name", line.op == SessionOp::end_reservation ? std::nullopt : line.name);
  text("user", line.user);
  text("queue", line.queue);
  text("shape", line.shape);
  text("hres", line.hres);
  number("duration", line.duration_s);
  number("lease", line.lease_s);
  number("priority", line.priority);
  number("status", line.status);
  number("restarts", line.restarts);
  number("count", line.count);
  number("start", line.start);
  number("mode", line.mode);
  number("base", line.base);
  text("to", line.to);
  text("reason", line.reason);
  if (line.held) out.emplace_back("held", *line.held ? "true" : "false");
  if (line.op == SessionOp::end || line.op == SessionOp::free) text("ranks", line.ranks);
  if (line.op == SessionOp::submit) text("reservation", line.reservation_name);
  if (!line.reservation_spec.empty()) {
    out.emplace_back("reservation", audit_text(std::string(line.reservation_spec)));
  }
  if (line.has_jobs) {
    std::string jobs;
    for (const std::int64_t job : line.jobs) {
      if (jobs.size() > kAuditValueBytesMax) break;
      jobs += (jobs.empty() ? "" : ",") + std::to_string(job);
    }
    out.emplace_back("for", audit_text(std::move(jobs)));
  }
  return out;
}

void AuditTrail::write(Audit& audit) {
  if (!sink_) return;
  audit.suppressed = std::exchange(suppressed_, 0);
  sink_(audit);
}

void AuditTrail::record_change(Audit audit) { write(audit); }

void AuditTrail::record_refusal(Audit audit, std::int64_t now_s) {
  if (std::exchange(second_, now_s) != now_s) refusals_in_second_ = 0;
  if (refusals_in_second_ >= kRefusalsPerSecondMax) {
    ++suppressed_;
    return;
  }
  ++refusals_in_second_;
  write(audit);
}

}  // namespace copse::server
