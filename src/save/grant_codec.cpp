// SPDX-License-Identifier: Apache-2.0
#include "save/grant_codec.hpp"

#include "save/column.hpp"

namespace copse {

namespace {

unsigned flags_of(const SelectedPools& t) {
  return (t.exclusive ? 1U : 0U) | (t.whole ? 2U : 0U) | (t.hidden ? 4U : 0U);
}

PoolId read_pool(ByteReader& in) { return PoolId{in.below<std::uint32_t>(UINT32_MAX)}; }

void write_entries(ByteWriter& out, const NumberedGrants& grants) {
  ColumnWriter first(Runs::no), count, flags;
  for (const auto& [number, grant] : grants) {
    for (const SelectedPools& t : grant.selection.taken) {
      first.push(t.first.v);
      count.push(t.count);
      flags.push(flags_of(t));
    }
  }
  first.finish(out);
  count.finish(out);
  flags.finish(out);
}

// `sizes`: entries of each grant.
void read_entries(ByteReader& in, ColumnReader& sizes, NumberedGrants& grants) {
  ColumnReader first(in, in.left(), Runs::no);
  ColumnReader count(in, first.values()), flags(in, first.values());
  std::uint64_t left = first.values();
  for (auto& [number, grant] : grants) {
    const auto size = sizes.next_as<std::uint32_t>();
    if (size > left) return in.fail();
    left -= size;
    grant.selection.taken.resize(size);
    for (SelectedPools& t : grant.selection.taken) {
      t.first = PoolId{first.next_as<std::uint32_t>()};
      t.count = count.next_as<std::uint32_t>();
      const auto bits = flags.next_as<std::uint8_t>();
      t.exclusive = (bits & 1) != 0;
      t.whole = (bits & 2) != 0;
      t.hidden = (bits & 4) != 0;
      if (bits > 7) in.fail();
    }
  }
  if (left != 0 || !first.done() || !count.done() || !flags.done()) in.fail();
}

}  // namespace

void write_charges(ByteWriter& out, const GrantCharges& charges) {
  out.number(charges.needs.size());
  for (const HresNeed& need : charges.needs) {
    out.number(need.resource);
    out.integer(need.count);
    out.number(need.kinds);
  }
  out.number(charges.layers.size());
  for (const LayerCharge& charge : charges.layers) {
    out.number(charge.layer);
    out.integer(charge.amount);
  }
  out.number(charges.pools.size());
  for (const PoolCharge& charge : charges.pools) {
    out.number(charge.pool.v);
    out.number(charge.channel);
    out.integer(charge.amount);
  }
  out.number(charges.capacities.size());
  for (const CapacityCharge& charge : charges.capacities) {
    out.number(charge.pool.v);
    out.number(charge.subsystem.v);
    out.integer(charge.amount);
  }
}

GrantCharges read_charges(ByteReader& in) {
  GrantCharges out;
  out.needs.resize(in.count(3));
  for (HresNeed& need : out.needs) {
    need.resource = in.below<std::uint32_t>(UINT32_MAX);
    need.count = in.integer();
    need.kinds = in.below<std::uint32_t>(UINT32_MAX);
  }
  out.layers.resize(in.count(2));
  for (LayerCharge& charge : out.layers) {
    charge.layer = in.below<std::uint32_t>(UINT32_MAX);
    charge.amount = in.integer();
  }
  out.pools.resize(in.count(3));
  for (PoolCharge& charge : out.pools) {
    charge.pool = read_pool(in);
    charge.channel = in.below<std::uint32_t>(UINT32_MAX);
    charge.amount = in.integer();
  }
  out.capacities.resize(in.count(3));
  for (CapacityCharge& charge : out.capacities) {
    charge.pool = read_pool(in);
    charge.subsystem = SubsystemId{in.below<std::uint8_t>(UINT8_MAX)};
    charge.amount = in.integer();
  }
  return out;
}

void write_grants(ByteWriter& out, const NumberedGrants& grants) {
  ColumnWriter jobs(Runs::no), numbers, starts, ends, slots, entries;
  ByteWriter sparse;
  std::uint64_t sparse_count = 0, before = 0;
  for (std::uint64_t i = 0; i < grants.size(); ++i) {
    const auto& [number, grant] = grants[i];
    numbers.push(number);
    jobs.push(grant.job);
    starts.push(static_cast<std::uint64_t>(grant.start));
    ends.push(static_cast<std::uint64_t>(grant.end));
    slots.push(static_cast<std::uint64_t>(grant.nslots));
    entries.push(grant.selection.taken.size());
    const GrantCharges& charges = grant.charges;
    const bool has_charges =
        !charges.needs.empty() || !charges.pools.empty() || !charges.capacities.empty();
    if (!has_charges && grant.selection.moved.empty()) continue;
    ++sparse_count;
    sparse.number(i - before);
    before = i;
    sparse.number(grant.selection.moved.size());
    for (const auto& [pool, parent] : grant.selection.moved) {
      sparse.number(pool.v);
      sparse.number(parent.v);
    }
    write_charges(sparse, charges);
  }
  for (ColumnWriter* column : {&jobs, &numbers, &starts, &ends, &slots, &entries}) {
    column->finish(out);
  }
  write_entries(out, grants);
  out.number(sparse_count);
  out.append(sparse.bytes());
}

NumberedGrants read_grants(ByteReader& in) {
  NumberedGrants out;
  ColumnReader jobs(in, in.left(), Runs::no);
  const std::uint64_t count = jobs.values();
  ColumnReader numbers(in, count), starts(in, count), ends(in, count), slots(in, count),
      entries(in, count);
  if (!in.ok()) return out;
  out.resize(count);
  for (auto& [number, grant] : out) {
    number = numbers.next_as<std::uint32_t>();
    grant.job = jobs.next();
    grant.start = starts.next_as<std::int64_t>();
    grant.end = ends.next_as<std::int64_t>();
    grant.nslots = slots.next_as<std::int64_t>();
  }
  read_entries(in, entries, out);
  for (const ColumnReader* column : {&jobs, &numbers, &starts, &ends, &slots, &entries}) {
    if (column->values() != count || !column->done()) in.fail();
  }
  std::uint64_t at = 0;
  for (std::size_t left = in.count(6); left > 0 && in.ok(); --left) {
    at += in.number();
    if (at >= out.size()) in.fail();
    if (!in.ok()) break;
    Grant& grant = out[at].second;
    grant.selection.moved.resize(in.count(2));
    for (auto& [pool, parent] : grant.selection.moved) {
      pool = read_pool(in);
      parent = read_pool(in);
    }
    grant.charges = read_charges(in);
  }
  return out;
}

}  // namespace copse
