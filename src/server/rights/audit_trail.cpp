// SPDX-License-Identifier: Apache-2.0
#include "server/rights/audit_trail.hpp"

namespace copse::server {

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
