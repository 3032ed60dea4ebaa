// SPDX-License-Identifier: Apache-2.0
//
// The reference for hierarchical resources, second by second: plain lists of grants, counts and
// reservations, and every query scans all of them. It shares no code with the engine. Rules:
// docs/reference/hierarchical-resources.md; machines have a dozen nodes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace copse::property {

struct HresOracle {
  static constexpr std::int64_t kForever = 3'153'600'000;  // the engine's horizon
  using Amounts = std::map<int, std::int64_t>;             // by layer

  struct Layer {
    int resource = 0;
    std::set<int> nodes;
    std::int64_t count = 0;  // -1: no bound
    std::int64_t base = 0;   // with those below it, in mode 3
    [[nodiscard]] std::int64_t total() const { return count < 0 ? INT64_MAX : count - base; }
  };
  struct Resource {
    std::string name;
    int mode = 1;
    std::vector<int> layers;  // in the order of the file
  };
  struct Need {
    int resource = 0;
    std::int64_t count = 0;
  };
  struct Job {
    int nodes = 1, cores = 1;  // of each node; cores 0: only whole nodes
    bool exclusive = false;    // whole nodes
    std::int64_t duration = 0;
    std::set<int> allowed;                        // nodes
    std::vector<std::vector<Need>> alternatives;  // none: no hierarchical resources
  };
  struct Grant {
    std::int64_t start = 0, end = 0;
    std::map<int, std::set<int>> cores;  // by node
    Amounts charges;
    std::vector<Need> needs;
  };
  struct Reserved {
    std::string id;
    int layer = 0;
    std::int64_t count = 0, start = 0, end = 0;
    std::vector<std::uint64_t> jobs;
  };

  [[nodiscard]] std::int64_t used(int layer, std::int64_t t) const;
  [[nodiscard]] std::int64_t reserved_at(int layer, std::int64_t t) const;
  // The amount withheld at a time by the reservations that do not name the job; 0: all
  // reservations.
  [[nodiscard]] std::int64_t held(int layer, std::int64_t t, std::uint64_t job) const;
  // The minimum that is free for the job in a layer over [start, end).
  [[nodiscard]] std::int64_t free(int layer, std::int64_t start, std::int64_t end,
                                  std::uint64_t job) const;
  // `from`, and all times in [from, forever) at which something changes.
  [[nodiscard]] std::vector<std::int64_t> times(std::int64_t from) const;

  // The nodes that fit the job, each by itself, over a window; `empty`: on the empty machine.
  [[nodiscard]] std::set<int> able(const Job& job, const std::vector<Need>& needs,
                                   std::int64_t start, std::uint64_t id, bool empty) const;
  // Whether that many nodes fit together. Exact with one tree at most.
  [[nodiscard]] bool serves(const Job& job, const std::vector<Need>& needs, std::int64_t start,
                            std::uint64_t id, bool empty) const;
  // The first alternative that fits; -1 if none does. Without alternatives: 0 if the nodes fit.
  [[nodiscard]] int alternative(const Job& job, std::int64_t start, std::uint64_t id,
                                bool empty) const;
  // The start of the job, now or (`wait`) later; -1: none.
  [[nodiscard]] std::int64_t start_of(const Job& job, std::uint64_t id, bool wait) const;
  // The charges to layers for these nodes over a window that begins at `start`.
  [[nodiscard]] Amounts charges(const std::vector<Need>& needs, const std::set<int>& nodes,
                                std::int64_t start, std::int64_t end, std::uint64_t id) const;
  // For a grant with fewer nodes than before, or with other layers over them.
  [[nodiscard]] Amounts redrawn(const Grant& grant) const;
  // "": the reservation is possible; else the word of the error.
  [[nodiscard]] std::string refuses(const Reserved& wanted) const;
  void advance(std::int64_t t);
  // Whether a layer exists and has nodes, which name it.
  [[nodiscard]] bool named(std::size_t layer) const;
  [[nodiscard]] bool any_named() const;

  bool file_order = false;
  std::int64_t now = 0;
  std::vector<Resource> resources;
  std::vector<Layer> layers;  // nodes in no resource's list were removed
  std::map<int, int> cores;   // of each node
  std::set<int> down;
  std::map<std::uint64_t, Grant> grants;
  std::vector<Reserved> reserved;  // the oldest first

 private:
  [[nodiscard]] std::int64_t end_of(const Job& job, std::int64_t start) const;
  [[nodiscard]] std::int64_t most_nodes(const Need& need, const std::set<int>& able,
                                        std::int64_t start, std::int64_t end, std::uint64_t id,
                                        bool empty) const;
};

}  // namespace copse::property
