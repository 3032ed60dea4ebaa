// SPDX-License-Identifier: Apache-2.0
//
// EffectApplier: applies an effect to an engine (copse/effect.hpp).
//
// Effects are untrusted: each is checked completely before anything changes. The consequences of a
// change (lost pools, new charges) are computed as in the original call; where the effect differs,
// the effect counts.
#pragma once

#include <memory>

#include "copse/effect.hpp"
#include "engine/parts.hpp"

namespace copse {

class EffectApplier {
 public:
  // `parts`: the engine's own.
  EffectApplier(Engine& engine, std::unique_ptr<EngineParts>& parts)
      : engine_(engine), parts_(parts), e_(*parts) {}

  // Errors, state unchanged: invalid, and those of the call that made the effect.
  [[nodiscard]] Result<void> apply(const Effect& effect);

 private:
  Result<void> run(const effect::Granted& effect);
  Result<void> run(const effect::Changed& effect);
  Result<void> run(const effect::Cancelled& effect);
  Result<void> run(const effect::Advanced& effect);
  Result<void> run(const effect::Explored& effect);
  Result<void> run(const effect::StatusSet& effect);
  Result<void> run(const effect::PropertySet& effect);
  Result<void> run(const effect::TagSet& effect);
  Result<void> run(const effect::Attached& effect);
  Result<void> run(const effect::Removed& effect);
  Result<void> run(const effect::Compacted& effect);
  Result<void> run(const effect::ResourcesAdded& effect);
  Result<void> run(const effect::LayerRemoved& effect);
  Result<void> run(const effect::LayerNodesSet& effect);
  Result<void> run(const effect::LayerCountSet& effect);
  Result<void> run(const effect::LayerReserved& effect);
  Result<void> run(const effect::LayerFreed& effect);
  Result<void> run(const effect::PropertyRemoved& effect);

  [[nodiscard]] Result<PoolId> pool(UniqId uniq_id);
  [[nodiscard]] Result<Selection> selection(const EffectGrant& grant);
  // Its pools, unchecked.
  [[nodiscard]] Result<Selection> pools_of(const std::vector<EffectGrant::SelectedPools>& taken);
  [[nodiscard]] Result<GrantCharges> resolve_charges(const EffectCharges& charges);
  [[nodiscard]] Result<Grant> grant(const EffectGrant& grant);
  // Replaces the grant of the job by `now`, if that is free.
  [[nodiscard]] Result<void> replace(std::uint32_t number, Grant now);
  [[nodiscard]] Result<void> settle(const EffectGrant& left);
  [[nodiscard]] Result<void> recompute_charges(const effect::NewCharges& new_charges);

  Engine& engine_;
  std::unique_ptr<EngineParts>& parts_;
  EngineParts& e_;  // before the graph is built again
};

}  // namespace copse
