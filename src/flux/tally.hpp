// SPDX-License-Identifier: Apache-2.0
//
// Tally: how many jobs came and what became of them, in all and by queue. Fluxion's tools ask for
// the counts of queues, `flux module stats` for those of the module.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "text/json_writer.hpp"

namespace copse::flux {

// What became of the jobs of a queue.
struct QueueCounts {
  std::uint64_t submitted = 0, started = 0, promised = 0, denied = 0, cancelled = 0, ended = 0,
                prioritized = 0;
};

class Tally {
 public:
  void asked() { ++all_.asked; }
  void refused() { ++all_.denied; }  // before it was in a queue
  void submitted(const std::string& queue) { ++by_queue_[queue].submitted; }
  void taken_over(const std::string& queue) { ++by_queue_[queue].started; }
  void started(const std::string& queue) {
    ++all_.started;
    ++by_queue_[queue].started;
  }
  void promised(const std::string& queue) { ++by_queue_[queue].promised; }
  void denied(const std::string& queue) {
    ++all_.denied;
    ++by_queue_[queue].denied;
  }
  void cancelled(const std::string& queue) {
    ++all_.cancelled;
    ++by_queue_[queue].cancelled;
  }
  void prioritized(const std::string& queue) { ++by_queue_[queue].prioritized; }
  void freed() { ++all_.freed; }
  void ended(const std::string& queue) { ++by_queue_[queue].ended; }
  void annotated() { ++all_.annotations; }

  [[nodiscard]] QueueCounts of(const std::string& queue) const;
  void write(JsonWriter& json) const;  // members

 private:
  struct {
    std::uint64_t asked = 0, started = 0, denied = 0, cancelled = 0, freed = 0, annotations = 0;
  } all_;
  std::map<std::string, QueueCounts> by_queue_;
};

}  // namespace copse::flux
