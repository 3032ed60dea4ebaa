// SPDX-License-Identifier: Apache-2.0
#include "server/page/page_service.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace copse::server {

namespace {

constexpr unsigned kTicksWanted = 40;  // ten seconds

// Where jobs ran that the book remembers, by their ends.
std::vector<MachineWatch::Ended> ended_stays(const JobBook& book) {
  std::vector<MachineWatch::Ended> out;
  for (const auto& [id, row] : book.rows()) {
    if (row->stage != JobStage::ended || row->started < 0 || row->ran.empty()) continue;
    auto stay = read_stay(row->ran);
    if (stay) out.push_back({id, row->started, row->ended, std::move(*stay)});
  }
  std::ranges::stable_sort(out, {}, &MachineWatch::Ended::end_s);
  return out;
}

}  // namespace

const MachineWatch& PageService::machine() {
  watch_.update(service_.session().engine(), service_.next());
  if (machines_ == watch_.machines()) return watch_;
  machines_ = watch_.machines();
  forecast_.clear();  // it names nodes by their places
  watch_.recall(ended_stays(service_.jobs().book()));
  return watch_;
}

const Forecast& PageService::forecast() {
  const MachineWatch& machine_now = machine();
  wanted_ = kTicksWanted;
  forecast_.want(service_.jobs().queue(), machine_now.node_rows());
  return forecast_;
}

void PageService::tick() {
  const MachineWatch& machine_now = machine();
  forecast_.tick();
  if (wanted_ == 0) return;
  --wanted_;
  forecast_.want(service_.jobs().queue(), machine_now.node_rows());
}

}  // namespace copse::server
