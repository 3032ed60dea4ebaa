// SPDX-License-Identifier: Apache-2.0
//
// The request of a command to a service: the options of `copse match`, and those of a job.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "copse/request.hpp"
#include "text/json_writer.hpp"
#include "tools/copse/command_line/command_line.hpp"

namespace copse {

// The value of --constraint: properties that nodes must have or, after ^, must not have, "h100,^debug"; or
// a constraint of RFC 31, in YAML or JSON.
// Errors: invalid, limit, with the place in "--constraint".
[[nodiscard]] Result<Constraint> constraint_of_words(std::string_view text);
// The same as an object of JSON.
[[nodiscard]] Result<std::string> constraint_json(std::string_view text);

struct RequestWords {
  std::string request, shape, constraint, hres;  // request: a file
  std::int64_t duration_s = 0;
};
// Adds the file, --shape, --duration, --constraint and --hres-request.
void add_request_options(CommandLine& line, RequestWords& words);
// Writes the members of a request. It is checked here, so that errors have their places. Errors: io,
// invalid, limit.
[[nodiscard]] Result<void> write_request(JsonWriter& json, const RequestWords& words);

struct JobWords {
  std::string name{}, queue{}, reservation{};
  std::int64_t priority = 0, lease_s = 0;
  bool held = false, requeue = false;
};
// Adds -n (--name), -q (--queue), --priority and --reservation.
void add_job_options(CommandLine& line, JobWords& words);
void write_job_words(JsonWriter& json, const JobWords& words);

// The shown name of a user of a service: "uid:1000" by the name on this computer, if there is one.
[[nodiscard]] std::string shown_user(std::string_view user);

}  // namespace copse
