// SPDX-License-Identifier: Apache-2.0
//
// AuditTrail: what is written down of who did what, and of who was refused.
//
// Changes are told one by one. Refusals cost their askers nothing, so that of each second only so many
// are told: who asks again and again would fill the disk. The next that is told says how many were not.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/rights/rights.hpp"

namespace copse::server {

struct Audit {
  const Who& who;
  std::string_view op;               // of the session; or the name of a route
  std::optional<std::int64_t> id{};  // of the job or grant
  std::string on{};                  // nodes, a layer, a reservation; "": of nothing else
  std::string_view result;           // "done", "forbidden"; "unknown": nobody knows who asked
  std::uint64_t missed = 0;          // refusals before it that were not told
};

class AuditTrail {
 public:
  using Told = std::function<void(const Audit& audit)>;
  static constexpr std::uint64_t kRefusalsMax = 100;  // that are told, of each second

  void tell(Told told) { told_ = std::move(told); }
  void changed(Audit audit);
  void refused(Audit audit, std::int64_t now_s);

 private:
  void pass_on(Audit& audit);

  Told told_{};
  std::int64_t second_ = 0;
  std::uint64_t refusals_ = 0, missed_ = 0;  // of that second; since one was told
};

}  // namespace copse::server
