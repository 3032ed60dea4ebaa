// SPDX-License-Identifier: Apache-2.0
#include "save/effect_codec.hpp"

#include <xxhash.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "save/fields.hpp"

namespace copse {

namespace {

constexpr std::string_view kMagic = "COPSEFFX";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeadBytes = 16, kSumBytes = 4;
constexpr std::uint64_t kState = 0;

std::uint32_t sum_of(std::string_view content, std::uint64_t place) {
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(content.data(), content.size(), place));
}

// The pools of a grant: each as the difference from the one before; flags and count in one number.
using Taken = std::vector<EffectGrant::SelectedPools>;

void taken(FieldWriter& io, const Taken& pools) {
  ByteWriter& out = io.out();
  out.number(pools.size());
  UniqId before = 0;
  for (const EffectGrant::SelectedPools& t : pools) {
    out.integer(static_cast<std::int64_t>(static_cast<std::uint64_t>(t.first) -
                                          static_cast<std::uint64_t>(before)));
    before = t.first;
    const unsigned flags = (t.exclusive ? 1U : 0U) | (t.whole ? 2U : 0U) | (t.hidden ? 4U : 0U);
    out.number(std::uint64_t{t.count - 1} << 3 | flags);
  }
}
void taken(FieldReader& io, Taken& pools) {
  std::uint64_t before = 0;
  io.list(pools, 2, [&](EffectGrant::SelectedPools& t) {
    before += static_cast<std::uint64_t>(io.in().integer());
    t.first = static_cast<UniqId>(before);
    const auto packed = io.in().below<std::uint64_t>((std::uint64_t{UINT32_MAX} << 3) - 1);
    t.count = static_cast<std::uint32_t>(packed >> 3) + 1;
    t.exclusive = (packed & 1) != 0;
    t.whole = (packed & 2) != 0;
    t.hidden = (packed & 4) != 0;
  });
}

void charges(auto& io, auto& d) {
  io.list(d.needs, 3, [&](auto& need) { io.parts(need.resource, need.count, need.kinds); });
  io.list(d.layers, 2, [&](auto& charge) { io.parts(charge.layer, charge.amount); });
  io.list(d.pools, 3, [&](auto& pool) { io.parts(pool.pool, pool.channel, pool.amount); });
  io.list(d.capacities, 3,
          [&](auto& capacity) { io.parts(capacity.pool, capacity.subsystem, capacity.amount); });
}

void grant(auto& io, auto& g) {
  io.parts(g.job, g.start, g.end, g.nslots);
  taken(io, g.taken);
  io.list(g.moved, 2, [&](auto& way) { io.parts(way.first, way.second); });
  charges(io, g.charges);
}

void new_charges(auto& io, auto& jobs) {
  io.list(jobs, 5, [&](auto& entry) {
    io.parts(entry.first);
    charges(io, entry.second);
  });
}

void place(auto& io, auto& p) { io.parts(p.file, p.line, p.column); }

void values(auto& io, auto& list) {
  io.list(list, 2, [&](auto& entry) { io.parts(entry.first, entry.second); });
}

void layer(auto& io, auto& l) {
  io.list(l.nodes, 4, [&](auto& nodes) {
    io.parts(nodes.first);
    place(io, nodes.second);
  });
  io.parts(l.count);
  values(io, l.bases);
  place(io, l.place);
  place(io, l.count_place);
}

void resource(auto& io, auto& r) {
  io.parts(r.name);
  std::int64_t mode = r.mode;
  io.parts(mode);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(r)>>) {
    r.mode = mode >= 1 && mode <= 3 ? static_cast<int>(mode) : 1;
  }
  io.parts(r.topology);
  values(io, r.variables);
  io.list(r.of_properties, 3,
          [&](auto& variable) { io.parts(variable.name, variable.property, variable.value); });
  io.list(r.layers, 9, [&](auto& l) { layer(io, l); });
  place(io, r.place);
}

// --- The kinds. `auto& e` is const where it is put.
template <class Kind, class E>
concept Of = std::is_same_v<Kind, std::remove_const_t<E>>;

template <class E>
void fields(auto& io, E& e) {
  using namespace effect;
  if constexpr (Of<Granted, E>) {
    grant(io, e.grant);
  } else if constexpr (Of<Changed, E>) {
    grant(io, e.grant);
    io.parts(e.matched);
  } else if constexpr (Of<Cancelled, E>) {
    io.parts(e.job);
  } else if constexpr (Of<Advanced, E>) {
    io.parts(e.now);
  } else if constexpr (Of<Explored, E>) {
    taken(io, e.taken);
  } else if constexpr (Of<StatusSet, E>) {
    io.parts(e.pool, e.status);
  } else if constexpr (Of<PropertySet, E> || Of<TagSet, E>) {
    io.parts(e.pool, e.key, e.value);
  } else if constexpr (Of<Attached, E>) {
    io.list(e.types, 1, [&](auto& type) { io.parts(type); });
    io.list(e.subtrees, 2, [&](auto& subtree) {
      io.parts(subtree.parent);
      io.list(subtree.pools, 11, [&](auto& p) {
        io.parts(p.parent, p.type, p.basename, p.unit, p.name, p.size, p.id);
        std::int64_t rank = p.rank;
        io.parts(rank);
        if constexpr (!std::is_const_v<E>) {
          p.rank = rank == static_cast<std::int32_t>(rank) ? static_cast<std::int32_t>(rank) : -1;
        }
        io.parts(p.uniq_id, p.down, p.properties);
      });
    });
    io.parts(e.rebuilt);
  } else if constexpr (Of<Removed, E>) {
    io.list(e.tops, 1, [&](auto& top) { io.parts(top); });
    io.list(e.left, 10, [&](auto& left) { grant(io, left); });
    io.parts(e.rebuilt);
  } else if constexpr (Of<ResourcesAdded, E>) {
    io.list(e.spec.resources, 8, [&](auto& r) { resource(io, r); });
    new_charges(io, e.new_charges);
  } else if constexpr (Of<LayerRemoved, E>) {
    io.parts(e.resource, e.nodes);
    new_charges(io, e.new_charges);
  } else if constexpr (Of<LayerNodesSet, E>) {
    io.parts(e.resource, e.nodes, e.to);
    new_charges(io, e.new_charges);
  } else if constexpr (Of<LayerCountSet, E>) {
    io.parts(e.resource, e.nodes, e.count);
  } else if constexpr (Of<LayerReserved, E>) {
    io.parts(e.reservation.id, e.reservation.resource, e.reservation.nodes, e.reservation.count,
             e.reservation.start, e.reservation.end);
    io.list(e.reservation.jobs, 1, [&](auto& job) { io.parts(job); });
  } else if constexpr (Of<LayerFreed, E>) {
    io.parts(e.id);
  } else if constexpr (Of<PropertyRemoved, E>) {
    io.parts(e.pool, e.key);
  } else {
    static_assert(Of<Compacted, E>);
  }
}

// Units of divisible pools come last, by grant, if there are any: machines without divisible types
// write what earlier versions read.
template <class E>
auto grants_of(E& effect) {
  using namespace effect;
  std::vector<std::conditional_t<std::is_const_v<E>, const EffectGrant*, EffectGrant*>> out;
  std::visit(
      [&](auto& e) {
        if constexpr (requires { e.grant.amounts; }) out.push_back(&e.grant);
        if constexpr (requires { e.left.front().amounts; }) {
          for (auto& grant : e.left) out.push_back(&grant);
        }
      },
      effect);
  return out;
}

void amounts(auto& io, auto& effect) {
  for (auto* grant : grants_of(effect)) {
    io.list(grant->amounts, 2, [&](auto& of) { io.parts(of.first, of.second); });
  }
}

bool has_amounts(const Effect& effect) {
  return std::ranges::any_of(grants_of(effect),
                             [](const EffectGrant* grant) { return !grant->amounts.empty(); });
}

// An effect of the kind with this number.
template <std::size_t N = 0>
std::optional<Effect> made(std::uint64_t kind) {
  if constexpr (N == std::variant_size_v<Effect>) {
    return {};
  } else {
    return kind == N ? Effect(std::in_place_index<N>) : made<N + 1>(kind);
  }
}

std::uint32_t low_first(std::string_view bytes) {
  std::uint32_t out = 0;
  for (std::size_t i = 4; i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes[i]);
  return out;
}

void append_low_first(std::string& out, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift);
}

}  // namespace

void EffectWriter::append_head(std::string& out) {
  out += kMagic;
  append_low_first(out, kVersion);
  append_low_first(out, 0);
}

void EffectWriter::append_record(std::string_view content, std::string& out) {
  for (std::size_t size = content.size();; size >>= 7) {
    if (size < 0x80) {
      out += static_cast<char>(size);
      break;
    }
    out += static_cast<char>(size | 0x80);
  }
  out += content;
  append_low_first(out, sum_of(content, place_++));
}

void EffectWriter::append(const Effect& effect, std::string& out) {
  content_.clear();
  content_.number(1 + effect.index());
  FieldWriter put(content_);
  std::visit([&](const auto& e) { fields(put, e); }, effect);
  if (has_amounts(effect)) amounts(put, effect);
  append_record(content_.bytes(), out);
}

void EffectWriter::append_state(std::string_view save, std::string& out) {
  content_.clear();
  content_.number(kState);
  content_.append(save);
  append_record(content_.bytes(), out);
}

Result<EffectReader> EffectReader::open(std::string_view bytes) {
  if (bytes.size() < kHeadBytes || !bytes.starts_with(kMagic)) {
    return fail(ErrorCode::invalid, "this is not a stream of effects of Copse");
  }
  const std::uint32_t version = low_first(bytes.substr(8));
  if (version == 0 || version > kVersion || low_first(bytes.substr(12)) != 0) {
    return fail(
        ErrorCode::unsupported,
        fmt::format("the effects have version {}; this Copse reads up to {}", version, kVersion));
  }
  return EffectReader(bytes.substr(kHeadBytes));
}

Result<std::optional<EffectReader::Record>> EffectReader::next() {
  if (rest_.empty()) return std::nullopt;
  auto broken = [&](const char* how) {
    return fail(ErrorCode::invalid, fmt::format("record {} of the effects {}", place_, how));
  };
  ByteReader head(rest_);
  const std::uint64_t size = head.number();
  if (!head.ok() || head.left() < kSumBytes || size > head.left() - kSumBytes) {
    return broken("is truncated");
  }
  const std::string_view behind = rest_.substr(rest_.size() - head.left());
  const std::string_view content = behind.substr(0, size);
  if (sum_of(content, place_) != low_first(behind.substr(size))) {
    return broken("is damaged: its hash is another");
  }
  ByteReader in(content);
  const std::uint64_t kind = in.number();
  std::optional<Record> out;
  if (in.ok() && kind == kState) {
    out = State{content.substr(content.size() - in.left())};
  } else if (auto effect = made(kind - 1); in.ok() && effect) {
    FieldReader take(in);
    std::visit([&](auto& e) { fields(take, e); }, *effect);
    if (in.ok() && !in.at_end()) amounts(take, *effect);
    if (!in.ok() || !in.at_end()) return broken("is broken: a number or a count in it");
    out = std::move(*effect);
  } else {
    return broken("is of a kind that this Copse does not know");
  }
  rest_ = behind.substr(size + kSumBytes);
  ++place_;
  return out;
}

}  // namespace copse
