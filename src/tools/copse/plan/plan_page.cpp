// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/plan/plan_page.hpp"

#include <utility>
#include <vector>

#include "page/machine_document.hpp"
#include "page/page_file.hpp"
#include "page/queue_document.hpp"
#include "plan/schedule.hpp"
#include "queue/answers/answers.hpp"
#include "tools/copse/plan/plan_input.hpp"

namespace copse {

namespace {

// The part of a path after its last slash.
std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

page::About about_of(const PlanOptions& o, const std::string& disciplines,
                     const plan::Provenance& made_with) {
  page::About about{.kind = "plan", .version = made_with.version};
  const std::string stream = made_with.stream.empty() || made_with.stream == "-"
                                 ? std::to_string(o.workload.jobs) + " generated jobs"
                                 : file_name(made_with.stream);
  about.title = (made_with.stream == "-" ? "jobs" : stream) + " on " + file_name(made_with.machine);
  const auto add = [&](const char* what, const std::string& value) {
    if (!value.empty()) about.made_with.emplace_back(what, value);
  };
  add("discipline", disciplines);
  add("policy", made_with.policy);
  add("priority", made_with.priority);
  add("queues", file_name(made_with.queues));
  add("reservations", file_name(made_with.reservations));
  add("events", file_name(made_with.events));
  add("hierarchical resources", made_with.hres);
  return about;
}

}  // namespace

Result<std::unique_ptr<PlanPage>> PlanPage::begin(const PlanOptions& o, const plan::Jobs& jobs,
                                                  const Engine& engine, const NodeRows& rows) {
  std::unique_ptr<PlanPage> out(new PlanPage(o, jobs, engine, rows));
  if (!out->file_.wanted) return out;
  if (!out->file_.opened) return std::unexpected(out->file_.opened.error());
  auto history = page::PlanHistory::begin(jobs, engine, rows);
  if (!history) return std::unexpected(history.error());
  out->history_ = std::move(*history);
  page::append_status_document(out->status_, engine, rows);
  return out;
}

plan::ScheduleObserver PlanPage::observer(plan::ScheduleObserver next) {
  return history_ != nullptr ? history_->observer(std::move(next)) : std::move(next);
}

Result<PlanPage::QueueDocuments> PlanPage::evaluate_queue(const queue::QueueConfig& queues,
                                                          std::int64_t at_s) const {
  MachineSetup setup = o_.setup;
  setup.quiet = true;  // what there is to warn of was said before
  const auto engine = make_engine(setup);
  if (!engine) return std::unexpected(engine.error());
  QueueDocuments out;
  plan::ScheduleObserver observer;
  observer.pause_s = at_s;
  observer.paused = [&](const plan::PausedStream& paused) {
    queue::Answers answers(paused.queue, paused.names);
    queue::WorkBudget all;
    (void)answers.work(all);
    std::vector<page::Awaiting> awaiting;
    for (const auto& [number, awaited] : paused.awaiting) {
      const plan::Job& job = jobs_.jobs[number];
      awaiting.push_back({job.name, jobs_.words[job.queue], plan::awaited_text(jobs_, awaited)});
    }
    out.queue.clear();
    page::append_queue_document(out.queue, at_s, answers, paused.names, paused.queues, awaiting);
    out.layers.clear();
    page::append_layers_document(out.layers, **engine, at_s);
  };
  if (auto ok = plan::schedule(**engine, jobs_, queues, observer); !ok) {
    return std::unexpected(ok.error());
  }
  return out;
}

Result<void> PlanPage::write(const queue::QueueConfig& queues, const std::string& disciplines,
                             const plan::Provenance& made_with) {
  if (history_ == nullptr) return {};
  const auto all = history_->jobs();
  if (!all) return std::unexpected(all.error());
  const auto page_at_s = o_.page_at ? time_of_stream(o_, jobs_, "--page-at", *o_.page_at)
                                    : Result<std::int64_t>(history_->busiest_s());
  if (!page_at_s) return std::unexpected(page_at_s.error());
  const std::int64_t at_s = *page_at_s;
  const auto evaluated = evaluate_queue(queues, at_s);
  if (!evaluated) return std::unexpected(evaluated.error());
  page::About about = about_of(o_, disciplines, made_with);
  about.at_s = at_s;
  about.zero_s = jobs_.zero_s;
  std::vector<page::Document> documents{{"about", {}}, {"machine", {}}, {"jobs", {}}};
  page::append_about_document(documents[0].second, about);
  page::append_machine_document(documents[1].second, engine_.graph(), rows_);
  page::append_jobs_document(documents[2].second, **all);
  documents.emplace_back("status", status_);
  documents.emplace_back("queue", evaluated->queue);
  documents.emplace_back("layers", evaluated->layers);
  history_->append_availability_document(documents.emplace_back("availability", "").second);
  return file_.write(
      [&](const TextSink& sink) { return page::write_page_file(about.title, documents, sink); });
}

}  // namespace copse
