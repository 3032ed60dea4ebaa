// SPDX-License-Identifier: Apache-2.0
#include "draw/machine_svg.hpp"

#include "draw/machine/machine_drawing.hpp"
#include "draw/machine/machine_layout.hpp"

namespace copse::draw {

Result<void> write_machine_svg(const MachinePicture& picture, const TextSink& sink) {
  if (picture.engine != nullptr && &picture.engine->graph() != &picture.graph) {
    return fail(ErrorCode::not_found, "the engine of the picture is one on another graph");
  }
  if (picture.graph.changed()) {
    return fail(ErrorCode::unsupported, "the machine has changed: call Engine::compact() first");
  }
  for (const auto& pools : {picture.drained, picture.excluded}) {
    for (const PoolId p : pools) {
      if (p.v < picture.graph.pool_count()) continue;
      return fail(ErrorCode::not_found, "there is no pool " + std::to_string(p.v) +
                                            "; the graph has " +
                                            std::to_string(picture.graph.pool_count()));
    }
  }
  const MachineUse use(picture);
  MachinePlan plan = make_plan(use);
  lay_out(plan, use);
  return MachineDrawing(use, plan, sink).draw();
}

Result<void> write_machine_svg(const MachinePicture& picture, std::string& out) {
  return write_machine_svg(picture, sink_into(out));
}

}  // namespace copse::draw
