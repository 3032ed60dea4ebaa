// SPDX-License-Identifier: Apache-2.0
//
// SessionRequestReader: reads a line of a session, one JSON object, in place, without building a
// tree. Texts in the result are views into the line, or into the reader if they have escapes.
//
// The type of every known member is checked, whatever the operation; each may be given once.
// Unknown members are refused, except those that begin with "_", which belong to the client and
// must be valid JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "copse/error.hpp"
#include "session/protocol/session_request.hpp"
#include "text/json_walk.hpp"

namespace copse {

class SessionRequestReader {
 public:
  // `with_jobs`: accept requests about jobs.
  explicit SessionRequestReader(SessionRequestLimits limits = {}, bool with_jobs = false)
      : walk_({}, 0, {}, {limits.bytes_max, limits.bytes_max, limits.depth_max}),
        jobs_max_(limits.jobs_max),
        with_jobs_(with_jobs) {}

  // `readable_past` bytes after the line are readable, and the first of them is 0; if simdjson
  // needs more, the line is copied. Views in the result are valid until the next call. Errors:
  // invalid, limit; the place has the column. O(length of the line); memory only for a line longer
  // than all before.
  [[nodiscard]] Result<SessionRequest> read(std::string_view line, std::size_t readable_past);

 private:
  bool member(std::string_view key, JsonWalk::Value& value, const JsonWalk::Token& token,
              JsonOnce& once, SessionRequest& out);
  bool number(const JsonWalk::Token& token, std::string_view what, std::int64_t least,
              std::optional<std::int64_t>& out);
  // A number, or a text (base/duration.hpp).
  bool seconds(JsonWalk::Value& value, const JsonWalk::Token& token, std::string_view what,
               std::optional<std::int64_t>& out);
  bool duration(JsonWalk::Value& value, const JsonWalk::Token& token, SessionRequest& out);
  bool identity(JsonWalk::Value& value, const JsonWalk::Token& token, SessionRequest& out);
  bool jobs(JsonWalk::Value& value, const JsonWalk::Token& token, SessionRequest& out);
  bool text(JsonWalk::Value& value, const JsonWalk::Token& token, std::string_view what,
            std::optional<std::string_view>& out);
  bool object(JsonWalk::Value& value, const JsonWalk::Token& token, std::string_view what,
              std::string_view& out);
  bool operation(JsonWalk::Value& value, const JsonWalk::Token& token, SessionRequest& out);

  bool job_member(unsigned which, JsonWalk::Value& value, const JsonWalk::Token& token,
                  SessionRequest& out);
  bool truth(const JsonWalk::Token& token, std::string_view what, std::optional<bool>& out);

  JsonWalk walk_;
  std::size_t jobs_max_;
  bool with_jobs_;
};

}  // namespace copse
