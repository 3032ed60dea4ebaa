// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/shared_job.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "text/json_members.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

namespace {

constexpr std::array<std::string_view, 33> kEventMembers{"seq",
                                                         "t",
                                                         "event",
                                                         "job",
                                                         "state",
                                                         "name",
                                                         "user",
                                                         "queue",
                                                         "reservation",
                                                         "shape",
                                                         "nnodes",
                                                         "ncores",
                                                         "ngpus",
                                                         "hres",
                                                         "result",
                                                         "message",
                                                         "planned",
                                                         "priority",
                                                         "duration",
                                                         "first_planned",
                                                         "started",
                                                         "ended",
                                                         "held",
                                                         "ranks",
                                                         "submitted",
                                                         "layers",
                                                         "operator_hold",
                                                         "stopping",
                                                         "placement",
                                                         "status",
                                                         "memory_per_core",
                                                         "memory_per_node",
                                                         "whole_nodes"};
constexpr std::array<std::string_view, 4> kGrantMembers{"id", "at", "hres", "R"};
constexpr std::array<std::string_view, 2> kRMembers{"version", "execution"};
constexpr std::array<std::string_view, 4> kExecutionMembers{"R_lite", "nodelist", "starttime",
                                                            "expiration"};

// The members with these names; `write` writes the value of each.
template <class Write>
void keep_members(JsonWriter& json, std::string_view object,
                  std::span<const std::string_view> names, Write write) {
  json.object([&] {
    std::string_view rest = object.substr(1);
    for (std::string_view key = take_json_value(rest); !key.empty(); key = take_json_value(rest)) {
      const std::string_view value = take_json_value(rest);
      const std::string_view name = key.substr(1, key.size() - 2);
      if (std::ranges::find(names, name) == names.end()) continue;
      json.key(name);
      write(name, value);
    }
  });
}

void write_shared_r(JsonWriter& json, std::string_view r) {
  if (!r.starts_with('{')) return json.json(r);
  keep_members(json, r, kRMembers, [&](std::string_view name, std::string_view value) {
    if (name != "execution") return json.json(value);
    keep_members(json, value, kExecutionMembers,
                 [&](std::string_view, std::string_view inner) { json.json(inner); });
  });
}

void append_shared(std::string_view object, std::span<const std::string_view> names,
                   std::string& out) {
  JsonWriter json(out);
  keep_members(json, object, names, [&](std::string_view name, std::string_view value) {
    if (name == "R") {
      write_shared_r(json, value);
    } else {
      json.json(value);
    }
  });
}

}  // namespace

JobRow shared_row(const JobRow& row) {
  return {.id = row.id,
          .stage = row.stage,
          .name = row.name,
          .user = row.user,
          .queue = row.queue,
          .reservation = row.reservation,
          .shape = row.shape,
          .hres = row.hres,
          .priority = row.priority,
          .submitted = row.submitted,
          .duration = row.duration,
          .planned = row.planned,
          .first_planned = row.first_planned,
          .started = row.started,
          .ended = row.ended,
          .arrival = row.arrival,
          .status = row.status,
          .nnodes = row.nnodes,
          .ncores = row.ncores,
          .ngpus = row.ngpus,
          .memory_per_core = row.memory_per_core,
          .memory_per_node = row.memory_per_node,
          .whole_nodes = row.whole_nodes,
          .held = row.held,
          .operator_hold = row.operator_hold,
          .stopping = row.stopping,
          .result = row.result,
          .message = row.message,
          .placement = row.placement};
}

void append_shared_r(std::string_view r, std::string& out) {
  JsonWriter json(out);
  write_shared_r(json, r);
}

void append_shared_event(std::string_view line, std::string& out) {
  append_shared(line, kEventMembers, out);
}

void append_shared_grant(std::string_view grant, std::string& out) {
  append_shared(grant, kGrantMembers, out);
}

}  // namespace copse::server
