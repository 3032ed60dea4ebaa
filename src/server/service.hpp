// SPDX-License-Identifier: Apache-2.0
//
// Service: one machine that many clients share, with what it did in a journal. It has no socket,
// thread, clock or file: its host hands in lines and times, and keeps its records.
//
//   auto service = Service::recover(*store, start);        // the state on disk, or a new one
//   service->keep_in(journal);
//   const Answer answer = service->answer(line, now_s);    // to be sent when records before
//                                                          // answer.needs are on disk
//   while (!service->work(now_s)) answer_others();         // passes over the jobs that wait
//
// Every answer waits for all records that were appended before it: an answer that has seen a change
// never leaves before the change is kept, whoever made it. What the engine did and what became of
// jobs by one request, or in one turn of a pass, is one record.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/jobs/live_jobs.hpp"
#include "server/jobs/planned_grants.hpp"
#include "server/journal.hpp"
#include "server/rights/gate.hpp"
#include "session/session.hpp"

namespace copse::server {

inline const Who kOwner{.role = Role::owner};  // who has the service itself, and so may all

class Service {
 public:
  struct Start {
    // Makes the first session, if nothing is on disk.
    std::function<Result<Session>(SessionOutside outside)> fresh{};
    std::vector<Policy> own{};  // policies that are not bundled
    // A snapshot is taken after as many records, or bytes of them.
    std::uint64_t snapshot_records = 100'000;
    std::uint64_t snapshot_bytes = 64u << 20;
    // Of the records on disk, so many at most are there for those who want to know them again.
    std::size_t recent_records = 100'000, recent_bytes = std::size_t{16} << 20;
    LiveJobs::Setup jobs{};
    std::size_t planned_of_user = 10'000;  // grants that begin later, beside the queue
  };
  struct Answer {
    std::string text;                         // a line
    journal::Sequence needs = 0;              // records before it must be on disk
    bool last = false;                        // the client has said goodbye
    std::optional<JobCaller::Watch> watch{};  // from then on it is told of events
    std::optional<ErrorCode> refused{};       // it is an error
  };

  using Asked = AskedFor;

  // A new state is kept before this returns. Errors: those of the store, and of what is in it; those
  // of `fresh`.
  [[nodiscard]] static Result<std::unique_ptr<Service>> recover(journal::Store& store, Start start);

  // Where records go from now on. REQUIRES that it lives longer.
  void keep_in(Journal& journal) { journal_ = &journal; }
  // Records, and whether a state was found on disk.
  [[nodiscard]] journal::Sequence next() const { return next_; }
  [[nodiscard]] bool recovered() const { return recovered_; }
  // The last records that were on disk, up to next(); they are given away.
  [[nodiscard]] std::deque<std::string> take_recent() { return std::exchange(recent_, {}); }
  [[nodiscard]] const Session& session() const { return *session_; }
  [[nodiscard]] Session& session() { return *session_; }
  // Whether there is space for changes that take some.
  [[nodiscard]] bool room() const { return journal_ == nullptr || journal_->room(); }
  // Is told of each change, and of requests that were refused for who asked, after them.
  void audit(AuditTrail::Told told) { trail_.tell(std::move(told)); }
  // A request that never became a line: it was refused for who asked.
  void refused(const Audit& audit, std::int64_t now_s) { trail_.refused(audit, now_s); }
  [[nodiscard]] const LiveJobs& jobs() const { return jobs_; }
  [[nodiscard]] LiveJobs& live_jobs() { return jobs_; }  // to be asked, not told
  [[nodiscard]] const JobEventLog& events() const { return jobs_.book().events(); }
  // What is remembered of clients.
  [[nodiscard]] const ClientBook& clients() const { return clients_; }
  // Whose a job or grant is; "": nobody knows.
  [[nodiscard]] std::string_view owner(std::int64_t id) const { return gate_.owner(id); }

  // How users are called here: who asks is to be called so.
  [[nodiscard]] std::string user_of(std::string_view user) const {
    return start_.jobs.user_of ? start_.jobs.user_of(user) : std::string(user);
  }

  // One line of a client, without its end. `readable_past`: see SessionLineReader::read. What `who`
  // may not ask is refused. Of a change, `asked` is remembered with it.
  [[nodiscard]] Answer answer(std::string_view line, std::int64_t now_s,
                              std::size_t readable_past = 0, const Who& who = kOwner,
                              const Asked& asked = {});
  // Time has passed: starts that are due, leases that are over. Then a turn of a pass over those that
  // wait (LiveJobs::Setup::turn). True if there is nothing more to do now.
  bool work(std::int64_t now_s);
  // The answer to a line that has more bytes than that, which nobody kept.
  [[nodiscard]] Answer refuse_long_line(std::size_t bytes_max) const;
  // Moves the clock, for whoever looks at the session itself.
  void advance(std::int64_t now_s);
  // Keeps the state as it is, now.
  void snapshot();
  // What a snapshot has: the state now, made whenever it is called, on any thread.
  [[nodiscard]] std::function<std::string()> saver() const;

 private:
  explicit Service(Start start)
      : start_(std::move(start)), jobs_(start_.jobs), planned_(start_.planned_of_user) {}
  [[nodiscard]] const JobRow* job(std::int64_t id) const;
  [[nodiscard]] std::string nodes_of(std::string_view ranks) const;
  [[nodiscard]] SessionOutside outside();
  [[nodiscard]] Result<void> begin_jobs();
  [[nodiscard]] Result<void> load(journal::Store& store);
  [[nodiscard]] Result<void> load_state(std::string_view state);
  [[nodiscard]] Result<void> apply(journal::Sequence number, std::string_view record);
  void note_recent(journal::Sequence number, std::string_view record);
  void keep(bool clock = false);
  void remember(const Who& who, const Asked& asked, std::string_view answer);

  Start start_;
  LiveJobs jobs_;
  std::unique_ptr<Session> session_;
  std::string effects_{};  // of the engine, in no record yet
  Journal* journal_ = nullptr;
  journal::Sequence next_ = 0;  // number of the next record
  bool recovered_ = false;
  std::deque<std::string> recent_{};
  journal::Sequence recent_end_ = 0;  // the number after them
  std::size_t recent_bytes_ = 0;
  ClientBook clients_{};
  PlannedGrants planned_;
  Gate gate_{
      [this](std::int64_t id) { return job(id); },
      [this](std::int64_t id) { return session_->engine().grant(Session::job_of(id)) != nullptr; },
      [this](std::string_view ranks) { return nodes_of(ranks); }, clients_, start_.jobs.user_of};
  const Who* asking_ = nullptr;  // while a line is answered
  AuditTrail trail_{};
  std::uint64_t records_since_ = 0, bytes_since_ = 0;  // since the last snapshot
};

}  // namespace copse::server
