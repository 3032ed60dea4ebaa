// SPDX-License-Identifier: Apache-2.0
//
// Journal: how a service hands over what must be on disk. Nothing waits: what is kept is told later,
// by number (journal/commit_thread.hpp).
#pragma once

#include <functional>
#include <string>

#include "journal/store.hpp"

namespace copse::server {

class Journal {
 public:
  virtual ~Journal() = default;
  // Returns the record's number.
  virtual journal::Sequence append(std::string record) = 0;
  // Keeps the state after all records that were appended. `state` is called later, perhaps on
  // another thread.
  virtual void snapshot(std::function<std::string()> state) = 0;
  // Whether there is space for changes that take some.
  [[nodiscard]] virtual bool room() const = 0;
};

}  // namespace copse::server
