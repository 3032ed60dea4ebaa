// SPDX-License-Identifier: Apache-2.0
#include "property/machine.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "graph/graph_builder.hpp"

namespace copse::property {

std::vector<std::vector<Number>> Machine::children() const {
  std::vector<std::vector<Number>> out(pools.size());
  for (const auto& [from, to] : edges) out[from].push_back(to);
  return out;
}

Result<ResourceGraph> Machine::build() const {
  GraphBuilder builder;
  for (const std::string& type : types) {
    if (auto ok = builder.type(type); !ok) return std::unexpected(ok.error());
  }
  for (const MachinePool& pool : pools) {
    auto type = builder.type(pool.type);
    if (!type) return std::unexpected(type.error());
    auto unit = builder.unit(pool.unit);
    if (!unit) return std::unexpected(unit.error());
    auto made = builder.add_pool(
        {*type, builder.basename(pool.basename), *unit, pool.size, pool.id, pool.rank});
    if (!made) return std::unexpected(made.error());
    for (const auto& [key, value] : pool.properties) builder.set_property(*made, key, value);
    if (divisible.contains(pool.type)) builder.set_divisible(*made);
  }
  auto containment = builder.subsystem("containment");
  if (!containment) return std::unexpected(containment.error());
  if (auto ok = builder.set_root(*containment, root); !ok) return std::unexpected(ok.error());
  for (const auto& [from, to] : edges) {
    if (auto ok = builder.add_edge(from, to, *containment); !ok) return std::unexpected(ok.error());
  }
  if (!power.empty()) {
    auto subsystem = builder.subsystem("power");
    if (!subsystem) return std::unexpected(subsystem.error());
    if (auto ok = builder.set_root(*subsystem, root); !ok) return std::unexpected(ok.error());
    for (const auto& [from, to] : power) {
      if (auto ok = builder.add_edge(from, to, *subsystem); !ok) return std::unexpected(ok.error());
    }
  }
  return builder.build();
}

namespace {

// GRUG creates all pools of one recipe edge at once, before those below them.
class Expansion {
 public:
  Machine machine;

  void run(const Recipe& root) { below(root, {add(root, 0)}); }

 private:
  Number add(const Recipe& recipe, std::int64_t id) {
    MachinePool pool;
    pool.type = pool.basename = recipe.type;
    pool.size = recipe.size;
    pool.id = id;
    if (pool.type == "node") pool.rank = ranks_++;
    machine.pools.push_back(std::move(pool));
    return static_cast<Number>(machine.pools.size() - 1);
  }

  void below(const Recipe& recipe, const std::vector<Number>& sources) {
    for (const Recipe& target : recipe.below) {
      std::int64_t wide = 1;  // pools of the ancestor within which ids are counted
      const auto scope =
          std::min<std::size_t>(static_cast<std::size_t>(target.id_scope), scales_.size());
      for (std::size_t k = 0; k < scope; ++k) wide *= scales_[scales_.size() - 1 - k];
      std::vector<Number> made;
      for (std::size_t j = 0; j < sources.size(); ++j) {
        for (std::int64_t i = 0; i < target.count; ++i) {
          const auto block = static_cast<std::int64_t>(j) % wide * target.count;
          const std::int64_t id =
              target.id_start + (target.id_scope == 0 ? i : (block + i) * target.id_stride);
          made.push_back(add(target, id));
          machine.edges.emplace_back(sources[j], made.back());
        }
      }
      scales_.push_back(target.count);
      below(target, made);
      scales_.pop_back();
    }
  }

  std::vector<std::int64_t> scales_;
  std::int32_t ranks_ = 0;
};

struct RecipeText {
  std::string nodes, edges;
  int vertices = 0;

  int write(const Recipe& recipe, bool root) {
    const int mine = vertices++;
    nodes += fmt::format(
        "<node id=\"v{}\"><data key=\"root\">{}</data><data key=\"type\">{}</data>"
        "<data key=\"basename\">{}</data><data key=\"size\">{}</data></node>\n",
        mine, root ? 1 : 0, recipe.type, recipe.type, recipe.size);
    for (const Recipe& target : recipe.below) {
      // The edge precedes those below it: edges of one source keep their order.
      const std::string before = std::exchange(edges, {});
      const int other = write(target, false);
      edges = before +
              fmt::format(
                  "<edge source=\"v{}\" target=\"v{}\"><data key=\"multi_scale\">{}</data>"
                  "<data key=\"id_scope\">{}</data><data key=\"id_start\">{}</data>"
                  "<data key=\"id_stride\">{}</data></edge>\n",
                  mine, other, target.count, target.id_scope, target.id_start, target.id_stride) +
              edges;
    }
    return mine;
  }
};

}  // namespace

std::string grug_text(const Recipe& root) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml>\n";
  for (const char* key : {"root:int", "type:string", "basename:string", "size:long"}) {
    const std::string text = key;
    const std::size_t colon = text.find(':');
    out += fmt::format("<key id=\"{0}\" for=\"node\" attr.name=\"{0}\" attr.type=\"{1}\"/>\n",
                       text.substr(0, colon), text.substr(colon + 1));
  }
  for (const char* key : {"multi_scale", "id_scope", "id_start", "id_stride"}) {
    out += fmt::format("<key id=\"{0}\" for=\"edge\" attr.name=\"{0}\" attr.type=\"int\"/>\n", key);
  }
  RecipeText text;
  text.write(root, true);
  return out + "<graph id=\"g\" edgedefault=\"directed\">\n" + text.nodes + text.edges +
         "</graph>\n</graphml>\n";
}

Machine expand_recipe(const Recipe& root) {
  Expansion expansion;
  expansion.run(root);
  expansion.machine.grug = grug_text(root);
  return std::move(expansion.machine);
}

}  // namespace copse::property
