// SPDX-License-Identifier: Apache-2.0
//
// copse cancel, end, hold, release, priority: change jobs of a service.
#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "text/json_writer.hpp"
#include "text/printable.hpp"
#include "tools/copse/client/client_commands.hpp"
#include "tools/copse/client/event_words.hpp"
#include "tools/copse/client/service/job_list.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

constexpr std::string_view kPriority = "priority", kEnd = "end";

struct ChangeOptions {
  ClientOptions client;
  std::vector<std::string> ids;
  JobFilter filter;  // instead of ids; its user is never ""
  std::int64_t priority = 0;
  std::int64_t status = 0;    // of an ended job
  std::int64_t restarts = 0;  // of the run that has ended
  bool failed = false;
};

// Whether an operation applies to a job that is not chosen by its id.
bool is_meant(std::string_view op, TreeView job) {
  if (op == "cancel") return true;
  const bool held = job.is_true("held");
  return job.word("state") != "running" && (op == "hold" ? !held : op != "release" || held);
}

Result<std::vector<std::int64_t>> chosen_jobs(const ServiceClient& service, const ChangeOptions& o,
                                              std::string_view op) {
  if (!o.ids.empty()) return parse_ids(o.ids);
  const auto listed = list_jobs(service, o.filter);
  if (!listed) return std::unexpected(listed.error());
  std::vector<std::int64_t> out;
  for (const TreeView job : listed->jobs) {
    if (is_meant(op, job)) out.push_back(job.number("id").value_or(0));
  }
  return out;
}

// The operation for each id. A grant of copse reserve is not a job: it is freed.
Result<std::vector<const char*>> ops_of(const ServiceClient& service,
                                        std::span<const std::int64_t> ids, const char* op) {
  std::vector<const char*> out(ids.size(), op);
  if (std::string_view(op) != "cancel" || ids.empty()) return out;
  std::string lines;
  for (const std::int64_t id : ids) lines += job_line("job", id) + "\n";
  lines += "{\"op\": \"info\"}\n";
  const auto answers = service.ask_all(lines);
  if (!answers) return std::unexpected(answers.error());
  std::set<std::int64_t> grants;
  if (const auto& info = answers->back()) {
    for (const TreeView grant : info->top().list("grants")) {
      grants.insert(grant.number("id").value_or(-1));
    }
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!(*answers)[i] && grants.contains(ids[i])) out[i] = "free";
  }
  return out;
}

std::string line_of(std::string_view op, std::int64_t id, const ChangeOptions& o) {
  if (op != kPriority && op != kEnd) return job_line(op, id);
  return object_text([&](JsonWriter& json) {
    json.member("op", op);
    json.member("id", id);
    if (op == kPriority) json.member("priority", o.priority);
    if (op == kEnd) json.member("status", o.failed ? 1 : o.status);
    if (op == kEnd && o.restarts > 0) json.member("restarts", o.restarts);
  });
}

// How these jobs ended, a line for each.
Result<std::string> endings(const ServiceClient& service, std::span<const std::int64_t> ids,
                            bool as_json) {
  std::string lines, out;
  for (const std::int64_t id : ids) lines += job_line("job", id) + "\n";
  if (ids.empty()) return out;
  const auto answers = service.ask_all(lines);
  if (!answers) return std::unexpected(answers.error());
  for (const auto& answer : *answers) {
    if (!answer) return std::unexpected(answer.error());
    const TreeView job = answer->top();
    out += as_json ? answer->text + "\n"
                   : printable(fmt::format("job {} ended: {}", job.number("id").value_or(0),
                                           ending_words(job)),
                               LineEnds::escape) +
                         "\n";
  }
  return out;
}

// Changes all jobs, even if some are refused, some thousand in one request.
int run_change(const ChangeOptions& o, const char* op) {
  constexpr std::size_t kAtOnce = 5'000;
  const auto service = ServiceClient::of(o.client);
  if (!service) return unusable(service.error());
  const auto chosen = chosen_jobs(*service, o, op);
  if (!chosen) return o.ids.empty() ? not_served(chosen.error()) : unusable(chosen.error());
  if (chosen->empty()) {
    write_error(
        fmt::format("copse: {} has no such jobs\n", printable(o.filter.user, LineEnds::escape)));
  }
  int status = kDone;
  std::string out;
  for (std::span<const std::int64_t> rest = *chosen; !rest.empty();) {
    const auto ids = rest.first(std::min(rest.size(), kAtOnce));
    rest = rest.subspan(ids.size());
    const auto ops = ops_of(*service, ids, op);
    if (!ops) return not_served(ops.error());
    std::string lines;
    for (std::size_t i = 0; i < ids.size(); ++i) lines += line_of((*ops)[i], ids[i], o) + "\n";
    const auto answers = service->ask_all(lines);
    if (!answers) return not_served(answers.error());
    std::vector<std::int64_t> changed;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto& answer = (*answers)[i];
      if (!answer) {
        status = std::max(status, not_served(answer.error()));
        continue;
      }
      changed.push_back(ids[i]);
      if (o.client.json && op != kEnd) out += answer->text + "\n";
    }
    if (op != kEnd) continue;
    const auto ended = endings(*service, changed, o.client.json);
    if (!ended) return not_served(ended.error());
    out += *ended;
  }
  return write_text(out, {}, status);
}

void add_filter(CommandLine& sub, CommandOption ids, ChangeOptions& o) {
  auto user = sub.option("-u,--user", o.filter.user, "instead of ids: the jobs of this user");
  user.unit("USER").excludes(ids);
  sub.option("-q,--queue", o.filter.queue, "only those of this queue").unit("QUEUE").needs(user);
  sub.option("--state", o.filter.state, "only those in this state: pending, planned or running")
      .one_of({"pending", "planned", "running"})
      .unit("STATE")
      .needs(user);
  sub.needs_one_of(ids, user, "IDS or --user");
}

void add_change(CommandLine& line, const char* op, const std::string& about,
                const std::string& more) {
  auto o = std::make_shared<ChangeOptions>();
  CommandLine sub = line.command(op, about, more, [o, op] { return run_change(*o, op); });
  auto ids = sub.option("ids", o->ids, "jobs: 7 9-12");
  ids.unit("ID");
  if (std::string_view(op) == "end") {
    ids.required();
  } else {
    add_filter(sub, ids, *o);
  }
  if (op == kEnd) {
    auto failed = sub.flag("--failed", o->failed, "the job failed: the same as --status 1");
    sub.option("--status", o->status, "its exit status; 0 (default): it was done")
        .between(std::int64_t{0}, std::int64_t{255})
        .unit("NUMBER")
        .excludes(failed);
    sub.option(
           "--restarts", o->restarts,
           "the run that has ended: how often its job had been submitted again; 0 (default): never")
        .between(std::int64_t{0}, std::int64_t{INT64_MAX})
        .unit("NUMBER");
  }
  if (op == kPriority) {
    sub.option("--to", o->priority, "the new priority: jobs with a higher one go first")
        .unit("PRIORITY")
        .required();
  }
  add_client_options(sub, o->client);
}

}  // namespace

void add_job_changes(CommandLine& line) {
  add_change(line, "cancel", "Cancel jobs of a service",
             "A waiting job ends at once; a running job ends when its executor has "
             "stopped it. Reservations of copse reserve are released, too.\n"
             "Exit status: 0 done, 2 a job does not exist, has ended, or belongs to "
             "another user.\n"
             "Examples:\n"
             "  copse cancel 7\n"
             "  copse cancel 9-12 20\n"
             "  copse cancel --user ada --state pending");
  add_change(line, "end", "End running jobs that have lost their executor",
             "Their resources are released. No process is stopped: copse cancel asks the executor "
             "to do that. Whether they succeeded is what you say; the answer has how each ended.\n"
             "Exit status: 0 done, 2 a job does not exist, does not run, or belongs to another "
             "user.\n"
             "Examples:\n"
             "  copse end 7\n"
             "  copse end 7 8 --failed");
  add_change(line, "hold", "Hold jobs until they are released",
             "Examples:\n  copse hold 7\n  copse hold --user ada --queue batch");
  add_change(line, "release", "Let held jobs be scheduled again",
             "Examples:\n  copse release 7\n  copse release --user ada");
  add_change(line, "priority", "Give waiting jobs another priority",
             "Users may lower the priority of their own jobs; operators may change all.\n"
             "Examples:\n"
             "  copse priority 7 9-12 --to 20");
}

}  // namespace copse
