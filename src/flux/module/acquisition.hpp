// SPDX-License-Identifier: Apache-2.0
//
// Acquisition: the resources of an instance, from its resource module (RFC 28). One client at a
// time may hold them.
#pragma once

#include <flux/core.h>

#include <functional>
#include <string>

#include "flux/messages.hpp"

namespace copse::flux {

class Acquisition {
 public:
  explicit Acquisition(flux_t* h) : h_(h) {}
  ~Acquisition() { flux_future_destroy(acquire_); }
  Acquisition(const Acquisition&) = delete;
  Acquisition& operator=(const Acquisition&) = delete;

  struct First {
    std::string inventory;  // R
    Idset up;
  };
  // Waits, perhaps for long. Errors: io.
  [[nodiscard]] Result<First> first();

  // Called for each later change, with the message as it came; without it, once there is no more.
  using Changed = std::function<void(const ResourceUpdate& update, const char* payload)>;
  // REQUIRES first(). Errors: io.
  [[nodiscard]] Result<void> watch(Changed changed, std::function<void()> over);

 private:
  void next() noexcept;

  flux_t* const h_;
  flux_future_t* acquire_ = nullptr;
  Changed changed_;
  std::function<void()> over_;
};

}  // namespace copse::flux
