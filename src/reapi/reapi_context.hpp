// SPDX-License-Identifier: Apache-2.0
//
// Context: what a handle of Fluxion's C API is: an engine whose clock stands at 0, its jobs, and
// the messages that were not cleared yet.
//
// Functions return an errno, 0 if all is well. What they do is in the header that they serve,
// include/reapi/resource/reapi/bindings/c/reapi_cli.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copse/engine.hpp"
#include "formats/formats.hpp"
#include "reapi/job_records.hpp"
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
  // `job`: none: the next of the counter. What is in `out` counts where the result is 0.
  int match(Operation operation, std::string_view jobspec, std::optional<std::uint64_t> job,
            Matched& out);
  int update(std::uint64_t job, std::string_view r, Matched& out);
  int cancel(std::uint64_t job, bool missing_is_fine);
  int partial_cancel(std::uint64_t job, std::string_view r, bool missing_is_fine, bool& gone);
  [[nodiscard]] const JobRecord* job(std::uint64_t id) const { return jobs_.find(id); }

  int add_subgraph(std::string_view jgf);
  int remove_subgraph(std::string_view path);
  // `out` empty: nothing was found.
  int find(std::string_view criteria, std::optional<std::string_view> format, std::string& out);
  int set_status(std::string_view path, Status status);
  int get_status(std::string_view path, Status& status);
  int set_rank_status(std::string_view ranks, Status status);
  int get_rank_status(std::string_view rank, Status& status);

  // Keeps a message, and returns the code.
  int fail(int code, std::string_view message);
  [[nodiscard]] const std::string& messages() const { return messages_; }
  void clear_messages() { messages_.clear(); }

 private:
  [[nodiscard]] std::string text_of(const Match& match, std::string_view queue) const;
  [[nodiscard]] std::vector<PoolId> nodes_of(std::int32_t rank) const;

  Options options_{};
  std::unique_ptr<Engine> engine_;
  JobRecords jobs_;
  std::uint64_t next_job_ = 1;
  std::string messages_;
};

}  // namespace copse::reapi
