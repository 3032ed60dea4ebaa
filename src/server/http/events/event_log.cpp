// SPDX-License-Identifier: Apache-2.0
#include "server/http/events/event_log.hpp"

#include <cassert>
#include <utility>
#include <variant>

#include "save/effect_codec.hpp"
#include "server/jobs/journal_parts.hpp"
#include "text/json_text.hpp"

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

EventLog::CachedText& EventLog::cached(journal::Sequence number) {
  assert(number >= first_ && number < next());
  CachedText& of = cache_[number % kCachedTexts];
  if (of.number != number) of = {.number = number};
  return of;
}

void EventLog::append(journal::Sequence number, std::string& out) {
  CachedText& of = cached(number);
  if (!of.text.empty()) {
    out += of.text;
    return;
  }
  const std::size_t before = out.size();
  write(number, out);
  if (out.size() - before <= kCachedBytesMax) of.text = out.substr(before);
}

void EventLog::append_event(journal::Sequence number, std::string& out) {
  CachedText& of = cached(number);
  if (!of.event.empty()) {
    out += of.event;
    return;
  }
  std::string lines;
  append(number, lines);
  const std::size_t before = out.size();
  append_server_sent_event(number, lines, out);
  if (out.size() - before <= kCachedBytesMax) of.event = out.substr(before);
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

void append_server_sent_event(journal::Sequence id, std::string_view lines, std::string& out) {
  out += "id: ";
  append_number(out, id);
  out += '\n';
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    out += "data: ";
    out += lines.substr(0, end + 1);
    lines.remove_prefix(end + 1);
  }
  out += '\n';
}

}  // namespace copse::server
