// SPDX-License-Identifier: Apache-2.0
#include "save/grant_codec.hpp"

#include "save/fields.hpp"

namespace copse {

namespace {

unsigned flags_of(const SelectedPools& t) {
  return (t.exclusive ? 1U : 0U) | (t.whole ? 2U : 0U) | (t.hidden ? 4U : 0U);
}

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

void describe_sparse(auto& io, auto& grant) {
  io.list(grant.selection.moved, 2, [&](auto& moved) { io.parts(moved.first, moved.second); });
  auto& charges = grant.charges;
  io.list(charges.needs, 3, [&](auto& need) { io.parts(need.resource, need.count, need.kinds); });
  io.list(charges.layers, 2, [&](auto& charge) { io.parts(charge.layer, charge.amount); });
  io.list(charges.pools, 3,
          [&](auto& charge) { io.parts(charge.pool, charge.channel, charge.amount); });
  io.list(charges.capacities, 3,
          [&](auto& charge) { io.parts(charge.pool, charge.subsystem, charge.amount); });
}

}  // namespace

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
    FieldWriter io(sparse);
    describe_sparse(io, grant);
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
    FieldReader io(in);
    describe_sparse(io, out[at].second);
  }
  return out;
}

}  // namespace copse
