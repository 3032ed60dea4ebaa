// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "match/compiled.hpp"
#include "request/constraint.hpp"

namespace copse {

namespace {

// Products and sums of counts stop at the largest number: more than any machine has.
std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? INT64_MAX : out;
}

void add(std::vector<Need>& needs, TypeId type, std::int64_t units) {
  auto it = std::lower_bound(needs.begin(), needs.end(), type,
                             [](const Need& n, TypeId t) { return n.type < t; });
  if (it == needs.end() || it->type != type) it = needs.insert(it, {type, 0});
  if (__builtin_add_overflow(it->units, units, &it->units)) it->units = INT64_MAX;
}

// What a level's count adds to the needs of the level above: its units, and what each of its pools
// must have below. Units may come in pools of several: then fewer pools do.
void add_all(std::vector<Need>& needs, const Level& level, std::int64_t largest) {
  if (!level.slot) add(needs, level.type, level.count.min);
  const std::int64_t size = level.slot ? 1 : std::max<std::int64_t>(largest, 1);
  const std::int64_t pools = level.count.min / size + (level.count.min % size != 0 ? 1 : 0);
  for (const Need& n : level.needs) add(needs, n.type, times(pools, n.units));
}

class Compiler {
 public:
  Compiler(const ResourceGraph& graph, CompiledRequest& out)
      : graph_(graph),
        out_(out),
        slot_(graph.find_type("slot")),
        xor_(graph.find_type("xor_slot")) {}

  // Flattens siblings level by level, so that each list stays together. The depth of a request is
  // bounded by its parser.
  Result<void> run(const std::vector<Resource>& resources) {
    if (auto ok = add_list(resources); !ok) return ok;
    out_.top = static_cast<std::uint32_t>(resources.size());
    for (std::uint32_t i = 0; i < out_.levels.size(); ++i) {
      const Resource& r = *sources_[i];
      out_.levels[i].first = static_cast<std::uint32_t>(out_.levels.size());
      out_.levels[i].children = static_cast<std::uint32_t>(r.with.size());
      if (auto ok = add_list(r.with); !ok) return ok;
      const Level& level = out_.levels[i];
      out_.levels[i].slot_below = level.children == 1 && out_.levels[level.first].slot;
    }
    for (auto i = static_cast<std::uint32_t>(out_.levels.size()); i-- > 0;) {
      Level& level = out_.levels[i];
      for (std::uint32_t c = level.first; c < level.first + level.children; ++c) {
        const Level& below = out_.levels[c];
        add_all(level.needs, below, graph_.largest(below.type));
      }
      check_siblings(level.first, level.children);
      if (level.slot) check_slot(level);
    }
    check_siblings(0, out_.top);
    for (std::uint32_t i = 0; i < out_.top; ++i) {
      add_all(out_.total, out_.levels[i], graph_.largest(out_.levels[i].type));
    }
    return {};
  }

 private:
  Result<void> add_list(const std::vector<Resource>& resources) {
    for (const Resource& r : resources) {
      Level level;
      level.type = graph_.find_type(r.type);
      if (level.type == kNoType) {
        return fail(ErrorCode::not_found,
                    "Value of \"type\" must be a resource type known to fluxion", r.place);
      }
      level.slot = level.type == slot_;
      level.count = r.count;
      level.most = r.count.most();
      level.exclusive = r.exclusive;
      if (!r.label.empty()) {
        level.label = static_cast<std::uint32_t>(out_.labels.size());
        out_.labels.push_back(r.label);
      }
      if (r.exclusive == Exclusivity::yes && !level.slot)
        out_.exclusive_types.push_back(level.type);
      if (level.type == xor_) impossible("xor_slot needs the flexible traverser");
      out_.levels.push_back(std::move(level));
      sources_.push_back(&r);
    }
    return {};
  }

  // A pool that two siblings fit is refused to both (Fluxion's one-pass walk): siblings of one
  // type, and a slot beside anything else, never match.
  void check_siblings(std::uint32_t first, std::uint32_t count) {
    std::vector<TypeId> types;
    bool slot = false;
    for (std::uint32_t i = first; i < first + count; ++i) {
      types.push_back(out_.levels[i].type);
      slot |= out_.levels[i].slot;
    }
    if (slot && count > 1) {
      const std::uint32_t other = out_.levels[first].slot ? first + 1 : first;
      clash(out_.levels[other].type);
    }
    std::sort(types.begin(), types.end());
    auto twice = std::adjacent_find(types.begin(), types.end());
    if (twice != types.end()) clash(*twice);
  }

  void check_slot(const Level& slot) {
    if (slot.children == 0) impossible("a slot must have something in it");
    for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
      if (out_.levels[c].slot) impossible("a slot directly inside a slot is nowhere to be found");
    }
  }

  void clash(TypeId type) {
    if (!out_.clash.empty()) return;
    out_.clash = fmt::format("test: siblings in jobspec request same resource type : {}.",
                             graph_.type_name(type));
  }
  void impossible(std::string why) {
    if (out_.impossible.empty()) out_.impossible = std::move(why);
  }

  const ResourceGraph& graph_;
  CompiledRequest& out_;
  TypeId slot_, xor_;
  std::vector<const Resource*> sources_;
};

void evaluate_constraint(const Constraint& constraint, const ResourceGraph& graph,
                         CompiledRequest& out) {
  out.properties_version = graph.properties_version();
  if (constraint.empty()) return;
  const TypeId node = graph.find_type("node"), storage = graph.find_type("storage_node");
  out.allowed.assign(graph.pool_count(), true);
  std::string name;
  for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
    const PoolId p{v};
    if (graph.type(p) != node && graph.type(p) != storage) continue;
    name.clear();
    graph.append_name(p, name);
    out.allowed[v] = holds(constraint, {name, graph.rank(p), graph.properties(p)});
  }
}

}  // namespace

Result<CompiledRequest> compile(const Request& request, const ResourceGraph& graph,
                                const Policy& policy) {
  CompiledRequest out;
  out.duration_s = request.duration_s;
  out.duration_invalid = request.duration_invalid;
  out.queue = request.queue;
  Compiler compiler(graph, out);
  if (auto ok = compiler.run(request.resources); !ok) return std::unexpected(ok.error());
  if (policy.whole_nodes) out.exclusive_types.push_back(graph.find_type("node"));
  evaluate_constraint(request.constraint, graph, out);
  return out;
}

}  // namespace copse
