// SPDX-License-Identifier: Apache-2.0
#include "session/protocol/request_reader.hpp"

#include <limits>
#include <string>

#include "base/duration.hpp"
#include "base/known_key.hpp"
#include "base/nearest_word.hpp"
#include "text/json_text.hpp"

namespace copse {

namespace {

constexpr std::size_t kIdBytesMax = 1024;

}  // namespace

bool SessionRequestReader::number(const JsonWalk::Token& token, std::string_view what,
                                  std::int64_t least, std::optional<std::int64_t>& out) {
  std::int64_t number = 0;
  if (!walk_.integer(token, what, least, std::numeric_limits<std::int64_t>::max(), number)) {
    return false;
  }
  out = number;
  return true;
}

bool SessionRequestReader::seconds(JsonWalk::Value& value, const JsonWalk::Token& token,
                                   std::string_view what, std::optional<std::int64_t>& out) {
  if (token.type != JsonWalk::Type::string) return number(token, what, 0, out);
  std::string_view text;
  if (!walk_.word(value, token, what, text)) return false;
  const auto read = parse_duration(text);
  if (!read) {
    return walk_.refuse(token.offset, std::string(what) + ": " + read.error().text,
                        read.error().code);
  }
  out = *read;
  return true;
}

// In requests, 0 means no end.
bool SessionRequestReader::duration(JsonWalk::Value& value, const JsonWalk::Token& token,
                                    SessionRequest& out) {
  if (!seconds(value, token, "\"duration\"", out.duration_s)) return false;
  if (out.duration_s == kEndless_s && token.type == JsonWalk::Type::string) out.duration_s = 0;
  return true;
}

bool SessionRequestReader::text(JsonWalk::Value& value, const JsonWalk::Token& token,
                                std::string_view what, std::optional<std::string_view>& out) {
  std::string_view word;
  if (!walk_.word(value, token, what, word)) return false;
  out = word;
  return true;
}

// Ids of grants are numbers. Ids of layer reservations are any scalar, and 5 and "5" differ.
bool SessionRequestReader::identity(JsonWalk::Value& value, const JsonWalk::Token& token,
                                    SessionRequest& out) {
  if (token.type != JsonWalk::Type::string) {
    if (!number(token, "\"id\"", 0, out.id)) return false;
    out.layer_reservation = token.raw;
    return true;
  }
  std::string_view word;
  if (!walk_.word(value, token, "\"id\"", word)) return false;
  if (word.size() > kIdBytesMax) {
    return walk_.refuse(token.offset,
                        "\"id\" has more than " + std::to_string(kIdBytesMax) + " bytes",
                        ErrorCode::limit);
  }
  out.layer_reservation = '"' + std::string(word);
  return true;
}

bool SessionRequestReader::jobs(JsonWalk::Value& value, const JsonWalk::Token& token,
                                SessionRequest& out) {
  out.has_jobs = true;
  return walk_.elements(
      value, token, "\"for\"", [&](JsonWalk::Value&, const JsonWalk::Token& element) {
        std::optional<std::int64_t> id;
        if (!number(element, "an id of \"for\"", 0, id)) return false;
        if (out.jobs.size() >= jobs_max_) {
          return walk_.refuse(element.offset,
                              "\"for\" has more than " + std::to_string(jobs_max_) + " ids",
                              ErrorCode::limit);
        }
        out.jobs.push_back(*id);
        return true;
      });
}

bool SessionRequestReader::object(JsonWalk::Value& value, const JsonWalk::Token& token,
                                  std::string_view what, std::string_view& out) {
  if (token.type != JsonWalk::Type::object) {
    return walk_.refuse(token.offset, std::string(what) + " must be an object");
  }
  if (!walk_.skip(value, token)) return false;
  const std::string_view from = walk_.text().substr(token.offset);
  out = from.substr(0, json_value_end(from));
  return true;
}

bool SessionRequestReader::operation(JsonWalk::Value& value, const JsonWalk::Token& token,
                                     SessionRequest& out) {
  std::string_view word;
  if (!walk_.word(value, token, "\"op\"", word)) return false;
  const SessionOperation* const row = find_operation(word, with_jobs_);
  if (row == nullptr) {
    return walk_.refuse(token.offset, unknown_word("\"op\"", word, operation_names(with_jobs_)));
  }
  out.op = row->op;
  return true;
}

bool SessionRequestReader::member(std::string_view key, JsonWalk::Value& value,
                                  const JsonWalk::Token& token, JsonOnce& once,
                                  SessionRequest& out) {
  const KnownKeys members = session_members(with_jobs_);
  const KnownKey* known = find_key(members, key);
  if (known == nullptr) {
    if (key.starts_with('_')) return walk_.skip(value, token);
    return walk_.refuse(token.key_offset, unknown_key("member", key, members));
  }
  const auto which = static_cast<unsigned>(known - members.data());
  if (!once.take(which, key, token)) return false;
  switch (which) {
    case kOp: return operation(value, token, out);
    case kId: return identity(value, token, out);
    case kShape: return text(value, token, "\"shape\"", out.shape);
    case kDuration: return duration(value, token, out);
    case kConstraints: return object(value, token, "\"constraints\"", out.constraints);
    case kJobspec: return object(value, token, "\"jobspec\"", out.jobspec);
    case kHres: return text(value, token, "\"hres\"", out.hres);
    case kRanks: return text(value, token, "\"ranks\"", out.ranks);
    case kT: return seconds(value, token, "\"t\"", out.t);
    case kAt: return seconds(value, token, "\"at\"", out.at);
    case kResource: return text(value, token, "\"resource\"", out.resource);
    case kNodes: return text(value, token, "\"nodes\"", out.nodes);
    case kTo: return text(value, token, "\"to\"", out.to);
    case kCount: return number(token, "\"count\"", -1, out.count);
    case kStart: return seconds(value, token, "\"start\"", out.start);
    case kFor: return jobs(value, token, out);
    case kMode: return number(token, "\"mode\"", 1, out.mode);
    case kBase: return number(token, "\"base\"", 0, out.base);
    case kJgf: return object(value, token, "\"jgf\"", out.jgf);
    default: return job_member(which, value, token, out);
    case kFile:
      if (!text(value, token, "\"file\"", out.file)) return false;
      return !out.file->empty() || walk_.refuse(token.offset, "\"file\" is empty");
  }
}

bool SessionRequestReader::truth(const JsonWalk::Token& token, std::string_view what,
                                 std::optional<bool>& out) {
  bool is = false;
  if (!walk_.boolean(token, what, is)) return false;
  out = is;
  return true;
}

bool SessionRequestReader::job_member(unsigned which, JsonWalk::Value& value,
                                      const JsonWalk::Token& token, SessionRequest& out) {
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::min();
  switch (which) {
    case kName: return text(value, token, "\"name\"", out.name);
    case kQueue: return text(value, token, "\"queue\"", out.queue);
    case kUser: return text(value, token, "\"user\"", out.user);
    case kState: return text(value, token, "\"state\"", out.state);
    case kPriority: return number(token, "\"priority\"", kAny, out.priority);
    case kLease: return seconds(value, token, "\"lease\"", out.lease_s);
    case kSince: return number(token, "\"since\"", 0, out.since);
    case kLimit: return number(token, "\"limit\"", 1, out.limit);
    case kAfter: return number(token, "\"after\"", 0, out.after);
    case kStatus: return number(token, "\"status\"", kAny, out.status);
    case kHeld: return truth(token, "\"held\"", out.held);
    case kRequeue: return truth(token, "\"requeue\"", out.requeue);
    case kRestarts: return number(token, "\"restarts\"", 0, out.restarts);
    case kReservation:
      if (token.type == JsonWalk::Type::string) {
        return text(value, token, "\"reservation\"", out.reservation_name);
      }
      return object(value, token, "\"reservation\"", out.reservation_spec);
    default: return text(value, token, "\"reason\"", out.reason);
  }
}

Result<SessionRequest> SessionRequestReader::read(std::string_view line,
                                                  std::size_t readable_past) {
  walk_.restart(line, readable_past);
  SessionRequest out;
  JsonOnce once(walk_);
  const bool read = walk_.document([&](std::string_view key, JsonWalk::Value& value,
                                       const JsonWalk::Token& token) {
    return member(key, value, token, once, out);
  }) && (once.has(kOp) || walk_.refuse(0, "there is no member \"op\""));
  if (!read) return std::unexpected(walk_.error());
  return out;
}

std::unexpected<Error> missing(std::string_view member) {
  return fail(ErrorCode::invalid, "there is no member \"" + std::string(member) + '"');
}

}  // namespace copse
