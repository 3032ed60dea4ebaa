// SPDX-License-Identifier: Apache-2.0
#include "capi/queue_object.hpp"

#include <array>

namespace copse::capi {

QueueObject::QueueObject(std::shared_ptr<EngineCore> core, std::vector<queue::QueueSpec> specs,
                         queue::PriorityRule rule)
    : core_(std::move(core)),
      queue_(std::make_unique<queue::JobQueue>(*core_->engine, std::move(specs), log_,
                                               std::move(rule))) {
  core_->queued = true;
}

QueueObject::QueueObject(const QueueObject& other, std::shared_ptr<EngineCore> core)
    : core_(std::move(core)), queue_(other.queue_->clone(*core_->engine, log_)) {
  core_->queued = true;
}

QueueObject::~QueueObject() { core_->queued = false; }

std::optional<copse_decision> QueueObject::next() {
  if (log_.decisions().empty()) return std::nullopt;
  const queue::Decision& decision = log_.decisions().front();
  constexpr std::array<copse_decided, 5> kWhat{COPSE_STARTED, COPSE_PROMISED, COPSE_WITHDRAWN,
                                               COPSE_DENIED, COPSE_STUCK};
  copse_decision out = COPSE_DECISION_INIT;
  out.what = kWhat.at(static_cast<std::size_t>(decision.what));
  out.job = decision.job;
  out.start = decision.start_s;
  out.end = decision.end_s;
  if (decision.code) {
    out.code = code_of(*decision.code);
    copy_text(decision.reason, out.text);
  }
  return out;
}

}  // namespace copse::capi
