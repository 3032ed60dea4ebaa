// SPDX-License-Identifier: Apache-2.0
//
// A service whose disk is a list in memory, which takes everything at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/service.hpp"
#include "session/machines.hpp"

namespace copse::server {

inline Result<Session> session_of_nodes(SessionEnvironment environment) {
  return session_of_r(kPlainMachine, 0, {}, std::move(environment));
}

class ServiceInMemory : Journal, journal::Store {
 public:
  using MakeSession = std::function<Result<Session>(SessionEnvironment)>;
  explicit ServiceInMemory(std::vector<queue::QueueSpec> lines = {},
                           MakeSession make = session_of_nodes)
      : make_session(std::move(make)), queues_(std::move(lines)) {
    restart();
  }
  // Another service, from a copy of that one's disk.
  ServiceInMemory(const ServiceInMemory& other)
      : make_session(other.make_session),
        limits(other.limits),
        user_of(other.user_of),
        planned_grants_per_user(other.planned_grants_per_user),
        rules(other.rules),
        queues_(other.queues_),
        state_(other.state_),
        records_(other.records_),
        earlier_(other.earlier_),
        first_(other.first_) {
    restart();
  }
  ServiceInMemory& operator=(const ServiceInMemory&) = delete;
  // As after a crash.
  void restart() {
    Service::Options start;
    start.make_session = make_session;
    start.jobs = rules;
    start.jobs.queues = queues_;
    start.jobs.table = limits;
    start.jobs.user_of = user_of;
    start.planned_grants_per_user = planned_grants_per_user;
    start.clock_back_to_s = clock_back_to_s;
    service = nullptr;
    auto made = Service::recover(*this, std::move(start));
    if (!made) {
      error = made.error().message();
      return;
    }
    service = std::move(*made);
    service->set_journal(*this);
  }

  // At the next restart.
  void set_queues(std::vector<queue::QueueSpec> lines) { queues_ = std::move(lines); }

  std::unique_ptr<Service> service;
  std::string error;
  MakeSession make_session;  // of a new service
  JobRowTable::Limits limits{};
  UserOf user_of{};
  bool has_room = true;
  std::size_t planned_grants_per_user = 10'000;
  LiveJobs::Setup rules{};                        // apart from what is set here
  std::optional<std::int64_t> clock_back_to_s{};  // at the next restart
  // Called with the stored state at the next restarts; returns what is read instead.
  std::function<std::string(std::string state)> read_instead{};

 private:
  journal::Sequence append(std::string record) override {
    records_.push_back(std::move(record));
    return first_ + records_.size() - 1;
  }
  void snapshot(std::function<std::string()> state) override {
    state_ = state();
    first_ += records_.size();
    earlier_ = std::exchange(records_, {});
  }
  [[nodiscard]] bool has_disk_space() const override { return has_room; }

  Result<void> append(journal::Sequence, std::span<const std::string>) override { return {}; }
  Result<void> snapshot(journal::Sequence next, std::string_view state) override {
    state_ = state;
    first_ = next;
    records_.clear();
    return {};
  }
  Result<journal::Sequence> load(const journal::Recovery& host) override {
    if (!state_) return 0;
    const std::string state = read_instead ? read_instead(*state_) : *state_;
    if (auto ok = host.state(first_, state); !ok) return std::unexpected(ok.error());
    for (std::size_t i = 0; i < earlier_.size(); ++i) {
      host.earlier(first_ - earlier_.size() + i, earlier_[i]);
    }
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (auto ok = host.record(first_ + i, records_[i]); !ok) return std::unexpected(ok.error());
    }
    return first_ + records_.size();
  }

  std::vector<queue::QueueSpec> queues_;
  std::optional<std::string> state_;
  std::vector<std::string> records_, earlier_;  // earlier: those that the state has
  journal::Sequence first_ = 0;
};

}  // namespace copse::server
