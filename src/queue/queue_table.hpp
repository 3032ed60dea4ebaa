// SPDX-License-Identifier: Apache-2.0
//
// QueueTable: the queues over an engine. Jobs of a virtual queue (RFC 33) wait in the
// queue of its parent.
//
// Cost: find() O(log queues).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "queue/waiting_queue.hpp"

namespace copse::queue {

inline constexpr std::size_t kQueuesMax = 1'000;

struct QueueSpec {
  std::string name{};  // "": the default queue
  Discipline discipline{};
  std::size_t depth = SIZE_MAX;  // jobs examined in a pass (Fluxion's queue-depth)
  Constraint constraint{};       // the nodes of its jobs
  // Queues are served in the order of their priorities, the highest first, then of their names.
  std::int64_t priority = 0;
  // A virtual queue: its jobs wait in this queue, with its discipline and depth, in one order with
  // the others. Without a constraint it has that of its parent.
  std::optional<std::string> parent{};
};

// Errors: invalid: no queue, or more than kQueuesMax; a repeated name; a parent that is unknown or
// virtual itself.
[[nodiscard]] Result<void> check_queues(std::span<const QueueSpec> queues);

class QueueTable {
 public:
  struct Entry {
    std::string name;
    std::uint16_t number = 0;  // of the queue
    std::uint16_t waiting_queue = 0;
    bool is_virtual = false;
    double weight = 0;  // added to the priority of its jobs
  };

  // REQUIRES check_queues(specs). Queues are added to `shared.kinds`.
  QueueTable(std::vector<QueueSpec> specs, const SharedParts& shared);

  QueueTable(const QueueTable& other, const SharedParts& shared);  // the queues of a clone

  // Errors: not_found.
  [[nodiscard]] Result<const Entry*> find(std::string_view name) const;
  [[nodiscard]] const std::vector<Entry>& named() const { return named_; }

  // In the order in which they are served.
  [[nodiscard]] std::size_t size() const { return queues_.size(); }
  [[nodiscard]] WaitingQueue& operator[](std::size_t number) { return *queues_[number]; }
  [[nodiscard]] const WaitingQueue& operator[](std::size_t number) const {
    return *queues_[number];
  }
  [[nodiscard]] auto begin() const { return queues_.begin(); }
  [[nodiscard]] auto end() const { return queues_.end(); }

  [[nodiscard]] std::size_t waiting() const;

 private:
  std::vector<std::unique_ptr<WaitingQueue>> queues_;
  std::vector<Entry> named_;  // by name
};

}  // namespace copse::queue
