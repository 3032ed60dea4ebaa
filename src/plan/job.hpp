// SPDX-License-Identifier: Apache-2.0
//
// Jobs: what is submitted, when, for how long; and the requests that they share.
//
// Invariants
//   1. Jobs stand in the order of the stream. submit_s >= 0; run_s and duration_s are at least 1
//      and at most kTimeMax_s.
//   2. Two jobs have the same request number exactly if they ask for the same text: a stream of
//      many jobs has few requests, and each is compiled once.
//
//   3. No job waits for itself, whichever way its `after` leads.
//   4. Events ascend by time, those of one second in the order of the stream. None is of a job
//      before it is submitted.
//
// Sketch: 88 bytes a job (a name of up to 15 characters stands in it), 8 for each that it waits for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/ids.hpp"
#include "copse/request.hpp"
#include "plan/event.hpp"
#include "queue/reservation/reservation.hpp"

namespace copse::plan {

inline constexpr std::int64_t kTimeMax_s = INT64_C(1) << 40;  // times and durations of jobs
inline constexpr std::size_t kJobsMax = 50'000'000;
inline constexpr std::size_t kRequestsMax = 100'000;  // distinct ones

// What a job waits for before it joins the queue: another one of the stream.
struct Dependency {
  enum class On : std::uint8_t {
    ended_well,  // afterok of Slurm and Flux
    ended,       // in any way, or it is refused (afterany)
    failed,      // it ended in another way than well, or is refused (afternotok)
    started,     // (after)
  };
  std::uint32_t job = 0;
  On on = On::ended_well;
  bool operator==(const Dependency&) const = default;
};

struct Job {
  std::string name;             // as the stream calls it
  std::int64_t submit_s = 0;    // from the beginning of time
  std::int64_t duration_s = 1;  // what it asks for
  std::int64_t run_s = 1;       // what it takes if nobody ends it
  std::int32_t priority = 0;    // higher ones stand before lower ones in the queue
  std::uint32_t request = 0;
  std::uint32_t queue = 0, user = 0, reservation = 0;  // into Jobs::words; 0: not said
  std::uint32_t after_first = 0, after_count = 0;      // into Jobs::after

  // A job that would run longer than it asked for is ended when its time is over.
  [[nodiscard]] std::int64_t length_s() const { return run_s < duration_s ? run_s : duration_s; }
  // Whether it ends before `clock_end_s` if it starts as soon as it is submitted.
  [[nodiscard]] bool ends_before(std::int64_t clock_end_s) const {
    return submit_s < clock_end_s && length_s() < clock_end_s - submit_s;
  }
};

// A count of one type, with what is in each; a slot is labelled "task".
[[nodiscard]] Resource resource_of(std::string type, std::int64_t count,
                                   std::vector<Resource> with = {});

class Requests {
 public:
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const Request& operator[](std::uint32_t number) const { return entries_[number]; }

  // What the requests that are found or added from now on ask of hierarchical resources, whatever
  // they say of it themselves (request/hres.hpp). Part of their text; "" and nothing: as they say.
  void also(std::string_view text, HresRequest hres);
  // The same for all requests that are there and ask for none.
  void also_all(const HresRequest& hres);

  // A constraint (RFC 31) that the requests that are found or added from now on have as well as
  // their own; part of their text. "": none.
  void constrain(std::string_view text, Constraint constraint);

  // The number of the request with this text, if it is known.
  [[nodiscard]] const std::uint32_t* find(std::string_view text) const;
  // Errors: limit (kRequestsMax). REQUIRES that the text is not known.
  [[nodiscard]] Result<std::uint32_t> add(std::string_view text, Request request);

  // Short forms. Errors: limit.
  [[nodiscard]] Result<std::uint32_t> whole_nodes(std::int64_t nodes);
  [[nodiscard]] Result<std::uint32_t> cores(std::int64_t cores);  // wherever they are
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

// What a stream has, and is no job to run: how many, for each reason.
class SkippedEntries {
 public:
  struct Reason {
    std::string_view why;  // behind "2 jobs": "without a limit"
    std::uint64_t count = 0;
  };
  // `why` lives as long as the program.
  void add(std::string_view why, std::uint64_t count = 1);
  // What they are, "line" if nobody says else.
  void set_what(std::string_view what) { what_ = what; }
  [[nodiscard]] std::string_view what() const { return what_; }
  [[nodiscard]] bool empty() const { return reasons_.empty(); }
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] const std::vector<Reason>& reasons() const { return reasons_; }  // as they came

 private:
  std::string_view what_ = "line";
  std::vector<Reason> reasons_;
};

struct Jobs {
  std::vector<Job> jobs;
  std::vector<std::string> words{""};  // names of queues, users and reservations, each once
  std::vector<queue::ReservationSpec> reservations{};        // that are there from the start
  std::vector<Place> reservation_places{};                   // of each, if they were read
  std::vector<queue::ReservationSpec> later_reservations{};  // of events
  std::vector<Place> later_places{};                         // of each
  // What a real clock shows at time 0, in seconds since 1970, if the stream says it.
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
  std::vector<std::string> remarks{};  // sentences: what else of it does not count

 private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_{};
};

}  // namespace copse::plan
