// SPDX-License-Identifier: Apache-2.0
#include "hres/layer_times.hpp"

#include <algorithm>
#include <set>

namespace copse {

void LayerTimes::add(std::int64_t start, std::int64_t end, std::int64_t amount, int sign) {
  const std::int64_t amounts[1] = {amount};
  if (sign > 0) {
    taken_.add(start, end, amounts);
  } else {
    taken_.remove(start, end, amounts);
  }
}

// The withheld amount is lowered before a charge is added, and raised after one is removed, so that
// sums stay below 2^63.
void LayerTimes::charge(Job job, const Charge& charge, int sign) {
  if (sign < 0) add(charge.start, charge.end, charge.amount, -1);
  if (named(job)) {
    if (sign > 0) {
      reservations_->charged.emplace(job, charge);
    } else {
      reservations_->charged.erase(job);
    }
    (void)recompute_withheld();
  }
  if (sign > 0) add(charge.start, charge.end, charge.amount, 1);
}

// Recomputes the amount that each reservation withholds. A reservation without charged jobs
// withholds its count. With `total`, the newest one is new: returns false if it does not fit; it
// then withholds too little. It also does not fit if its jobs have taken all of it, and charges
// exceed the total.
bool LayerTimes::recompute_withheld(const std::int64_t* total) {
  std::vector<Entry*> again, shared;
  for (Entry& entry : reservations_->entries) {
    const Reservation& r = entry.reservation;
    const bool taken_of = std::any_of(r.jobs.begin(), r.jobs.end(), [&](Job job) {
      return reservations_->charged.contains(job);
    });
    const bool whole = entry.held.size() == 1 && entry.held[0].amount == r.count &&
                       entry.held[0].start == r.start && entry.held[0].end == r.end;
    if (!taken_of && whole) continue;
    for (const Withheld& h : entry.held) add(h.start, h.end, h.amount, -1);
    entry.held.clear();
    again.push_back(&entry);
    if (taken_of) {
      shared.push_back(&entry);
    } else {
      entry.held.push_back({r.start, r.end, r.count});
    }
  }
  distribute(shared);
  for (Entry* entry : again) {
    const bool asked = total != nullptr && entry == &reservations_->entries.back();
    const Reservation& r = entry->reservation;
    if (asked && taken_.max_used(0, r.start, r.end) > *total) {
      entry->held.clear();
      return false;
    }
    for (std::size_t i = 0; i < entry->held.size(); ++i) {
      const Withheld h = entry->held[i];
      // Checked before it is added, so that sums stay below 2^63.
      if (asked && taken_.max_used(0, h.start, h.end) > *total - h.amount) {
        entry->held.resize(i);
        return false;
      }
      add(h.start, h.end, h.amount, 1);
    }
  }
  return true;
}

// Between any two changes, the charges of jobs count in the oldest reservation first.
void LayerTimes::distribute(const std::vector<Entry*>& shared) {
  std::set<std::int64_t> edges;
  for (const Entry* entry : shared) {
    edges.insert({entry->reservation.start, entry->reservation.end});
    for (Job job : entry->reservation.jobs) {
      const auto at = reservations_->charged.find(job);
      if (at != reservations_->charged.end()) edges.insert({at->second.start, at->second.end});
    }
  }
  std::map<Job, std::int64_t> left;
  for (auto edge = edges.begin(); edge != edges.end() && std::next(edge) != edges.end(); ++edge) {
    const std::int64_t start = *edge, end = *std::next(edge);
    left.clear();
    for (const auto& [job, charge] : reservations_->charged) {
      if (charge.start <= start && start < charge.end) left.emplace(job, charge.amount);
    }
    for (Entry* entry : shared) {
      const Reservation& r = entry->reservation;
      if (start < r.start || start >= r.end) continue;
      std::int64_t kept = r.count;
      for (Job job : r.jobs) {
        const auto at = left.find(job);
        if (at == left.end()) continue;
        const std::int64_t taken = std::min(kept, at->second);
        kept -= taken;
        at->second -= taken;
      }
      if (kept == 0) continue;
      std::vector<Withheld>& held = entry->held;
      if (!held.empty() && held.back().end == start && held.back().amount == kept) {
        held.back().end = end;
      } else {
        held.push_back({start, end, kept});
      }
    }
  }
}

bool LayerTimes::reserve(Reservation reservation, std::int64_t total, const ChargeOf& charge_of) {
  if (reservations_ == nullptr) reservations_ = std::make_unique<Reservations>();
  for (Job job : reservation.jobs) {
    if (++reservations_->named[job] > 1) continue;
    if (const auto charge = charge_of(job)) reservations_->charged.emplace(job, *charge);
  }
  reservations_->entries.push_back({std::move(reservation), {}});
  const bool fits = recompute_withheld(&total);
  if (!fits) erase(reservations_->entries.size() - 1);
  return fits;
}

void LayerTimes::restore(Reservation reservation) {
  if (reservations_ == nullptr) reservations_ = std::make_unique<Reservations>();
  for (Job job : reservation.jobs) ++reservations_->named[job];
  reservations_->entries.push_back({std::move(reservation), {}});
  (void)recompute_withheld();
}

void LayerTimes::erase(std::size_t number) {
  Entry& entry = reservations_->entries[number];
  for (const Withheld& h : entry.held) add(h.start, h.end, h.amount, -1);
  for (Job job : entry.reservation.jobs) {
    const auto at = reservations_->named.find(job);
    if (--at->second > 0) continue;
    reservations_->named.erase(at);
    reservations_->charged.erase(job);
  }
  reservations_->entries.erase(reservations_->entries.begin() +
                               static_cast<std::ptrdiff_t>(number));
  if (reservations_->entries.empty()) {
    reservations_.reset();
  } else {
    (void)recompute_withheld();
  }
}

std::optional<LayerTimes::Reservation> LayerTimes::free(std::string_view id) {
  if (reservations_ == nullptr) return {};
  for (std::size_t i = 0; i < reservations_->entries.size(); ++i) {
    if (reservations_->entries[i].reservation.id != id) continue;
    std::optional<Reservation> out(reservations_->entries[i].reservation);
    erase(i);
    return out;
  }
  return {};
}

void LayerTimes::drop_ended(std::int64_t now, std::vector<Reservation>& ended) {
  for (std::size_t i = 0; reservations_ != nullptr && i < reservations_->entries.size();) {
    const Reservation& r = reservations_->entries[i].reservation;
    if (r.end > now) {
      ++i;
      continue;
    }
    ended.push_back(r);
    erase(i);
  }
}

std::int64_t LayerTimes::most_taken(Job job, std::int64_t start, std::int64_t end) const {
  if (taken_.empty()) return 0;
  if (!named(job)) return taken_.max_used(0, start, end);
  std::set<std::int64_t> edges{start, end};
  auto own_at = [&](std::int64_t t) {
    std::int64_t own = 0;
    for (const Entry& entry : reservations_->entries) {
      const std::vector<Job>& jobs = entry.reservation.jobs;
      if (std::find(jobs.begin(), jobs.end(), job) == jobs.end()) continue;
      for (const Withheld& h : entry.held) own += h.start <= t && t < h.end ? h.amount : 0;
    }
    return own;
  };
  for (const Entry& entry : reservations_->entries) {
    for (const Withheld& h : entry.held) {
      if (h.start > start && h.start < end) edges.insert(h.start);
      if (h.end > start && h.end < end) edges.insert(h.end);
    }
  }
  std::int64_t most = 0;
  for (auto edge = edges.begin(); std::next(edge) != edges.end(); ++edge) {
    most = std::max(most, taken_.max_used(0, *edge, *std::next(edge)) - own_at(*edge));
  }
  return most;
}

std::optional<std::int64_t> LayerTimes::earliest(Job job, std::int64_t after, std::int64_t duration,
                                                 std::int64_t horizon, std::int64_t allowed) const {
  if (allowed < 0) return {};
  if (taken_.empty() || named(job)) return after;
  const std::int64_t end = after + std::min(duration, horizon - after);
  if (taken_.max_used(0, after, end) <= allowed) return after;
  const std::int64_t bounds[1] = {allowed};
  return taken_.earliest_fit(after, duration, horizon, bounds);
}

std::int64_t LayerTimes::held_at(std::int64_t t) const {
  std::int64_t held = 0;
  if (reservations_ == nullptr) return held;
  for (const Entry& entry : reservations_->entries) {
    for (const Withheld& h : entry.held) held += h.start <= t && t < h.end ? h.amount : 0;
  }
  return held;
}

std::int64_t LayerTimes::used_at(std::int64_t t) const {
  return taken_.empty() ? 0 : taken_.used_at(0, t) - held_at(t);
}

std::int64_t LayerTimes::reserved_at(std::int64_t t) const {
  std::int64_t sum = 0;
  if (reservations_ == nullptr) return sum;
  for (const Entry& entry : reservations_->entries) {
    const Reservation& r = entry.reservation;
    sum += r.start <= t && t < r.end ? r.count : 0;
  }
  return sum;
}

}  // namespace copse
