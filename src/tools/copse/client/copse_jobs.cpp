// SPDX-License-Identifier: Apache-2.0
//
// copse jobs: the jobs of a service, as a table.
#include <algorithm>
#include <memory>

#include "host/clock/real_clock.hpp"
#include "tools/copse/client/client_commands.hpp"
#include "tools/copse/client/job_format.hpp"
#include "tools/copse/client/service/job_list.hpp"
#include "tools/copse/client/service_nodes.hpp"
#include "tools/copse/client/why_words.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

// 80 columns.
constexpr std::string_view kTable =
    "{id:>7} {name:<14.14+} {user:<8.8+} {state:<7} {runtime:>10} {nodes:>5} {info:<23.23+}";
constexpr std::size_t kReasonsMax = 1'000;

struct JobsOptions {
  ClientOptions client;
  std::vector<std::string> ids;
  JobFilter filter;
  std::string format{kTable};
  bool no_header = false;
};

Result<ListedJobs> list_ids(const ServiceClient& service, const JobsOptions& o) {
  const auto ids = parse_ids(o.ids);
  if (!ids) return std::unexpected(ids.error());
  std::string lines;
  for (const std::int64_t id : *ids) lines += job_line("job", id) + "\n";
  auto answers = service.ask_all(lines);
  if (!answers) return std::unexpected(answers.error());
  ListedJobs out;
  for (auto& answer : *answers) {
    if (!answer) return std::unexpected(answer.error());
    out.jobs.push_back(out.keep(std::move(*answer)).top());
  }
  return out;
}

Result<void> add_nodes(const ServiceClient& service, const JobFormat& format,
                       const std::vector<TreeView>& jobs, JobSurroundings& around) {
  const bool names_wanted = format.has("nodelist") || format.has("info");
  const bool runs =
      std::ranges::any_of(jobs, [](TreeView job) { return job.word("state") == "running"; });
  if (!runs || !(names_wanted || format.has("nodes"))) return {};
  const auto ranks = ranks_of_grants(service);
  if (!ranks) return std::unexpected(ranks.error());
  std::map<std::int64_t, std::string> names;
  if (names_wanted) {
    const auto nodes = list_nodes(service);
    if (!nodes) return std::unexpected(nodes.error());
    for (const ServiceNode& node : nodes->nodes) names.emplace(node.rank, node.name);
  }
  for (const TreeView job : jobs) {
    const auto at = ranks->find(job.number("id").value_or(0));
    if (at == ranks->end() || job.word("state") != "running") continue;
    around.node_counts[at->first] = at->second.count();
    if (names_wanted) around.nodelists[at->first] = nodelist_of(names, at->second);
  }
  return {};
}

// Each reason costs the service an explanation.
Result<void> add_reasons(const ServiceClient& service, const JobFormat& format,
                         const std::vector<TreeView>& jobs, JobSurroundings& around) {
  if (!format.has("reason")) return {};
  std::vector<std::int64_t> ids;
  std::string lines;
  for (const TreeView job : jobs) {
    const std::string_view state = job.word("state");
    if (ids.size() == kReasonsMax || (state != "pending" && state != "planned")) continue;
    ids.push_back(job.number("id").value_or(0));
    lines += job_line("why", ids.back()) + "\n";
  }
  if (ids.empty()) return {};
  const auto answers = service.ask_all(lines);
  if (!answers) return std::unexpected(answers.error());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!(*answers)[i]) continue;  // it has started since
    around.reasons[ids[i]] = cause_words((*answers)[i]->top(), around.now_s);
  }
  return {};
}

int run_jobs(const JobsOptions& o) {
  const auto format = JobFormat::parse(o.format);
  if (!format) return unusable({ErrorCode::invalid, "--format: " + format.error().text, {}});
  const auto service = ServiceClient::of(o.client);
  if (!service) return unusable(service.error());
  const auto listed = o.ids.empty() ? list_jobs(*service, o.filter) : list_ids(*service, o);
  if (!listed) return not_served(listed.error());
  std::string out;
  if (o.client.json) {
    for (const auto& answer : listed->answers) out += answer->text + "\n";
  } else {
    JobSurroundings around{.now_s = real_time_s()};
    if (auto ok = add_nodes(*service, *format, listed->jobs, around); !ok) {
      return not_served(ok.error());
    }
    if (auto ok = add_reasons(*service, *format, listed->jobs, around); !ok) {
      return not_served(ok.error());
    }
    if (!o.no_header) out += format->header();
    for (const TreeView job : listed->jobs) out += format->row(job, around);
  }
  return write_text(out);
}

}  // namespace

void add_jobs(CommandLine& line) {
  auto o = std::make_shared<JobsOptions>();
  CommandLine sub =
      line.command("jobs", "List the jobs of a service: which wait, which run, and where",
                   "Columns of --format: id, name, user, queue, state, st, priority, nodes, "
                   "nodelist, runtime, wait, duration, submitted, planned, first_planned, "
                   "started, ended, shape, hres, lease, held, result, status_code, message, "
                   "reason, info; also by their names in flux jobs and squeue.\n"
                   "Examples:\n"
                   "  copse jobs\n"
                   "  copse jobs --all --user ada\n"
                   "  copse jobs -o 'id,name,reason'\n"
                   "  copse jobs -o '{id:>6} {state:<8} {nodelist:<20.20+} {reason}'\n"
                   "  copse jobs --json 7 9-12",
                   [o] { return run_jobs(*o); });
  const auto ids = sub.option("ids", o->ids, "only these jobs: 7 9-12").unit("ID");
  sub.flag("-a,--all", o->filter.all, "include jobs that have ended").excludes(ids);
  sub.option("--state", o->filter.state,
             "only jobs in this state: pending, planned, running or ended")
      .one_of({"pending", "planned", "running", "ended"})
      .unit("STATE")
      .excludes(sub.added("--all"))
      .excludes(ids);
  sub.option("-u,--user", o->filter.user, "only jobs of these users, separated by commas")
      .unit("USERS")
      .excludes(ids);
  sub.option("-q,--queue", o->filter.queue, "only jobs of this queue").unit("QUEUE").excludes(ids);
  sub.option("-o,--format", o->format, "the columns to show (see below)").unit("FORMAT");
  sub.flag("--no-header", o->no_header, "leave out the header line");
  add_client_options(sub, o->client);
}

}  // namespace copse
