// SPDX-License-Identifier: Apache-2.0
//
// JobCounters: the number of requests, starts, refusals and ends of jobs, in total and by queue.
// Fluxion's tools show those of queues, `flux module stats` the totals.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "text/json_writer.hpp"

namespace copse::flux {

// Counts of one queue since the scheduler was made.
struct QueueCounts {
  std::uint64_t submitted = 0, started = 0, promised = 0, denied = 0, cancelled = 0, ended = 0,
                prioritized = 0;
};

class JobCounters {
 public:
  void requested() { ++total_.requested; }
  void refused() { ++total_.denied; }  // before the job was in a queue
  void submitted(const std::string& queue) { ++by_queue_[queue].submitted; }
  void adopted(const std::string& queue) { ++by_queue_[queue].started; }
  void started(const std::string& queue) {
    ++total_.started;
    ++by_queue_[queue].started;
  }
  void promised(const std::string& queue) { ++by_queue_[queue].promised; }
  void denied(const std::string& queue) {
    ++total_.denied;
    ++by_queue_[queue].denied;
  }
  void cancelled(const std::string& queue) {
    ++total_.cancelled;
    ++by_queue_[queue].cancelled;
  }
  void prioritized(const std::string& queue) { ++by_queue_[queue].prioritized; }
  void freed() { ++total_.freed; }
  void ended(const std::string& queue) { ++by_queue_[queue].ended; }
  void annotated() { ++total_.annotations; }

  [[nodiscard]] QueueCounts of(const std::string& queue) const {
    const auto at = by_queue_.find(queue);
    return at == by_queue_.end() ? QueueCounts() : at->second;
  }
  // Members of an object.
  void write(JsonWriter& json) const {
    json.member("alloc", total_.requested);
    json.member("started", total_.started);
    json.member("denied", total_.denied);
    json.member("cancelled", total_.cancelled);
    json.member("freed", total_.freed);
    json.member("annotations", total_.annotations);
  }

 private:
  struct {
    std::uint64_t requested = 0, started = 0, denied = 0, cancelled = 0, freed = 0, annotations = 0;
  } total_;
  std::map<std::string, QueueCounts> by_queue_;
};

}  // namespace copse::flux
