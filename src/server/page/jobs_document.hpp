// SPDX-License-Identifier: Apache-2.0
//
// JobsDocument: the jobs of a service as the page reads them (the document "jobs" of
// docs/develop/page.md): running jobs, waiting jobs with their forecast, and recently ended ones.
// Either all, within Limits, or some.
//
// Jobs that ended longest ago are left out first, then jobs that wait longest; cut() reports that.
// O(jobs and placements of the document).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "page/page_jobs.hpp"
#include "server/http/routes.hpp"
#include "server/page/page_service.hpp"

namespace copse::server {

class JobsDocument {
 public:
  struct Limits {
    std::size_t ended = 3'000, waiting = 20'000, running = 20'000, places = 200'000;
  };

  // `hidden`: jobs that are left out.
  JobsDocument(HttpContext& context, Limits limits, IsHidden hidden)
      : context_(context), limits_(limits), hidden_(std::move(hidden)) {}

  void add_all();
  // REQUIRES ascending distinct ids. Unknown ids are skipped.
  void add(std::span<const JobId> ids);
  // Appends the document.
  void append(std::string& out) const { page::append_jobs_document(out, all_); }
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  void reserve();
  std::uint32_t place_of(JobId id);
  void fill(page::PageJob& job, const JobRow& row);
  void add_run(JobId id, std::int64_t start_s, std::int64_t end_s, page::RunEnd ending,
               std::span<const NodeRange> places, std::span<const LayerCharge> draws);
  void add_past(const AllocatedNodes& gone);
  void add_allocated(const AllocatedNodes& held);
  void add_forecast(const Forecast::Start& start);
  [[nodiscard]] bool full() { return cut_ = cut_ || all_.places.size() >= limits_.places; }

  [[nodiscard]] bool is_hidden(JobId id) const { return hidden_ && hidden_(id); }

  HttpContext& context_;
  Limits limits_;
  IsHidden hidden_;
  page::PageJobs all_{};
  std::unordered_map<JobId, std::uint32_t> places_{};
  bool cut_ = false;
};

}  // namespace copse::server
