// SPDX-License-Identifier: Apache-2.0
//
// Context: a handle of Fluxion's C API. It has an engine whose clock stays at 0, the jobs of the
// client, and the messages since the last clear_messages().
//
// Functions return an errno, or 0 for success. The contract of each function is in the header of the
// C API, include/reapi/resource/reapi/bindings/c/reapi_cli.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"
#include "fluxion/job_table.hpp"
#include "fluxion/resource.hpp"
#include "reapi/reapi_options.hpp"

namespace copse::reapi {

class Context {
 public:
  Context() = default;
  [[nodiscard]] std::unique_ptr<Context> clone() const;  // without messages
  [[nodiscard]] bool initialized() const { return engine_ != nullptr; }
  int initialize(std::string_view graph, std::string_view options);

  struct Matched {
    std::uint64_t job = 0;
    bool reserved = false;
    std::string r{};
    std::int64_t at_s = 0;
    double overhead_s = 0;
  };
  // Without `job`, the job gets the next number. `out` is valid if the result is 0.
  int match(Operation operation, std::string_view jobspec, std::optional<std::uint64_t> job,
            Matched& out);
  int update(std::uint64_t job, std::string_view r, Matched& out);
  int cancel(std::uint64_t job, bool missing_is_fine);
  // `emptied`: the job has no resources any more.
  int partial_cancel(std::uint64_t job, std::string_view r, bool missing_is_fine, bool& emptied);
  [[nodiscard]] const fluxion::Job* job(std::uint64_t id) const { return jobs_.find(id); }

  // `out` stays empty if no pool was found.
  int find(std::string_view criteria, std::optional<std::string_view> format, std::string& out);
  int set_rank_status(std::string_view ranks, Status status);
  int get_rank_status(std::string_view rank, Status& status);
  [[nodiscard]] fluxion::Resource& resource() { return *resource_; }

  // Adds a message, and returns the code.
  int fail(int code, std::string_view message);
  [[nodiscard]] const std::string& messages() const { return messages_; }
  void clear_messages() { messages_.clear(); }

 private:
  [[nodiscard]] std::vector<PoolId> nodes_of(std::int32_t rank) const;

  Options options_{};
  std::unique_ptr<Engine> engine_;
  std::optional<fluxion::Resource> resource_;  // present if engine_ is
  fluxion::JobTable jobs_;
  std::uint64_t next_job_ = 1;
  std::string messages_;
};

}  // namespace copse::reapi
