// SPDX-License-Identifier: Apache-2.0
//
// Jobs: the jobs of a stream, their times, and the requests that they share.
//
// Invariants
//   1. Jobs are in the order of the stream. submit_s >= 0; run_s and duration_s are at least 1 and
//      at most kTimeMax_s.
//   2. Two jobs have the same request number exactly if their requests have the same text: a stream
//      of many jobs has few requests, and each is compiled once.
//   3. No job waits for itself, directly or through others.
//   4. Events ascend by time; those of one second are in the order of the stream. No event of a job
//      comes before its submission.
//
// Memory: 88 bytes a job (with a name of up to 15 characters), and 16 for each dependency.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock_time.hpp"
#include "copse/error.hpp"
#include "copse/ids.hpp"
#include "copse/request.hpp"
#include "queue/reservation/reservation.hpp"

namespace copse::plan {

// Event: an entry of a stream that is not a job. Nodes fail and return; jobs are cancelled, held,
// released, get another priority, or reach a deadline; reservations are made.
//
// Memory: 32 bytes an event, and 4 for each of its nodes.
inline constexpr std::size_t kEventsMax = 10'000'000;
inline constexpr std::size_t kEventNodesMax = 20'000'000;  // of all events together

struct Event {
  enum class Type : std::uint8_t {
    up,        // nodes are usable again
    down,      // nodes fail: their jobs end, or go back to the queue
    drain,     // nodes get no new jobs; running ones continue
    cancel,    // the job ends, or leaves the queue
    deadline,  // the job leaves the queue if it has not started
    hold,      // the job waits until it is released
    release,
    priority,
    reserve,  // a reservation is made
  };
  std::int64_t time_s = 0;
  Type type = Type::up;
  bool requeue = false;       // of down
  std::int32_t priority = 0;  // of priority
  std::uint32_t job = 0;      // of an event of a job
  // An event of nodes: index into Jobs::event_nodes. Reserve: index into Jobs::later_reservations.
  std::uint32_t first_node = 0, nodes = 0;
  [[nodiscard]] bool of_nodes() const { return type <= Type::drain; }
  [[nodiscard]] bool of_job() const { return !of_nodes() && type != Type::reserve; }
};

inline constexpr std::size_t kJobsMax = 50'000'000;
inline constexpr std::size_t kRequestsMax = 100'000;  // distinct ones

// Another job of the stream, for which a job waits before it joins the queue.
struct Dependency {
  enum class On : std::uint8_t {
    ended_well,  // afterok of Slurm and Flux
    ended,       // in any way, or refused (afterany)
    failed,      // it ended otherwise, or was refused (afternotok)
    started,     // (after)
  };
  std::uint32_t job = 0;
  On on = On::ended_well;
  std::int64_t delay_s = 0;  // it joins the queue that long after that
  bool operator==(const Dependency&) const = default;
};

struct Job {
  std::string name;             // in the stream
  std::int64_t submit_s = 0;    // from time 0
  std::int64_t duration_s = 1;  // the requested time
  std::int64_t run_s = 1;       // its run time, if it is not ended early
  std::int32_t priority = 0;    // higher ones are before lower ones in the queue
  std::uint32_t request = 0;
  std::uint32_t queue = 0, user = 0, reservation = 0;  // into Jobs::words; 0: none
  std::uint32_t after_first = 0, after_count = 0;      // into Jobs::after
  // It is submitted when all that it waits for has come, and not at submit_s: as by a user who looks
  // at a result first. Such a job waits for one at least.
  bool submitted_after = false;

  // A job that would run longer than it requested is ended at that limit.
  [[nodiscard]] std::int64_t length_s() const { return run_s < duration_s ? run_s : duration_s; }
  // Whether it ends before `clock_end_s` if it starts at its submission.
  [[nodiscard]] bool ends_before(std::int64_t clock_end_s) const {
    return submit_s < clock_end_s && length_s() < clock_end_s - submit_s;
  }
};

class Requests {
 public:
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const Request& operator[](std::uint32_t number) const { return entries_[number]; }
  [[nodiscard]] Request& operator[](std::uint32_t number) { return entries_[number]; }

  // Hierarchical resources of all requests that are found or added from now on, instead of their
  // own (request/hres.hpp). The text is part of their key; "" and an empty request: their own.
  void also(std::string_view text, HresRequest hres);
  // The same for all existing requests that have none.
  void also_all(const HresRequest& hres);

  // A constraint (RFC 31) in addition to their own, for all requests that are found or added from
  // now on. It is part of their key; "": none.
  void constrain(std::string_view text, Constraint constraint);

  // The number of the request with this text; nullptr: it is unknown.
  [[nodiscard]] const std::uint32_t* find(std::string_view text) const;
  // Errors: limit (kRequestsMax). REQUIRES that the text is unknown.
  [[nodiscard]] Result<std::uint32_t> add(std::string_view text, Request request);

  // Short forms. Errors: limit.
  [[nodiscard]] Result<std::uint32_t> whole_nodes(std::int64_t nodes);
  // On any nodes; with memory in MB for each core.
  [[nodiscard]] Result<std::uint32_t> cores(std::int64_t cores, std::int64_t memory_mb = 0);
  [[nodiscard]] Result<std::uint32_t> cores_of_nodes(std::int64_t nodes, std::int64_t cores);

 private:
  [[nodiscard]] std::string key(std::string_view text) const;

  std::vector<Request> entries_;
  std::string hres_text_;
  HresRequest hres_;
  std::string constraint_text_;
  Constraint constraint_;
  std::map<std::string, std::uint32_t, std::less<>> by_text_;
};

// Entries of a stream that are not run: their number, by reason.
class SkippedEntries {
 public:
  struct Reason {
    std::string_view why;  // follows "2 jobs": "without a limit"
    std::uint64_t count = 0;
  };
  // `why` must be a constant.
  void add(std::string_view why, std::uint64_t count = 1);
  // The noun for the entries.
  void set_what(std::string_view what) { what_ = what; }
  [[nodiscard]] std::string_view what() const { return what_; }
  [[nodiscard]] bool empty() const { return reasons_.empty(); }
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] const std::vector<Reason>& reasons() const {
    return reasons_;
  }  // in the order of their first entries

 private:
  std::string_view what_ = "line";
  std::vector<Reason> reasons_;
};

struct Jobs {
  std::vector<Job> jobs;
  std::vector<std::string> words{""};  // names of queues, users and reservations, each once
  std::vector<queue::ReservationSpec> reservations{};        // made before the stream begins
  std::vector<SourceLocation> reservation_places{};          // their places, if they were read
  std::vector<queue::ReservationSpec> later_reservations{};  // of events
  std::vector<SourceLocation> later_places{};                // their places
  // The real time at time 0, in seconds since 1970, if the stream has it.
  std::optional<std::int64_t> zero_s{};
  std::vector<Dependency> after{};

  std::vector<Event> events{};
  std::vector<PoolId> event_nodes{};

  // The number of a word, which is added if it is new. O(log words).
  [[nodiscard]] std::uint32_t word(std::string_view text);
  [[nodiscard]] std::span<const Dependency> after_of(const Job& job) const {
    return std::span(after).subspan(job.after_first, job.after_count);
  }
  [[nodiscard]] std::span<const PoolId> nodes_of(const Event& event) const {
    return std::span(event_nodes).subspan(event.first_node, event.nodes);
  }

  Requests requests;
  SkippedEntries skipped{};
  std::vector<std::string> remarks{};  // sentences: other parts of the stream that have no effect

 private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_{};
};

}  // namespace copse::plan
