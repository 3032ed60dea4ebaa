// SPDX-License-Identifier: Apache-2.0
//
// LeasedJob: a job of a service with this process as its executor. It renews the lease, receives the
// events of the job, and reports its end. It reconnects to a service that was restarted.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/copse/client/event_words.hpp"
#include "tools/copse/client/service/service_client.hpp"

namespace copse {

class LeasedJob {
 public:
  struct News {
    // `requeued`: the run before has lost its nodes, and nothing more is to be reported about it.
    bool started = false, stop = false, ended = false, requeued = false;
    std::string r;       // of a start: JSON, or "null"
    std::string ending;  // in words
  };

  // `line`: what is submitted. Errors: those of the service.
  [[nodiscard]] static Result<LeasedJob> submit(const ServiceClient& service,
                                                const std::string& line, std::int64_t lease_s);

  [[nodiscard]] std::int64_t id() const { return id_; }
  // How often it was submitted again.
  [[nodiscard]] std::int64_t restarts() const { return restarts_; }
  // For poll(); -1: the connection is lost, and tick() tries again.
  [[nodiscard]] int descriptor() const;
  // REQUIRES that descriptor() has something to read, or that some has been read already.
  [[nodiscard]] News hear();
  [[nodiscard]] bool has_pending() const { return stream_ && stream_->has_pending(); }
  // Milliseconds until tick() has something to do.
  [[nodiscard]] int wait_ms() const;
  // Renews the lease of a running job, and reconnects.
  [[nodiscard]] News tick();
  // Errors: those of the service.
  [[nodiscard]] Result<void> cancel() const;
  [[nodiscard]] Result<void> end(int status) const;

 private:
  using Clock = std::chrono::steady_clock;
  LeasedJob(const ServiceClient& service, EventStream stream, std::int64_t id,
            std::int64_t lease_s);
  void take(TreeView job, std::string_view event, News& news);
  void look(News& news);
  // A line about the present run.
  [[nodiscard]] std::string line_of_run(std::string_view op, std::optional<int> status) const;

  const ServiceClient& service_;
  std::optional<EventStream> stream_;
  std::int64_t id_, restarts_ = 0;
  std::chrono::milliseconds every_;
  Clock::time_point next_;
  bool runs_ = false;
};

}  // namespace copse
