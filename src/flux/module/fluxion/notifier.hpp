// SPDX-License-Identifier: Apache-2.0
//
// Notifier: requests sched-fluxion-resource.notify: each is told of the resources, and then of what
// comes and goes, as resource.acquire has it.
#pragma once

#include <flux/core.h>

#include <string>

#include "flux/messages.hpp"

namespace copse::flux {

class Notifier {
 public:
  Notifier(flux_t* h, std::string inventory, const Idset& ranks, Idset up);
  ~Notifier();
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  void subscribe(const flux_msg_t* message);
  void leave(const flux_msg_t* disconnect) { flux_msglist_disconnect(subscribers_, disconnect); }
  void tell(const ResourceUpdate& update, const char* payload);
  // Something may fit now that did not.
  void tell_nothing();
  [[nodiscard]] const std::string& inventory() const { return inventory_; }
  [[nodiscard]] const Idset& up() const { return up_; }

 private:
  flux_t* const h_;
  std::string inventory_;
  Idset up_, down_, shrunk_;
  double expiration_s_ = -1;  // Fluxion's number for: not known
  flux_msglist* subscribers_;
};

}  // namespace copse::flux
