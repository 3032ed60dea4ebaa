// SPDX-License-Identifier: Apache-2.0
//
// Notifier: answers the streaming request sched-fluxion-resource.notify. Each subscriber gets the
// resources, and then their changes in the form of resource.acquire.
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
  void notify(const ResourceUpdate& update, const char* payload);
  // Sends an empty change: jobs may fit now that did not fit before.
  void notify_unchanged();
  [[nodiscard]] const std::string& inventory() const { return inventory_; }
  [[nodiscard]] const Idset& up() const { return up_; }

 private:
  flux_t* const h_;
  std::string inventory_;
  Idset up_, down_, shrunk_;
  double expiration_s_ = -1;  // as in Fluxion, -1 means unknown
  flux_msglist* subscribers_;
};

}  // namespace copse::flux
