// SPDX-License-Identifier: Apache-2.0
#include "formats/rv1/rv1_selection.hpp"

#include <algorithm>
#include <map>

#include "base/hostlist.hpp"
#include "base/idset_algebra.hpp"
#include "formats/jgf/jgf.hpp"
#include "formats/rv1/rv1_write.hpp"

namespace copse {

namespace {

// Appends ids, in any order, as sorted ranges: "0-3,7".
void append_ids(std::string& out, std::span<std::int64_t> ids) {
  std::ranges::sort(ids);
  ids = std::span(ids.begin(), std::ranges::unique(ids).begin());
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

// Makes an entry for each node: its rank, and its children as text.
bool SelectionR::collect_ranks(const OutputRequest& request) {
  children_.clear();
  ranks_.clear();
  for (const SelectedNodes::Node& node : nodes_.collect(request.graph, request.pools)) {
    const auto first = static_cast<std::uint32_t>(children_.size());
    children_ += '{';
    if (node.core_count > 0) {
      children_ += "\"core\": \"";
      append_ids(children_, nodes_.cores(node));
      children_ += '"';
    }
    if (node.gpu_count > 0) {
      children_ += node.core_count == 0 ? "\"gpu\": \"" : ", \"gpu\": \"";
      append_ids(children_, nodes_.gpus(node));
      children_ += '"';
    }
    children_ += '}';
    ranks_.push_back(
        {node.rank, node.pool, first, static_cast<std::uint32_t>(children_.size()) - first});
  }
  return !ranks_.empty();
}

// Ranks with equal children share an entry; entries are ordered by the text of their children.
void SelectionR::write_r_lite(JsonWriter& json) const {
  auto text = [&](const RankEntry& r) {
    return std::string_view(children_).substr(r.text_first, r.text_size);
  };
  std::vector<const RankEntry*> order;
  order.reserve(ranks_.size());
  for (const RankEntry& r : ranks_) order.push_back(&r);
  std::stable_sort(order.begin(), order.end(),
                   [&](const RankEntry* a, const RankEntry* b) { return text(*a) < text(*b); });
  std::vector<std::int64_t> ranks;
  json.open('[');
  for (std::size_t i = 0; i < order.size();) {
    ranks.clear();
    std::size_t next = i;
    for (; next < order.size() && text(*order[next]) == text(*order[i]); ++next) {
      ranks.push_back(order[next]->rank);
    }
    std::string& out = json.begin();
    out += "{\"rank\": \"";
    append_ids(out, ranks);
    out += "\", \"children\": ";
    out += text(*order[i]);
    out += '}';
    i = next;
  }
  json.close(']');
}

void SelectionR::write_nodelist(const OutputRequest& request, JsonWriter& json) {
  // Names live in children_ behind the texts, so that no string is made for each.
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const RankEntry& r : ranks_) {
    const std::size_t first = children_.size();
    request.graph.append_name(r.node, children_);
    places.emplace_back(first, children_.size() - first);
  }
  std::vector<std::string_view> hosts;
  hosts.reserve(places.size());
  for (auto [first, size] : places)
    hosts.push_back(std::string_view(children_).substr(first, size));
  std::string list;
  append_hostlist(list, hosts);
  json.list("nodelist", [&] { json.value(list); });
}

void SelectionR::write_properties(const OutputRequest& request, JsonWriter& json) const {
  std::map<std::string, std::vector<std::int64_t>> by_name;
  for (const RankEntry& r : ranks_) {
    const auto* properties = request.graph.properties(r.node);
    if (properties == nullptr) continue;
    for (const auto& [key, value] : *properties) {
      if (request.device_properties && is_of_devices(request.graph, r.node, key)) continue;
      // RFC 20: names that begin with '+' mean something to this instance only.
      if (request.scheduling != nullptr && key.starts_with('+')) continue;
      std::string name = key;
      if (!value.empty()) name.append(1, '=').append(value);
      by_name[std::move(name)].push_back(r.rank);
    }
  }
  if (request.device_properties) {
    for (const auto& [name, ranks] : device_properties(request.graph, request.pools)) {
      for (const auto& [rank, last] : ranks) by_name[name].push_back(rank);
    }
  }
  if (by_name.empty()) return;
  json.object("properties", [&] {
    for (auto& [name, ranks] : by_name) {
      json.key(name);
      std::string& out = json.begin();
      out += '"';
      append_ids(out, ranks);
      out += '"';
    }
  });
}

// The one place where a format carries another.
void SelectionR::write_scheduling(const OutputRequest& request, bool shorthand,
                                  JsonWriter& json) const {
  json.key("scheduling");
  if (request.scheduling == nullptr) {
    OutputRequest chosen = request;
    chosen.drawn = {};
    return append_jgf(chosen, shorthand, json.begin());
  }
  std::vector<Idset::Range> ranks;
  ranks.reserve(ranks_.size());
  for (const RankEntry& r : ranks_) ranks.emplace_back(r.rank, r.rank);
  const Idset all = idset_of(std::move(ranks));
  copse::write_scheduling(json, *request.scheduling, &all);
}

void SelectionR::write(const OutputRequest& request, Format format, std::string& out) {
  if (!collect_ranks(request)) return;
  JsonWriter json(out);
  const auto write_r = [&] {
    json.member("version", 1);
    json.object("execution", [&] {
      json.key("R_lite");
      write_r_lite(json);
      write_nodelist(request, json);
      write_properties(request, json);
      json.member("starttime", request.start);
      json.member("expiration", request.end);
      if (request.nslots > 0) json.member("nslots", request.nslots);
    });
    if (!request.queue.empty()) {
      json.key("attributes");
      json.begin() += "{\"system\": {\"scheduler\": {\"queue\": ";
      append_json(out, request.queue);
      out += "}}}";
    }
    if (format != Format::rv1_nosched) {
      write_scheduling(request, format == Format::rv1_shorthand, json);
    }
  };
  if (format == Format::rlite) {
    write_r_lite(json);
  } else {
    json.object(write_r);
  }
  out += '\n';
}

}  // namespace copse
