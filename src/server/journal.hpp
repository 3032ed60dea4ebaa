// SPDX-License-Identifier: Apache-2.0
//
// Journal: where a service writes its records and states. Nothing waits: completion is reported
// later, by record number (journal/commit_thread.hpp).
#pragma once

#include <functional>
#include <string>

#include "journal/store.hpp"

namespace copse::server {

class Journal {
 public:
  virtual ~Journal() = default;
  // Returns the number of the record.
  virtual journal::Sequence append(std::string record) = 0;
  // Writes a state that includes all appended records. `state` is called later, perhaps on another
  // thread.
  virtual void snapshot(std::function<std::string()> state) = 0;
  // Whether there is space for changes that need some.
  [[nodiscard]] virtual bool has_disk_space() const = 0;
};

}  // namespace copse::server
