// SPDX-License-Identifier: Apache-2.0
//
// PageService: what the page in a browser needs beside the service itself: its files, who has which
// nodes, what is to come, and how long things take. It has no socket, thread or clock.
//
//   page.tick();                      // four times a second
//   while (!page.work(slice)) …       // a turn of a forecast, after those of the service
//
// Nothing is kept for a page that is open. What changed since a number is found when one asks.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "page/assets.hpp"
#include "server/page/assets.hpp"
#include "server/page/forecast.hpp"
#include "server/page/latency.hpp"
#include "server/page/machine_watch.hpp"
#include "server/service.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

class PageService {
 public:
  struct Limits {
    MachineWatch::Limits watch{};
    Forecast::Limits forecast{};
  };

  // REQUIRES that the service lives longer.
  PageService(Service& service, std::span<const PageAsset> files, Limits limits)
      : service_(service), assets_(files), watch_(limits.watch), forecast_(limits.forecast) {}
  PageService(Service& service, std::span<const PageAsset> files)
      : PageService(service, files, Limits{}) {}

  [[nodiscard]] const Assets& assets() const { return assets_; }
  // As the engine is now.
  [[nodiscard]] const MachineWatch& machine();
  // The last one; a newer one is made while somebody asks.
  [[nodiscard]] const Forecast& forecast();
  // The same, for who does not look at it.
  [[nodiscard]] const Forecast& current_forecast() const { return forecast_; }

  void tick();
  // True if there is nothing to do.
  bool work(queue::WorkBudget slice) { return forecast_.work(slice); }

  Latency commits, requests;
  // Further members of GET /v1/page/health.
  std::function<void(JsonWriter& json)> more_health{};

 private:
  Service& service_;
  Assets assets_;
  MachineWatch watch_;
  Forecast forecast_;
  std::uint64_t machines_ = 0;  // that watch_ has seen
  unsigned wanted_ = 0;         // ticks for which forecasts are still made
};

}  // namespace copse::server
