// SPDX-License-Identifier: Apache-2.0
#include "server/rights/audit_trail.hpp"

namespace copse::server {

void AuditTrail::pass_on(Audit& audit) {
  if (!told_) return;
  audit.missed = std::exchange(missed_, 0);
  told_(audit);
}

void AuditTrail::changed(Audit audit) { pass_on(audit); }

void AuditTrail::refused(Audit audit, std::int64_t now_s) {
  if (std::exchange(second_, now_s) != now_s) refusals_ = 0;
  if (refusals_ >= kRefusalsMax) {
    ++missed_;
    return;
  }
  ++refusals_;
  pass_on(audit);
}

}  // namespace copse::server
