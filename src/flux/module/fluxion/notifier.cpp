// SPDX-License-Identifier: Apache-2.0
#include "flux/module/fluxion/notifier.hpp"

#include <jansson.h>

#include <cerrno>
#include <utility>

#include "base/idset_algebra.hpp"

namespace copse::flux {

Notifier::Notifier(flux_t* h, std::string inventory, const Idset& ranks, Idset up)
    : h_(h),
      inventory_(std::move(inventory)),
      up_(std::move(up)),
      down_(subtract(ranks, up_)),
      subscribers_(flux_msglist_create()) {}

Notifier::~Notifier() {
  for (const flux_msg_t* message = flux_msglist_first(subscribers_); message != nullptr;
       message = flux_msglist_next(subscribers_)) {
    flux_respond_error(h_, message, ECANCELED, "sched-fluxion-resource was unloaded");
  }
  flux_msglist_destroy(subscribers_);
}

void Notifier::subscribe(const flux_msg_t* message) {
  if (!flux_msg_is_streaming(message)) {
    flux_respond_error(h_, message, EPROTO, nullptr);
    return;
  }
  json_t* resources = json_loads(inventory_.c_str(), 0, nullptr);
  flux_respond_pack(h_, message, "{s:o}", "resources", resources);
  json_t* now = json_pack("{s:f}", "expiration", expiration_s_);
  const auto set = [&](const char* key, const Idset& ranks) {
    if (!ranks.empty()) json_object_set_new(now, key, json_string(ranks.text().c_str()));
  };
  set("up", up_);
  set("down", down_);
  set("shrink", shrunk_);
  flux_respond_pack(h_, message, "o", now);
  flux_msglist_append(subscribers_, message);
}

void Notifier::notify(const ResourceUpdate& update, const char* payload) {
  up_ = subtract(subtract(unite(up_, update.up), update.down), update.shrink);
  down_ = subtract(subtract(unite(down_, update.down), update.up), update.shrink);
  shrunk_ = unite(shrunk_, update.shrink);
  if (update.expiration_s) expiration_s_ = *update.expiration_s;
  for (const flux_msg_t* message = flux_msglist_first(subscribers_); message != nullptr;
       message = flux_msglist_next(subscribers_)) {
    flux_respond(h_, message, payload);
  }
}

void Notifier::notify_unchanged() { notify({}, "{}"); }

}  // namespace copse::flux
