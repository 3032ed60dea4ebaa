// SPDX-License-Identifier: Apache-2.0
//
// What a text is, of all that describes a machine or jobs: the one place that recognizes formats.
//
// XML is known by its first element, JSON by the keys of its outermost object, wherever these are, and
// other text by its first lines. So the words of a format may be anywhere else, as a property or a host.
//
//   keys of the outermost object                    the text is
//   graph                                           jgf
//   scheduling with graph; execution or R_lite      r_with_graph; without the others jgf
//   execution, R_lite                               r
//   R                                               r_stream
//   all, allocated, down                            sched_status
//   nodes, a list                                   slurm_nodes
//   jobs, a list                                    a list of jobs: see below
//   sinfo, partitions, or meta of Slurm alone       slurm_other
//   others                                          json
//
// Where a text has several of these keys, the first row counts; nodes and jobs decide as soon as they
// are met. The first entry of "jobs" tells lists of jobs: with subtime it is batsim; with job_id and
// state or time, slurm_accounting_json (sacct --json); with job_id or job_state, or next to a meta of
// Slurm, slurm_jobs (squeue --json); else flux_jobs.
#pragma once

#include <cstdint>
#include <string_view>

#include "copse/error.hpp"

namespace copse {

enum class TextFormat : std::uint8_t {
  empty,
  grug,  // any XML but hwloc's
  hwloc,
  jgf,
  r,
  r_with_graph,
  r_stream,
  sched_status,
  slurm_nodes,
  slurm_jobs,
  slurm_accounting_json,
  slurm_other,
  flux_jobs,
  batsim,
  json,  // other JSON
  slurm_conf,
  slurm_accounting,  // sacct -P
  scontrol_nodes,    // scontrol show node, as text
  scontrol_jobs,     // scontrol show job, as text
  scontrol_config,   // scontrol show config
  scontrol_other,    // scontrol show partition, reservation, as text
  job_table,         // a table of squeue, sacct or flux jobs for people
  node_table,        // a table of sinfo or flux resource list
  other,
};

// Of JSON, reads as far as the keys that decide; of other text, the first 64 KiB.
// O(length) at most, and O(1) where the first key decides.
[[nodiscard]] TextFormat text_format(std::string_view text);

// Whether it is a list of jobs in JSON.
[[nodiscard]] bool is_job_list(TextFormat format);
// Whether it can only be a machine, or the resources of one job.
[[nodiscard]] bool is_machine(TextFormat format);

// Why a text that Copse knows cannot be read at all, and what to give instead; "" for the others.
[[nodiscard]] std::string_view why_not_read(TextFormat format);

}  // namespace copse
