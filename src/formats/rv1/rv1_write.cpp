// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/rv1_write.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <ranges>

#include "base/hostlist.hpp"
#include "base/idset_algebra.hpp"

namespace copse {

namespace {

// A float as JSON has it; REQUIRES that it is finite.
std::string time_text(double time_s) {
  assert(std::isfinite(time_s));
  std::string text = fmt::format("{}", time_s);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

// {"rank": "0-3", "children": {"core": "0-1"}}
void write_entry(JsonWriter& json, const REntry& entry) {
  json.object([&] {
    json.member("rank", entry.ranks);
    json.object("children", [&] {
      for (const auto& [type, ids] : entry.children) json.member(type, ids);
    });
  });
}

// "core" and one id: core3, several: core[0-1,3].
void append_ids_short(std::string& out, std::string_view type, const Idset& ids) {
  out += type;
  out += ids.text(true);
}

}  // namespace

void write_scheduling(JsonWriter& json, const RScheduling& scheduling, const Idset* ranks) {
  if (!scheduling.treepool) return json.json(scheduling.text);
  const auto kept = [&](const Idset& of) { return ranks == nullptr ? of : intersect(of, *ranks); };
  json.object([&] {
    for (const auto& [key, text] : scheduling.members) json.member_json(key, text);
    if (!scheduling.children.empty()) {
      json.array("children", scheduling.children, [&](const RScheduling::Child& child) {
        const Idset of = kept(child.ranks);
        if (of.empty()) return;
        json.object([&] {
          json.member("ranks", of);
          json.member_json("topo", child.topo);
          for (const auto& [key, text] : child.more) json.member_json(key, text);
        });
      });
    }
    std::vector<REntry> topo_ids;
    for (const REntry& entry : scheduling.topo_ids) {
      Idset of = kept(entry.ranks);
      if (!of.empty()) topo_ids.push_back({std::move(of), entry.children});
    }
    if (topo_ids.empty()) return;
    json.array("topo_ids", topo_ids, [&](const REntry& entry) { write_entry(json, entry); });
  });
}

void append_r(std::string& out, RSet given) {
  const RSet r = canonical(std::move(given));
  JsonWriter json(out);
  json.object([&] {
    json.member("version", 1);
    json.object("execution", [&] {
      json.array("R_lite", r.entries, [&](const REntry& entry) { write_entry(json, entry); });
      if (r.nslots > 0) json.member("nslots", r.nslots);
      json.member_json("starttime", time_text(r.starttime_s));
      json.member_json("expiration", time_text(r.expiration_s));
      if (!r.hosts.empty()) {
        json.array("nodelist", std::views::single(compress_hostlist(r.hosts)),
                   [&](const std::string& hosts) { json.value(hosts); });
      }
      if (r.properties.empty()) return;
      json.object("properties", [&] {
        for (const auto& [name, ranks] : r.properties) json.member(name, ranks);
      });
    });
    if (!r.scheduling.present()) return;
    json.key("scheduling");
    write_scheduling(json, r.scheduling);
  });
}

void append_children_short(std::string& out, const RSet::Children& children) {
  const std::size_t begin = out.size();
  const auto append = [&](const std::string& type, const Idset& ids) {
    if (ids.empty()) return;
    if (out.size() > begin) out += ',';
    append_ids_short(out, type, ids);
  };
  if (const Idset* cores = find_ids(children, "core")) append("core", *cores);
  for (const auto& [type, ids] : children) {
    if (type != "core") append(type, ids);
  }
}

void append_r_short(std::string& out, RSet r) {
  bool first = true;
  r = canonical(std::move(r));
  for (const RSet::Entry& entry : r.entries) {
    if (!first) out += ' ';
    first = false;
    append_ids_short(out, "rank", entry.ranks);
    out += '/';
    append_children_short(out, entry.children);
  }
}

}  // namespace copse
