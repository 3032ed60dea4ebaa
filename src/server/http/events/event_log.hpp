// SPDX-License-Identifier: Apache-2.0
//
// EventLog: the latest records of the journal as events, with their numbers.
//
// Records are stored as bytes and turned into text when a client reads them; most are never read.
// The oldest are dropped, by count and by bytes: a client that needs a dropped one gets an error,
// so it never misses one unnoticed.
//
// Memory: Limits, and kCachedTexts texts of at most kCachedBytesMax each.
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

  // `next`: the number of the next record. REQUIRES the engine that the records change, and that it
  // outlives this.
  EventLog(const Engine& engine, journal::Sequence next, Limits limits)
      : engine_(engine), limits_(limits), first_(next) {}

  void add(std::string record);
  [[nodiscard]] journal::Sequence first() const { return first_; }  // oldest record
  [[nodiscard]] journal::Sequence next() const { return first_ + records_.size(); }

  // The texts of the latest records are cached: a thousand streams share the cost of one.
  static constexpr std::size_t kCachedTexts = 256, kCachedBytesMax = std::size_t{16} << 10;
  // Appends the changes of record `number`: one JSON object per line for each job event and each
  // effect. REQUIRES first() <= number < next().
  void append(journal::Sequence number, std::string& out);

 private:
  struct CachedText {
    journal::Sequence number = 0;
    std::string text{};  // "": empty slot
  };
  void write(journal::Sequence number, std::string& out);

  const Engine& engine_;
  Limits limits_;
  journal::Sequence first_;
  std::deque<std::string> records_{};
  std::size_t bytes_ = 0;
  EffectJson json_{};
  std::vector<CachedText> cache_{kCachedTexts};  // by number modulo kCachedTexts
};

}  // namespace copse::server
