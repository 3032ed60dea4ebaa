// SPDX-License-Identifier: Apache-2.0
//
// DiskWatch: measures the free disk space of a service each second, and logs when it becomes scarce or
// sufficient again. For server.cpp only: it includes Asio.
#pragma once

#include <utility>  // before Asio 1.74, which uses std::exchange

#include <chrono>
#include <functional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "journal/disk_space.hpp"

namespace copse::server {

class DiskWatch {
 public:
  using Log = std::function<void(const std::string& line)>;

  // `folder`: "": nothing is watched, and there is always space.
  DiskWatch(boost::asio::io_context& loop, const std::string& folder,
            journal::DiskSpace::Limits limits, const Log& log)
      : space_(folder, limits), watches_(!folder.empty()), log_(log), timer_(loop) {}

  void start() {
    if (!watches_) return;
    const bool before = space_.has_space();
    const auto measured = space_.update();
    if (!measured) log_(measured.error().message());
    if (before && !space_.has_space()) {
      log_("the disk is nearly full: only requests that release resources are accepted");
    } else if (!before && space_.has_space()) {
      log_("the disk has enough free space again");
    }
    timer_.expires_after(kInterval);
    timer_.async_wait([this](const boost::system::error_code& code) {
      if (!code && !stopped_) start();
    });
  }
  void stop() {
    stopped_ = true;
    timer_.cancel();
  }
  [[nodiscard]] bool has_space() const { return !watches_ || space_.has_space(); }

 private:
  static constexpr auto kInterval = std::chrono::seconds(1);

  journal::DiskSpace space_;
  bool watches_, stopped_ = false;
  const Log& log_;
  boost::asio::steady_timer timer_;
};

}  // namespace copse::server
