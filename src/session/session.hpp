// SPDX-License-Identifier: Apache-2.0
//
// A session: requests to one engine as JSON objects, a line each, answered in order by a JSON
// object a line (docs/tools/session.md).
//
//   alloc, reserve   id, shape and duration and constraints?, or jobspec   {"id", "at", "R"}
//   satisfy          the same; id and duration may be missing              {}
//   explain          the same                                              an explanation
//   status                                                                 what is free, allocated, down
//   free             id, ranks?                                            {}
//   now              t                                                     {}
//   down, up         ranks: an idset or "all"                              {}
//   info             id?                                                   {"grants": [...]}
//   begin, rollback, commit   what is between is kept, or undone, as one {}
//   save, restore    file                                                  {"fingerprint"}, {}
//   quit                                                                   {}, and the end
//
// Invariants
//   1. Every line has one answer. A refused line changes nothing; its answer is {"error": CODE,
//      "message": TEXT}, CODE one of insufficient, infeasible, invalid; and forbidden, if not
//      everybody may do everything (SessionOutside::forbids).
//   2. insufficient means that the empty machine with every rank up would serve the request;
//      infeasible, that it never could. Where a search ends at its bound, insufficient.
//   3. Grants have the ids of the lines. The engine has another number for id 0, which is no job
//      to it.
//
// Cost of an alloc: reading the line, a hash of the request's text, the match, and the length of
// the answer. Thread safety: none.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "copse/engine.hpp"
#include "formats/formats.hpp"
#include "rset/rset_scheduling.hpp"
#include "session/history.hpp"
#include "session/job_host.hpp"
#include "session/line.hpp"

namespace copse {

struct SessionOptions {
  Format format = Format::rv1_nosched;  // of R: rv1, rv1_nosched, rv1_shorthand
  // TreePool's scheduling key of the machine's R: then answers have it, trimmed, in form rv1.
  std::optional<RScheduling> scheduling{};
  SessionLineLimits limits{};
  SessionOutside outside{};
};

class Session {
 public:
  Session(std::unique_ptr<Engine> engine, SessionOptions options);
  Session(Session&&) noexcept;
  ~Session();

  // Answers one line, which has no line end; appends the answer and a newline. False: the session
  // is over. `readable_past`: see SessionLineReader::read.
  bool answer(std::string_view line, std::string& out, std::size_t readable_past = 0);
  // The same for a client that SessionOutside::jobs may know more of.
  bool answer(std::string_view line, JobCaller& caller, std::string& out,
              std::size_t readable_past = 0);
  // Moves the clock of a shared session, if time has passed. Errors: as Engine::advance.
  [[nodiscard]] Result<void> advance(std::int64_t now_s);
  // For SessionOutside::jobs: the engine; and, after it was used, that its effects are passed on;
  // `clock`: that it moved, too, if nothing else happened. Errors of settle(): io.
  [[nodiscard]] Engine& engine_for_jobs();
  [[nodiscard]] Result<void> settle(bool clock = false);
  // Appends the R of a grant, in the form of answers. O(what it has).
  void append_r(const Grant& grant, std::string_view queue, std::string& out);
  // Does what a record of SessionOutside::keep_record says was done. Errors: invalid, and those of
  // Engine::apply; then the session is not to be used.
  [[nodiscard]] Result<void> apply(std::string_view record);
  // Answers a line that has more bytes than that, which nobody kept.
  static void refuse_long_line(std::size_t bytes_max, std::string& out);

  [[nodiscard]] const Engine& engine() const;
  [[nodiscard]] const SessionLineLimits& limits() const;
  // What a grant has, as the answer that granted it: {"id", "at", "R", "hres"?}. REQUIRES that there
  // is such a grant. O(what it has).
  void append_grant(JobId job, std::string& out);
  // A session of its own in the same state, with nothing outside: what is tried there is not done.
  // The cost of Engine::clone().
  [[nodiscard]] Session what_if() const;
  // The number of a grant's id for the engine, and back.
  [[nodiscard]] static JobId job_of(std::int64_t id);
  [[nodiscard]] static std::int64_t id_of(JobId job);
  // A save of the engine, with what makes it this session's. O(machine + grants).
  [[nodiscard]] std::string save() const;
  // The same of the state now, made whenever it is called, on any thread. O(state in use).
  [[nodiscard]] std::function<std::string()> saver() const;
  // Whether it ended because its effects could not be written.
  [[nodiscard]] bool effects_lost() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The session of a save, as it was. Errors: those of load(); invalid (of another program).
[[nodiscard]] Result<Session> session_of_save(std::string_view bytes, SessionOutside outside = {});

}  // namespace copse
