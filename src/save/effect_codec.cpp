// SPDX-License-Identifier: Apache-2.0
#include "save/effect_codec.hpp"

#include <xxhash.h>

#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace copse {

namespace {

constexpr std::string_view kMagic = "COPSEFFX";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeadBytes = 16, kSumBytes = 4;
constexpr std::uint64_t kState = 0;

std::uint32_t sum_of(std::string_view content, std::uint64_t place) {
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(content.data(), content.size(), place));
}

// One description for both directions: `io` is a FieldWriter or a FieldReader, which have the same
// functions.
class FieldWriter {
 public:
  explicit FieldWriter(ByteWriter& out) : out_(out) {}
  template <class T>
  void number(const T& value) {
    out_.number(static_cast<std::uint64_t>(value));
  }
  void integer(const std::int64_t& value) { out_.integer(value); }
  void text(const std::string& value) { out_.text(value); }
  template <class List, class Each>
  void list(const List& list, std::size_t /*bytes_each*/, Each each) {
    out_.number(list.size());
    for (const auto& entry : list) each(entry);
  }
  void map(const std::map<std::string, std::string>& values) {
    out_.number(values.size());
    for (const auto& [key, value] : values) {
      out_.text(key);
      out_.text(value);
    }
  }
  // The entries of a grant: pools as differences, flags and count in one number.
  void taken(const std::vector<EffectGrant::SelectedPools>& taken) {
    out_.number(taken.size());
    UniqId before = 0;
    for (const EffectGrant::SelectedPools& t : taken) {
      out_.integer(static_cast<std::int64_t>(static_cast<std::uint64_t>(t.first) -
                                             static_cast<std::uint64_t>(before)));
      before = t.first;
      const unsigned flags = (t.exclusive ? 1U : 0U) | (t.whole ? 2U : 0U) | (t.hidden ? 4U : 0U);
      out_.number(std::uint64_t{t.count - 1} << 3 | flags);
    }
  }

 private:
  ByteWriter& out_;
};

class FieldReader {
 public:
  explicit FieldReader(ByteReader& in) : in_(in) {}
  template <class T>
  void number(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = in_.flag();
    } else if constexpr (std::is_same_v<T, Status>) {
      value = in_.below<Status>(static_cast<unsigned>(Status::unknown));
    } else {
      value = in_.below<T>(static_cast<std::uint64_t>(std::numeric_limits<T>::max()));
    }
  }
  void integer(std::int64_t& value) { value = in_.integer(); }
  void text(std::string& value) { value = in_.text(); }
  template <class List, class Each>
  void list(List& list, std::size_t bytes_each, Each each) {
    list.resize(in_.count(bytes_each));
    for (auto& entry : list) each(entry);
  }
  void map(std::map<std::string, std::string>& values) {
    for (std::size_t left = in_.count(2); left > 0; --left) {
      std::string key(in_.text());
      values.insert_or_assign(std::move(key), std::string(in_.text()));
    }
  }
  void taken(std::vector<EffectGrant::SelectedPools>& taken) {
    taken.resize(in_.count(2));
    std::uint64_t before = 0;
    for (EffectGrant::SelectedPools& t : taken) {
      before += static_cast<std::uint64_t>(in_.integer());
      t.first = static_cast<UniqId>(before);
      const auto packed = in_.below<std::uint64_t>((std::uint64_t{UINT32_MAX} << 3) - 1);
      t.count = static_cast<std::uint32_t>(packed >> 3) + 1;
      t.exclusive = (packed & 1) != 0;
      t.whole = (packed & 2) != 0;
      t.hidden = (packed & 4) != 0;
    }
  }

 private:
  ByteReader& in_;
};

// Members in the order in which they are written: texts, maps, signed numbers of 64 bits, others.
void members(auto& io, auto&... values) {
  const auto one = [&](auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>) {
      io.text(value);
    } else if constexpr (std::is_same_v<Value, std::int64_t>) {
      io.integer(value);
    } else if constexpr (std::is_class_v<Value>) {
      io.map(value);
    } else {
      static_assert(std::is_unsigned_v<Value> || std::is_enum_v<Value>);
      io.number(value);
    }
  };
  (one(values), ...);
}

void charges(auto& io, auto& d) {
  io.list(d.needs, 3, [&](auto& need) { members(io, need.resource, need.count, need.kinds); });
  io.list(d.layers, 2, [&](auto& charge) { members(io, charge.layer, charge.amount); });
  io.list(d.pools, 3, [&](auto& pool) { members(io, pool.pool, pool.channel, pool.amount); });
  io.list(d.capacities, 3,
          [&](auto& capacity) { members(io, capacity.pool, capacity.subsystem, capacity.amount); });
}

void grant(auto& io, auto& g) {
  members(io, g.job, g.start, g.end, g.nslots);
  io.taken(g.taken);
  io.list(g.moved, 2, [&](auto& way) { members(io, way.first, way.second); });
  charges(io, g.charges);
}

void new_charges(auto& io, auto& jobs) {
  io.list(jobs, 5, [&](auto& entry) {
    members(io, entry.first);
    charges(io, entry.second);
  });
}

void place(auto& io, auto& p) { members(io, p.file, p.line, p.column); }

void values(auto& io, auto& list) {
  io.list(list, 2, [&](auto& entry) { members(io, entry.first, entry.second); });
}

void layer(auto& io, auto& l) {
  io.list(l.nodes, 4, [&](auto& nodes) {
    members(io, nodes.first);
    place(io, nodes.second);
  });
  members(io, l.count);
  values(io, l.bases);
  place(io, l.place);
  place(io, l.count_place);
}

void resource(auto& io, auto& r) {
  members(io, r.name);
  std::int64_t mode = r.mode;
  io.integer(mode);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(r)>>) {
    r.mode = mode >= 1 && mode <= 3 ? static_cast<int>(mode) : 1;
  }
  members(io, r.topology);
  values(io, r.variables);
  io.list(r.of_properties, 3,
          [&](auto& variable) { members(io, variable.name, variable.property, variable.value); });
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
    members(io, e.matched);
  } else if constexpr (Of<Cancelled, E>) {
    members(io, e.job);
  } else if constexpr (Of<Advanced, E>) {
    members(io, e.now);
  } else if constexpr (Of<Explored, E>) {
    io.taken(e.taken);
  } else if constexpr (Of<StatusSet, E>) {
    members(io, e.pool, e.status);
  } else if constexpr (Of<PropertySet, E> || Of<TagSet, E>) {
    members(io, e.pool, e.key, e.value);
  } else if constexpr (Of<Attached, E>) {
    io.list(e.types, 1, [&](auto& type) { members(io, type); });
    io.list(e.subtrees, 2, [&](auto& subtree) {
      members(io, subtree.parent);
      io.list(subtree.pools, 11, [&](auto& p) {
        members(io, p.parent, p.type, p.basename, p.unit, p.name, p.size, p.id);
        std::int64_t rank = p.rank;
        io.integer(rank);
        if constexpr (!std::is_const_v<E>) {
          p.rank = rank == static_cast<std::int32_t>(rank) ? static_cast<std::int32_t>(rank) : -1;
        }
        members(io, p.uniq_id, p.down, p.properties);
      });
    });
    members(io, e.rebuilt);
  } else if constexpr (Of<Removed, E>) {
    io.list(e.tops, 1, [&](auto& top) { members(io, top); });
    io.list(e.left, 10, [&](auto& left) { grant(io, left); });
    members(io, e.rebuilt);
  } else if constexpr (Of<ResourcesAdded, E>) {
    io.list(e.spec.resources, 8, [&](auto& r) { resource(io, r); });
    new_charges(io, e.new_charges);
  } else if constexpr (Of<LayerRemoved, E>) {
    members(io, e.resource, e.nodes);
    new_charges(io, e.new_charges);
  } else if constexpr (Of<LayerNodesSet, E>) {
    members(io, e.resource, e.nodes, e.to);
    new_charges(io, e.new_charges);
  } else if constexpr (Of<LayerCountSet, E>) {
    members(io, e.resource, e.nodes, e.count);
  } else if constexpr (Of<LayerReserved, E>) {
    members(io, e.reservation.id, e.reservation.resource, e.reservation.nodes, e.reservation.count,
            e.reservation.start, e.reservation.end);
    io.list(e.reservation.jobs, 1, [&](auto& job) { members(io, job); });
  } else if constexpr (Of<LayerFreed, E>) {
    members(io, e.id);
  } else if constexpr (Of<PropertyRemoved, E>) {
    members(io, e.pool, e.key);
  } else {
    static_assert(Of<Compacted, E>);
  }
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
