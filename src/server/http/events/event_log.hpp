// SPDX-License-Identifier: Apache-2.0
//
// EventLog: the latest records of the journal as events, with their numbers.
//
// Records are stored as bytes and turned into text when a client reads them; most are never read.
// The oldest are dropped, by count and by bytes: a client that needs a dropped one gets an error,
// so it never misses one unnoticed.
//
// Memory: Limits, and kCachedTexts texts of at most kCachedBytesMax each, in two forms.
#pragma once

#include <deque>
#include <string>
#include <string_view>
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
  // The same as a server-sent event, with its number as id and a line of data for each change.
  void append_event(journal::Sequence number, std::string& out);

 private:
  struct CachedText {
    journal::Sequence number = 0;
    std::string text{}, event{};  // "": not known
  };
  // The slot of a record, emptied if it has the text of another one.
  [[nodiscard]] CachedText& cached(journal::Sequence number);
  void write(journal::Sequence number, std::string& out);

  const Engine& engine_;
  Limits limits_;
  journal::Sequence first_;
  std::deque<std::string> records_{};
  std::size_t bytes_ = 0;
  EffectJson json_{};
  std::vector<CachedText> cache_{kCachedTexts};  // by number modulo kCachedTexts
};

// Appends a server-sent event. REQUIRES that `lines`, its data, each have an end of line.
void append_server_sent_event(journal::Sequence id, std::string_view lines, std::string& out);

}  // namespace copse::server
