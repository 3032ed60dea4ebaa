// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "draw/gantt_stack.hpp"
#include "host/plugins.hpp"
#include "host/progress.hpp"
#include "host/stopwatch.hpp"
#include "match/option_names.hpp"
#include "plan/comparison.hpp"
#include "plan/output/jobs_csv.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/plan/plan_file.hpp"
#include "tools/copse/plan/plan_input.hpp"
#include "tools/copse/plan/plan_options.hpp"

namespace copse {

namespace {

Result<std::vector<Discipline>> compared_disciplines(const std::vector<std::string>& words) {
  std::vector<Discipline> out;
  for (const std::string& word : words) {
    if (std::ranges::count(words, word) > 1) {
      return fail(ErrorCode::invalid, fmt::format("--compare names {} twice", shown_word(word)));
    }
    auto discipline = choose_discipline(word);
    if (!discipline) return std::unexpected(discipline.error());
    out.push_back(std::move(*discipline));
  }
  return out;
}

}  // namespace

int run_comparison(const PlanOptions& o, plan::Provenance made_with) {
  const auto disciplines = compared_disciplines(o.compare);
  if (!disciplines) return unusable(disciplines.error());
  const auto queues = queues_of_plan(o);
  if (!queues) return unusable(queues.error());
  const auto engine = make_engine(o.setup);
  if (!engine) return unusable(engine.error());
  made_with.traverser = word((*engine)->options().traverser);
  const NodeRows rows((*engine)->graph());
  const auto jobs = read_plan_input(o, **engine, rows, queues->defaults);
  if (!jobs) return unusable(jobs.error());
  Output out;
  if (auto ok = out.open(o.out); !ok) return unusable(ok.error());
  PlanFile gantt(o.gantt), csv(o.jobs_csv);
  for (const PlanFile* file : {&gantt, &csv}) {
    if (!file->opened) return unusable(file->opened.error());
  }
  if (auto ok = write_plan_jobs(o, *jobs, rows.count()); !ok) return unusable(ok.error());
  warn_of_plan_input(o, *jobs, rows, *queues, (*engine)->graph());

  const Stopwatch watch;
  const std::uint64_t runs = jobs->jobs.size() * disciplines->size();
  const auto all = [&] {
    Progress progress("scheduling", terminal_of(o.setup));
    return plan::compare(**engine, *jobs, rows, *queues, *disciplines, gantt.wanted || csv.wanted,
                         [&](std::uint64_t ended) { progress.at(ended, runs); });
  }();
  if (!all) return unusable(all.error());
  const double took_s = watch.seconds();

  std::string table, lines;
  plan::append_comparison(table, *all);
  bool refused = false;
  for (const plan::Compared& one : *all) {
    lines += plan::summary_json(one.summary, one.discipline, made_with);
    refused = refused || one.summary.refused > 0;
  }
  (void)out.write(o.table ? table : lines);
  if (auto ok = out.close(); !ok) return unusable(ok.error());
  const auto drawn =
      gantt.write([&](const TextSink& sink) { return draw::write_gantt_stack_svg(*all, sink); });
  if (!drawn) return unusable(drawn.error());
  std::vector<plan::CsvPart> parts;
  for (const plan::Compared& one : *all) parts.push_back({*one.record, one.discipline});
  const auto written =
      csv.write([&](const TextSink& sink) { return plan::write_jobs_csv(parts, sink); });
  if (!written) return unusable(written.error());
  for (const plan::Compared& one : *all) {
    warn_of_clock_end(o, one.summary, **engine, one.discipline);
  }
  if (!o.setup.quiet) {
    if (!o.table) write_error(table);
    // One that is the same under all disciplines is written once.
    std::vector<std::string> reasons;
    for (const plan::Compared& one : *all) {
      std::string reason = plan::refusal_text(one.summary);
      if (!reason.empty() && std::ranges::find(reasons, reason) == reasons.end()) {
        reasons.push_back(std::move(reason));
      }
    }
    for (const std::string& reason : reasons) write_error(reason);
    write_skipped(*jobs);
    write_error(fmt::format("time              {:.3f} s, {:.0f} jobs a second\n", took_s,
                            static_cast<double>(runs) / std::max(took_s, 1e-6)));
  }
  return refused ? kNo : kDone;
}

}  // namespace copse
