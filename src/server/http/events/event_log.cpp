// SPDX-License-Identifier: Apache-2.0
#include "server/http/events/event_log.hpp"

#include <cassert>
#include <utility>
#include <variant>

#include "save/effect_codec.hpp"
#include "server/jobs/journal_parts.hpp"

namespace copse::server {

void EventLog::add(std::string record) {
  record.shrink_to_fit();  // drop the spare capacity: it is kept for long
  bytes_ += record.size();
  records_.push_back(std::move(record));
  while (records_.size() > limits_.records_max || bytes_ > limits_.bytes_max) {
    bytes_ -= records_.front().size();
    records_.pop_front();
    ++first_;
  }
}

void EventLog::append(journal::Sequence number, std::string& out) {
  assert(number >= first_ && number < next());
  CachedText& shown = cache_[number % kCachedTexts];
  if (shown.number == number && !shown.text.empty()) {
    out += shown.text;
    return;
  }
  const std::size_t before = out.size();
  write(number, out);
  if (out.size() - before <= kCachedBytesMax) shown = {number, out.substr(before)};
}

void EventLog::write(journal::Sequence number, std::string& out) {
  const auto parts = split_parts(records_[number - first_]);
  if (!parts) return;
  out += parts->drains;
  out += parts->reservations;
  out += parts->jobs;
  auto reader = EffectReader::of_record(parts->engine);
  for (;;) {
    const auto next = reader.next();
    if (!next || !*next) return;
    if (const auto* effect = std::get_if<Effect>(&**next)) json_.append(engine_, *effect, out);
  }
}

}  // namespace copse::server
