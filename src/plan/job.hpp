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
// Sketch: 72 bytes a job (a name of up to 15 characters stands in it).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/request.hpp"

namespace copse::plan {

inline constexpr std::int64_t kTimeMax_s = INT64_C(1) << 40;  // times and durations of jobs
inline constexpr std::size_t kJobsMax = 50'000'000;
inline constexpr std::size_t kRequestsMax = 100'000;  // distinct ones

struct Job {
  std::string name;             // as the stream calls it
  std::int64_t submit_s = 0;    // from the beginning of time
  std::int64_t duration_s = 1;  // what it asks for
  std::int64_t run_s = 1;       // what it takes if nobody ends it
  std::int32_t priority = 0;    // higher ones stand before lower ones in the queue
  std::uint32_t request = 0;

  // A job that would run longer than it asked for is ended when its time is over.
  [[nodiscard]] std::int64_t length_s() const { return run_s < duration_s ? run_s : duration_s; }
  // Whether it ends before `clock_end_s` if it starts as soon as it is submitted.
  [[nodiscard]] bool ends_before(std::int64_t clock_end_s) const {
    return submit_s < clock_end_s && length_s() < clock_end_s - submit_s;
  }
};

class Requests {
 public:
  struct Entry {
    Request request;
    // Whether it asks for fixed counts only: then what does not fit does not fit for longer.
    bool fixed = true;
  };

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const Entry& operator[](std::uint32_t number) const { return entries_[number]; }

  // What the requests that are found or added from now on ask of hierarchical resources, whatever
  // they say of it themselves (request/hres.hpp). Part of their text; "" and nothing: as they say.
  void also(std::string_view text, HresRequest hres);
  // The same for all requests that are there and ask for none.
  void also_all(const HresRequest& hres);

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

  std::vector<Entry> entries_;
  std::string hres_text_;
  HresRequest hres_;
  std::map<std::string, std::uint32_t, std::less<>> by_text_;
};

struct Jobs {
  std::vector<Job> jobs;
  Requests requests;
  std::uint64_t passed_over = 0;  // lines of a trace that are no jobs to run
};

}  // namespace copse::plan
