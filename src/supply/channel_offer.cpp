// SPDX-License-Identifier: Apache-2.0
#include "supply/channel_offer.hpp"

#include <algorithm>
#include <tuple>

namespace copse {

namespace {
// Sizes of several capacities may exceed any number.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? INT64_MAX : out;
}
}  // namespace

void ChannelOffer::begin(std::int64_t start, std::int64_t end, bool empty) {
  start_ = start;
  end_ = end;
  empty_ = empty;
  crowded_ = false;
  log_.clear();
  refused_.clear();
  refusal_ = {};
  if (++stamp_ == 0) {  // stamps began again: nothing is known
    amounts_.clear();
    stamp_ = 1;
  }
}

void ChannelOffer::again() {
  undo_to(0);
  crowded_ = false;
}

ChannelOffer::Amount& ChannelOffer::amount(std::uint32_t number) {
  if (number >= amounts_.size()) amounts_.resize(channels_.capacity_count());
  Amount& out = amounts_[number];
  if (out.stamp == stamp_) return out;
  const PoolId pool = channels_.capacity(number);
  out.stamp = stamp_;
  out.usable = empty_ || state_.usable(pool);
  const std::int64_t drawn = empty_ ? 0 : channels_.most_drawn(pool, start_, end_);
  out.free = out.usable ? std::max<std::int64_t>(graph_.size(pool) - drawn, 0) : 0;
  out.left = out.free;
  return out;
}

ChannelOffer::Sums ChannelOffer::sums(const Channels::Stop& stop) {
  Sums out;
  for (const std::uint32_t number : channels_.capacities(stop)) {
    const Amount& one = amount(number);
    out.free = sum(out.free, one.free);
    out.left = sum(out.left, one.left);
    out.size = sum(out.size, graph_.size(channels_.capacity(number)));
    out.down = out.down || !one.usable;
  }
  return out;
}

void ChannelOffer::note(const Refusal& refusal) {
  if (refusal_.cause == Cause::none || refusal.depth < refusal_.depth) refusal_ = refusal;
}

// Whether the whole way has what is left to have.
bool ChannelOffer::serves(PoolId p, std::uint32_t level, const ChannelNeed& need) {
  Refusal why{.channel = need.channel, .level = level, .by = p, .wanted = need.amount};
  std::uint32_t number = channels_.way(p, need.channel);
  if (number == Channels::kNone || !channels_.stop(number).supplies) {
    why.cause = Cause::no_capacity;
    why.depth = UINT32_MAX - 1;
    note(why);
    return false;
  }
  for (; number != Channels::kNone; number = channels_.stop(number).up) {
    const Channels::Stop stop = channels_.stop(number);
    why.depth = stop.depth;
    why.pool = stop.at;
    if (!empty_ && !state_.usable(stop.at)) {
      why.cause = Cause::down;
      note(why);
      return false;
    }
    if (stop.count == 0) continue;
    const Sums all = sums(stop);
    if (all.left >= need.amount) continue;
    why.cause = all.down && stop.count == 1 ? Cause::down : Cause::too_little;
    why.pool = channels_.capacity(channels_.capacities(stop)[0]);
    why.more = stop.count - 1;
    why.free = all.free;
    why.size = all.size;
    why.wanted = sum(all.free - all.left, need.amount);
    note(why);
    crowded_ = crowded_ || all.free >= need.amount;
    return false;
  }
  return true;
}

bool ChannelOffer::eligible(PoolId p, std::uint32_t level, Needs needs) {
  if (!refused_.empty() && refused_.contains(key(p, level))) return false;
  return std::all_of(needs.begin(), needs.end(),
                     [&](const ChannelNeed& need) { return serves(p, level, need); });
}

bool ChannelOffer::take(PoolId p, std::uint32_t level, Needs needs) {
  if (!refused_.empty() && refused_.contains(key(p, level))) return false;
  const std::size_t before = mark();
  for (const ChannelNeed& need : needs) {
    if (!serves(p, level, need)) {
      undo_to(before);
      return false;
    }
    for (std::uint32_t number = channels_.way(p, need.channel); number != Channels::kNone;
         number = channels_.stop(number).up) {
      std::int64_t wanted = need.amount;
      const Channels::Stop& stop = channels_.stop(number);
      for (const std::uint32_t capacity : channels_.capacities(stop)) {
        Amount& one = amount(capacity);
        const std::int64_t part = std::min(wanted, one.left);
        if (part == 0) continue;
        one.left -= part;
        wanted -= part;
        log_.push_back({capacity, number, need.channel, part});
      }
    }
  }
  return true;
}

void ChannelOffer::undo_to(std::size_t mark) {
  while (log_.size() > mark) {
    amounts_[log_.back().capacity].left += log_.back().amount;
    log_.pop_back();
  }
}

bool ChannelOffer::lacks(const ChannelNeed& all) {
  const std::uint32_t number = channels_.root_stop(all.channel);
  if (number == Channels::kNone || channels_.stop(number).count == 0) return false;
  const Channels::Stop stop = channels_.stop(number);
  const Sums have = sums(stop);
  if (have.free >= all.amount) return false;
  note({.cause = have.down && stop.count == 1 ? Cause::down : Cause::too_little,
        .channel = all.channel,
        .level = UINT32_MAX,
        .depth = 0,
        .pool = channels_.capacity(channels_.capacities(stop)[0]),
        .more = stop.count - 1,
        .free = have.free,
        .size = have.size,
        .wanted = all.amount});
  return true;
}

void ChannelOffer::charges(std::vector<ChannelCharge>& out) const {
  std::vector<Took> all = log_;
  auto order = [&](const Took& t) {
    return std::tuple(channels_.channel(t.channel).subsystem.v, channels_.stop(t.stop).depth,
                      channels_.capacity(t.capacity).v);
  };
  std::sort(all.begin(), all.end(),
            [&](const Took& a, const Took& b) { return order(a) < order(b); });
  for (const Took& t : all) {
    const PoolId pool = channels_.capacity(t.capacity);
    const SubsystemId s = channels_.channel(t.channel).subsystem;
    if (!out.empty() && out.back().pool == pool && out.back().subsystem == s) {
      out.back().amount += t.amount;
    } else {
      out.push_back({pool, s, t.amount});
    }
  }
}

}  // namespace copse
