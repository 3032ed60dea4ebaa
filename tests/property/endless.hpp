// SPDX-License-Identifier: Apache-2.0
//
// Endless: an unlimited stream of requests to one engine, generated from a seed: matches of all
// operations, cancels, status, a clock that advances. Two equal engines give the same answers to
// streams of one seed; the answers contain all that a caller sees.
//
// Small machines with short jobs: they neither stay full nor become idle.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "property/generator.hpp"
#include "property/random.hpp"

namespace copse::property {

class Endless {
 public:
  Endless(std::unique_ptr<Engine> engine, const std::vector<Request>& requests);

  // Sends this number of requests from a seed; returns the digest of their answers, in order.
  std::uint64_t go(std::uint64_t seed, int steps);

  [[nodiscard]] Engine& engine() { return *engine_; }
  // The next streams use another engine. The numbers of jobs continue.
  void replace(std::unique_ptr<Engine> engine);
  // The same stream on a clone.
  [[nodiscard]] Endless clone() const;
  [[nodiscard]] std::uint64_t granted() const { return granted_; }

 private:
  void prepare();
  std::string step(Random& random);
  std::string match(Random& random);

  std::unique_ptr<Engine> engine_;
  std::vector<Request> requests_;
  std::vector<PreparedRequest> prepared_;
  JobId last_job_ = 0;
  std::uint64_t granted_ = 0;
};

}  // namespace copse::property
