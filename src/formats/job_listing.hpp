// SPDX-License-Identifier: Apache-2.0
//
// JobListing: what the readers of `squeue --json` and `flux jobs --json` share. Both print a document
// with a list "jobs"; each reader has tables of the keys that it knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/cluster_jobs.hpp"
#include "text/json_walk.hpp"

namespace copse {

inline constexpr std::size_t kNodesOfJobMax = 1U << 17;

class JobListing {
 public:
  using Value = JsonWalk::Value;
  using Token = JsonWalk::Token;

  JobListing(std::string_view text, std::string_view file, std::size_t readable_past)
      : walk_(text, readable_past, file, kBounds), file_(file) {}

  // Reads the whole document: job(value, token) → bool for each job, other(key, value, token) → bool for
  // each other member. Errors: those of JsonWalk; invalid (two jobs have one id).
  template <class Job, class Other>
  [[nodiscard]] Result<void> read(Job job, Other other) {
    if (!walk_.document_with_list("jobs", job, other)) return std::unexpected(walk_.error());
    return check_job_ids(jobs_, file_);
  }

  [[nodiscard]] JsonWalk& walk() { return walk_; }
  [[nodiscard]] ClusterJobs& jobs() { return jobs_; }

  // Each returns false after a refusal, as JsonWalk does.
  //
  // Adds a job; the number of jobs and of their nodes is limited.
  [[nodiscard]] bool add(ClusterJob job, const Token& token);
  // Takes the hosts of a list, which is the member `key` of a job, or refuses it with their error.
  [[nodiscard]] bool take_hosts(std::string_view key, Result<std::vector<std::string>> names,
                                const Token& token, std::vector<std::string>& hosts);
  // Refuses with the code of an error and its text after `before`.
  bool refuse(const Token& token, const Error& error, std::string_view before = {});

  // Gives a job `units` cores or cpus, evenly on its hosts; 0: whole nodes. `share` is what it has of
  // each host in addition.
  static void spread(ClusterJob& job, std::int64_t units, std::vector<std::string> hosts,
                     const NodeShare& share);

 private:
  static constexpr JsonWalk::Bounds kBounds{
      .text_bytes_max = std::size_t{1} << 31, .word_bytes_max = 1U << 20, .depth_max = 64};

  JsonWalk walk_;
  std::string_view file_;
  ClusterJobs jobs_;
  std::size_t shares_ = 0;
};

// `"key" of a job`, as messages name a member.
[[nodiscard]] std::string member_of_job(std::string_view key);
// A remark about ClusterJobs::skipped, if there are any.
void add_skipped_remark(ClusterJobs& jobs);

// The reader of a listing. A derived one knows the members of a job, and what becomes of it; `Fields` has
// what was read of one job.
template <class Fields>
class JobListReader {
 public:
  using Value = JsonWalk::Value;
  using Token = JsonWalk::Token;

  // Errors: those of JobListing::read.
  [[nodiscard]] Result<ClusterJobs> read() {
    const auto whole = listing_.read(
        [&](Value& v, const Token& t) { return read_job(v, t); },
        [&](std::string_view key, Value& v, const Token& t) { return read_other(key, v, t); });
    if (!whole) return std::unexpected(whole.error());
    add_remarks();
    return std::move(out_);
  }

 protected:
  JobListReader(std::string_view text, std::string_view file, std::size_t readable_past)
      : listing_(text, file, readable_past) {}
  ~JobListReader() = default;

  // Each returns false after a refusal.
  virtual bool read_member(std::string_view key, Value& v, const Token& t, Fields& fields) = 0;
  virtual bool take(Fields& fields, const Token& token) = 0;
  // A member of the document itself.
  virtual bool read_other(std::string_view /*key*/, Value& v, const Token& t) {
    return walk_.skip(v, t);
  }
  virtual void add_remarks() { add_skipped_remark(out_); }

  JobListing listing_;
  JsonWalk& walk_ = listing_.walk();
  ClusterJobs& out_ = listing_.jobs();

 private:
  bool read_job(Value& value, const Token& token) {
    Fields fields;
    const bool whole =
        walk_.members(value, token, "a job", [&](std::string_view key, Value& v, const Token& t) {
          return read_member(key, v, t, fields);
        });
    return whole && take(fields, token);
  }
};

}  // namespace copse
