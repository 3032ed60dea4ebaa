// SPDX-License-Identifier: Apache-2.0
#include "server/page/page_service.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "page/machine_document.hpp"

namespace copse::server {

namespace {

constexpr unsigned kTicksWanted = 40;  // ten seconds

// The placements of ended jobs in the table, by their ends.
std::vector<MachineWatch::EndedJob> ended_jobs(const JobRowTable& table) {
  std::vector<MachineWatch::EndedJob> out;
  for (const auto& [id, row] : table.rows()) {
    if (row->stage != JobStage::ended || row->started < 0 || row->placement.empty()) continue;
    auto placement = read_placement(row->placement);
    if (placement) out.push_back({id, row->started, row->ended, std::move(*placement)});
  }
  std::ranges::stable_sort(out, {}, &MachineWatch::EndedJob::end_s);
  return out;
}

}  // namespace

const MachineWatch& PageService::machine() {
  watch_.update(service_.session().engine(), service_.next(),
                [this](PoolId node) { return service_.jobs().drains().only_drained(node); });
  if (generation_ == watch_.generation()) return watch_;
  generation_ = watch_.generation();
  forecast_.clear();  // it refers to nodes by number
  watch_.restore_past(ended_jobs(service_.jobs().table()));
  return watch_;
}

const std::string& PageService::machine_document() {
  const MachineWatch& machine_now = machine();
  if (document_generation_ == generation_) return machine_document_;
  document_generation_ = generation_;
  machine_document_.clear();
  page::append_machine_document(machine_document_, service_.session().engine().graph(),
                                machine_now.node_rows());
  return machine_document_;
}

const Forecast& PageService::forecast() {
  const MachineWatch& machine_now = machine();
  wanted_ = kTicksWanted;
  forecast_.request(service_.jobs().queue(), machine_now.node_rows());
  return forecast_;
}

void PageService::tick() {
  const MachineWatch& machine_now = machine();
  const Engine& engine = service_.session().engine();
  fragmentation_.note(machine_now, engine.graph(), engine.now());
  forecast_.tick();
  if (wanted_ == 0) return;
  --wanted_;
  forecast_.request(service_.jobs().queue(), machine_now.node_rows());
}

}  // namespace copse::server
