// SPDX-License-Identifier: Apache-2.0
//
// LayerTimes: the use of one layer over time: the charges of grants, and the amounts that
// reservations withhold for their jobs.
//
// At each moment of its window, a reservation withholds its count less the charges of the jobs that
// it names, at least 0. A charge counts first in the oldest reservation that names the job. For a
// job, an amount is free if neither charges nor reservations that do not name the job take it.
//
// Invariant: taken_ is the sum of all charges and of all withheld amounts.
//
// Cost: charge O(log spans), and O(r · j) for a job that is named in one of r reservations with j
// charged jobs; queries O(log spans), for a job that is named O(intervals of its reservations). 144
// bytes, and the spans of a planner.
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
  // The charge of a job to this layer, if it has a grant.
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

  // REQUIRES amount > 0 and that sums stay below 2^63. sign -1 removes an equal charge.
  void charge(Job job, const Charge& charge, int sign);

  // False, and nothing changed, if at some moment the sum of charges and withheld amounts would
  // exceed `total`.
  bool reserve(Reservation reservation, std::int64_t total, const ChargeOf& charge_of);
  // The same for an existing reservation, whether it fits or not. REQUIRES that nothing is charged
  // yet, and that sums stay below 2^63.
  void restore(Reservation reservation);
  // Calls visit(const Reservation&), the oldest first.
  template <class Visit>
  void for_each_reservation(Visit visit) const {
    if (reservations_ == nullptr) return;
    for (const Entry& entry : reservations_->entries) visit(entry.reservation);
  }
  std::optional<Reservation> free(std::string_view id);  // returns it; nullopt: there is none
  // Removes reservations that end by `now`, and appends them to `ended`.
  void drop_ended(std::int64_t now, std::vector<Reservation>& ended);

  // The largest amount that is taken at any time of [start, end), from the view of `job`: without
  // what is withheld for it. REQUIRES start < end.
  [[nodiscard]] std::int64_t most_taken(Job job, std::int64_t start, std::int64_t end) const;
  // The first step t of [after, horizon), or `after` itself, such that over [t, t + duration) at
  // most `allowed` is taken. For a job that is named in a reservation: `after`.
  [[nodiscard]] std::optional<std::int64_t> earliest(Job job, std::int64_t after,
                                                     std::int64_t duration, std::int64_t horizon,
                                                     std::int64_t allowed) const;

  [[nodiscard]] std::int64_t used_at(std::int64_t t) const;      // charges
  [[nodiscard]] std::int64_t held_at(std::int64_t t) const;      // withheld
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
    std::map<Job, std::size_t> named;  // number of reservations that name it
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
