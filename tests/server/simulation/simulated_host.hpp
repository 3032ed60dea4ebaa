// SPDX-License-Identifier: Apache-2.0
//
// SimulatedHost: a service on a disk that fails, in one thread. It is ended in every way there is, and
// starts again from what the disk has.
//
// After each start
//   1. all durable records are there, and only records that a client requested;
//   2. jobs, clients and engine are as they were after the last record that is there;
//   3. no core is granted twice;
//   4. the next requests are answered as a service answers them that has the same state from memory.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "journal/crash_disk.hpp"
#include "journal/sqlite_store.hpp"
#include "server/fairness/fair_queue.hpp"
#include "server/http/events/event_log.hpp"
#include "server/http/routes.hpp"
#include "server/leases/lease_clock.hpp"
#include "server/service.hpp"

namespace copse::server {

// Clients take turns on a clock that only their work advances: each line has a cost.
class SimulatedHost : Journal {
 public:
  // Of a power loss, what was written and not synced may be gone, in part.
  enum class End : std::uint8_t { stopped, killed, power_lost };

  explicit SimulatedHost(std::uint64_t seed);

  [[nodiscard]] Service& service() { return *service_; }
  [[nodiscard]] HttpContext& http() { return *http_; }
  [[nodiscard]] journal::Sequence durable() const { return durable_; }
  // What waits goes to the disk. False: the disk refused it, and the process is to end.
  [[nodiscard]] bool commit();
  // From one of the next steps of the disk on, it fails.
  void break_disk();
  // Ends, perhaps in the middle of a commit, and starts again.
  void end(End how);
  // A turn of a pass; it may be a short one. Leases may expire.
  void work();
  // Clients work for one turn of kTurn_ns.
  void serve();
  [[nodiscard]] FairQueue& turns() { return turns_; }
  [[nodiscard]] std::int64_t clock_ns() const { return clock_ns_; }
  void spend(std::int64_t cost_ns) { clock_ns_ += cost_ns; }
  // A client has sent a renewal of this job's lease. It may be too late: the job has ended, or some
  // lease is over.
  void renewed(JobId job) {
    const JobRow* row = service_->jobs().table().find(job);
    const bool runs = row != nullptr && row->stage == JobStage::running;
    if (runs && !leases_.over()) renewed_[job] = leases_.time_ms();
  }
  void forget_renewals() { renewed_.clear(); }
  void fail(std::string what);
  // The first thing that was wrong; "": nothing.
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  [[nodiscard]] std::size_t ends() const { return ends_; }

  std::int64_t now_s = 1'000;

 private:
  journal::Sequence append(std::string record) override;
  void snapshot(std::function<std::string()> state) override;
  [[nodiscard]] bool has_disk_space() const override { return true; }

  [[nodiscard]] bool write();
  void start(journal::CrashDisk::Files files);
  // False: the disk did not let it.
  bool try_start(journal::CrashDisk::Files files, bool broken);
  void connect();
  void note_state();
  [[nodiscard]] Service::Options start_options();
  void compare(const std::function<std::string()>& remembered);
  void ask_both(Service& twin);

  std::mt19937_64 random_;
  std::unique_ptr<journal::CrashDisk> disk_;
  std::unique_ptr<journal::SqliteStore> store_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<EventLog> events_;
  std::unique_ptr<HttpContext> http_;
  // Records that wait for a commit, and the state that is to be kept after them.
  std::vector<std::string> pending_;
  std::function<std::string()> wanted_{};
  journal::Sequence wanted_next_ = 0, durable_ = 0;
  // The state after record first_state_ - 1, first_state_, …
  std::deque<std::function<std::string()>> states_;
  journal::Sequence first_state_ = 0;  // records before the first of them
  static constexpr std::int64_t kTurn_ns = 2'000'000, kTick_ms = 20'000;
  void check_lost();
  FairQueue turns_{};
  std::int64_t clock_ns_ = 0;
  LeaseClock leases_{kTick_ms};
  std::map<JobId, std::int64_t> renewed_;  // when its last renewal was sent, by the clock of leases
  int looks_ = INT32_MAX;                  // until a turn is over
  bool refused_ = false;                   // the disk has failed; no further writes
  std::string wrong_;
  std::size_t ends_ = 0;
};

}  // namespace copse::server
