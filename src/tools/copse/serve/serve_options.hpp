// SPDX-License-Identifier: Apache-2.0
//
// The options of `copse serve`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/machine_setup.hpp"
#include "host/queue_choice.hpp"
#include "server/clock_guard.hpp"
#include "tools/copse/command_line/command_line.hpp"

namespace copse {

struct ServeOptions {
  MachineSetup setup;
  std::string format, state, socket, audit, config;
  std::string everybody = "none", anonymous = "none", private_data = "none";
  std::string tls_certificate, tls_key, tls_client_ca;
  std::vector<std::string> listen, allowed_hosts;
  QueueChoice queues;
  bool check = false, socket_given = false;
  bool clock_back = false;
  std::uint64_t clients = 10'000, snapshot_records = 100'000;
  std::uint64_t jobs = 1'000'000, jobs_of_user = 100'000, planned_of_user = 10'000;
  std::uint64_t client_mebibytes = 512;
  std::int64_t clock_jump_max_s = server::kClockJumpMax_s;
  std::int64_t stop_grace_s = 60, down_grace_s = 60, default_lease_s = 0;
};

// Adds them all, those of the machine too.
void add_serve_options(CommandLine& line, ServeOptions& options);

}  // namespace copse
