// SPDX-License-Identifier: Apache-2.0
//
// AllocatedR: the R that a job gets (RFC 20), of what the engine granted it.
#pragma once

#include <optional>
#include <string>

#include "copse/engine.hpp"
#include "copse/request.hpp"
#include "formats/selection_set.hpp"
#include "rset/rset.hpp"

namespace copse::flux {

class AllocatedR {
 public:
  struct Style {
    bool graph = false;      // in scheduling stands what the job got, as JGF
    bool shorthand = false;  // without what is below whole nodes
    bool slots = true;       // nslots is there
  };
  // REQUIRES that the engine lives as long.
  AllocatedR(const Engine& engine, Style style) : engine_(engine), style_(style) {}

  struct Text {
    std::string r;        // JSON
    std::string summary;  // "rank[0-1]/core[0-3]"
  };
  // From now on for as long as was granted, but not beyond the end of the instance. R of the instance
  // says, in `inventory`, whether there are layouts of TreePool to hand on. O(what was granted).
  [[nodiscard]] Text of(const Grant& grant, const Request& request, const RSet& inventory,
                        std::optional<double> instance_end_s);

 private:
  void describe(RSet& r, const Grant& grant, const RSet& inventory) const;

  const Engine& engine_;
  const Style style_;
  SelectionSet selections_;
};

}  // namespace copse::flux
