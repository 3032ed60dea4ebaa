// SPDX-License-Identifier: Apache-2.0
//
// LineRequests: the requests of a stream's lines (job_reader.hpp), which equal texts share.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/streams/job_reader.hpp"
#include "text/tree/tree.hpp"

namespace copse::plan {

// The request of one line, in one of its forms.
struct RequestOfLine {
  std::optional<TreeView> shape, jobspec;
  std::int64_t nodes = 0, cores = 0;
};

class LineRequests {
 public:
  // Both must outlive it.
  LineRequests(Requests& requests, const ReadOptions& options)
      : requests_(requests), options_(options) {}

  // Sets the constraint, and the hierarchical resources, of the following requests. Errors: invalid.
  [[nodiscard]] Result<void> set_constraint(const std::optional<TreeView>& tree);
  [[nodiscard]] Result<void> set_hres(const std::optional<TreeView>& hres);
  // The number of the request, which is read if it is new. REQUIRES that it has one form. Errors:
  // invalid and limit; those of ReadOptions::read_file.
  [[nodiscard]] Result<std::uint32_t> find(const RequestOfLine& asked);
  // Sentences about parts of jobspecs that have no effect.
  void add_remarks(std::vector<std::string>& to) const;

 private:
  // Counts what of a request has no effect; returns its number.
  [[nodiscard]] Result<std::uint32_t> noted(Result<std::uint32_t> number);
  [[nodiscard]] Result<std::uint32_t> find_shape(TreeView shape);
  [[nodiscard]] Result<std::uint32_t> find_jobspec(TreeView jobspec);
  [[nodiscard]] Result<std::uint32_t> find_file(TreeView name);

  std::map<std::string, std::uint64_t>
      without_effect_{};  // keys of jobspecs, with how many have them
  Requests& requests_;
  const ReadOptions& options_;
  std::string key_;  // scratch
};

}  // namespace copse::plan
