// SPDX-License-Identifier: Apache-2.0
#include "flux/resource_status.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

#include "base/idset_algebra.hpp"
#include "formats/rv1/rv1_write.hpp"
#include "formats/selection_set.hpp"
#include "rset/rset_algebra.hpp"
#include "text/json_writer.hpp"

namespace copse::flux {

std::string resource_status(const Engine& engine, const RSet& all, const Idset& up) {
  SelectionSet selections;
  RSet allocated;
  for (const JobId id : engine.jobs()) {
    const Grant* grant = engine.grant(id);
    if (grant->start > engine.now()) continue;  // a promise
    RSet has = selections.make(engine.graph(), grant->selection);
    std::ranges::move(has.entries, std::back_inserter(allocated.entries));
  }
  [[maybe_unused]] const auto merged = merge_repeated_ranks(allocated, Repeated::united);
  assert(merged);
  auto taken = intersect(all, allocated);
  std::string out;
  JsonWriter json(out);
  json.object([&] {
    json.key("all");
    append_r(json.begin(), all);
    json.key("down");
    append_r(json.begin(), select_ranks(all, subtract(all.ranks(), up)));
    json.key("allocated");
    append_r(json.begin(), taken ? *taken : RSet());
  });
  return out;
}

}  // namespace copse::flux
