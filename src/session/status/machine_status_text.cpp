// SPDX-License-Identifier: Apache-2.0
#include "session/status/machine_status_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "text/json_writer.hpp"

namespace copse {

namespace {

char to_upper(char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c); }

std::vector<std::size_t> states_in(const MachineStatus& status) {
  std::vector<std::size_t> out{MachineStatus::free, MachineStatus::allocated, MachineStatus::down};
  if (status.reservations > 0) out.push_back(MachineStatus::reserved);
  if (!status.parts.at(MachineStatus::drained).nodes.empty()) {
    out.push_back(MachineStatus::drained);
  }
  return out;
}

void append_devices(std::string& out, const MachineStatus& status) {
  if (status.devices.empty()) return;
  const auto states = states_in(status);
  out += "DEVICES             ";
  for (const std::size_t state : states) {
    std::string head = MachineStatus::kWords.at(state);
    std::ranges::transform(head, head.begin(), to_upper);
    out += fmt::format(" {:>9}", head);
  }
  out += '\n';
  for (const MachineStatus::Devices& each : status.devices) {
    out += fmt::format("{:<20}", fmt::format("{}{{{}}}", each.type, each.property));
    for (const std::size_t state : states) out += fmt::format(" {:>9}", each.units.at(state));
    out += '\n';
  }
}

// The devices are ordered by type.
void append_devices(JsonWriter& json, const MachineStatus& status) {
  if (status.devices.empty()) return;
  json.object("devices", [&] {
    for (auto at = status.devices.begin(); at != status.devices.end();) {
      const std::string& type = at->type;
      json.object(type, [&] {
        for (; at != status.devices.end() && at->type == type; ++at) {
          json.object(at->property, [&] {
            for (const std::size_t state : states_in(status))
              json.member(MachineStatus::kWords.at(state), at->units.at(state));
          });
        }
      });
    }
  });
}

}  // namespace

void append_status_text(std::string& out, const MachineStatus& status, StatusLevels levels) {
  out += fmt::format("{:>9} {:>7}", "STATE", "NODES");
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < status.types.size(); ++i) {
    const std::string& type = status.types[i];
    std::string head = type;
    std::ranges::transform(head, head.begin(), to_upper);
    if (type == "core" || type == "gpu") head += 'S';
    if (!status.unit_of[i].empty()) head += '/' + status.unit_of[i];
    widths.push_back(std::max<std::size_t>(head.size(), 8));
    out += fmt::format(" {:>{}}", head, widths.back());
  }
  out += " NODELIST\n";
  for (const std::size_t state : states_in(status)) {
    const MachineStatus::Part& part = status.parts.at(state);
    out += fmt::format("{:>9} {:>7}", MachineStatus::kWords.at(state), part.nodes.size());
    for (std::size_t i = 0; i < part.units.size(); ++i) {
      out += fmt::format(" {:>{}}", part.units[i], widths[i]);
    }
    const std::string nodes = compress_hostlist(part.nodes);
    out += (nodes.empty() ? "" : ' ' + nodes) + '\n';
  }
  append_devices(out, status);
  if (!status.reasons.empty()) out += fmt::format("{:<20} NODELIST\n", "REASON");
  for (const auto& [reason, nodes] : status.reasons) {
    out += fmt::format("{:<20} {}\n", reason, compress_hostlist(nodes));
  }
  if (levels == StatusLevels::without || status.levels.empty()) return;
  out += fmt::format("{:>9} {:>7} {:>8} FRAGMENTATION\n", "LEVEL", "LARGEST", "FREE");
  for (const MachineStatus::Level& level : status.levels) {
    out += fmt::format("{:>9} {:>7} {:>8} {:.1f} %\n", level.level, level.largest, level.free,
                       100 * level.fragmentation());
  }
}

void append_status_json(std::string& out, const MachineStatus& status, StatusLevels levels) {
  JsonWriter json(out);
  json.object([&] {
    json.member("now", status.now_s);
    json.member("running", status.running);
    json.member("planned", status.planned);
    for (const std::size_t state : states_in(status)) {
      const MachineStatus::Part& part = status.parts.at(state);
      json.object(MachineStatus::kWords.at(state), [&] {
        json.member("nodes", part.nodes.size());
        json.member("nodelist", compress_hostlist(part.nodes));
        json.object("units", [&] {
          for (std::size_t i = 0; i < part.units.size(); ++i) {
            json.member(status.types[i], part.units[i]);
          }
        });
        if (state != MachineStatus::down || status.reasons.empty()) return;
        json.list("reasons", [&] {
          for (const auto& [reason, nodes] : status.reasons) {
            json.object([&] {
              json.member("reason", reason);
              json.member("nodelist", compress_hostlist(nodes));
            });
          }
        });
      });
    }
    append_devices(json, status);
    if (levels == StatusLevels::with && !status.levels.empty()) {
      json.object("levels", [&] {
        for (const MachineStatus::Level& level : status.levels) {
          json.object(level.level, [&] {
            json.member("free", level.free);
            json.member("largest", level.largest);
            json.member_json("fragmentation", fmt::format("{:.4f}", level.fragmentation()));
          });
        }
      });
    }
    const auto has_unit = [](const std::string& unit) { return !unit.empty(); };
    if (std::ranges::none_of(status.unit_of, has_unit)) return;
    json.object("unit", [&] {
      for (std::size_t i = 0; i < status.types.size(); ++i) {
        if (has_unit(status.unit_of[i])) json.member(status.types[i], status.unit_of[i]);
      }
    });
  });
}

}  // namespace copse
