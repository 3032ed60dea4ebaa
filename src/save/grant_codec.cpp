// SPDX-License-Identifier: Apache-2.0
#include "save/grant_codec.hpp"

#include "save/column.hpp"

namespace copse {

namespace {

unsigned flags_of(const Taken& t) {
  return (t.exclusive ? 1U : 0U) | (t.whole ? 2U : 0U) | (t.unseen ? 4U : 0U);
}

PoolId read_pool(ByteReader& in) { return PoolId{in.below<std::uint32_t>(UINT32_MAX)}; }

void write_entries(ByteWriter& out, const NumberedGrants& grants) {
  ColumnWriter first(Runs::no), count, flags;
  for (const auto& [number, grant] : grants) {
    for (const Taken& t : grant.selection.taken) {
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
    for (Taken& t : grant.selection.taken) {
      t.first = PoolId{first.next_as<std::uint32_t>()};
      t.count = count.next_as<std::uint32_t>();
      const auto bits = flags.next_as<std::uint8_t>();
      t.exclusive = (bits & 1) != 0;
      t.whole = (bits & 2) != 0;
      t.unseen = (bits & 4) != 0;
      if (bits > 7) in.fail();
    }
  }
  if (left != 0 || !first.done() || !count.done() || !flags.done()) in.fail();
}

}  // namespace

void write_draw(ByteWriter& out, const Draw& draw) {
  out.number(draw.needs.size());
  for (const HresNeed& need : draw.needs) {
    out.number(need.resource);
    out.integer(need.count);
    out.number(need.kinds);
  }
  out.number(draw.charges.size());
  for (const LayerCharge& charge : draw.charges) {
    out.number(charge.layer);
    out.integer(charge.amount);
  }
  out.number(draw.drawn.size());
  for (const ChannelDraw& drawn : draw.drawn) {
    out.number(drawn.pool.v);
    out.number(drawn.channel);
    out.integer(drawn.amount);
  }
  out.number(draw.channels.size());
  for (const ChannelCharge& charge : draw.channels) {
    out.number(charge.pool.v);
    out.number(charge.subsystem.v);
    out.integer(charge.amount);
  }
}

Draw read_draw(ByteReader& in) {
  Draw out;
  out.needs.resize(in.count(3));
  for (HresNeed& need : out.needs) {
    need.resource = in.below<std::uint32_t>(UINT32_MAX);
    need.count = in.integer();
    need.kinds = in.below<std::uint32_t>(UINT32_MAX);
  }
  out.charges.resize(in.count(2));
  for (LayerCharge& charge : out.charges) {
    charge.layer = in.below<std::uint32_t>(UINT32_MAX);
    charge.amount = in.integer();
  }
  out.drawn.resize(in.count(3));
  for (ChannelDraw& drawn : out.drawn) {
    drawn.pool = read_pool(in);
    drawn.channel = in.below<std::uint32_t>(UINT32_MAX);
    drawn.amount = in.integer();
  }
  out.channels.resize(in.count(3));
  for (ChannelCharge& charge : out.channels) {
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
    const Draw& draw = grant.draw;
    const bool drawing = !draw.needs.empty() || !draw.drawn.empty() || !draw.channels.empty();
    if (!drawing && grant.selection.moved.empty()) continue;
    ++sparse_count;
    sparse.number(i - before);
    before = i;
    sparse.number(grant.selection.moved.size());
    for (const auto& [pool, parent] : grant.selection.moved) {
      sparse.number(pool.v);
      sparse.number(parent.v);
    }
    write_draw(sparse, draw);
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
    grant.draw = read_draw(in);
  }
  return out;
}

}  // namespace copse
