// SPDX-License-Identifier: Apache-2.0
#include "server/page/page_service.hpp"

#include <algorithm>

namespace copse::server {

namespace {

constexpr unsigned kTicksWanted = 40;  // ten seconds

}  // namespace

const MachineWatch& PageService::machine() {
  watch_.update(service_.session().engine(), service_.next());
  if (machines_ != watch_.machines()) forecast_.clear();  // it names nodes by their places
  machines_ = watch_.machines();
  return watch_;
}

const Forecast& PageService::forecast() {
  const MachineWatch& machine_now = machine();
  wanted_ = kTicksWanted;
  forecast_.want(service_.jobs().queue(), machine_now.lanes());
  return forecast_;
}

void PageService::tick() {
  const MachineWatch& machine_now = machine();
  forecast_.tick();
  if (wanted_ == 0) return;
  --wanted_;
  forecast_.want(service_.jobs().queue(), machine_now.lanes());
}

}  // namespace copse::server
