// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/rv1_write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/hostlist.hpp"
#include "text/json_text.hpp"

namespace copse {

namespace {

void append_idset(std::string& out, const Idset& ids) {
  out += '"';
  ids.append_text(out);
  out += '"';
}

// {"rank": "0-3", "children": {"core": "0-1"}}
void append_entry(std::string& out, const Idset& ranks, const RSet::Children& children) {
  out += "{\"rank\": ";
  append_idset(out, ranks);
  out += ", \"children\": {";
  bool first = true;
  for (const auto& [type, ids] : children) {
    if (!first) out += ", ";
    first = false;
    append_json(out, type);
    out += ": ";
    append_idset(out, ids);
  }
  out += "}}";
}

// A float as JSON has it; REQUIRES that it is finite.
void append_time(std::string& out, double time_s) {
  assert(std::isfinite(time_s));
  const std::string text = fmt::format("{}", time_s);
  out += text;
  if (text.find_first_of(".e") == text.npos) out += ".0";
}

template <class Entry>
void append_entries(std::string& out, const std::vector<Entry>& entries) {
  out += '[';
  for (const Entry& entry : entries) {
    if (out.back() != '[') out += ", ";
    append_entry(out, entry.ranks, entry.children);
  }
  out += ']';
}

void append_member(std::string& out, std::string_view key) {
  if (out.back() != '{') out += ", ";
  append_json(out, key);
  out += ": ";
}

void append_treepool(std::string& out, const RScheduling& scheduling) {
  out += '{';
  for (const auto& [key, json] : scheduling.members) {
    append_member(out, key);
    out += json;
  }
  if (!scheduling.children.empty()) append_member(out, "children");
  for (const RScheduling::Child& child : scheduling.children) {
    out += &child == &scheduling.children.front() ? "[{\"ranks\": " : ", {\"ranks\": ";
    append_idset(out, child.ranks);
    (out += ", \"topo\": ") += child.topo;
    for (const auto& [key, json] : child.more) {
      append_member(out, key);
      out += json;
    }
    out += '}';
  }
  if (!scheduling.children.empty()) out += ']';
  if (!scheduling.topo_ids.empty()) {
    append_member(out, "topo_ids");
    append_entries(out, scheduling.topo_ids);
  }
  out += '}';
}

void append_properties(std::string& out, const RSet& r) {
  out += ", \"properties\": {";
  for (const auto& [name, ranks] : r.properties) {
    if (out.back() != '{') out += ", ";
    append_json(out, name);
    out += ": ";
    append_idset(out, ranks);
  }
  out += '}';
}

// "core" and one id: core3, several: core[0-1,3].
void append_ids_short(std::string& out, std::string_view type, const Idset& ids) {
  out += type;
  out += ids.text(true);
}

}  // namespace

void append_r(std::string& out, RSet given) {
  const RSet r = canonical(std::move(given));
  out += "{\"version\": 1, \"execution\": {\"R_lite\": ";
  append_entries(out, r.entries);
  if (r.nslots > 0) {
    out += ", \"nslots\": ";
    append_number(out, r.nslots);
  }
  out += ", \"starttime\": ";
  append_time(out, r.starttime_s);
  out += ", \"expiration\": ";
  append_time(out, r.expiration_s);
  if (!r.hosts.empty()) {
    out += ", \"nodelist\": [";
    append_json(out, compress_hostlist(r.hosts));
    out += ']';
  }
  if (!r.properties.empty()) append_properties(out, r);
  out += '}';
  if (r.scheduling.present()) {
    out += ", \"scheduling\": ";
    if (r.scheduling.treepool) {
      append_treepool(out, r.scheduling);
    } else {
      out += r.scheduling.text;
    }
  }
  out += '}';
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
