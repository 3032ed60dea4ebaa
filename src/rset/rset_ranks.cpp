// SPDX-License-Identifier: Apache-2.0
#include "rset/rset_ranks.hpp"

#include <fmt/format.h>

#include <functional>
#include <unordered_map>

#include "base/idset_algebra.hpp"
#include "rset/rset_combine.hpp"
#include "rset/rset_positions.hpp"
#include "rset/rset_properties.hpp"

namespace copse {

namespace {

// New ranks by position: the k-th smallest gets to[k], or k if `to` is empty.
class NewRanks {
 public:
  NewRanks(const Idset& ranks, std::span<const std::int64_t> to) : positions_(ranks), to_(to) {}

  [[nodiscard]] Idset operator()(const Idset& ranks) const {
    std::vector<Idset::Range> out;
    positions_.each_position(ranks, [&](std::int64_t first, std::int64_t last) {
      if (to_.empty()) {
        out.emplace_back(first, last);
        return;
      }
      for (std::int64_t k = first; k <= last; ++k) {
        const std::int64_t rank = to_[static_cast<std::size_t>(k)];
        out.emplace_back(rank, rank);
      }
    });
    return idset_of(std::move(out));
  }

 private:
  Positions positions_;
  std::span<const std::int64_t> to_;
};

// Gives ranks new numbers, which are 0 to their number - 1 in some order. REQUIRES a canonical set.
RSet renumbered(RSet r, std::span<const std::int64_t> to) {
  const Idset ranks = r.ranks();
  const NewRanks new_ranks(ranks, to);
  map_ranks(r.entries, std::cref(new_ranks));
  for (auto& [name, of] : r.properties) of = new_ranks(of);
  if (!to.empty() && !r.hosts.empty()) {
    std::vector<std::string> hosts(r.hosts.size());
    for (std::size_t k = 0; k < to.size(); ++k) {
      hosts[static_cast<std::size_t>(to[k])] = std::move(r.hosts[k]);
    }
    r.hosts = std::move(hosts);
  }
  map_ranks(r.scheduling, std::cref(new_ranks));
  return canonical(std::move(r));
}

bool keeps_ids(std::string_view type) { return type == "gpu"; }

// The new names of the ids of some children in `topo`, for the types whose ids change.
Result<RSet::Children> ids_in_topo(const RSet::Children& children, const RSet::Children& known,
                                   std::int64_t rank) {
  RSet::Children out;
  for (const auto& [type, ids] : children) {
    const Idset* names = find_ids(known, type);
    if (keeps_ids(type)) {
      if (names != nullptr) out.emplace_back(type, *names);
      continue;
    }
    Idset in_topo = names == nullptr ? ids : ids_at(*names, ids);
    if (in_topo.count() != ids.count()) {
      return fail(ErrorCode::invalid,
                  fmt::format("topo_ids has {} ids of type {:.64} for rank {}, too few for {}{}",
                              names->count(), type, rank, type, ids.ranges().back().second));
    }
    if (in_topo != first_ids(ids.count())) out.emplace_back(type, std::move(in_topo));
  }
  return out;
}

Result<void> renumber_ids(RSet& r) {
  if (r.scheduling.treepool) {
    RSet known;
    known.entries = std::move(r.scheduling.topo_ids);
    auto entries = combine(r, canonical(std::move(known)), ids_in_topo);
    if (!entries) return std::unexpected(entries.error());
    r.scheduling.topo_ids = std::move(*entries);
  }
  for (RSet::Entry& entry : r.entries) {
    for (auto& [type, ids] : entry.children) {
      if (!keeps_ids(type)) ids = first_ids(ids.count());
    }
  }
  return {};
}

// The new rank of each rank, in their order.
Result<std::vector<std::int64_t>> places_of(const RSet& r, std::span<const std::string> hosts) {
  if (r.hosts.empty()) return fail(ErrorCode::invalid, "the set has no nodelist");
  if (hosts.size() != r.hosts.size()) {
    return fail(ErrorCode::invalid, fmt::format("too {} hosts: {} for {} ranks",
                                                hosts.size() > r.hosts.size() ? "many" : "few",
                                                hosts.size(), r.hosts.size()));
  }
  std::unordered_map<std::string_view, std::vector<std::size_t>> ranks;  // the smallest last
  for (std::size_t k = r.hosts.size(); k-- > 0;) ranks[r.hosts[k]].push_back(k);
  std::vector<std::int64_t> to(hosts.size());
  for (std::size_t place = 0; place < hosts.size(); ++place) {
    const auto at = ranks.find(hosts[place]);
    if (at == ranks.end() || at->second.empty()) {
      return fail(ErrorCode::not_found,
                  fmt::format("the set has no {}host {:.64}",
                              at == ranks.end() ? "" : "further rank on ", hosts[place]));
    }
    to[at->second.back()] = static_cast<std::int64_t>(place);
    at->second.pop_back();
  }
  return to;
}

}  // namespace

Result<RSet> remap(const RSet& r, const RemapOptions& options) {
  RSet out = canonical(r);
  align(out.scheduling, out.ranks());
  if (!options.keep_ids) {
    if (auto ok = renumber_ids(out); !ok) return std::unexpected(ok.error());
  }
  return renumbered(std::move(out), {});
}

Result<RSet> rerank(const RSet& r, std::span<const std::string> hosts) {
  RSet out = canonical(r);
  const auto to = places_of(out, hosts);
  if (!to) return std::unexpected(to.error());
  align(out.scheduling, out.ranks());
  return renumbered(std::move(out), *to);
}

Result<RSet> normalize(const RSet& r, std::span<const std::string> hosts,
                       const RemapOptions& options) {
  auto out = hosts.empty() ? Result<RSet>(r) : rerank(r, hosts);
  if (out) out = remap(*out, options);
  if (!out) return out;
  out->nslots = 0;
  drop_local_properties(*out);
  return out;
}

}  // namespace copse
