// SPDX-License-Identifier: Apache-2.0
//
// PageJobs: jobs as the page has them, as a value: what each asked for, when and where it ran or
// will run. docs/develop/page.md has the document that it is written as.
//
// Invariants: runs ascend by nothing but the order in which they were added; places, parts and
// draws ascend by their run; a part belongs to a place of one node that is not whole.
// Sketch: 120 bytes a job, 48 a run, 16 a place, 12 a part, 16 a draw; texts of parts each once.
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
#include "plan/lanes.hpp"
#include "plan/schedule.hpp"

namespace copse::page {

inline constexpr std::size_t kPageJobsMax = 200'000;
inline constexpr std::size_t kPagePlacesMax = 2'000'000;
inline constexpr std::size_t kPageDrawsMax = 1'000'000;

// A list of words, each once, in the order in which they came.
class WordTable {
 public:
  // O(log words).
  std::uint32_t number(std::string_view text);
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

// How a run ends; `open`: it has not ended, or nobody knows.
enum class RunEnd : std::uint8_t { open, done, limit, cancelled, failed, requeued };
// How a job that never started left.
enum class NeverRan : std::uint8_t { no, refused, withdrawn };

struct PageJob {
  std::string id{}, name{};                        // ids are text: numbers beyond 2^53 stay exact
  std::uint32_t user = 0, queue = 0, request = 0;  // words
  std::int64_t submit_s = 0, limit_s = 0;
  std::int32_t priority = 0;
  std::optional<std::int64_t> promised_s{};  // the first start that it was promised
  NeverRan never = NeverRan::no;
  std::optional<std::int64_t> left_s{};  // of one that never ran: when it left
  std::uint32_t remark = 0;              // a word: why it was refused
};

struct PageRun {
  std::uint32_t job = 0;
  RunEnd ending = RunEnd::open;
  std::int64_t start_s = 0;
  std::optional<std::int64_t> end_s{};  // none: at no known time
  std::int64_t nodes = 0, cores = 0;
};

struct PagePlace {
  std::uint32_t run = 0, first = 0, count = 0;
  std::uint16_t share = plan::LaneRun::kWhole;  // of each node, by its cores
};

// What of one node a run has: positions of pools below it, in its order, from 0.
struct PagePart {
  std::uint32_t run = 0, node = 0, pools = 0;  // pools: a word, an idset
};

// What a run draws from a layer of hierarchical resources, over its whole time.
struct PageDraw {
  std::uint32_t run = 0, layer = 0;  // layer: its number, as LayerCharge has it
  std::int64_t amount = 0;
};

struct PageJobs {
  std::vector<PageJob> jobs{};
  std::vector<PageRun> runs{};
  std::vector<PagePlace> places{};
  std::vector<PagePart> parts{};
  std::vector<PageDraw> draws{};
  WordTable words{};  // "" is the first

  PageJobs() { (void)words.number(""); }
};

// Finds where selections are, for one machine.
class PlaceFinder {
 public:
  PlaceFinder(const ResourceGraph& graph, const plan::Lanes& lanes)
      : graph_(graph), lanes_(lanes) {}

  [[nodiscard]] const ResourceGraph& graph() const { return graph_; }

  // Adds a run with its places, parts and draws; nodes and cores are set. Errors, nothing added:
  // limit. What is not below a node of the lanes is nowhere on the page. O(entries + nodes taken).
  [[nodiscard]] Result<void> add(PageJobs& to, PageRun run, const Grant& grant);

 private:
  void add_part(PageJobs& to, std::uint32_t run, std::uint32_t lane, const Selection& selection,
                std::size_t& entry);

  const ResourceGraph& graph_;
  const plan::Lanes& lanes_;
  std::vector<plan::LaneRun> runs_;  // scratch
};

// Of a run, what it draws; beyond kPageDrawsMax nothing more.
void add_draws(PageJobs& to, std::uint32_t run, std::span<const LayerCharge> charges);

// The grants of an engine as jobs: their ids are their names, their times those of the engine.
// Errors: limit.
[[nodiscard]] Result<void> add_grants(PageJobs& to, const Engine& engine, const plan::Lanes& lanes);

// The document "jobs".
void append_jobs_document(std::string& out, const PageJobs& jobs);

}  // namespace copse::page
