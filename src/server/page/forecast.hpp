// SPDX-License-Identifier: Apache-2.0
//
// Forecast: where and when waiting jobs would run if nothing else happened. The queue is simulated
// to its end on a copy (queue::QueueSimulation), in small budgets between the work of the service.
//
// The last complete forecast is shown while the next is computed; if the queue changes constantly,
// it is somewhat old. After a long computation there is a pause: at most a seventh of the time goes
// into forecasts.
//
// Memory: Limits; a clone of the engine during a computation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graph/node_rows.hpp"
#include "queue/answers/what_if.hpp"

namespace copse::server {

class Forecast {
 public:
  struct Limits {
    std::size_t jobs = 20'000, runs = 400'000;
  };
  struct Start {
    JobId job = 0;
    std::int64_t start_s = 0, end_s = 0;
    std::uint32_t first = 0, runs = 0;        // in places()
    std::uint32_t first_draw = 0, draws = 0;  // in draws()
  };

  explicit Forecast(Limits limits) : limits_(limits) {}

  // Requests a forecast; one is started if the queue has changed since the last and the pause is
  // over. REQUIRES the lanes of the queue's engine.
  void request(const queue::JobQueue& queue, const NodeRows& lanes);
  // True if nothing is left to do.
  bool work(queue::WorkBudget slice);
  // A quarter of a second has passed.
  void tick() { cooldown_ticks_ -= cooldown_ticks_ > 0 ? 1 : 0; }
  // Drops everything: the machine has changed.
  void clear();

  // By start.
  [[nodiscard]] const std::vector<Start>& starts() const { return current_.starts; }
  [[nodiscard]] const NodeRange* places(const Start& start) const {
    return current_.places.data() + start.first;
  }
  [[nodiscard]] std::span<const LayerCharge> draws(const Start& start) const {
    return std::span(current_.draws).subspan(start.first_draw, start.draws);
  }
  // The number of completed forecasts; 0: none yet.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  // Whether it has all waiting jobs; false: cut off by the limits.
  [[nodiscard]] bool complete() const { return !current_.truncated; }

 private:
  struct Data {
    std::vector<Start> starts{};
    std::vector<NodeRange> places{};
    std::vector<LayerCharge> draws{};
    bool truncated = false;
  };
  void add(const Grant& grant, const NodeRows& lanes);

  Limits limits_;
  std::unique_ptr<queue::QueueSimulation> future_{};
  Data next_{}, current_{};
  std::vector<NodeRange> scratch_{};
  std::uint64_t version_ = 0, source_sequence_ = 0, slices_ = 0,
                cooldown_ticks_ = 0;  // sequence: JobQueue::sequence + 1
};

}  // namespace copse::server
