// SPDX-License-Identifier: Apache-2.0
//
// What a job may use on the computer where its command runs: of its R the entry of this host, and as
// variables and processors for the command.
//
//   COPSE_JOBID, COPSE_SERVER   which job this is, and who gave it
//   COPSE_R                     all that it has (RFC 20)
//   COPSE_NODELIST, COPSE_NNODES
//   COPSE_CORES, COPSE_GPUS     of this host, as idsets; with COPSE_NCORES, COPSE_NGPUS
//   CUDA_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES    the GPUs; -1: none. ROCR_VISIBLE_DEVICES stays as
//                               it is: it would number them anew for HIP, and both would count
//   OMP_NUM_THREADS             the number of cores, unless it is set
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/idset.hpp"
#include "copse/error.hpp"

namespace copse {

struct JobPlace {
  std::string host;      // "": the R names none
  std::string nodelist;  // of all
  std::int64_t nodes = 0;
  Idset cores, gpus;    // of this host
  bool is_here = true;  // false: none of its hosts is this computer; then it is the first
};
// `r`: JSON, or "null" for a job without cores and GPUs. A job with one node is here, whatever that
// is called. Errors: those of read_r().
[[nodiscard]] Result<JobPlace> place_of(std::string_view r, std::string_view this_host);
// The name of this computer.
[[nodiscard]] std::string this_host();

using Variables = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Variables variables_of(const JobPlace& place, std::int64_t job, std::string_view r,
                                     std::string_view server);

// The numbers that the operating system gives the processors of these cores. Errors: not_found (this
// computer has no such core, or this process may not use it); io.
[[nodiscard]] Result<std::vector<unsigned>> processors_of(const Idset& cores);

}  // namespace copse
