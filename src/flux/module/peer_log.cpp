// SPDX-License-Identifier: Apache-2.0
#include "flux/module/peer_log.hpp"

#include <cstdint>

#include "base/job_id.hpp"
#include "flux/module/wire.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/rv1_write.hpp"

namespace copse::flux {

using As = ModuleOptions::As;

void PeerLog::ready(const std::string& mode, const std::string& resources) {
  const std::string depth = mode.substr(mode.find('=') + 1);
  flux_log(h_, LOG_INFO, "ready: queue-depth=%s %s", depth.c_str(), resources.c_str());
}

void PeerLog::adopted(const HelloJob& job) {
  if (as_ == As::fluxion) {
    flux_log(h_, LOG_DEBUG, "requeue success (queue=%s id=%ju)",
             job.queue.empty() ? "default" : job.queue.c_str(), std::uintmax_t{job.id});
  } else if (as_ == As::simple) {
    flux_log(h_, LOG_DEBUG, "hello: id=%s priority=%jd userid=%u t_submit=%0.1f",
             f58_text(job.id).c_str(), std::intmax_t{job.priority}, job.userid, job.submit_s);
  }
}

void PeerLog::freed(JobId job, const json_t* r, bool last) {
  if (as_ != As::simple) return;
  const auto freed = read_r(text_of(r).get(), "R", {.rules = RRules::merging});
  std::string text;
  if (freed) append_r_short(text, *freed);
  flux_log(h_, LOG_DEBUG, "free: %s: %s%s", f58_text(job).c_str(), text.c_str(),
           last ? " (final)" : "");
}

}  // namespace copse::flux
