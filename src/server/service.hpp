// SPDX-License-Identifier: Apache-2.0
//
// Service: one machine that many clients share, with its changes in a journal. It has no socket,
// thread, clock or file: its host passes lines and times in, and stores its records.
//
//   auto service = Service::recover(*store, options);      // the stored state, or a new one
//   service->set_journal(journal);
//   const Answer answer = service->answer(line, now_s);    // send it when all records before
//                                                          // answer.needs are on disk
//   while (!service->work(now_s)) answer_others();         // searches for waiting jobs
//
// Each answer waits for all records that were appended before it. So no answer reveals a change, of
// any client, that is not durable. The effects on engine and jobs of one request, or of one budget
// of a pass, are one record.
//
// Thread safety: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "journal/store.hpp"
#include "server/jobs/live_jobs.hpp"
#include "server/jobs/planned_grants.hpp"
#include "server/rights/authorizer.hpp"
#include "session/session.hpp"

namespace copse::server {

// Where a service writes its records and states. Nothing waits: completion is reported later, by record
// number (journal/commit_thread.hpp).
class Journal {
 public:
  virtual ~Journal() = default;
  // Returns the number of the record.
  virtual journal::Sequence append(std::string record) = 0;
  // Writes a state that includes all appended records. `state` is called later, perhaps on another
  // thread.
  virtual void snapshot(std::function<std::string()> state) = 0;
  // Whether there is space for changes that need some.
  [[nodiscard]] virtual bool has_disk_space() const = 0;
};

inline const Caller kOwner{.role = Role::owner};  // for the owner of the process: all permissions

class Service {
 public:
  struct Options {
    // Makes the session of a new state.
    std::function<Result<Session>(SessionEnvironment environment)> make_session{};
    std::vector<Policy> extra_policies{};  // plugin policies
    // A snapshot is written after that many records or bytes.
    std::uint64_t snapshot_records = 100'000;
    std::uint64_t snapshot_bytes = 64u << 20;
    // Records on disk that are kept in memory at start, for clients that resume a stream of events.
    std::size_t recent_records = 100'000, recent_bytes = std::size_t{16} << 20;
    LiveJobs::Setup jobs{};
    std::size_t planned_grants_per_user = 10'000;  // grants outside the queue with a later start
    // A stored state whose clock is ahead of this goes back to it (clock_back.hpp).
    std::optional<std::int64_t> clock_back_to_s{};
    // By how much the computer's clock jumped ahead of the times that are passed in; empty: not.
    std::function<std::int64_t()> clock_jumped_s{};
    // Receives damage of the stored state that loses nothing.
    std::function<void(const Error& damage)> damage{};
  };
  class Work;
  struct Answer {
    SessionAnswer value{};
    journal::Sequence needs = 0;   // all records before it must be on disk
    std::shared_ptr<Work> work{};  // of begin(): it makes the answer, which is empty so far
    // The answer as a line.
    [[nodiscard]] std::string text() const { return take_line(value); }
  };

  // A dear request, answered in steps. REQUIRES that the service outlives it.
  class Work {
   public:
    // Does one step. True: `out` is the answer. REQUIRES that it was not before.
    [[nodiscard]] bool step(std::int64_t now_s, Answer& out);

   private:
    friend class Service;
    Service* service = nullptr;
    std::string line{};
    Caller caller{};
    RequestIdentity identity{};
    std::shared_ptr<AnswerWork> work{};
  };

  // Loads the stored state, or stores a new one before it returns. Errors: those of the store and
  // its content; those of `make_session`.
  [[nodiscard]] static Result<std::unique_ptr<Service>> recover(journal::Store& store,
                                                                Options options);

  // Receives records from now on. REQUIRES that it outlives the service.
  void set_journal(Journal& journal) { journal_ = &journal; }
  // The number of the next record; whether a stored state was found.
  [[nodiscard]] journal::Sequence next() const { return next_; }
  [[nodiscard]] bool recovered() const { return recovered_; }
  // Identifies the history of changes; a restored copy of a state has another one.
  [[nodiscard]] const std::string& incarnation() const { return incarnation_; }
  // Moves out the last records before next().
  [[nodiscard]] std::deque<std::string> take_recent_records() { return std::exchange(recent_, {}); }
  [[nodiscard]] const Session& session() const { return *session_; }
  [[nodiscard]] Session& session() { return *session_; }
  // Whether there is space for changes that need some.
  [[nodiscard]] bool has_disk_space() const {
    return journal_ == nullptr || journal_->has_disk_space();
  }
  // By how much the clock of the state is ahead of the last time that was passed in.
  [[nodiscard]] std::int64_t clock_ahead_s() const {
    return clock_s_ ? std::max<std::int64_t>(0, session_->engine().now() - *clock_s_) : 0;
  }
  [[nodiscard]] std::int64_t clock_jumped_s() const {
    return options_.clock_jumped_s ? options_.clock_jumped_s() : 0;
  }
  // `sink` receives each change and each denied request, after it.
  void set_audit_sink(AuditTrail::Sink sink) { trail_.set_sink(std::move(sink)); }
  // Records a request that was denied before it became a line.
  void record_refusal(const Audit& audit, std::int64_t now_s) {
    trail_.record_refusal(audit, now_s);
  }
  [[nodiscard]] const LiveJobs& jobs() const { return jobs_; }
  [[nodiscard]] LiveJobs& live_jobs() {
    return jobs_;
  }  // to query answers; changes go through answer()
  [[nodiscard]] const JobEventLog& events() const { return jobs_.table().events(); }
  // What is stored about clients.
  [[nodiscard]] const ClientTable& clients() const { return clients_; }
  // The owner of a job or grant; "": unknown.
  [[nodiscard]] std::string_view owner(std::int64_t id) const { return authorizer_.owner(id); }

  // Maps a caller to its user name.
  [[nodiscard]] std::string user_of(std::string_view user) const {
    return options_.jobs.user_of ? options_.jobs.user_of(user) : std::string(user);
  }

  // What a caller sees of jobs and grants. Without the role user, none are its own.
  [[nodiscard]] Viewer viewer_of(const Caller& caller) const;
  [[nodiscard]] Visibility visibility(const Viewer& viewer, JobId id) const {
    return viewer.of(owner(Session::id_of(id)));
  }
  [[nodiscard]] Visibility visibility_of_event(const Viewer& viewer, std::uint64_t number) const {
    return viewer.of(jobs_.table().user_of_event(number));
  }
  // The jobs and grants that are hidden from it.
  [[nodiscard]] IsHidden hidden_from(const Caller& caller) const;
  // As JobEventLog::read, for a caller.
  bool read_events(EventWatch& watch, journal::Sequence durable, std::size_t bytes_max,
                   const Caller& caller, std::string& out) const;
  // Whether a role may do this, as configured.
  [[nodiscard]] bool permits(Role role, Permission permission) const;

  // Answers one line, given without its newline. `readable_past`: see SessionRequestReader::read. A
  // request without permission is refused. A change is stored with `identity`.
  [[nodiscard]] Answer answer(std::string_view line, std::int64_t now_s,
                              std::size_t readable_past = 0, const Caller& caller = kOwner,
                              const RequestIdentity& identity = {});
  // The same, but a dear request only begins, and Answer::work makes its answer.
  [[nodiscard]] Answer begin(std::string_view line, std::int64_t now_s,
                             std::size_t readable_past = 0, const Caller& caller = kOwner,
                             const RequestIdentity& identity = {});
  // Handles due starts, then works on waiting jobs for one budget
  // (LiveJobs::Setup::start_budget). True if nothing is left to do now.
  bool work(std::int64_t now_s);
  // As LiveJobs::set_lease_time and expire_leases.
  [[nodiscard]] bool set_lease_time(std::int64_t now_ms) { return jobs_.set_lease_time(now_ms); }
  void expire_leases(std::int64_t now_s);
  // The answer to a line of more than `bytes_max` bytes, which was not buffered.
  [[nodiscard]] Answer refuse_long_line(std::size_t bytes_max) const;
  // Moves the clock, for readers of session().
  void advance(std::int64_t now_s);
  // Writes the state now.
  void snapshot();
  // Returns a function that makes the bytes of the state as of now; it may run later, on any
  // thread.
  [[nodiscard]] std::function<std::string()> saver() const;

 private:
  explicit Service(Options options)
      : options_(std::move(options)),
        jobs_(options_.jobs),
        planned_(options_.planned_grants_per_user) {}
  [[nodiscard]] const JobRow* job(std::int64_t id) const;
  [[nodiscard]] std::string nodes_of(std::string_view ranks) const;
  [[nodiscard]] SessionEnvironment environment();
  [[nodiscard]] Result<void> begin_jobs();
  [[nodiscard]] Result<void> load(journal::Store& store);
  [[nodiscard]] Result<void> load_state(std::string_view state);
  [[nodiscard]] Result<void> apply_clients(std::string_view lines);
  [[nodiscard]] Result<void> set_clock_back(journal::Store& store, std::int64_t to_s);
  [[nodiscard]] Result<void> apply(journal::Sequence number, std::string_view record);
  void note_used_ids();
  void add_recent_record(journal::Sequence number, std::string_view record);
  void write_record(bool clock = false);
  // `job_caller.work`: as Session::answer.
  [[nodiscard]] Answer answer_for(std::string_view line, std::int64_t now_s,
                                  std::size_t readable_past, const Caller& caller,
                                  const RequestIdentity& identity, JobCaller job_caller);
  void record_client(const Caller& caller, const RequestIdentity& identity,
                     const SessionRequest& request, const SessionAnswer& answer);

  Options options_;
  LiveJobs jobs_;
  std::unique_ptr<Session> session_;
  std::string effects_{};  // of the engine, in no record yet
  Journal* journal_ = nullptr;
  journal::Sequence next_ = 0;  // number of the next record
  bool recovered_ = false;
  std::string incarnation_{};
  std::optional<std::int64_t> clock_s_{};  // the last time that was passed in
  std::deque<std::string> recent_{};
  journal::Sequence recent_end_ = 0;  // number after the last of recent_
  std::size_t recent_bytes_ = 0;
  ClientTable clients_{};
  PlannedGrants planned_;
  Authorizer authorizer_{
      [this](std::int64_t id) { return job(id); },
      [this](std::int64_t id) { return session_->engine().grant(Session::job_of(id)) != nullptr; },
      [this](std::string_view ranks) { return nodes_of(ranks); },
      clients_,
      [this](Role role, Permission permission) { return permits(role, permission); },
      [this](const Caller& caller, std::int64_t id) {
        return viewer_of(caller).of(owner(id)) == Visibility::hidden;
      },
      options_.jobs.user_of};
  const Caller* caller_ = nullptr;  // while a line is answered
  AuditTrail trail_{};
  std::uint64_t records_since_ = 0, bytes_since_ = 0;  // since the last snapshot
};

}  // namespace copse::server
