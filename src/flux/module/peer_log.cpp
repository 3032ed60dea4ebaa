// SPDX-License-Identifier: Apache-2.0
#include "flux/module/peer_log.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "flux/module/wire.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/rv1_write.hpp"
#include "queue/config/queue_order.hpp"

namespace copse::flux {

using As = ModuleOptions::As;

void PeerLog::machine(const InstanceMachine& machine, const ModuleOptions& options) {
  for (const std::string& remark : machine.remarks) flux_log(h_, LOG_WARNING, "%s", remark.c_str());
  if (as_ == As::copse) {
    const auto by_names = queue::order_by_names(options.queues, machine.engine->graph());
    if (by_names) flux_log(h_, LOG_WARNING, "%s", by_names->c_str());
  }
  if (machine.source.empty()) return;  // another module made it, and has said so
  std::string queues;
  for (const queue::QueueSpec& queue : options.queues.queues) {
    if (queue.parent) continue;
    queues += fmt::format("{}{}:{}", queues.empty() ? "" : " ",
                          queue.name.empty() ? "default" : queue.name, queue.discipline.name);
  }
  flux_log(h_, LOG_INFO, "%s; match-policy=%s, queue-policy=%s", machine.summary().c_str(),
           machine.engine->options().policy.name.c_str(), queues.c_str());
}

void PeerLog::ready(const ModuleOptions& options, const std::string& resources) {
  const std::string depth = options.mode.substr(options.mode.find('=') + 1);
  const std::string more = as_ == As::simple ? fmt::format(" log-level={} pool-class={} Rv1",
                                                           options.log_level, options.pool_class)
                                             : "";
  if (as_ == As::simple && level_ != "info" && level_ != "debug") return;
  flux_log(h_, LOG_INFO, "ready: queue-depth=%s%s %s", depth.c_str(), more.c_str(),
           resources.c_str());
}

void PeerLog::adopted(const HelloJob& job) {
  if (as_ == As::fluxion) {
    flux_log(h_, LOG_DEBUG, "requeue success (queue=%s id=%ju)",
             job.queue.empty() ? "default" : job.queue.c_str(), std::uintmax_t{job.id});
  } else if (as_ == As::simple && level_ == "debug") {
    flux_log(h_, LOG_DEBUG, "hello: id=%s priority=%jd userid=%u t_submit=%0.1f",
             shown_id(job.id).c_str(), std::intmax_t{job.priority}, job.userid, job.submit_s);
  }
}

void PeerLog::freed(JobId job, const json_t* r, bool last) {
  if (as_ != As::simple || level_ != "debug") return;
  const auto freed = read_r(text_of(r).get(), "R", {.rules = RRules::merging});
  std::string text;
  if (freed) append_r_short(text, *freed);
  flux_log(h_, LOG_DEBUG, "free: %s: %s%s", shown_id(job).c_str(), text.c_str(),
           last ? " (final)" : "");
}

}  // namespace copse::flux
