// SPDX-License-Identifier: Apache-2.0
//
// AllocatedR: writes the R (RFC 20) of a job from its grant.
#pragma once

#include <optional>
#include <string>

#include "copse/engine.hpp"
#include "copse/request.hpp"
#include "formats/grant_writer.hpp"
#include "formats/selection_set.hpp"
#include "rset/rset.hpp"

namespace copse::flux {

class AllocatedR {
 public:
  struct Style {
    bool graph = false;      // `scheduling` has the resources of the job as JGF
    bool shorthand = false;  // without the contents of whole nodes
    bool slots = true;       // nslots is written
    bool copies = false;     // `scheduling` is that of the instance, unchanged
  };
  // The start of the job, and its duration: with fractions of a second, where R is to have them.
  struct Times {
    std::optional<double> start_s{}, duration_s{};
  };
  // REQUIRES that the engine outlives it.
  AllocatedR(const Engine& engine, Style style)
      : engine_(engine),
        style_(style),
        graphs_(style.shorthand ? Format::jgf_shorthand : Format::jgf) {}

  struct Text {
    std::string r;        // JSON
    std::string summary;  // "rank[0-1]/core[0-3]"
  };
  // The times are from now on for the granted duration, but not beyond the end of the instance. If
  // `inventory`, the R of the instance, has layouts of TreePool, R has those of its ranks.
  // O(pools granted).
  [[nodiscard]] Text of(const Grant& grant, const Request& request, const RSet& inventory,
                        std::optional<double> instance_end_s, const Times& times);

 private:
  void describe(RSet& r, const Grant& grant, const RSet& inventory);

  const Engine& engine_;
  const Style style_;
  SelectionSet selections_;
  GrantWriter graphs_;
};

}  // namespace copse::flux
