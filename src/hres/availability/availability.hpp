// SPDX-License-Identifier: Apache-2.0
//
// Availability: the amounts of layers and channels that are left for one request over one window,
// while pools are chosen for it.
//
// Layers of hierarchical resources decide which nodes are eligible, channels of auxiliary
// subsystems which pools. Both take from one ledger, so that one mark restores both.
//
// Cost: layer_availability.hpp, channel_availability.hpp. If a request needs neither, one check of
// a flag.
#pragma once

#include <cassert>
#include <optional>

#include "hres/availability/channel_availability.hpp"
#include "hres/availability/charge_ledger.hpp"
#include "hres/availability/layer_availability.hpp"

namespace copse {

class Availability {
 public:
  Availability(const ResourceGraph& graph, const State& state) : graph_(graph), state_(state) {}
  Availability(const Availability&) = delete;
  Availability& operator=(const Availability&) = delete;

  // The argument must outlive this object or be replaced. nullptr: none.
  void set_hres(const HresTable* hres) {
    begin();
    layers_.reset();
    if (hres != nullptr) layers_.emplace(graph_, *hres, ledger_);
  }
  void set_channels(Channels* channels) {
    begin();
    channels_.reset();
    if (channels != nullptr) channels_.emplace(graph_, state_, *channels, ledger_);
  }

  // Starts over. Layers and channels are ignored until begin_layers() and begin_channels().
  void begin() {
    ledger_.begin();
    layered_ = charging_ = false;
  }
  // REQUIRES layers.
  void begin_layers(std::span<const HresNeed> needs, HresTable::Job job, std::int64_t start,
                    std::int64_t end, bool empty) {
    layered_ = true;
    layers().begin(needs, job, start, end, empty);
  }
  // REQUIRES channels.
  void begin_channels(std::int64_t start, std::int64_t end, bool empty) {
    charging_ = true;
    channels().begin(layers_ ? layers_->accounts() : 0, start, end, empty);
  }
  [[nodiscard]] bool layered() const { return layered_; }

  // Whether layers have enough for a node, and channels for what a pool takes for a level.
  [[nodiscard]] bool eligible(PoolId node) { return !layered_ || layers_->eligible(node); }
  [[nodiscard]] bool eligible(PoolId p, std::uint32_t level, ChannelAvailability::Needs needs) {
    return !charging_ || channels_->eligible(p, level, needs);
  }
  bool take(PoolId p, std::uint32_t level, ChannelAvailability::Needs needs) {
    return !charging_ || channels_->take(p, level, needs);
  }

  // As in ChargeLedger.
  [[nodiscard]] std::size_t mark() const { return ledger_.mark(); }
  void undo_to(std::size_t mark) { ledger_.undo_to(mark); }
  void reset() { ledger_.reset(); }
  [[nodiscard]] bool contended() const { return ledger_.contended(); }
  [[nodiscard]] bool check() const { return ledger_.check(); }

  [[nodiscard]] LayerAvailability& layers() {
    assert(layers_ && layered_);
    return *layers_;
  }
  [[nodiscard]] ChannelAvailability& channels() {
    assert(channels_);
    return *channels_;
  }

 private:
  const ResourceGraph& graph_;
  const State& state_;
  ChargeLedger ledger_;
  std::optional<LayerAvailability> layers_;      // none: no hierarchical resources
  std::optional<ChannelAvailability> channels_;  // none: no auxiliary subsystems
  bool layered_ = false, charging_ = false;
};

}  // namespace copse
