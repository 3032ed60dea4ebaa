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

// Tells of pools in the order of OutputRequest::pools which of them have a core or gpu listed below.
class ListedBelow {
 public:
  explicit ListedBelow(const ResourceGraph& graph)
      : graph_(graph), core_(graph.find_type("core")), gpu_(graph.find_type("gpu")) {}

  // Whether the contents of e are missing.
  bool lacks(const ExpandedPool& e) {
    const TypeId type = graph_.type(e.pool);
    const bool is_listed = type == core_ || type == gpu_;
    if (is_listed || deepest_ > e.depth) {
      deepest_ = e.depth;
      return false;
    }
    if (!e.exclusive || graph_.leaf(e.pool) || !has(e.pool)) return false;
    deepest_ = e.depth;
    return true;
  }

 private:
  [[nodiscard]] bool has(PoolId p) const {
    const auto in = [&](TypeId type) { return type != kNoType && graph_.shape(p).total(type) > 0; };
    return in(core_) || in(gpu_);
  }

  const ResourceGraph& graph_;
  const TypeId core_, gpu_;
  std::uint32_t deepest_ =
      0;  // of the last pool listed or filled, or of the last one that holds it
};

}  // namespace

void list_contents(const ResourceGraph& graph, std::vector<ExpandedPool>& pools) {
  ListedBelow find(graph);
  if (std::ranges::none_of(pools, [&](const ExpandedPool& e) { return find.lacks(e); })) return;
  ListedBelow listed(graph);
  std::vector<ExpandedPool> out, contents;
  for (const ExpandedPool& e : pools) {
    if (listed.lacks(e)) {
      expand(graph, {.taken = {{e.pool, 1, true, true}}, .labels = {}}, contents);
      contents.pop_back();  // e itself
      for (ExpandedPool& below : contents) {
        below.depth += e.depth;
        out.push_back(below);
      }
    }
    out.push_back(e);
  }
  pools = std::move(out);
}

// One entry for each node that has cores or gpus: its rank and its children as text.
bool SelectionR::collect_ranks(const OutputRequest& request) {
  const ResourceGraph& g = request.graph;
  const TypeId core = g.find_type("core"), gpu = g.find_type("gpu"), node = g.find_type("node"),
               storage = g.find_type("storage_node");
  cores_.clear();
  gpus_.clear();
  children_.clear();
  ranks_.clear();
  for (const ExpandedPool& e : request.pools) {
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
  json.key("nodelist");
  json.open('[');
  json.value(list);
  json.close(']');
}

void SelectionR::write_properties(const OutputRequest& request, JsonWriter& json) const {
  std::map<std::string, std::vector<std::int64_t>> by_name;
  for (const RankEntry& r : ranks_) {
    const auto* properties = request.graph.properties(r.node);
    if (properties == nullptr) continue;
    for (const auto& [key, value] : *properties) {
      // RFC 20: names that begin with '+' mean something to this instance only.
      if (request.scheduling != nullptr && key.starts_with('+')) continue;
      std::string name = key;
      if (!value.empty()) name.append(1, '=').append(value);
      by_name[std::move(name)].push_back(r.rank);
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
