// SPDX-License-Identifier: Apache-2.0
#include "draw/machine/machine_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "draw/svg_text.hpp"

namespace copse::draw {

const char* css(Mark mark) {
  switch (mark) {
    case Mark::none: return "";
    case Mark::excluded: return "x";
    case Mark::drained: return "n";
    case Mark::down: return "d";
  }
  return "";
}

const char* word(Mark mark) {
  switch (mark) {
    case Mark::none: return "";
    case Mark::excluded: return "excluded";
    case Mark::drained: return "drained";
    case Mark::down: return "down";
  }
  return "";
}

std::string MachineWords::job_class(std::uint32_t job, double share) const {
  if (!by_job()) return share < 0.999 ? "p" : "u";
  return job == UnitCounts::kSeveral ? "s" : fmt::format("j{}", job);
}

std::string MachineWords::colour(PoolId p) const {
  if (use_.owner(p) != MachineUse::kNoJob) return job_class(use_.owner(p), 1);
  if (!g_.leaf(p)) {
    const UnitCounts t = counts_of(use_, p);
    if (t.parts.size() == 1) return job_class(t.parts[0].job, t.used);
    if (t.parts.size() > 1) return by_job() ? "s" : "p";
    if (t.reserved > 0) return "r";
  }
  return use_.next(p) != MachineUse::kNoJob ? "r" : "f";
}

std::string MachineWords::path(PoolId p) const {
  return svg::shortened(g_.path(p, g_.dominant()), 160);
}

std::string MachineWords::jobs(const UnitCounts& t) const {
  constexpr std::size_t kShown = 8;
  if (t.parts.empty()) return "";
  std::string out = t.parts.size() == 1 ? "; job" : "; jobs";
  for (std::size_t i = 0; i < std::min(t.parts.size(), kShown); ++i) {
    const std::uint32_t job = t.parts[i].job;
    out += i == 0 ? " " : ", ";
    out += job == UnitCounts::kSeveral ? "…" : fmt::format("{}", use_.running()[job]->job);
  }
  if (t.parts.size() > kShown) out += fmt::format(" and {} more", t.parts.size() - kShown);
  return out;
}

std::string MachineWords::state(PoolId p) const {
  std::string out = word(use_.status(p));
  if (use_.mark(p) != Mark::none && (use_.mark(p) != Mark::down || usable(use_.status(p)))) {
    out += fmt::format(", {}", word(use_.mark(p)));
  }
  if (use_.owner(p) != MachineUse::kNoJob) {
    out += fmt::format(", used by job {}", use_.running()[use_.owner(p)]->job);
  } else if (!g_.leaf(p)) {
    const UnitCounts t = counts_of(use_, p);
    out += fmt::format(", {:.0f}% used{}", 100 * t.used, jobs(t));
  } else {
    out += use_.mark(p) == Mark::none ? ", free" : "";
  }
  if (use_.next(p) != MachineUse::kNoJob) {
    const Grant& grant = *use_.waiting()[use_.next(p)];
    out += fmt::format(", reserved for job {} from {}", grant.job, grant.start);
  }
  return out;
}

std::string MachineWords::unit(const UnitBox& box, const UnitCounts& t) const {
  const std::uint32_t bases = box.base_end - box.base_first;
  if (bases <= 1 && !plan_.frame_cells) return path(box.pool) + "\n" + state(box.pool);
  const std::string more = plan_.frame_cells ? fmt::format("{} units", bases)
                                             : fmt::format("and {} neighbours", bases - 1);
  std::string out =
      fmt::format("{}\n{}, {:.0f}% used{}", path(box.pool), more, 100 * t.used, jobs(t));
  if (t.down > 0) out += fmt::format(", {:.0f}% down", 100 * t.down);
  if (t.drained > 0) out += fmt::format(", {:.0f}% drained", 100 * t.drained);
  if (t.excluded > 0) out += fmt::format(", {:.0f}% excluded", 100 * t.excluded);
  return out;
}

}  // namespace copse::draw
