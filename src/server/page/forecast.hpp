// SPDX-License-Identifier: Apache-2.0
//
// Forecast: where and when those that wait would run if nothing else happened: the queue, played to
// its end on a copy (queue::QueueSimulation), a turn at a time, beside the service.
//
// The last one that is whole is shown while the next is made; of a queue that never rests it is
// somewhat old. A forecast that took long is not made again soon: at most a seventh of the time goes
// into them.
//
// Memory: Limits; a clone of the engine while one is made.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "plan/node_rows.hpp"
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
    std::uint32_t first = 0, runs = 0;        // of places()
    std::uint32_t first_draw = 0, draws = 0;  // of draws()
  };

  explicit Forecast(Limits limits) : limits_(limits) {}

  // Somebody looks: one is made of a state that is newer than the last one, unless it is too soon.
  // REQUIRES that lanes are those of the queue's engine.
  void want(const queue::JobQueue& queue, const plan::NodeRows& lanes);
  // True if there is nothing to do.
  bool work(queue::WorkBudget slice);
  // Time goes by: a quarter of a second.
  void tick() { rest_ -= rest_ > 0 ? 1 : 0; }
  // Of another machine: all of it is dropped.
  void clear();

  // By start.
  [[nodiscard]] const std::vector<Start>& starts() const { return shown_.starts; }
  [[nodiscard]] const plan::NodeRange* places(const Start& start) const {
    return shown_.places.data() + start.first;
  }
  [[nodiscard]] std::span<const LayerCharge> draws(const Start& start) const {
    return std::span(shown_.draws).subspan(start.first_draw, start.draws);
  }
  // How many there were; 0: none yet.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  // Whether it has all that wait, as the limits go.
  [[nodiscard]] bool whole() const { return !shown_.cut; }

 private:
  struct Made {
    std::vector<Start> starts{};
    std::vector<plan::NodeRange> places{};
    std::vector<LayerCharge> draws{};
    bool cut = false;
  };
  void add(const Grant& grant, const plan::NodeRows& lanes);

  Limits limits_;
  std::unique_ptr<queue::QueueSimulation> making_{};
  Made made_{}, shown_{};
  std::vector<plan::NodeRange> scratch_{};
  std::uint64_t number_ = 0, of_ = 0, slices_ = 0, rest_ = 0;  // of_: JobQueue::sequence + 1
};

}  // namespace copse::server
