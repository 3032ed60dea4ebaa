// SPDX-License-Identifier: Apache-2.0
//
// LayerTimes: what of one layer is in use over time: the charges of grants, and what reservations
// hold back for their jobs.
//
// A reservation v holds back, at each moment of its window, its count less what the jobs it names
// are charged then, and at least 0; what a job takes counts in the oldest of the reservations that
// name it first. A job finds free what neither charges nor the reservations that do not name it
// have taken.
//
// Invariant: taken_ is the sum of all charges and of all that is held back.
//
// Cost: charge O(log spans), and O(r · j) for a job that is named in one of r reservations with j
// charged jobs; questions O(log spans), for a job that is named O(intervals of its reservations).
// 144 bytes, and a planner's spans.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "time/planner.hpp"

namespace copse {

class LayerTimes {
 public:
  using Job = std::uint64_t;
  struct Charge {  // of one job
    std::int64_t start, end, amount;
  };
  struct Reservation {
    std::string id;
    std::int64_t count, start, end;
    std::vector<Job> jobs;
  };
  // What a job is charged on this layer, if it has a grant.
  using ChargeOf = std::function<std::optional<Charge>(Job)>;

  LayerTimes() : taken_(1) {}
  LayerTimes(const LayerTimes& other)
      : taken_(other.taken_),
        reservations_(other.reservations_ == nullptr
                          ? nullptr
                          : std::make_unique<Reservations>(*other.reservations_)) {}
  LayerTimes(LayerTimes&&) = default;
  LayerTimes& operator=(const LayerTimes& other) { return *this = LayerTimes(other); }
  LayerTimes& operator=(LayerTimes&&) = default;
  ~LayerTimes() = default;

  // REQUIRES amount > 0 and that sums stay below 2^63. sign -1 takes back what was charged so.
  void charge(Job job, const Charge& charge, int sign);

  // False, and nothing changed, if at some moment charges and what is held back would come to more
  // than `total`.
  bool reserve(Reservation reservation, std::int64_t total, const ChargeOf& charge_of);
  // The same for one that was there before, whether it fits or not. REQUIRES that nothing is
  // charged yet, and that sums stay below 2^63.
  void restore(Reservation reservation);
  // Calls visit(const Reservation&), the oldest first.
  template <class Visit>
  void for_each_reservation(Visit visit) const {
    if (reservations_ == nullptr) return;
    for (const Entry& entry : reservations_->entries) visit(entry.reservation);
  }
  std::optional<Reservation> free(std::string_view id);  // which it was; none: there is none
  // Reservations that end by `now` go, and are appended.
  void drop_ended(std::int64_t now, std::vector<Reservation>& ended);

  // The most that is taken at any time of [start, end), as `job` finds it: without what is held
  // back for it. REQUIRES start < end.
  [[nodiscard]] std::int64_t most_taken(Job job, std::int64_t start, std::int64_t end) const;
  // The first step t of [after, horizon) such that over [t, t + duration) at most `allowed` is
  // taken, if not by `after` itself; for a job that is named, `after`.
  [[nodiscard]] std::optional<std::int64_t> earliest(Job job, std::int64_t after,
                                                     std::int64_t duration, std::int64_t horizon,
                                                     std::int64_t allowed) const;

  [[nodiscard]] std::int64_t used_at(std::int64_t t) const;      // charges
  [[nodiscard]] std::int64_t held_at(std::int64_t t) const;      // held back
  [[nodiscard]] std::int64_t reserved_at(std::int64_t t) const;  // the sum of reservations
  [[nodiscard]] bool idle() const { return taken_.empty(); }
  [[nodiscard]] bool reserved() const { return reservations_ != nullptr; }
  [[nodiscard]] const Planner& taken() const { return taken_; }

 private:
  struct Withheld {  // of one reservation, over an interval
    std::int64_t start, end, amount;
  };
  struct Entry {
    Reservation reservation;
    std::vector<Withheld> held;  // ascending, disjoint, amounts above 0
  };
  struct Reservations {
    std::vector<Entry> entries;        // the oldest first
    std::map<Job, Charge> charged;     // of the jobs that are named
    std::map<Job, std::size_t> named;  // in how many reservations
  };

  void add(std::int64_t start, std::int64_t end, std::int64_t amount, int sign);
  bool recompute_withheld(const std::int64_t* total = nullptr);
  void distribute(const std::vector<Entry*>& shared);
  void erase(std::size_t entry);
  [[nodiscard]] bool named(Job job) const {
    return reservations_ != nullptr && reservations_->named.contains(job);
  }

  Planner taken_;
  std::unique_ptr<Reservations> reservations_;  // none: nothing is reserved
};

}  // namespace copse
