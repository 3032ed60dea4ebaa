// SPDX-License-Identifier: Apache-2.0
#include "hres/availability/channel_availability.hpp"

#include <algorithm>
#include <tuple>

#include "base/saturating.hpp"

namespace copse {

void ChannelAvailability::begin(std::uint32_t first_account, std::int64_t start, std::int64_t end,
                                bool empty) {
  first_account_ = first_account;
  start_ = start;
  end_ = end;
  empty_ = empty;
  refused_.clear();
  refusal_ = {};
}

const ChargeLedger::Account& ChannelAvailability::account(std::uint32_t capacity) {
  return ledger_.account(first_account_ + capacity, [&]() -> std::int64_t {
    const PoolId pool = channels_.capacity(capacity);
    if (!usable(pool)) return 0;
    const std::int64_t charged = empty_ ? 0 : channels_.most_charged(pool, start_, end_);
    return std::max<std::int64_t>(graph_.size(pool) - charged, 0);
  });
}

ChannelAvailability::Sums ChannelAvailability::sums(const Channels::PathPool& path_pool) {
  Sums out;
  for (const std::uint32_t number : channels_.capacities(path_pool)) {
    const ChargeLedger::Account& one = account(number);
    out.free = saturating_sum(out.free, one.free);
    out.left = saturating_sum(out.left, one.left);
    out.size = saturating_sum(out.size, graph_.size(channels_.capacity(number)));
  }
  return out;
}

void ChannelAvailability::note(const Refusal& refusal) {
  if (refusal_.cause == Cause::none || refusal.depth < refusal_.depth) refusal_ = refusal;
}

void ChannelAvailability::note_too_little(const Channels::PathPool& path_pool, const Sums& have,
                                          Refusal why) {
  why.pool = channels_.capacity(channels_.capacities(path_pool)[0]);
  why.cause = path_pool.count == 1 && !usable(why.pool) ? Cause::down : Cause::too_little;
  why.more = path_pool.count - 1;
  why.free = have.free;
  why.size = have.size;
  note(why);
}

// Whether every capacity on the path has enough left.
bool ChannelAvailability::serves(PoolId p, std::uint32_t level, const ChannelNeed& need) {
  Refusal why{.channel = need.channel, .level = level, .by = p, .wanted = need.amount};
  std::uint32_t number = channels_.path_start(p, need.channel);
  if (number == Channels::kNone || !channels_.path_pool(number).has_capacity) {
    why.cause = Cause::no_capacity;
    why.depth = UINT32_MAX - 1;
    note(why);
    return false;
  }
  for (; number != Channels::kNone; number = channels_.path_pool(number).up) {
    const Channels::PathPool& path_pool = channels_.path_pool(number);
    why.depth = path_pool.depth;
    if (!usable(path_pool.at)) {
      why.pool = path_pool.at;
      why.cause = Cause::down;
      note(why);
      return false;
    }
    if (path_pool.count == 0) continue;
    const Sums all = sums(path_pool);
    if (all.left >= need.amount) continue;
    why.wanted = saturating_sum(all.free - all.left, need.amount);
    note_too_little(path_pool, all, why);
    if (all.free >= need.amount) ledger_.note_contention();
    return false;
  }
  return true;
}

bool ChannelAvailability::eligible(PoolId p, std::uint32_t level, Needs needs) {
  if (!refused_.empty() && refused_.contains(key(p, level))) return false;
  return std::all_of(needs.begin(), needs.end(),
                     [&](const ChannelNeed& need) { return serves(p, level, need); });
}

bool ChannelAvailability::take(PoolId p, std::uint32_t level, Needs needs) {
  if (!refused_.empty() && refused_.contains(key(p, level))) return false;
  const std::size_t before = ledger_.mark();
  for (const ChannelNeed& need : needs) {
    if (!serves(p, level, need)) {
      ledger_.undo_to(before);
      return false;
    }
    for (std::uint32_t number = channels_.path_start(p, need.channel); number != Channels::kNone;
         number = channels_.path_pool(number).up) {
      std::int64_t wanted = need.amount;
      for (const std::uint32_t capacity : channels_.capacities(channels_.path_pool(number))) {
        const std::int64_t part = std::min(wanted, account(capacity).left);
        if (part == 0) continue;
        ledger_.take(first_account_ + capacity, number, part);
        wanted -= part;
      }
    }
  }
  return true;
}

bool ChannelAvailability::lacks(const ChannelNeed& all) {
  const std::uint32_t number = channels_.root_of_paths(all.channel);
  if (number == Channels::kNone || channels_.path_pool(number).count == 0) return false;
  const Channels::PathPool& path_pool = channels_.path_pool(number);
  const Sums have = sums(path_pool);
  if (have.free >= all.amount) return false;
  note_too_little(path_pool, have,
                  {.channel = all.channel, .level = UINT32_MAX, .depth = 0, .wanted = all.amount});
  return true;
}

void ChannelAvailability::charges(std::vector<CapacityCharge>& out) const {
  struct Drawn {
    SubsystemId subsystem;
    std::uint32_t depth;
    PoolId pool;
    std::int64_t amount;
  };
  std::vector<Drawn> all;
  for (const ChargeLedger::Charge& c : ledger_.log()) {
    if (c.account < first_account_) continue;  // a layer
    const Channels::PathPool& path_pool = channels_.path_pool(c.by);
    all.push_back({channels_.channel(path_pool.channel).subsystem, path_pool.depth,
                   channels_.capacity(c.account - first_account_), c.amount});
  }
  std::ranges::sort(all, {},
                    [](const Drawn& t) { return std::tuple(t.subsystem.v, t.depth, t.pool.v); });
  for (const Drawn& t : all) {
    if (!out.empty() && out.back().pool == t.pool && out.back().subsystem == t.subsystem) {
      out.back().amount += t.amount;
    } else {
      out.push_back({t.pool, t.subsystem, t.amount});
    }
  }
}

}  // namespace copse
