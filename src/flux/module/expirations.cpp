// SPDX-License-Identifier: Apache-2.0
#include "flux/module/expirations.hpp"

#include <jansson.h>

#include <exception>

namespace copse::flux {

Expirations::~Expirations() {
  for (const auto& [future, job] : asked_) flux_future_destroy(future);
}

void Expirations::ask() {
  while (!waiting_.empty() && asked_.size() < kAtOneTime) {
    if (!ask_one()) return;
  }
}

bool Expirations::ask_one() {
  const JobId job = waiting_.front();
  waiting_.pop_front();
  flux_future_t* future =
      flux_rpc_pack(h_, "job-info.lookup", FLUX_NODEID_ANY, 0, "{s:I s:[s] s:i}", "id",
                    static_cast<json_int_t>(job), "keys", "R", "flags",
                    FLUX_JOB_LOOKUP_JSON_DECODE | FLUX_JOB_LOOKUP_CURRENT);
  const auto answered = [](flux_future_t* of, void* self) {
    static_cast<Expirations*>(self)->answered(of);
  };
  if (future == nullptr || flux_future_then(future, -1., answered, this) < 0) {
    flux_future_destroy(future);
    return false;
  }
  asked_.emplace(future, job);
  return true;
}

void Expirations::answered(flux_future_t* future) noexcept {
  double end_s = 0;
  try {
    const JobId job = asked_.at(future);
    asked_.erase(future);
    if (flux_rpc_get_unpack(future, "{s:{s:{s:F}}}", "R", "execution", "expiration", &end_s) == 0 &&
        end_s > 0) {
      told_(job, end_s);
    }
    ask();
  } catch (const std::exception& thrown) {
    flux_log(h_, LOG_CRIT, "internal error: %s", thrown.what());
    flux_reactor_stop_error(flux_get_reactor(h_));
  }
  flux_future_destroy(future);
}

}  // namespace copse::flux
