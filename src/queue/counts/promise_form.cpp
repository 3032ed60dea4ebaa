// SPDX-License-Identifier: Apache-2.0
#include "queue/counts/promise_form.hpp"

#include <cassert>
#include <utility>

namespace copse::queue {

std::vector<Slot> PromiseForm::promised() const {
  std::vector<Slot> out;
  out.reserve(due_.size());
  for (const auto& [start_s, position, slot] : due_) out.push_back(slot);
  return out;
}

bool PromiseForm::begin_counting() {
  const std::vector<Slot> slots = promised();
  std::vector<CountedJobs::Nodes> nodes;
  if (counted_.is_active()) nodes = counted_.nodes_of_promised(slots);
  if (counted_.is_active() && nodes.size() < slots.size()) begin_pinning();
  const bool pinned = !counted_.is_active();
  if (pinned) {
    nodes.clear();
    for (const Slot slot : slots) nodes.push_back(counted_.nodes_of(jobs_[slot].id));
  }
  if (!counted_.begin(slots, nodes)) {
    if (counted_.is_active()) begin_pinning();
    counted_.give_up();
    return false;
  }
  for (std::size_t n = 0; pinned && n < slots.size(); ++n) {
    [[maybe_unused]] const auto cancelled = engine_.cancel(jobs_[slots[n]].id);
    assert(cancelled);
  }
  return true;
}

// The engine searches only times at which a planned amount changes. If none changes at the promised
// start, freed resources allow an earlier start. Jobs after it, in the order of starts, do not
// conflict.
void PromiseForm::begin_pinning() {
  const bool one = counted_.counts().groups().is_one();
  std::vector<CountedJobs::Nodes> nodes;
  if (!one) nodes = counted_.nodes_of_promised(promised());
  counted_.end();
  const DuePromises promised = std::exchange(due_, {});
  std::size_t n = 0;
  for (const auto& [start_s, position, slot] : promised) {
    QueuedJob& job = jobs_[slot];
    PreparedRequest request = prepared_(job);
    if (n < nodes.size()) {
      if (auto only = counted_.on_nodes(request, nodes[n++])) request = std::move(*only);
    }
    auto match = engine_.match_between(request, job.id, start_s, start_s + 1);
    if (!match) match = engine_.match_between(prepared_(job), job.id, engine_.now(), start_s);
    if (match) job.end_s = (*match)->end;
    job.start_s = match ? (*match)->start : engine_.now();
    due_.insert({job.start_s, position, slot});
    if (job.start_s != start_s) changed_.push_back(slot);
  }
}

}  // namespace copse::queue
