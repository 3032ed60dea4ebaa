// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "base/saturating.hpp"
#include "match/compile/channel_charges.hpp"
#include "match/compile/compiled.hpp"
#include "match/compile/needs.hpp"
#include "match/compile/xor_slots.hpp"
#include "match/shared/remarks.hpp"
#include "match/treepool/treepool_request.hpp"

namespace copse {

namespace {

class Compiler {
 public:
  Compiler(const ResourceGraph& graph, Traverser traverser, bool slots_share, Channels* channels,
           const NearSplit& near, CompiledRequest& out)
      : graph_(graph),
        traverser_(traverser),
        slots_share_(slots_share),
        channels_(channels),
        near_(near),
        out_(out),
        slot_(graph.find_type("slot")),
        xor_(graph.find_type("xor_slot")) {}

  // Flattens siblings level by level, so that each list is contiguous. The depth of a request is
  // bounded by its parser.
  Result<void> run(const std::vector<Resource>& resources) {
    const std::size_t vertices = count(resources);
    out_.levels.reserve(vertices);
    out_.lists.reserve(vertices + 1);
    sources_.reserve(vertices);
    if (auto ok = add_list(resources); !ok) return ok;
    out_.top = static_cast<std::uint32_t>(resources.size());
    out_.lists.push_back({.first = 0, .count = out_.top});
    for (std::uint32_t i = 0; i < out_.levels.size(); ++i) {
      const Resource& r = *sources_[i];
      const auto first = static_cast<std::uint32_t>(out_.levels.size());
      if (auto ok = add_list(r.with); !ok) return ok;
      Level& level = out_.levels[i];
      level.first = first;
      level.children = static_cast<std::uint32_t>(r.with.size());
      level.slot_below = level.children == 1 && out_.levels[first].slot;
      level.list = static_cast<std::uint32_t>(out_.lists.size());
      out_.lists.push_back({.first = first, .count = level.children});
    }
    for (auto i = static_cast<std::uint32_t>(out_.levels.size()); i-- > 0;) {
      Level& level = out_.levels[i];
      add_needs(level.needs, level.first, level.children);
      check_siblings(level.first, level.children);
      if (level.slot) check_slot(level);
    }
    check_siblings(0, out_.top);
    add_needs(out_.total, 0, out_.top);
    for (std::uint32_t list = 0; list < out_.lists.size(); ++list) count_slots(list);
    for (std::uint32_t list = 0; list < out_.lists.size(); ++list) unite_slots(list);
    if (out_.charges_channels) add_least_charges();
    return {};
  }

 private:
  static std::size_t count(const std::vector<Resource>& resources) {
    std::size_t vertices = resources.size();
    for (const Resource& r : resources) vertices += count(r.with);
    return vertices;
  }

  Result<void> add_list(const std::vector<Resource>& resources) {
    for (const Resource& r : resources) {
      Level level;
      level.type = graph_.find_type(r.type);
      if (level.type == kNoType) {
        return fail(ErrorCode::not_found, std::string(kUnknownType), r.place);
      }
      level.slot = level.type == slot_;
      level.count = r.count;
      level.most = r.count.most();
      level.exclusive = r.exclusive;
      level.shared = slots_share_ && !r.with.empty();
      if (!r.label.empty()) {
        level.label = static_cast<std::uint32_t>(out_.labels.size());
        out_.labels.push_back(r.label);
      }
      if (r.exclusive == Exclusivity::yes && !level.slot && !graph_.divisible(level.type))
        out_.exclusive_types.push_back(level.type);
      if (!r.properties.empty()) {
        out_.filters.emplace_back(level.type, r.properties, graph_);
        level.filter = static_cast<std::uint32_t>(out_.filters.size());
      }
      if (level.type == xor_) impossible(kXorSlotElsewhere);
      if (level.slot) level.domain = near_.domain_of(r);
      if (near_.is_near(r)) level.near = r.type == "core" ? &NearDomain::cores : &NearDomain::gpus;
      if (auto ok = add_charges(r, level); !ok) return ok;
      out_.levels.push_back(std::move(level));
      sources_.push_back(&r);
    }
    return {};
  }

  Result<void> add_charges(const Resource& r, Level& level) {
    for (const ChannelResource& charged : r.channel_charges) {
      auto channel = channels_->find(charged.type);
      if (!channel) return std::unexpected(channel.error());
      add_charge(level.charges, {**channel, charged.amount});
    }
    out_.charges_channels = out_.charges_channels || !level.charges.empty();
    return {};
  }

  // Parents precede children. The contents of one of several alternative slots may be left out.
  void add_least_charges() {
    std::vector<std::int64_t> pools(out_.levels.size(), 1);
    for (std::uint32_t n = 0; n < out_.levels.size(); ++n) {
      const Level& level = out_.levels[n];
      pools[n] = saturating_product(pools[n], fewest_pools(level, graph_.largest(level.type)));
      for (std::uint32_t c = level.first; c < level.first + level.children; ++c) {
        pools[c] = pools[n];
      }
      if (level.alternative) continue;
      for (const ChannelNeed& d : level.charges) {
        add_charge(out_.least_charges, {d.channel, saturating_product(pools[n], d.amount)});
      }
    }
  }

  // The least needs of a list: those of all vertices; of alternative slots the least, as often as
  // the last one counts.
  void add_needs(std::vector<Need>& needs, std::uint32_t first, std::uint32_t count) {
    std::vector<Need> least;
    bool some = false;
    Count slots;
    for (std::uint32_t i = first; i < first + count; ++i)
      slots = out_.levels[i].slot ? out_.levels[i].count : slots;
    for (std::uint32_t i = first; i < first + count; ++i) {
      const Level& level = out_.levels[i];
      if (!level.slot || traverser_ != Traverser::flexible) {
        add_all(needs, level, graph_.largest(level.type));
        continue;
      }
      std::vector<Need> one;
      for (const Need& n : level.needs)
        add_need(one, n.type, saturating_product(slots.min, n.units));
      if (some) {
        keep_least(least, one);
      } else {
        least = std::move(one);
      }
      some = true;
    }
    for (const Need& n : least) add_need(needs, n.type, n.units);
  }

  // The simple walk gives a pool that fits two siblings to neither: siblings of one type, and a
  // slot next to anything else, never match. The flexible walk reads slots as alternatives.
  void check_siblings(std::uint32_t first, std::uint32_t count) {
    if (count < 2) return;
    std::vector<TypeId> types;
    bool slot = false;
    for (std::uint32_t i = first; i < first + count; ++i) {
      if (!out_.levels[i].slot) types.push_back(out_.levels[i].type);
      slot |= out_.levels[i].slot;
    }
    std::sort(types.begin(), types.end());
    const auto twice = std::adjacent_find(types.begin(), types.end());
    if (slot) {
      const std::uint32_t other = out_.levels[first].slot ? first + 1 : first;
      clash(out_.levels[other].type);
      out_.alternatives = true;
    }
    if (twice == types.end()) return;
    clash(*twice);
    if (traverser_ == Traverser::flexible) impossible(out_.clash);
  }

  void count_slots(std::uint32_t list) {
    Siblings& siblings = out_.lists[list];
    for (std::uint32_t i = siblings.first; i < siblings.first + siblings.count; ++i) {
      if (!out_.levels[i].slot) continue;
      ++siblings.slots;
      siblings.inside = out_.levels[i].list;
    }
  }

  // For alternative slots, the walk searches for the largest count of each type in any of them.
  void unite_slots(std::uint32_t list) {
    const Siblings siblings = out_.lists[list];
    if (traverser_ != Traverser::flexible || siblings.slots < 2) return;
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t i = siblings.first; i < siblings.first + siblings.count; ++i) {
      if (!out_.levels[i].slot) continue;
      mark_alternative(i);
      const Level& slot = out_.levels[i];
      for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
        const Level& level = out_.levels[c];
        auto same = std::find_if(chosen.begin(), chosen.end(), [&](std::uint32_t other) {
          return out_.levels[other].type == level.type;
        });
        if (same == chosen.end()) {
          chosen.push_back(c);
        } else if (out_.levels[*same].count.min < level.count.min) {
          *same = c;
        }
      }
    }
    for (std::uint32_t i = siblings.first; i < siblings.first + siblings.count; ++i) {
      Level& slot = out_.levels[i];
      for (std::uint32_t c = slot.first; slot.slot && c < slot.first + slot.children; ++c) {
        const std::uint32_t found = *std::find_if(chosen.begin(), chosen.end(), [&](auto other) {
          return out_.levels[other].type == out_.levels[c].type;
        });
        slot.displaced |= !same_contents(found, c);
      }
    }
    out_.lists[list].inside = static_cast<std::uint32_t>(out_.lists.size());
    Siblings all;
    all.first = static_cast<std::uint32_t>(out_.levels.size());
    all.count = static_cast<std::uint32_t>(chosen.size());
    out_.lists.push_back(all);
    for (std::uint32_t c : chosen) out_.levels.push_back(Level(out_.levels[c]));
  }

  [[nodiscard]] bool same_contents(std::uint32_t a_number, std::uint32_t b_number) const {
    const Level &a = out_.levels[a_number], &b = out_.levels[b_number];
    if (a_number == b_number) return true;
    if (a.exclusive != b.exclusive || a.children != b.children) return false;
    if (a.charges != b.charges) return false;
    for (std::uint32_t c = 0; c < a.children; ++c) {
      const Level &x = out_.levels[a.first + c], &y = out_.levels[b.first + c];
      if (x.type != y.type || x.count != y.count || !same_contents(a.first + c, b.first + c)) {
        return false;
      }
    }
    return true;
  }

  void mark_alternative(std::uint32_t level_number) {
    Level& level = out_.levels[level_number];
    if (level.alternative) return;
    level.alternative = true;
    for (std::uint32_t c = level.first; c < level.first + level.children; ++c) mark_alternative(c);
  }

  void check_slot(const Level& slot) {
    if (slot.children == 0) impossible(kEmptySlot);
    for (std::uint32_t c = slot.first; c < slot.first + slot.children; ++c) {
      if (out_.levels[c].slot) impossible(kSlotInSlot);
    }
  }

  void clash(TypeId type) {
    if (!out_.clash.empty()) return;
    out_.clash = siblings_conflict_text(graph_.type_name(type));
  }
  void impossible(std::string_view why) {
    if (out_.impossible.empty()) out_.impossible = why;
  }

  const ResourceGraph& graph_;
  const Traverser traverser_;
  const bool slots_share_;
  Channels* channels_;
  const NearSplit& near_;
  CompiledRequest& out_;
  TypeId slot_, xor_;
  std::vector<const Resource*> sources_;
};

// Adds all variants: the request with one alternative of each xor_slot. Types that one variant
// takes whole are taken whole by all: they are those of the whole request.
Result<void> add_variants(const Request& request, const std::vector<Resource>& resources_of_it,
                          const ResourceGraph& graph, Channels* channels, CompiledRequest& out) {
  auto variants = xor_variants(resources_of_it);
  if (!variants) return std::unexpected(variants.error());
  const NearSplit none;
  for (const std::vector<Resource>& resources : *variants) {
    CompiledRequest& variant = out.variants.emplace_back();
    Compiler compiler(graph, Traverser::flexible, request.slots_share, channels, none, variant);
    if (auto ok = compiler.run(resources); !ok) return ok;
    out.charges_channels = out.charges_channels || variant.charges_channels;
    for (TypeId type : variant.exclusive_types) {
      auto& types = out.exclusive_types;
      if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
    }
    if (&variant == &out.variants.front()) {
      out.total = variant.total;
      out.impossible = variant.impossible;
    } else {
      keep_least(out.total, variant.total);
    }
  }
  if (std::any_of(out.variants.begin(), out.variants.end(),
                  [](const CompiledRequest& v) { return v.impossible.empty(); })) {
    out.impossible.clear();
  }
  return {};
}

// The least amounts that must be free, for checks before any walk.
Result<void> add_treepool(const Request& request, const ResourceGraph& graph,
                          const Layouts& layouts, CompiledRequest& out) {
  auto made = treepool_request(request.resources, layouts);
  if (!made) return std::unexpected(made.error());
  std::int64_t units = made->units.min;
  const std::int64_t nodes = saturating_product(made->nodes.min, made->node_factor);
  if (made->by_node) units = saturating_product(units, nodes);
  for (const auto& [name, count] : {std::pair{"core", made->cores}, {"gpu", made->gpus}}) {
    const TypeId type = graph.find_type(name);
    if (type == kNoType && count.min > 0) {
      out.impossible = fmt::format("the machine has no {}", name);
    } else if (count.min > 0) {
      add_need(out.total, type, saturating_product(units, count.min));
    }
  }
  out.treepool = std::make_shared<const TreepoolRequest>(std::move(*made));
  return {};
}

// Only the simple walk chooses pools of a domain.
Result<void> check_domains(const CompiledRequest& request, const ResourceGraph& graph,
                           const Policy& policy, Traverser traverser) {
  if (request.domains.empty()) return {};
  const bool walked = traverser != Traverser::flexible && policy.visit == nullptr &&
                      !graph.has_further_edges() && request.clash.empty() && !request.alternatives;
  if (walked) return {};
  const NearDomains& first = request.domains.front();
  return fail(
      ErrorCode::unsupported,
      fmt::format("a slot in a {} of this machine is not formed by -T flexible, by a policy "
                  "that visits pools, next to siblings, with two parts of one type, or "
                  "where pools have several parents",
                  first.name),
      first.place);
}

}  // namespace

Result<CompiledRequest> compile(const Request& request, const ResourceGraph& graph,
                                const Policy& policy, Traverser traverser, const Layouts& layouts,
                                Channels* channels) {
  CompiledRequest out;
  const std::vector<Resource>* resources = &request.resources;
  std::string refused;
  if (channels != nullptr) {
    auto split = split_channel_charges(request.resources, *channels, traverser);
    if (split) {
      out.resources = std::move(*split);
      if (out.resources != nullptr) resources = out.resources.get();
    } else if (split.error().code == ErrorCode::infeasible) {
      // An exclusive channel resource is not an error, but never matches; recorded answers pin
      // this.
      refused = split.error().message();
    } else {
      return std::unexpected(split.error());
    }
  }
  NearSplit near;
  if (traverser != Traverser::treepool) {
    auto split = split_near_domains(*resources, graph, layouts);
    if (!split) return std::unexpected(split.error());
    near = std::move(*split);
    if (near.resources != nullptr) out.resources = near.resources;
    if (near.resources != nullptr) resources = near.resources.get();
  }
  out.changes_seen = graph.changes().size();
  out.largest_version = graph.largest_version();
  out.user = request.user;
  if (traverser == Traverser::treepool) {
    if (auto ok = add_treepool(request, graph, layouts, out); !ok) {
      return std::unexpected(ok.error());
    }
  } else if (traverser == Traverser::flexible && has_xor_slots(*resources)) {
    if (auto ok = add_variants(request, *resources, graph, channels, out); !ok) {
      return std::unexpected(ok.error());
    }
  } else {
    Compiler compiler(graph, traverser, request.slots_share, channels, near, out);
    if (auto ok = compiler.run(*resources); !ok) return std::unexpected(ok.error());
    if (traverser == Traverser::simple && out.impossible.empty()) out.impossible = out.clash;
  }
  out.domains = std::move(near.domains);
  if (auto ok = check_domains(out, graph, policy, traverser); !ok) {
    return std::unexpected(ok.error());
  }
  if (!refused.empty()) out.impossible = std::move(refused);
  if (policy.whole_nodes) out.exclusive_types.push_back(graph.find_type("node"));
  out.properties_version = graph.properties_version();
  out.allowed = AllowedPools(request.constraint, graph);
  for (CompiledRequest& variant : out.variants) {
    variant.exclusive_types = out.exclusive_types;
    variant.allowed = out.allowed;
  }
  return out;
}

}  // namespace copse
