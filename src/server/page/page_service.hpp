// SPDX-License-Identifier: Apache-2.0
//
// PageService: what the page needs in addition to the service: its files, the use of nodes,
// forecasts and latencies. It has no socket, thread or clock.
//
//   page.tick();                      // four times a second
//   while (!page.work(budget)) …      // one budget of forecast work, after that of the service
//
// Nothing is stored for an open page: the changes since a number are computed on request. Thread
// safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "page/assets.hpp"
#include "server/figures/fragmentation_history.hpp"
#include "server/page/assets.hpp"
#include "server/page/forecast.hpp"
#include "server/page/latency_histogram.hpp"
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

  // REQUIRES that the service outlives this.
  PageService(Service& service, std::span<const PageAsset> files, Limits limits)
      : service_(service), assets_(files), watch_(limits.watch), forecast_(limits.forecast) {}
  PageService(Service& service, std::span<const PageAsset> files)
      : PageService(service, files, Limits{}) {}

  [[nodiscard]] const Assets& assets() const { return assets_; }
  // Updated to the engine's present state.
  [[nodiscard]] const MachineWatch& machine();
  // The document "machine" (docs/develop/page.md), written once in a generation of the machine.
  [[nodiscard]] const std::string& machine_document();
  // The last forecast; requests a newer one.
  [[nodiscard]] const Forecast& forecast();
  // The last forecast, without a request.
  [[nodiscard]] const Forecast& last_forecast() const { return forecast_; }

  // Of the lowest level of the machine, as of the last tick.
  [[nodiscard]] const FragmentationHistory& fragmentation() const { return fragmentation_; }

  void tick();
  // True if nothing is left to do.
  bool work(queue::WorkBudget slice) { return forecast_.work(slice); }

  LatencyHistogram commits, requests;
  // Writes further members of GET /v1/page/health.
  std::function<void(JsonWriter& json)> more_health{};

 private:
  Service& service_;
  Assets assets_;
  MachineWatch watch_;
  Forecast forecast_;
  FragmentationHistory fragmentation_;
  std::uint64_t generation_ = 0;  // last seen of watch_
  std::string machine_document_{};
  std::uint64_t document_generation_ = 0;  // of that document
  unsigned wanted_ = 0;                    // ticks during which forecasts are still requested
};

}  // namespace copse::server
