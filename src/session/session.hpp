// SPDX-License-Identifier: Apache-2.0
//
// A session: requests to one engine as JSON objects, one per line, answered in order, one per line
// (docs/tools/session.md).
//
//   alloc, reserve   id, shape and duration and constraints?, or jobspec   {"id", "at", "R"}
//   satisfy          the same; id and duration are optional                {}
//   explain          the same                                              an explanation
//   status                                                                 what is free, allocated, down
//   free             id, ranks?                                            {}
//   now              t                                                     {}
//   down, up         ranks: an idset or "all"                              {}
//   info             id?                                                   {"grants": [...]}
//   begin, rollback, commit   a transaction                                {}
//   save, restore    file                                                  {"fingerprint"}, {}
//   quit                                                                   {}, and the end
//
// Invariants
//   1. Every line has one answer. A refused line changes nothing; its answer is {"error": CODE,
//      "message": TEXT}. CODE is insufficient, infeasible or invalid. A host that gives clients
//      rights forbids before it lets the session answer.
//   2. insufficient: the empty machine, with every rank up, would serve the request. infeasible: it
//      never could. A search that ends at its bound reports insufficient.
//   3. Grants have the ids of their requests. The engine stores another number for id 0.
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
#include "session/protocol/session_answer.hpp"
#include "session/protocol/session_request.hpp"
#include "session/status/machine_status.hpp"

namespace copse {

struct SessionOptions {
  Format format = Format::rv1_nosched;  // form of R: rv1, rv1_nosched, rv1_shorthand
  // TreePool's scheduling key of the machine's R: answers then have it, reduced to the grant, in
  // form rv1.
  std::optional<RScheduling> scheduling{};
  SessionRequestLimits limits{};
  SessionEnvironment environment{};
};

class Session {
 public:
  Session(std::unique_ptr<Engine> engine, SessionOptions options);
  Session(Session&&) noexcept;
  ~Session();

  // Answers one line, given without its newline; appends the answer and a newline. False: the
  // session has ended. `readable_past`: see SessionRequestReader::read.
  bool answer(std::string_view line, std::string& out, std::size_t readable_past = 0);
  // Its two parts, for hosts. What was read is valid as long as the line, and until the next one is read.
  [[nodiscard]] Result<SessionRequest> read(std::string_view line, std::size_t readable_past = 0);
  void answer(const SessionRequest& request, const JobCaller& caller, SessionAnswer& answer);
  // Moves the clock of a shared session, if `now_s` is later. Errors: as Engine::advance.
  [[nodiscard]] Result<void> advance(std::int64_t now_s);
  // For SessionEnvironment::jobs: the engine; and, after its use, the write of its effects.
  // `clock`: write an advance of the clock alone, too. Errors of flush_effects(): io.
  [[nodiscard]] Engine& mutable_engine();
  [[nodiscard]] Result<void> flush_effects(bool clock = false);
  // Appends the R of a grant as answers have it. O(resources of the grant).
  void append_r(const Grant& grant, std::string_view queue, std::string& out);
  // Applies a record of SessionEnvironment::keep_record. Errors: invalid, and those of
  // Engine::apply; the session is then unusable.
  [[nodiscard]] Result<void> apply(std::string_view record);
  // The error of a line of more than `bytes_max` bytes, which was not buffered.
  [[nodiscard]] static Error long_line(std::size_t bytes_max);

  [[nodiscard]] const Engine& engine() const;
  // Which resources are free, allocated or down. A shared session evaluates it once for each state.
  [[nodiscard]] const MachineStatus& status();
  [[nodiscard]] const SessionRequestLimits& limits() const;
  // Appends a grant as its answer had it: {"id", "at", "R", "hres"?}. REQUIRES that it exists.
  // O(resources of the grant).
  void append_grant(JobId job, std::string& out);
  // An independent session in the same state, to try requests on. Cost: Engine::clone().
  [[nodiscard]] Session what_if(SessionEnvironment environment = {}) const;
  // Converts between ids of grants and job numbers of the engine.
  [[nodiscard]] static JobId job_of(std::int64_t id);
  [[nodiscard]] static std::int64_t id_of(JobId job);
  // A save of the engine and the session's options. O(machine + grants).
  [[nodiscard]] std::string save() const;
  // The same for the state at this time; the function may run later, on any thread. O(state in
  // use).
  [[nodiscard]] std::function<std::string()> snapshot_writer() const;
  // Whether the session ended because its effects could not be written.
  [[nodiscard]] bool effects_lost() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Restores the session of a save. Errors: those of load(); invalid (a save of another host).
[[nodiscard]] Result<Session> session_of_save(std::string_view bytes,
                                              SessionEnvironment environment = {});

}  // namespace copse
