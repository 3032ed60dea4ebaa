// SPDX-License-Identifier: Apache-2.0
//
// R version 1 (RFC 20) and its R_lite part, from a selection. Only cores and gpus have a place in
// it.
#include <algorithm>
#include <map>

#include "base/hostlist.hpp"
#include "base/idset.hpp"
#include "formats/formats.hpp"
#include "text/json_text.hpp"

namespace copse {

namespace {

// Appends sorted ids as ranges, "0-3,7".
void append_ids(std::string& out, std::vector<std::int64_t>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t last = i;
    while (last + 1 < ids.size() && ids[last + 1] == ids[last] + 1) ++last;
    if (i > 0) out += ',';
    append_number(out, ids[i]);
    if (last > i) {
      out += '-';
      append_number(out, ids[last]);
    }
    i = last + 1;
  }
}

}  // namespace

// One entry for each node that has cores or gpus: its rank and its children as text.
bool Writer::collect_ranks(const Emission& emission) {
  const ResourceGraph& g = emission.graph;
  const TypeId core = g.find_type("core"), gpu = g.find_type("gpu"), node = g.find_type("node"),
               storage = g.find_type("storage_node");
  cores_.clear();
  gpus_.clear();
  children_.clear();
  ranks_.clear();
  for (const Emitted& e : emission.pools) {
    const TypeId type = g.type(e.pool);
    if (type == core || type == gpu) {
      if (g.id(e.pool) >= 0) (type == core ? cores_ : gpus_).push_back(g.id(e.pool));
      continue;
    }
    if (type != node && type != storage) continue;
    if (cores_.empty() && gpus_.empty()) continue;
    const auto first = static_cast<std::uint32_t>(children_.size());
    children_ += '{';
    if (!cores_.empty()) {
      children_ += "\"core\": \"";
      append_ids(children_, cores_);
      children_ += '"';
    }
    if (!gpus_.empty()) {
      children_ += cores_.empty() ? "\"gpu\": \"" : ", \"gpu\": \"";
      append_ids(children_, gpus_);
      children_ += '"';
    }
    children_ += '}';
    ranks_.push_back(
        {g.rank(e.pool), e.pool, first, static_cast<std::uint32_t>(children_.size()) - first});
    cores_.clear();
    gpus_.clear();
  }
  std::stable_sort(ranks_.begin(), ranks_.end(),
                   [](const RankEntry& a, const RankEntry& b) { return a.rank < b.rank; });
  return !ranks_.empty();
}

// Ranks with equal children share an entry; entries are ordered by the text of their children.
void Writer::append_r_lite(std::string& out) const {
  auto text = [&](const RankEntry& r) {
    return std::string_view(children_).substr(r.text_first, r.text_size);
  };
  std::vector<const RankEntry*> order;
  order.reserve(ranks_.size());
  for (const RankEntry& r : ranks_) order.push_back(&r);
  std::stable_sort(order.begin(), order.end(),
                   [&](const RankEntry* a, const RankEntry* b) { return text(*a) < text(*b); });
  std::vector<std::int64_t> ranks;
  out += '[';
  for (std::size_t i = 0; i < order.size();) {
    ranks.clear();
    std::size_t next = i;
    for (; next < order.size() && text(*order[next]) == text(*order[i]); ++next) {
      ranks.push_back(order[next]->rank);
    }
    if (i > 0) out += ", ";
    out += "{\"rank\": \"";
    append_ids(out, ranks);
    out += "\", \"children\": ";
    out += text(*order[i]);
    out += '}';
    i = next;
  }
  out += ']';
}

void Writer::append_nodelist(const Emission& emission, std::string& out) {
  // Names live in children_ behind the texts, so that no string is made for each.
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const RankEntry& r : ranks_) {
    const std::size_t first = children_.size();
    emission.graph.append_name(r.node, children_);
    places.emplace_back(first, children_.size() - first);
  }
  std::vector<std::string_view> hosts;
  hosts.reserve(places.size());
  for (auto [first, size] : places)
    hosts.push_back(std::string_view(children_).substr(first, size));
  std::string list;
  append_hostlist(list, hosts);
  out += "\"nodelist\": [";
  append_json(out, list);
  out += ']';
}

void Writer::append_properties(const Emission& emission, std::string& out) const {
  std::map<std::string, std::vector<std::int64_t>> by_name;
  for (const RankEntry& r : ranks_) {
    const auto* properties = emission.graph.properties(r.node);
    if (properties == nullptr) continue;
    for (const auto& [key, value] : *properties) {
      // RFC 20: names that begin with '+' mean something to this instance only.
      if (emission.scheduling && key.starts_with('+')) continue;
      std::string name = key;
      if (!value.empty()) name.append(1, '=').append(value);
      by_name[std::move(name)].push_back(r.rank);
    }
  }
  if (by_name.empty()) return;
  out += ", \"properties\": {";
  bool first = true;
  for (auto& [name, ranks] : by_name) {
    if (!first) out += ", ";
    first = false;
    append_json(out, name);
    out += ": \"";
    append_ids(out, ranks);
    out += '"';
  }
  out += '}';
}

// The one place where a format carries another: who emits hands in the writer of R's `scheduling`.
void Writer::append_scheduling(const Emission& emission, std::string& out) const {
  std::vector<std::int64_t> ranks;
  ranks.reserve(ranks_.size());
  for (const RankEntry& r : ranks_) ranks.push_back(r.rank);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  emission.scheduling(ranks, out);
}

void Writer::write_r(const Emission& emission, std::string& out) {
  if (!collect_ranks(emission)) return;
  if (format_ == Format::rlite) {
    append_r_lite(out);
    return;
  }
  out += "{\"version\": 1, \"execution\": {\"R_lite\": ";
  append_r_lite(out);
  out += ", ";
  append_nodelist(emission, out);
  append_properties(emission, out);
  out += ", \"starttime\": ";
  append_number(out, emission.start);
  out += ", \"expiration\": ";
  append_number(out, emission.end);
  if (emission.nslots > 0) {
    out += ", \"nslots\": ";
    append_number(out, emission.nslots);
  }
  out += '}';
  if (!emission.queue.empty()) {
    out += ", \"attributes\": {\"system\": {\"scheduler\": {\"queue\": ";
    append_json(out, emission.queue);
    out += "}}}";
  }
}

}  // namespace copse
