// SPDX-License-Identifier: Apache-2.0
//
// EventLog: what was done lately, for clients that want to be told. An event is a record of the
// journal, with its number.
//
// Records are kept as they are, and made text when somebody asks: most of the time nobody does. Old
// ones go, by number and by bytes: who comes later is told that they are gone, and never misses one
// without knowing.
//
// Memory: Limits, and kShown texts of at most kShownBytes each.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "journal/store.hpp"
#include "save/effect_json.hpp"

namespace copse::server {

class EventLog {
 public:
  struct Limits {
    std::size_t records_max = 100'000, bytes_max = std::size_t{16} << 20;
  };

  // `next`: the number of the next record. REQUIRES that the engine is the one it is of, and lives
  // longer.
  EventLog(const Engine& engine, journal::Sequence next, Limits limits)
      : engine_(engine), limits_(limits), first_(next) {}

  void add(std::string record);
  [[nodiscard]] journal::Sequence first() const { return first_; }  // that is kept
  [[nodiscard]] journal::Sequence next() const { return first_ + records_.size(); }

  // What it tells of a record is kept a while: a thousand streams that are told the same are told it for
  // the cost of one.
  static constexpr std::size_t kShown = 256, kShownBytes = std::size_t{16} << 10;
  // Appends what record `number` did: an object of JSON for each event of a job and each effect, each
  // with a line end.
  // REQUIRES first() <= number < next().
  void append(journal::Sequence number, std::string& out);

 private:
  struct Shown {
    journal::Sequence number = 0;
    std::string text{};  // "": of none
  };
  void write(journal::Sequence number, std::string& out);

  const Engine& engine_;
  Limits limits_;
  journal::Sequence first_;
  std::deque<std::string> records_{};
  std::size_t bytes_ = 0;
  EffectJson json_{};
  std::vector<Shown> shown_{kShown};  // by number, modulo kShown
};

}  // namespace copse::server
