// SPDX-License-Identifier: Apache-2.0
//
// What a job may use on the computer where its command runs: the entry of this host in its R, and the
// variables and processors of the command.
//
//   COPSE_JOBID, COPSE_SERVER   the id of the job, and its service
//   COPSE_R                     all that it has (RFC 20)
//   COPSE_NODELIST, COPSE_NNODES
//   COPSE_CORES, COPSE_GPUS     of this host, as idsets; with COPSE_NCORES, COPSE_NGPUS
//   CUDA_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES    the GPUs; -1: none. ROCR_VISIBLE_DEVICES stays as
//                               it is: it would renumber them for HIP, and both would count
//   COPSE_RESTARTS              how often the job was submitted again (copse_run.cpp)
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
  Idset cores, gpus;       // of this host
  bool is_here = true;     // false: none of its hosts is this computer; `host` is then the first
  std::int64_t end_s = 0;  // when its time ends, in seconds since 1970; 0: never
};
// `r`: JSON, or "null" for a job without cores and GPUs. Errors: those of read_r().
[[nodiscard]] Result<JobPlace> place_of(std::string_view r, std::string_view this_host);

using Variables = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Variables variables_of(const JobPlace& place, std::int64_t job, std::string_view r,
                                     std::string_view server);

// The numbers of the operating system for the processors of these cores. Errors: not_found (this
// computer has no such core, or this process may not use it); io.
[[nodiscard]] Result<std::vector<unsigned>> processors_of(const Idset& cores);

}  // namespace copse
