// SPDX-License-Identifier: Apache-2.0
//
// JobsDocument: jobs of a service as the page has them (the document "jobs" of
// docs/develop/page.md): those that run, those that wait with their forecast, those that ended
// lately. All of them, as far as Limits go, or some.
//
// What is left out are first those that ended longest ago, then those that wait longest; cut() says
// so. O(jobs of the document and what they have).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

#include "page/page_jobs.hpp"
#include "server/http/routes.hpp"
#include "server/page/page_service.hpp"

namespace copse::server {

class JobsDocument {
 public:
  struct Limits {
    std::size_t ended = 3'000, waiting = 20'000, running = 20'000, places = 200'000;
  };

  JobsDocument(HttpContext& context, Limits limits) : context_(context), limits_(limits) {}

  void add_all();
  // Ids ascend, each once; those that nobody knows are passed over.
  void add(std::span<const JobId> ids);
  // Appends the document.
  void append(std::string& out) const { page::append_jobs_document(out, all_); }
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  std::uint32_t place_of(JobId id);
  void fill(page::PageJob& job, const JobRow& row);
  void add_run(JobId id, std::int64_t start_s, std::int64_t end_s, page::RunEnd ending,
               std::span<const plan::NodeRange> places, std::span<const LayerCharge> draws);
  void add_gone(const HeldNodes& gone);
  void add_held(const HeldNodes& held);
  void add_forecast(const Forecast::Start& start);
  [[nodiscard]] bool full() { return cut_ = cut_ || all_.places.size() >= limits_.places; }

  HttpContext& context_;
  Limits limits_;
  page::PageJobs all_{};
  std::unordered_map<JobId, std::uint32_t> places_{};
  bool cut_ = false;
};

}  // namespace copse::server
