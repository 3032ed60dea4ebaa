// SPDX-License-Identifier: Apache-2.0
//
// A line of a session: one JSON object, read in place. No tree is made; texts are views into the
// line, or into the reader where they have escapes.
//
// Every member that the protocol knows is checked for its type, whatever the operation; each may be
// given once. Members that it does not know are refused, but for those of the client, which begin
// with "_": they must be valid JSON. Which members an operation needs is for Session to say.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/known_key.hpp"
#include "copse/error.hpp"
#include "text/json_walk.hpp"

namespace copse {

struct SessionLine {
  enum class Op : std::uint8_t {
    alloc,
    reserve,
    satisfy,
    explain,
    status,
    free,
    now,
    info,
    quit,
    down,
    up,
    layers,
    set_layer,
    reserve_layer,
    free_layer,
    add_layer,
    remove_layer,
    set_layer_nodes,
    save,
    restore,
    begin,
    rollback,
    commit,
    // Of jobs: known only where somebody keeps jobs (session/job_host.hpp).
    submit,
    jobs,
    job,
    queue,
    hold,
    release,
    priority,
    cancel,
    end,
    renew,
    why,
    when,
    watch
  };
  Op op = Op::quit;
  std::optional<std::int64_t> id, duration_s, t;
  std::optional<std::string_view> shape, ranks;
  std::string_view jobspec, constraints;  // objects as they stand there; empty: not given
  std::string reservation;                // an "id" of any kind: that of a layer's reservation
  std::optional<std::string_view> hres, resource, nodes, to, file;
  std::optional<std::int64_t> at, count, start, mode, base;
  bool has_jobs = false;
  std::vector<std::int64_t> jobs;  // "for"

  // Of jobs
  std::optional<std::string_view> name, queue, user, state;
  std::optional<std::int64_t> priority, lease_s, since, limit, after, status;
  std::optional<bool> held, stopped;
};

struct SessionLineLimits {
  std::size_t bytes_max = 16u << 20;
  std::uint32_t depth_max = 128;   // of what is in jobspec and constraints, and of other members
  std::size_t jobs_max = 100'000;  // ids of "for"
};

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

// All operations, and all members of requests; with those of jobs.
[[nodiscard]] std::span<const std::string_view> session_ops(bool of_jobs = false);
[[nodiscard]] KnownKeys session_members(bool of_jobs = false);
[[nodiscard]] constexpr bool is_of_jobs(SessionLine::Op op) { return op > SessionLine::Op::commit; }

// The error of a request that has no such member, and needs one.
[[nodiscard]] std::unexpected<Error> missing(std::string_view member);

}  // namespace copse
