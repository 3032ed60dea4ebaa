// SPDX-License-Identifier: Apache-2.0
//
// PageJobs: the jobs of the page, as a value: the request of each, and when and where it ran or
// will run. docs/develop/page.md describes the document in which they are written.
//
// Invariants: runs are in the order in which they were added; places, parts and charges ascend by
// run; a part belongs to a place of one node that is not whole.
// Memory: 120 bytes a job, 48 a run, 16 a place, 12 a part, 16 a charge; texts of parts are stored
// once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/grant.hpp"
#include "copse/selection.hpp"
#include "graph/node_rows.hpp"
#include "plan/schedule.hpp"

namespace copse::page {

inline constexpr std::size_t kPageJobsMax = 200'000;
inline constexpr std::size_t kPagePlacementsMax = 2'000'000;
inline constexpr std::size_t kPageDrawsMax = 1'000'000;

// A list of different words, in the order of their first use.
class WordTable {
 public:
  // O(log words).
  std::uint32_t number(std::string_view text);
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

// How a run ends; `open`: it has not ended, or the end is unknown.
enum class RunEnd : std::uint8_t { open, done, limit, cancelled, failed, requeued };
// How a job that never started left the queue.
enum class NeverRan : std::uint8_t { no, refused, withdrawn };

struct PageJob {
  std::string id{}, name{};  // ids are text, so numbers beyond 2^53 stay exact
  std::uint32_t user = 0, queue = 0, request = 0;  // indices of words
  std::int64_t submit_s = 0, limit_s = 0;
  std::int32_t priority = 0;
  std::optional<std::int64_t> promised_s{};  // the first promised start
  NeverRan never = NeverRan::no;
  std::optional<std::int64_t> left_s{};  // when a job that never ran left
  std::uint32_t remark = 0;              // index of a word: why it was refused
};

struct PageRun {
  std::uint32_t job = 0;
  RunEnd ending = RunEnd::open;
  std::int64_t start_s = 0;
  std::optional<std::int64_t> end_s{};  // none: unknown
  std::int64_t nodes = 0, cores = 0;
};

struct PagePlacement {
  std::uint32_t run = 0, first = 0, count = 0;
  std::uint16_t share = NodeRange::kWhole;  // of each node, by its cores
};

// The parts of one node that a run has: positions of pools below it, in its order, from 0.
struct PagePart {
  std::uint32_t run = 0, node = 0, pools = 0;  // pools: index of a word, an idset
};

// The charge of a run to a layer of hierarchical resources, over its whole time.
struct PageDraw {
  std::uint32_t run = 0, layer = 0;  // layer: its number in LayerCharge
  std::int64_t amount = 0;
};

struct PageJobs {
  std::vector<PageJob> jobs{};
  std::vector<PageRun> runs{};
  std::vector<PagePlacement> places{};
  std::vector<PagePart> parts{};
  std::vector<PageDraw> draws{};
  WordTable words{};  // "" is the first

  PageJobs() { (void)words.number(""); }
};

// Finds the nodes of selections, for one machine.
class PlacementFinder {
 public:
  PlacementFinder(const ResourceGraph& graph, const NodeRows& rows) : graph_(graph), rows_(rows) {}

  [[nodiscard]] const ResourceGraph& graph() const { return graph_; }

  // Adds a run with its places, parts and charges, and sets its nodes and cores. Errors, state
  // unchanged: limit. Pools outside nodes are not shown on the page. O(entries + nodes taken).
  [[nodiscard]] Result<void> add(PageJobs& to, PageRun run, const Grant& grant);

 private:
  void add_part(PageJobs& to, std::uint32_t run, std::uint32_t row, const Selection& selection,
                std::size_t& entry);

  const ResourceGraph& graph_;
  const NodeRows& rows_;
  std::vector<NodeRange> runs_;  // scratch
};

// Adds the charges of a run, up to kPageDrawsMax in all.
void add_draws(PageJobs& to, std::uint32_t run, std::span<const LayerCharge> charges);

// Adds the grants of an engine as jobs, named by their ids, with the times of the engine. Errors:
// limit.
[[nodiscard]] Result<void> add_grants(PageJobs& to, const Engine& engine, const NodeRows& rows);

// The document "jobs".
void append_jobs_document(std::string& out, const PageJobs& jobs);

}  // namespace copse::page
