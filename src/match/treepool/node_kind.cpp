// SPDX-License-Identifier: Apache-2.0
#include "match/treepool/node_kind.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include <fmt/format.h>

namespace copse {

namespace {

using Bits = std::vector<std::uint32_t>;  // ascending

struct Resources {
  Bits cores, gpus;
  std::uint32_t domain = 0;  // the domain whose memory and storage it has
  [[nodiscard]] bool empty() const { return cores.empty() && gpus.empty(); }
  bool operator==(const Resources& other) const {
    return cores == other.cores && gpus == other.gpus;
  }
};

Bits united(const Bits& a, const Bits& b) {
  Bits out;
  out.reserve(a.size() + b.size());
  std::ranges::set_union(a, b, std::back_inserter(out));
  return out;
}

Bits without(const Bits& a, const Bits& b) {
  Bits out;
  std::ranges::set_difference(a, b, std::back_inserter(out));
  return out;
}

Resources united(const Resources& a, const Resources& b) {
  return {united(a.cores, b.cores), united(a.gpus, b.gpus), a.domain};
}

Resources without(const Resources& a, const Resources& b) {
  return {without(a.cores, b.cores), without(a.gpus, b.gpus), a.domain};
}

struct IdLeaf {
  std::int64_t id;
  std::uint32_t offset;
  PoolId parent;
};

void sort_once(Bits& bits) {
  std::ranges::sort(bits);
  const auto rest = std::ranges::unique(bits);
  bits.erase(rest.begin(), rest.end());
}

class KindBuilder {
 public:
  KindBuilder(const ResourceGraph& graph, PoolId node, const LeafTypes& types)
      : graph_(graph), node_(node) {
    kind_.bit_at.assign(graph.end(node).v - node.v, 0);
    for (std::uint32_t v = node.v; v < graph.end(node).v; ++v) {
      const PoolId p{v};
      if (!graph.leaf(p) || p == node || graph.removed(p)) continue;
      const auto of = std::ranges::find(types, graph.type(p)) - types.begin();
      if (of == std::ssize(types)) {
        kind_.only_these = false;
      } else {
        ids_[static_cast<std::size_t>(of)].push_back({graph.id(p), v - node.v, graph.parent(p)});
      }
    }
    for (std::size_t k = 0; k < kLeafKinds; ++k) place(k);
  }

  Result<NodeKind> make(const Layout* layout, std::size_t& words_left) {
    words_left_ = words_left;
    kind_.layout = layout;
    const bool read_all = layout == nullptr || layout->domains.empty() || read(*layout);
    if (!read_all || !groups_of_node(layout)) {
      return fail(ErrorCode::limit,
                  fmt::format("the locality domains of {} and of other kinds of nodes come to more "
                              "than {} bits",
                              graph_.name(node_), NodeKind::kWordsMax));
    }
    words_left = words_left_;
    return std::move(kind_);
  }

 private:
  // Assigns bits to the leaves of a kind, by ascending id.
  void place(std::size_t k) {
    std::vector<IdLeaf>& ids = ids_[k];
    std::ranges::stable_sort(ids, {}, &IdLeaf::id);
    const auto count = static_cast<std::uint32_t>(ids.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool follows =
          i > 0 && ids[i].offset == ids[i - 1].offset + 1 && ids[i].parent == ids[i - 1].parent;
      kind_.leaves[k].push_back({ids[i].offset, follows});
      kind_.bit_at[ids[i].offset] = kind_.first_word[k] * 64 + i + 1;
    }
    kind_.first_word[k + 1] = kind_.first_word[k] + (count + 63) / 64;
  }

  [[nodiscard]] bool spend(std::size_t words) {
    if (words > words_left_) return false;
    words_left_ -= words;
    return true;
  }

  // Adds the bits of the ids that the node has. `leaves` ascend by id.
  bool add_bits(const IdRanges& ids, const std::vector<IdLeaf>& leaves, Bits& out) {
    for (const auto& [first, last] : ids) {
      for (auto at = std::ranges::lower_bound(leaves, first, {}, &IdLeaf::id);
           at != leaves.end() && at->id <= last; ++at) {
        out.push_back(static_cast<std::uint32_t>(at - leaves.begin()));
        if (!spend(1)) return false;
      }
    }
    return true;
  }

  // Reads the resources of the domains: their own, those of the domains inside, and both.
  bool read(const Layout& layout) {
    const std::size_t n = layout.domains.size();
    if (!spend(n)) return false;
    own_.resize(n);
    inside_.resize(n);
    all_.resize(n);
    ends_.resize(n);
    if (!read_stocks(layout)) return false;
    for (std::size_t d = n; d-- > 0;) {
      const Domain& domain = layout.domains[d];
      own_[d].domain = static_cast<std::uint32_t>(d);
      if (!add_bits(domain.cores, ids_[kCore], own_[d].cores)) return false;
      if (!add_bits(domain.gpus, ids_[kGpu], own_[d].gpus)) return false;
      sort_once(inside_[d].cores);
      sort_once(inside_[d].gpus);
      all_[d] = united(own_[d], inside_[d]);
      ends_[d] = std::max(ends_[d], static_cast<std::uint32_t>(d + 1));
      if (d == 0) break;
      Resources& up = inside_[domain.parent];
      up.cores.insert(up.cores.end(), all_[d].cores.begin(), all_[d].cores.end());
      up.gpus.insert(up.gpus.end(), all_[d].gpus.begin(), all_[d].gpus.end());
      ends_[domain.parent] = std::max(ends_[domain.parent], ends_[d]);
      if (!spend(all_[d].cores.size() + all_[d].gpus.size())) return false;
    }
    return true;
  }

  // Reads the memory and storage of the domains, their own and those of the domains inside; and
  // from which domain each comes.
  bool read_stocks(const Layout& layout) {
    for (std::size_t k = kMemory; k <= kStorage; ++k) {
      std::vector<Bits>& stocks = stocks_[k];
      stocks.resize(layout.domains.size());
      stock_from_[k].resize(layout.domains.size());
      if (ids_[k].empty()) continue;
      for (std::size_t d = layout.domains.size(); d-- > 0;) {
        const Domain& domain = layout.domains[d];
        const IdRanges& ids = k == kMemory ? domain.memory : domain.storage;
        if (!add_bits(ids, ids_[k], stocks[d])) return false;
        sort_once(stocks[d]);
        if (d == 0) break;
        Bits& up = stocks[domain.parent];
        up.insert(up.end(), stocks[d].begin(), stocks[d].end());
        if (!spend(stocks[d].size())) return false;
      }
      for (std::uint32_t d = 1; d < layout.domains.size(); ++d) {
        const std::uint32_t parent = layout.domains[d].parent;
        stock_from_[k][d] = stocks[d].empty() ? stock_from_[k][parent] : d;
      }
    }
    return true;
  }

  using Levels = std::vector<std::vector<Resources>>;

  // RFC 49 does not define how domains become levels. As in flux-core's TreePool, the finest
  // domains of all branches form one level, and so on up. Domains are processed from the last to
  // the first, so that those inside come before the outer one; each passes its levels to its
  // parent.
  Levels levels_of(const Layout& layout) {
    const std::size_t n = layout.domains.size();
    std::vector<Levels> inside(n);  // of the domains in each, collected backwards
    for (std::size_t d = n; d-- > 0;) {
      Levels levels = std::move(inside[d]);
      for (auto& level : levels) std::ranges::reverse(level);
      const Resources rest = without(own_[d], inside_[d]);
      if (!levels.empty() && !rest.empty()) levels[0].push_back(rest);
      const bool same = !levels.empty() && levels.back().size() == 1 && levels.back()[0] == all_[d];
      if (same) levels.back()[0].domain = all_[d].domain;
      if (!all_[d].empty() && !same) levels.push_back({all_[d]});
      if (d == 0) return levels;
      Levels& up = inside[layout.domains[d].parent];
      if (up.size() < levels.size()) up.resize(levels.size());
      for (std::size_t k = 0; k < levels.size(); ++k) {
        for (auto group = levels[k].rbegin(); group != levels[k].rend(); ++group) {
          up[k].push_back(std::move(*group));
        }
      }
    }
    return {};
  }

  bool groups_of_node(const Layout* layout) {
    Resources whole;
    for (std::uint32_t i = 0; i < kind_.size(kCore); ++i) whole.cores.push_back(i);
    for (std::uint32_t i = 0; i < kind_.size(kGpu); ++i) whole.gpus.push_back(i);
    if (whole.empty()) return true;
    Levels levels;
    if (!all_.empty()) levels = levels_of(*layout);
    if (levels.empty()) levels.push_back({whole});
    const Resources rest = all_.empty() ? Resources{} : without(whole, all_[0]);
    if (!rest.empty()) levels[0].push_back(rest);
    if (levels.back().size() != 1 || levels.back()[0] != whole) levels.push_back({whole});
    levels.back()[0].domain = 0;
    for (auto& level : levels) {
      const auto first = static_cast<std::uint32_t>(kind_.groups.size());
      for (std::size_t g = 0; g < level.size(); ++g) {
        // Domains with the same resources (memory of two kinds) are one group.
        if (g > 0 && level[g] == level[g - 1]) continue;
        std::size_t last = g;
        while (last + 1 < level.size() && level[last + 1] == level[g]) ++last;
        if (!add_group(std::span(level).subspan(g, last - g + 1))) return false;
      }
      kind_.levels.push_back({first, static_cast<std::uint32_t>(kind_.groups.size()) - first});
    }
    if (all_.empty()) return true;
    std::vector<std::uint32_t> number(all_.size() + 1, 0);  // domains kept before
    for (std::size_t d = 1; d < all_.size(); ++d) {
      number[d + 1] = number[d] + (all_[d].empty() ? 0 : 1);
    }
    for (std::size_t d = 1; d < all_.size(); ++d) {
      if (all_[d].empty()) continue;  // it has only memory
      const auto group = static_cast<std::uint32_t>(kind_.groups.size());
      if (!add_group({&all_[d], 1})) return false;
      kind_.domains.push_back(
          {.name = layout->domains[d].name, .end = number[ends_[d]], .group = group});
    }
    return true;
  }

  // Adds a group for domains with the same cores and GPUs.
  bool add_group(std::span<const Resources> equals) {
    AffinityGroup group;
    if (!add_part(equals[0].cores, group.parts[kCore]) ||
        !add_part(equals[0].gpus, group.parts[kGpu])) {
      return false;
    }
    for (std::size_t k = kMemory; k <= kStorage && !stocks_[k].empty(); ++k) {
      Bits bits;
      group.borrowed[k] = true;
      for (const Resources& resources : equals) {
        const std::uint32_t from = stock_from_[k][resources.domain];
        bits = united(bits, stocks_[k][from]);
        if (from == resources.domain) group.borrowed[k] = false;
      }
      if (!add_part(bits, group.parts[k])) return false;
    }
    kind_.groups.push_back(group);
    return true;
  }

  bool add_part(const Bits& bits, MaskPart& part) {
    if (bits.empty()) return true;
    part.first = bits.front() / 64;
    part.count = bits.back() / 64 - part.first + 1;
    part.at = kind_.words.size();
    part.bits = static_cast<std::uint32_t>(bits.size());
    if (!spend(part.count)) return false;
    kind_.words.resize(part.at + part.count, 0);
    for (std::uint32_t b : bits) {
      kind_.words[part.at + b / 64 - part.first] |= Word{1} << (b % 64);
    }
    return true;
  }

  const ResourceGraph& graph_;
  PoolId node_;
  NodeKind kind_;
  std::array<std::vector<IdLeaf>, kLeafKinds> ids_;
  std::array<std::vector<Bits>, kLeafKinds> stocks_;  // by domain of the layout
  // by domain: the domain that they belong to
  std::array<std::vector<std::uint32_t>, kLeafKinds> stock_from_;
  std::vector<Resources> own_, inside_, all_;  // by domain of the layout
  std::vector<std::uint32_t> ends_;
  std::size_t words_left_ = 0;
};

}  // namespace

void NodeKind::fill(Word* mask) const {
  for (std::size_t k = 0; k < kLeafKinds; ++k) {
    Word* out = mask + first_word[k];
    for (std::size_t bits = leaves[k].size(); bits > 0; bits -= std::min<std::size_t>(bits, 64)) {
      *out++ = bits >= 64 ? ~Word{0} : (Word{1} << bits) - 1;
    }
  }
}

std::uint32_t NodeKind::count(LeafKind of, const Word* mask) const {
  std::uint32_t bits = 0;
  for (std::uint32_t w = first_word[of]; w < first_word[of + 1]; ++w) {
    bits += static_cast<std::uint32_t>(std::popcount(mask[w]));
  }
  return bits;
}

bool NodeKind::has_all(const Word* mask) const {
  for (std::size_t k = 0; k < kLeafKinds; ++k) {
    if (count(LeafKind{k}, mask) != leaves[k].size()) return false;
  }
  return true;
}

Result<NodeKind> make_kind(const ResourceGraph& graph, PoolId node, const LeafTypes& types,
                           const Layout* layout, std::size_t& words_left) {
  return KindBuilder(graph, node, types).make(layout, words_left);
}

}  // namespace copse
