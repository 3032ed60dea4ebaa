// SPDX-License-Identifier: Apache-2.0
//
// SessionLineReader: reads a line of a session, one JSON object, in place. No tree is made; texts are
// views into the line, or into the reader where they have escapes.
//
// Every member that the protocol knows is checked for its type, whatever the operation; each may be
// given once. Members that it does not know are refused, but for those of the client, which begin
// with "_": they must be valid JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "copse/error.hpp"
#include "session/line.hpp"
#include "text/json_walk.hpp"

namespace copse {

class SessionLineReader {
 public:
  // `of_jobs`: lines may be about jobs.
  explicit SessionLineReader(SessionLineLimits limits = {}, bool of_jobs = false)
      : walk_({}, 0, {}, {limits.bytes_max, limits.bytes_max, limits.depth_max}),
        jobs_max_(limits.jobs_max),
        of_jobs_(of_jobs) {}

  // `readable_past` bytes behind the line can be read, the first of which is 0; with fewer than
  // simdjson wants the line is copied. Views in the result stay good until the next call.
  // Errors: invalid, limit; the place has the column. O(length of the line), no memory but for
  // lines longer than all before.
  [[nodiscard]] Result<SessionLine> read(std::string_view line, std::size_t readable_past);

 private:
  bool member(std::string_view key, JsonWalk::Value& value, const JsonWalk::Token& token,
              JsonOnce& once, SessionLine& out);
  bool number(const JsonWalk::Token& token, std::string_view what, std::int64_t least,
              std::optional<std::int64_t>& out);
  // A number, or a text as of base/duration.hpp.
  bool seconds(JsonWalk::Value& value, const JsonWalk::Token& token, std::string_view what,
               std::optional<std::int64_t>& out);
  bool duration(JsonWalk::Value& value, const JsonWalk::Token& token, SessionLine& out);
  bool identity(JsonWalk::Value& value, const JsonWalk::Token& token, SessionLine& out);
  bool jobs(JsonWalk::Value& value, const JsonWalk::Token& token, SessionLine& out);
  bool text(JsonWalk::Value& value, const JsonWalk::Token& token, std::string_view what,
            std::optional<std::string_view>& out);
  bool object(JsonWalk::Value& value, const JsonWalk::Token& token, std::string_view what,
              std::string_view& out);
  bool operation(JsonWalk::Value& value, const JsonWalk::Token& token, SessionLine& out);

  bool job_member(unsigned which, JsonWalk::Value& value, const JsonWalk::Token& token,
                  SessionLine& out);
  bool truth(const JsonWalk::Token& token, std::string_view what, std::optional<bool>& out);

  JsonWalk walk_;
  std::size_t jobs_max_;
  bool of_jobs_;
};

}  // namespace copse
