// SPDX-License-Identifier: Apache-2.0
//
// AuditTrail: the audit log's view of requests: each change with its caller, and denied requests.
//
// Every change is recorded. Denied requests are rate-limited to kRefusalsPerSecondMax, because a
// client could fill the disk with them at no cost; the next recorded entry has the number of
// suppressed ones.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/rights/rights.hpp"
#include "session/protocol/session_request.hpp"

namespace copse::server {

// Names and values of members of a request.
using AuditValues = std::vector<std::pair<std::string_view, std::string>>;
// Those that say to what something is changed, each of at most kAuditValueBytesMax. Jobspecs are left
// out: they may have secrets.
inline constexpr std::size_t kAuditValueBytesMax = 256;
[[nodiscard]] AuditValues audit_values(const SessionRequest& line);
// The text, cut between characters if it is longer than kAuditValueBytesMax.
[[nodiscard]] std::string audit_text(std::string text);

struct Audit {
  const Caller& caller;
  std::string_view op;               // a session operation or the name of a route
  std::optional<std::int64_t> id{};  // of the job or grant
  std::string target{};              // nodes, a layer or a reservation; "": none
  AuditValues values{};              // what it was changed to
  std::string_view result;           // "done", "forbidden", "unauthenticated"
  std::uint64_t suppressed = 0;      // denied requests since the last entry
};

class AuditTrail {
 public:
  using Sink = std::function<void(const Audit& audit)>;
  static constexpr std::uint64_t kRefusalsPerSecondMax = 100;

  void set_sink(Sink sink) { sink_ = std::move(sink); }
  void record_change(Audit audit);
  void record_refusal(Audit audit, std::int64_t now_s);

 private:
  void write(Audit& audit);

  Sink sink_{};
  std::int64_t second_ = 0;
  std::uint64_t refusals_in_second_ = 0, suppressed_ = 0;  // in second_; since the last entry
};

}  // namespace copse::server
