// SPDX-License-Identifier: Apache-2.0
#include "flux/module/expirations.hpp"

#include <jansson.h>

#include "flux/module/wire.hpp"

namespace copse::flux {

Expirations::~Expirations() {
  for (const auto& [future, job] : pending_) flux_future_destroy(future);
}

void Expirations::request() {
  while (!waiting_.empty() && pending_.size() < kPendingMax) {
    if (!request_one()) return;
  }
}

bool Expirations::request_one() {
  const JobId job = waiting_.front();
  waiting_.pop_front();
  flux_future_t* future =
      flux_rpc_pack(h_, "job-info.lookup", FLUX_NODEID_ANY, 0, "{s:I s:[s] s:i}", "id",
                    static_cast<json_int_t>(job), "keys", "R", "flags",
                    FLUX_JOB_LOOKUP_JSON_DECODE | FLUX_JOB_LOOKUP_CURRENT);
  const auto received = [](flux_future_t* of, void* self) {
    static_cast<Expirations*>(self)->receive(of);
  };
  if (future == nullptr || flux_future_then(future, -1., received, this) < 0) {
    flux_future_destroy(future);
    return false;
  }
  pending_.emplace(future, job);
  return true;
}

void Expirations::receive(flux_future_t* future) noexcept {
  double end_s = 0;
  guarded(h_, [&] {
    const JobId job = pending_.at(future);
    pending_.erase(future);
    if (flux_rpc_get_unpack(future, "{s:{s:{s:F}}}", "R", "execution", "expiration", &end_s) == 0 &&
        end_s > 0) {
      changed_(job, end_s);
    }
    request();
  });
  flux_future_destroy(future);
}

}  // namespace copse::flux
