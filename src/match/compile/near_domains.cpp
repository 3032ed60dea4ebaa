// SPDX-License-Identifier: Apache-2.0
#include "match/compile/near_domains.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/idset_algebra.hpp"
#include "request/count_text.hpp"

namespace copse {

namespace {

// Adds ids that no domain before has.
void add_ids(Idset& to, const IdRanges& ids, Idset& seen) {
  Idset more;
  for (const auto& [first, last] : ids) {
    if (0 <= first && first <= last && last < Idset::kIdMax) more.add_range(first, last);
  }
  more = subtract(more, seen);
  to = unite(to, more);
  seen = unite(seen, more);
}

// The domains of the name with all that is in them; of those inside each other the outermost.
std::vector<NearDomain> domains_of(const Layout& layout, const std::string& name) {
  constexpr std::size_t kNone = SIZE_MAX;
  std::vector<NearDomain> out;
  Idset seen_cores, seen_gpus;
  std::vector<std::size_t> number(layout.domains.size(), kNone);  // in `out`, of each domain
  for (std::size_t d = 1; d < layout.domains.size(); ++d) {
    const Domain& domain = layout.domains[d];
    number[d] = number[domain.parent];
    if (number[d] == kNone && domain.name == name) {
      number[d] = out.size();
      out.emplace_back();
    }
    if (number[d] == kNone) continue;
    add_ids(out[number[d]].cores, domain.cores, seen_cores);
    add_ids(out[number[d]].gpus, domain.gpus, seen_gpus);
  }
  return out;
}

bool is_leaf_type(const Resource& r) { return r.type == "core" || r.type == "gpu"; }

class NearSplitter {
 public:
  NearSplitter(const ResourceGraph& graph, const Layouts& layouts)
      : graph_(graph), layouts_(layouts) {}

  [[nodiscard]] bool has_domain(const std::vector<Resource>& resources) const {
    return std::ranges::any_of(
        resources, [&](const Resource& r) { return is_domain(r) || has_domain(r.with); });
  }

  // The recursion is bounded by the depth that parsers accept.
  Result<void> list(std::vector<Resource>& resources, const std::string& above) {
    for (Resource& r : resources) {
      if (is_domain(r)) {
        return refuse(r, fmt::format("a {0} of this machine is named in a slot, as in "
                                     "slot=1/{0}/[core=4;gpu]",
                                     r.type));
      }
      const std::string path = path_of(above, r);
      if (r.is_slot()) {
        if (auto ok = take_domain(r, path); !ok) return ok;
      }
      if (auto ok = list(r.with, path); !ok) return ok;
    }
    return {};
  }

  std::vector<NearDomains> domains;
  std::vector<NearSplit::Slot> slots;

 private:
  [[nodiscard]] bool is_domain(const Resource& r) const {
    const TypeId type = graph_.find_type(r.type);
    const PoolId root = graph_.root();
    if (r.is_slot() || graph_.type(root) == type) return false;
    if (type != kNoType && !graph_.leaf(root) && graph_.shape(root).total(type) > 0) return false;
    return std::ranges::any_of(layouts_.layouts, [&](const Layout& layout) {
      return std::any_of(layout.domains.begin() + 1, layout.domains.end(),
                         [&](const Domain& domain) { return domain.name == r.type; });
    });
  }

  static std::string path_of(const std::string& above, const Resource& r) {
    return fmt::format("{}{}{}[{}]", above, above.empty() ? "" : " > ", r.type,
                       r.count.min >= 1 ? count_text(r.count) : "0");
  }

  static std::unexpected<Error> refuse(const Resource& r, std::string why) {
    return fail(ErrorCode::unsupported, std::move(why), r.place);
  }

  [[nodiscard]] static Result<void> check(const Resource& domain) {
    const std::string& name = domain.type;
    if (domain.count.moldable() || domain.count.min != 1) {
      return refuse(domain, fmt::format("a slot is in one {}: only -T treepool takes several of a "
                                        "machine that has them not as pools",
                                        name));
    }
    if (domain.with.empty() || domain.exclusive == Exclusivity::yes) {
      return refuse(domain, fmt::format("only -T treepool takes a whole {} of a machine that has "
                                        "them not as pools",
                                        name));
    }
    if (!domain.properties.empty() || !domain.channel_charges.empty()) {
      return refuse(domain,
                    fmt::format("a {} of this machine has no properties and no capacities", name));
    }
    for (const Resource& r : domain.with) {
      if (!is_leaf_type(r) || !r.with.empty() || !r.channel_charges.empty()) {
        return refuse(r, fmt::format("a {0} of this machine has cores and gpus only: name {1} in "
                                     "the slot, but outside of the {0}",
                                     name, r.type));
      }
    }
    return {};
  }

  // Takes the domain out of the slot. Its parts come first: a slot that lacks a part of a domain
  // then has taken nothing of the parts that all domains of a node have together.
  Result<void> take_domain(Resource& slot, const std::string& path) {
    const auto at =
        std::ranges::find_if(slot.with, [&](const Resource& r) { return is_domain(r); });
    if (at == slot.with.end()) return {};
    Resource domain = std::move(*at);
    slot.with.erase(at);
    if (auto ok = check(domain); !ok) return ok;
    for (const Resource& r : slot.with) {
      const bool twice = std::ranges::any_of(
          domain.with, [&](const Resource& inside) { return inside.type == r.type; });
      if (twice || is_domain(r)) {
        return refuse(r, twice
                             ? fmt::format("a slot has its {}s in a {} or outside of it, not both",
                                           r.type, domain.type)
                             : "a slot is in one domain of its node, not in two");
      }
    }
    NearDomains& made = domains.emplace_back();
    made.name = domain.type;
    made.path = path_of(path, domain);
    made.place = domain.place;
    for (const Layout& layout : layouts_.layouts) {
      made.of_layout.push_back(domains_of(layout, made.name));
    }
    made.ranks = layouts_.ranks;
    slots.push_back({&slot, domain.with.size()});
    slot.with.insert(slot.with.begin(), std::make_move_iterator(domain.with.begin()),
                     std::make_move_iterator(domain.with.end()));
    return {};
  }

  const ResourceGraph& graph_;
  const Layouts& layouts_;
};

}  // namespace

std::span<const NearDomain> NearDomains::of_rank(std::int64_t rank) const {
  const auto at = std::ranges::lower_bound(ranks, rank, {}, &Layouts::Ranks::last);
  if (at == ranks.end() || rank < at->first) return {};
  return of_layout[at->layout];
}

std::uint32_t NearSplit::domain_of(const Resource& slot) const {
  const auto at = std::ranges::find(slots, &slot, &Slot::slot);
  return at == slots.end() ? 0 : static_cast<std::uint32_t>(at - slots.begin()) + 1;
}

bool NearSplit::is_near(const Resource& resource) const {
  return std::ranges::any_of(slots, [&](const Slot& each) {
    const auto parts = std::span(each.slot->with).first(each.near);
    return std::ranges::any_of(parts, [&](const Resource& part) { return &part == &resource; });
  });
}

Result<NearSplit> split_near_domains(const std::vector<Resource>& resources,
                                     const ResourceGraph& graph, const Layouts& layouts) {
  NearSplit out;
  NearSplitter splitter(graph, layouts);
  if (layouts.layouts.empty() || !splitter.has_domain(resources)) return out;
  auto split = std::make_shared<std::vector<Resource>>(resources);
  if (auto ok = splitter.list(*split, {}); !ok) return std::unexpected(ok.error());
  out.resources = std::move(split);
  out.domains = std::move(splitter.domains);
  out.slots = std::move(splitter.slots);
  return out;
}

}  // namespace copse
