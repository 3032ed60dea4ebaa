// SPDX-License-Identifier: Apache-2.0
#include "session/machine/machine_size.hpp"

#include "formats/jgf/jgf_set.hpp"
#include "formats/jgf/jgf_subtrees.hpp"
#include "formats/named_pools.hpp"
#include "session/ranks.hpp"
#include "session/session.hpp"
#include "text/json_writer.hpp"

namespace copse {

Result<void> attach_pools(Engine& engine, JobHost* jobs, const SessionRequest& line) {
  if (line.jgf.empty()) return missing("jgf");
  const auto set = read_jgf_set(line.jgf, "jgf");
  if (!set) return std::unexpected(set.error());
  const auto subtrees = subtrees_of(engine.graph(), engine.names(), *set);
  if (!subtrees) return std::unexpected(subtrees.error());
  return jobs != nullptr ? jobs->attach(*subtrees) : engine.attach(*subtrees);
}

Result<void> remove_pools(Engine& engine, JobHost* jobs, const SessionRequest& line,
                          std::string& out) {
  if (line.nodes.has_value() == line.ranks.has_value()) {
    return fail(ErrorCode::invalid, "name what to remove by either \"nodes\" or \"ranks\"");
  }
  const auto tops = line.ranks ? tops_of_text(engine.graph(), *line.ranks)
                               : named_pools(engine.graph(), std::string(*line.nodes), "\"nodes\"");
  if (!tops) return std::unexpected(tops.error());
  const auto lost = jobs != nullptr ? jobs->remove(*tops) : engine.remove(*tops);
  if (!lost) return std::unexpected(lost.error());
  JsonWriter json(out);
  json.object(
      [&] { json.array("jobs", *lost, [&](JobId job) { json.value(Session::id_of(job)); }); });
  return {};
}

}  // namespace copse
