// SPDX-License-Identifier: Apache-2.0
//
// Acquisition: the resources of an instance, from its resource module (RFC 28). Only one client at a
// time can acquire them.
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
  // Waits, which may take long. Errors: io.
  [[nodiscard]] Result<First> first();

  // Calls `changed` for each later change, with the payload of the message, and `over` when the resource
  // module sends no more.
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
