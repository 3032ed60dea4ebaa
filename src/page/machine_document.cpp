// SPDX-License-Identifier: Apache-2.0
#include "page/machine_document.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/idset.hpp"
#include "copse/engine.hpp"
#include "engine/engine_image.hpp"
#include "page/exact.hpp"
#include "page/page_jobs.hpp"

namespace copse::page {

namespace {

constexpr std::size_t kDeviceTypesMax = 100;  // of a type of pools

// Consecutive pools, as columns.
struct PoolColumns {
  std::vector<std::uint32_t> depth{}, type{}, unit{};
  std::vector<std::string> name{};
  std::vector<std::int64_t> size{};
  bool operator==(const PoolColumns&) const = default;
};

class MachineWriter {
 public:
  MachineWriter(const ResourceGraph& graph, const NodeRows& rows) : graph_(graph), rows_(rows) {
    (void)units_.number("");
    for (std::uint32_t row = 0; row < rows_.count(); ++row) add_node(row);
    add_frame_leaves();
  }

  void write(std::string& out) const {
    JsonWriter json(out);
    const auto words = [&](const char* name, const std::vector<std::string>& all) {
      json.array(name, all, [&](const std::string& word) { json.value(word); });
    };
    const auto numbers = [&](const char* name, const auto& all) {
      json.array(name, all, [&](auto number) { append_exact(json, std::int64_t{number}); });
    };
    const auto columns = [&](const PoolColumns& pools) {
      json.object([&] {
        numbers("depth", pools.depth);
        numbers("type", pools.type);
        words("name", pools.name);
        numbers("size", pools.size);
        numbers("unit", pools.unit);
      });
    };
    json.object([&] {
      json.member("format", 1);
      json.member("pools", graph_.pool_count() - graph_.removed_count());
      words("types", types_.words());
      words("units", units_.words());
      json.object("frames", [&] {
        numbers("parent", frame_parents_);
        words("name", frame_names_);
        numbers("type", frame_types_);
      });
      json.object("nodes", [&] {
        json.list("name", [&] {
          for (std::uint32_t row = 0; row < rows_.count(); ++row) json.value(rows_.name(row));
        });
        numbers("frame", frame_of_);
        numbers("inside", inside_of_);
      });
      json.array("insides", insides_, [&](const PoolColumns& pools) { columns(pools); });
      json.object("frame_leaves", [&] {
        numbers("frame", leaf_frames_);
        json.key("pools");
        columns(frame_leaves_);
      });
      json.object("properties", [&] {
        for (const auto& [name, nodes] : properties_) json.member(name, nodes);
      });
      json.object("devices", [&] {
        for (const auto& [type, names] : devices_) {
          json.array(type, names, [&](const std::string& name) { json.value(name); });
        }
      });
    });
  }

 private:
  // The number of a pool's frame; -1 for kNoPool.
  std::int64_t frame(PoolId pool) {
    if (pool == kNoPool) return -1;
    if (const auto found = frames_.find(pool.v); found != frames_.end()) return found->second;
    std::vector<PoolId> above;  // without a number so far
    for (PoolId p = pool; p != kNoPool && !frames_.contains(p.v); p = graph_.parent(p)) {
      above.push_back(p);
    }
    while (!above.empty()) {
      const PoolId p = above.back(), parent = graph_.parent(p);
      above.pop_back();
      frame_parents_.push_back(parent == kNoPool ? -1 : frames_.at(parent.v));
      frame_names_.push_back(graph_.name(p));
      frame_types_.push_back(types_.number(graph_.type_name(p)));
      frames_.emplace(p.v, static_cast<std::int64_t>(frame_names_.size() - 1));
    }
    return frames_.at(pool.v);
  }

  void append(PoolColumns& to, PoolId p, std::uint32_t depth) {
    to.depth.push_back(depth);
    to.type.push_back(types_.number(graph_.type_name(p)));
    to.unit.push_back(units_.number(graph_.unit_text(p)));
    to.name.push_back(graph_.name(p));
    to.size.push_back(graph_.size(p));
  }

  // The pools below a node, in preorder: their indices are their positions.
  PoolColumns inside(PoolId node) {
    PoolColumns out;
    std::vector<std::uint32_t> open;
    for (std::uint32_t v = node.v + 1; v < graph_.end(node).v; ++v) {
      while (!open.empty() && open.back() <= v) open.pop_back();
      append(out, PoolId{v}, static_cast<std::uint32_t>(open.size()));
      if (graph_.leaf(PoolId{v})) add_device(PoolId{v});
      if (!graph_.leaf(PoolId{v})) open.push_back(graph_.end(PoolId{v}).v);
    }
    return out;
  }

  // Types of devices are properties of pools in nodes.
  void add_device(PoolId pool) {
    const auto* const own = graph_.properties(pool);
    if (own == nullptr) return;
    std::set<std::string>& names = devices_[graph_.type_name(pool)];
    for (const auto& [name, value] : *own) {
      if (names.size() < kDeviceTypesMax) names.insert(name);
    }
  }

  PoolColumns summed(const PoolColumns& all) const {
    PoolColumns out;
    std::map<std::uint32_t, std::size_t> places;
    for (std::size_t i = 0; i < all.type.size(); ++i) {
      const auto [at, is_new] = places.emplace(all.type[i], out.type.size());
      if (is_new) {
        out.depth.push_back(0);
        out.type.push_back(all.type[i]);
        out.unit.push_back(all.unit[i]);
        out.name.push_back("all of " + types_.words()[all.type[i]]);
        out.size.push_back(0);
      }
      std::int64_t& size = out.size[at->second];
      if (__builtin_add_overflow(size, all.size[i], &size)) size = INT64_MAX;
    }
    return out;
  }

  // Identifies equal contents: everything that is written about them.
  static std::string key(const PoolColumns& pools) {
    std::string out;
    for (std::size_t i = 0; i < pools.type.size(); ++i) {
      for (const std::int64_t number : {std::int64_t{pools.depth[i]}, std::int64_t{pools.type[i]},
                                        std::int64_t{pools.unit[i]}, pools.size[i]}) {
        append_number(out, number);
        out += ',';
      }
      append_number(out, pools.name[i].size());
      out += ':';
      out += pools.name[i];
    }
    return out;
  }

  void add_node(std::uint32_t row) {
    const PoolId node = rows_.pool(row);
    frame_of_.push_back(frame(graph_.parent(node)));
    add_properties(row, node);
    PoolColumns pools = inside(node);
    if (row > 0 && pools == insides_[inside_of_.back()]) {  // as its neighbour: no key is needed
      inside_of_.push_back(inside_of_.back());
      return;
    }
    std::string text = key(pools);
    auto found = insides_by_key_.find(text);
    if (found == insides_by_key_.end() && inside_pools_ + pools.type.size() > kInsidePoolsMax) {
      pools = summed(pools);
      found = insides_by_key_.find(text = key(pools));
    }
    if (found == insides_by_key_.end()) {
      inside_pools_ += pools.type.size();
      insides_.push_back(std::move(pools));
      found = insides_by_key_.emplace(std::move(text), insides_.size() - 1).first;
    }
    inside_of_.push_back(static_cast<std::uint32_t>(found->second));
  }

  void add_properties(std::uint32_t row, PoolId node) {
    const auto* const own = graph_.properties(node);
    if (own == nullptr) return;
    for (const auto& [name, value] : *own) properties_[name].add(row);
  }

  // Leaves of a frame outside its nodes: a rack's storage.
  void add_frame_leaves() {
    std::uint32_t next = 0;  // row
    graph_.preorder(graph_.root(), [&](PoolId p) {
      if (next < rows_.count() && rows_.pool(next) == p) {
        ++next;
        return false;
      }
      if (graph_.leaf(p) && frame_leaves_.type.size() < kInsidePoolsMax) {
        leaf_frames_.push_back(frame(graph_.parent(p)));
        append(frame_leaves_, p, 0);
      }
      return true;
    });
  }

  const ResourceGraph& graph_;
  const NodeRows& rows_;
  WordTable types_, units_;
  std::unordered_map<std::uint32_t, std::int64_t> frames_;  // by pool
  std::vector<std::int64_t> frame_parents_;
  std::vector<std::string> frame_names_;
  std::vector<std::uint32_t> frame_types_;
  std::vector<std::int64_t> frame_of_;
  std::vector<std::uint32_t> inside_of_;
  std::vector<PoolColumns> insides_;
  std::unordered_map<std::string, std::size_t> insides_by_key_;
  std::size_t inside_pools_ = 0;
  std::vector<std::int64_t> leaf_frames_;
  PoolColumns frame_leaves_;
  std::map<std::string, Idset> properties_;
  std::map<std::string, std::set<std::string>> devices_;  // by type of pool
};

char letter(Status status) {
  switch (status) {
    case Status::up: return 'u';
    case Status::degraded: return 'g';
    case Status::failing: return 'f';
    case Status::down: return 'd';
    case Status::unknown: break;
  }
  return 'n';
}

}  // namespace

void append_machine_document(std::string& out, const ResourceGraph& graph, const NodeRows& rows) {
  MachineWriter(graph, rows).write(out);
}

void append_status_document(std::string& out, const Engine& engine, const NodeRows& rows,
                            const std::function<bool(PoolId)>& drained) {
  const ResourceGraph& graph = engine.graph();
  std::string letters;
  for (std::uint32_t row = 0; row < rows.count(); ++row) {
    Status status = engine.status(rows.pool(row));
    for (PoolId p = graph.parent(rows.pool(row)); p != kNoPool; p = graph.parent(p)) {
      if (!usable(engine.status(p))) status = engine.status(p);
    }
    if (drained && !usable(status) && drained(rows.pool(row))) status = Status::failing;
    letters += letter(status);
  }
  JsonWriter json(out);
  json.object([&] {
    json.member("format", 1);
    json.member("nodes", letters);
  });
}

namespace {

// Reserved amounts of layers over time: the first state, and each later change.
struct KeptSteps {
  std::vector<std::uint32_t> layers{};  // numbers
  std::vector<std::int64_t> times_s{}, amounts{};
};

KeptSteps kept_steps(const Engine& engine, std::span<const std::uint32_t> numbers,
                     std::int64_t at_s) {
  KeptSteps out;
  std::vector<std::int64_t> held(numbers.size(), 0);
  std::optional<std::int64_t> time_s = at_s;
  for (std::size_t looks = 0; time_s && looks < kLayerLooksMax; looks += 1 + numbers.size()) {
    const std::vector<LayerView> layers = engine.layers(*time_s);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (layers[i].held == held[i]) continue;
      held[i] = layers[i].held;
      out.layers.push_back(numbers[i]);
      out.times_s.push_back(*time_s);
      out.amounts.push_back(held[i]);
    }
    time_s = engine.next_layer_change(*time_s + 1);
  }
  return out;
}

}  // namespace

void append_layers_document(std::string& out, const Engine& engine, std::int64_t at_s) {
  JsonWriter json(out);
  json.object([&] {
    json.member("format", 1);
    exact_member(json, "at", at_s);
    const std::vector<std::uint32_t> numbers = EngineImager::layer_numbers(engine);
    auto number = numbers.begin();
    json.array("layers", engine.layers(at_s), [&](const LayerView& layer) {
      json.object([&] {
        json.member("number", *number++);
        json.member("resource", layer.resource);
        json.member("nodes", layer.nodes);
        json.member("mode", layer.mode);
        json.member("node_count", layer.node_count);
        exact_member(json, "total", layer.total);
        exact_member(json, "base", layer.base);
        exact_member(json, "used", layer.used);
        exact_member(json, "reserved", layer.reserved);
        exact_member(json, "held", layer.held);
        json.member("level", layer.level);
        json.member("parent", layer.parent);
      });
    });
    const KeptSteps kept = kept_steps(engine, numbers, at_s);
    const auto column = [&](const char* name, const auto& values) {
      json.array(name, values, [&](auto value) { append_exact(json, std::int64_t{value}); });
    };
    json.object("kept", [&] {
      column("layer", kept.layers);
      column("time", kept.times_s);
      column("amount", kept.amounts);
    });
  });
}

}  // namespace copse::page
