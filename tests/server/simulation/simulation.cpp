// SPDX-License-Identifier: Apache-2.0
#include "simulation.hpp"

namespace copse::server {

namespace {

using End = SimulatedHost::End;

}  // namespace

Simulation::Simulation(std::uint64_t seed)
    : requests_(seed), host_(seed), executor_(host_), greedy_(host_) {
  lines_.emplace_back(host_, kOwner);
  lines_.emplace_back(host_, kOwner);
  lines_.emplace_back(host_, Caller{Role::user, "ada"});
  lines_.emplace_back(host_, Caller{Role::user, "bob"});
  lines_.emplace_back(host_, Caller{Role::guest, "ada"});
  http_.emplace_back(host_, Caller{Role::owner, "root"});
  http_.emplace_back(host_, Caller{Role::operate, "eve"});
  http_.emplace_back(host_, Caller{Role::user, "bob"});
}

std::size_t Simulation::answers() const {
  std::size_t out = 0;
  for (const LineUser& user : lines_) out += user.answers();
  for (const HttpUser& user : http_) out += user.answers();
  return out;
}

void Simulation::step() {
  if (!wrong().empty()) return;
  host_.serve();
  if (!wrong().empty()) return;
  const std::uint64_t dice = requests_.below(33);
  if (dice < 1) {
    host_.now_s += static_cast<std::int64_t>(requests_.below(40));
  } else if (dice < 8) {
    commit();
  } else if (dice < 12) {
    host_.work();
  } else if (dice < 15) {
    executor_.act(requests_.below(1'000));
  } else if (dice < 21) {
    http_[requests_.below(http_.size())].ask(requests_);
  } else if (dice < 31) {
    lines_[requests_.below(lines_.size())].ask(requests_);
  } else if (dice < 32) {
    greedy_.ask();
  } else {
    const std::uint64_t fate = requests_.below(16);
    if (fate == 0) end(End::stopped);
    if (fate == 1) end(End::killed);
    if (fate == 2) end(End::power_lost);
    if (fate == 3) host_.break_disk();
  }
}

// A failed write ends the process: no client is answered then.
void Simulation::commit() {
  if (!host_.commit()) return end(requests_.below(2) == 0 ? End::killed : End::power_lost);
  for (LineUser& user : lines_) user.take(requests_);
  for (HttpUser& user : http_) user.take(requests_);
  executor_.take();
  greedy_.take();
}

void Simulation::end(End how) {
  host_.end(how);
  if (!wrong().empty()) return;
  for (LineUser& user : lines_) user.connect();
  for (HttpUser& user : http_) user.connect();
  executor_.connect();
  greedy_.connect();
}

}  // namespace copse::server
