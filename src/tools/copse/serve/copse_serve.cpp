// SPDX-License-Identifier: Apache-2.0
//
// copse serve: one machine for many clients, with its state on disk.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/idset.hpp"
#include "base/version.hpp"
#include "host/clock/real_clock.hpp"
#include "host/host_name.hpp"
#include "host/queue_choice.hpp"
#include "host/stopwatch.hpp"
#include "journal/folder_lock.hpp"
#include "journal/sqlite_store.hpp"
#include "journal/state/state_remains.hpp"
#include "queue/config/queue_nodes.hpp"
#include "queue/config/queue_order.hpp"
#include "server/listen.hpp"
#include "server/rights/tokens.hpp"
#include "server/rights/user_namespace.hpp"
#include "server/server.hpp"
#include "text/counted.hpp"
#include "text/printable.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/serve/audit_file.hpp"
#include "tools/copse/serve/serve_check.hpp"
#include "tools/copse/serve/serve_clock.hpp"
#include "tools/copse/serve/serve_options.hpp"
#include "tools/copse/serve/serve_tls.hpp"
#include "tools/copse/serve/state_folder.hpp"

namespace copse {

namespace {

void log_line(const std::string& line) {
  const std::string text = "copse: " + printable(line, LineEnds::escape) + "\n";
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

// The wanted number of clients, or fewer if a process may have fewer descriptors.
std::size_t clients_possible(std::uint64_t wanted) {
  constexpr rlim_t kOthers = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= wanted + kOthers) return wanted;
  const std::size_t possible = limit.rlim_cur > kOthers ? limit.rlim_cur - kOthers : 1;
  log_line(fmt::format("at most {} clients, not {}: a process may have {} open files", possible,
                       wanted, limit.rlim_cur));
  return possible;
}

// Logs each given option that applies only to a new state.
void say_ignored(const ServeOptions& words) {
  const MachineSetup& setup = words.setup;
  if (!setup.machine.path.empty()) {
    log_line("--load-file is ignored: the state has its own machine");
  }
  const auto ignored = [](bool given, std::string_view option, std::string_view what) {
    if (given) log_line(fmt::format("{} is ignored: the state has its own {}", option, what));
  };
  ignored(setup.policy_given, "--match-policy", "policy");
  ignored(!setup.down.empty(), "--down", "status of nodes (copse drain, copse undrain)");
  ignored(!setup.running.empty(), "--running", "grants and jobs");
  ignored(!setup.hres.empty(), "--hres", "layers");
  ignored(setup.layer_order != LayerOrder::count, "--hres-layer-order", "layers");
  ignored(setup.machine.dominant != MachineFile{}.dominant, "--subsystem", "subsystem");
  ignored(!setup.auxiliary.empty(), "--auxiliary", "subsystems");
  ignored(!setup.prune_filters.empty(), "--prune-filters", "filters");
  ignored(setup.now_s.has_value(), "--now", "clock");
  ignored(setup.traverser_given, "--traverser-policy", "traverser");
  ignored(!words.format.empty(), "--match-format", "format of R");
}

Result<Session> first_session(const ServeOptions& words, SessionEnvironment environment) {
  if (words.setup.machine.path.empty()) {
    return fail(
        ErrorCode::invalid,
        fmt::format("there is no state in {} yet: name the machine with --load-file", words.state));
  }
  MachineSetup setup = words.setup;
  setup.now_s = setup.now_s.value_or(real_time_s());
  setup.has_queues = !words.queues.file.empty();
  return open_session(std::move(setup), words.format, std::move(environment));
}

// A hundredth of the places is reserved for operators, but at most the default number.
server::JobQuota::Limits job_limits(const ServeOptions& words) {
  server::JobQuota::Limits out;
  out.jobs = words.jobs;
  out.jobs_per_user = words.jobs_of_user;
  out.jobs_for_operators = std::min<std::size_t>(out.jobs_for_operators, out.jobs / 100);
  return out;
}

// A pass over the waiting jobs yields to clients after this time.
std::function<bool()> begin_pass_budget() {
  using Clock = std::chrono::steady_clock;
  return [end = Clock::now() + std::chrono::milliseconds(2)] { return Clock::now() >= end; };
}

// A queue without nodes would deny all its jobs; a typo must not cause that.
Result<void> check_queues(const queue::QueueConfig& queues, const ResourceGraph& graph) {
  if (auto ok = check_hosts(queues, graph); !ok) return ok;
  return check_requires(queues, graph);
}

Result<std::unique_ptr<server::Service>> recovered(const ServeOptions& words,
                                                   const queue::QueueConfig& queues,
                                                   journal::SqliteStore& store, ServeClock& clock,
                                                   bool had_state) {
  auto policy = policy_of(words.setup);
  if (!policy) return std::unexpected(policy.error());
  server::Service::Options start;
  start.extra_policies = std::move(policy->own);
  start.snapshot_records = words.snapshot_records;
  start.planned_grants_per_user = words.planned_of_user;
  start.jobs = {.queues = queues.queues,
                .rule = queues.rule,
                .limits = queues.limits,
                .defaults = queues.defaults,
                .grants = queues.grants,
                .access = queues.access,
                .running_limits = queues.running_limits,
                .groups_of =
                    [groups = std::make_shared<server::UserGroups>(),
                     clock = Stopwatch()](std::string_view user) {
                      return groups->of(std::string(user), std::llround(clock.seconds()));
                    },
                .private_jobs = words.private_data == "jobs",
                .table = {.active = job_limits(words)},
                .graces = {.stopping_s = words.stop_grace_s, .down_s = words.down_grace_s},
                .default_lease_s = words.default_lease_s,
                .user_of = [names = std::make_shared<server::UserNames>(server::name_of_user)](
                               std::string_view user) { return names->of(user); },
                .calendar = utc_of_local_time,
                .start_budget = begin_pass_budget};
  start.make_session = [&](SessionEnvironment environment) -> Result<Session> {
    if (auto ok = clock.check_new(words.setup.now_s); !ok) return std::unexpected(ok.error());
    return first_session(words, std::move(environment));
  };
  if (words.clock_back && !words.check) start.clock_back_to_s = real_time_s();
  start.clock_jumped_s = [&clock] { return clock.jumped_s(); };
  start.damage = [](const Error& damage) {
    log_line("the state is damaged, and nothing is lost: " + damage.message());
  };
  auto service = server::Service::recover(store, std::move(start));
  if (!service && had_state) return std::unexpected(with_remedy(service.error(), words.state));
  if (!service) return service;
  const Engine& engine = (*service)->session().engine();
  if (auto ok = check_queues(queues, engine.graph()); !ok) return std::unexpected(ok.error());
  if (const auto by_names = queue::order_by_names(queues, engine.graph())) log_line(*by_names);
  if (const auto remark = (*service)->jobs().defaults().remark(); !remark.empty()) log_line(remark);
  const bool old = (*service)->recovered();
  if (old) {
    if (auto ok = clock.check_old(engine.now()); !ok) return std::unexpected(ok.error());
  }
  log_line(fmt::format("the state is in {}: {}, {}, {}", words.state,
                       old ? counted((*service)->next(), "change") + " so far" : "new",
                       counted(engine.grant_count(), "grant"),
                       counted((*service)->jobs().table().active(), "job")));
  if (words.clock_back) {
    log_line("the clock of the state is at " + readable_time(engine.now()));
  }
  if (old) say_ignored(words);
  std::map<std::string, Idset> aside;
  for (const auto& [job, reason] : (*service)->jobs().refused_requests()) {
    aside[reason].add(static_cast<std::int64_t>(job));
  }
  for (const auto& [reason, jobs] : aside) {
    log_line(fmt::format("job {} is set aside: {}", jobs.text(), reason));
  }
  if (store.is_copy()) {
    log_line("the state is a copy, such as a restored backup: its incarnation is now " +
             (*service)->incarnation());
  }
  return service;
}

// Options that contradict each other.
Result<void> check_words(const ServeOptions& words) {
  const bool handed_down = std::getenv("LISTEN_FDS") != nullptr;
  if (!words.tls_certificate.empty() && words.listen.empty() && !handed_down) {
    return fail(ErrorCode::invalid, "--tls-cert requires --listen");
  }
  if (words.everybody != "none") {
    const auto known = server::UserNamespace::of_this_process().check_everybody();
    if (!known) return known;
  }
  for (const std::string& name : words.allowed_hosts) {
    if (server::is_host_name(name)) continue;
    return fail(
        ErrorCode::invalid,
        fmt::format("--allowed-host \"{}\" is no host name, such as login1.example.org", name));
  }
  return check_audit_name(words.audit, words.state);
}

// --check: whether the machine or the state can be served. Nothing is created.
int run_check(const ServeOptions& words, const queue::QueueConfig& queues, ServeClock& clock) {
  const std::string socket = words.socket.empty() ? default_socket(words.state) : words.socket;
  if (auto ok = check_state_folder(words.state, log_line); !ok) return unusable(ok.error());
  if (auto ok = check_state_files(words.state); !ok) return unusable(ok.error());
  if (auto ok = check_audit(words.audit); !ok) return unusable(ok.error());
  const auto has_state = journal::has_state(words.state);
  if (!has_state) return unusable(has_state.error());
  const bool old = *has_state;
  auto lock = old ? journal::FolderLock::take(words.state)
                  : Result<journal::FolderLock>(fail(ErrorCode::not_found, ""));
  const bool runs = !lock && lock.error().code == ErrorCode::exists;
  if (runs) {  // its socket and ports are in use
    log_line(
        fmt::format("a service runs on the state in {}: the state, its socket and its ports are "
                    "not checked",
                    words.state));
    if (words.setup.machine.path.empty()) return kDone;
  } else if (auto ok = check_listening(socket, words.listen); !ok) {
    return unusable(ok.error());
  }
  if (old && !runs) {
    if (!lock) return unusable(lock.error());
    auto store = journal::SqliteStore::open(words.state);
    if (!store) return unusable(with_remedy(store.error(), words.state));
    const auto service = recovered(words, queues, **store, clock, true);
    if (!service) return unusable(service.error());
    return write_text(check_report((*service)->session().engine(), queues, words.queues.file));
  }
  if (auto ok = clock.check_new(words.setup.now_s); !ok) return unusable(ok.error());
  const auto machine = first_session(words, {});
  if (!machine) return unusable(machine.error());
  const auto queues_fit = check_queues(queues, machine->engine().graph());
  if (!queues_fit) return unusable(queues_fit.error());
  return write_text(check_report(machine->engine(), queues, words.queues.file));
}

server::Server::Options server_options(const ServeOptions& words, server::TokenFile& tokens,
                                       AuditFile& audit, ServeTls& tls, ServeClock& clock) {
  server::Server::Options out;
  out.clients_max = clients_possible(words.clients);
  out.buffered_bytes_max = words.client_mebibytes << 20;
  out.clock = [&clock] { return clock.now_s(); };
  out.log = log_line;
  out.folder = words.state;
  out.authenticate_token = [&tokens](std::string_view token) { return tokens.authenticate(token); };
  out.other_users = *server::parse_role(words.everybody);
  out.users = server::UserNamespace::of_this_process();
  out.anonymous = *server::parse_role(words.anonymous);
  out.audit = [&audit](const server::Audit& entry) { audit.write(real_time_s(), entry); };
  out.tls = tls.server();
  out.authenticate_certificate = [&tls](std::span<const std::string> names) {
    return tls.authenticate(names);
  };
  out.reload = [&audit, &tls] {
    const auto reopened = audit.reopen();
    log_line(reopened ? "the audit log is reopened" : reopened.error().message());
    tls.reload(log_line, real_time_s());
  };
  for (const std::string& name : words.allowed_hosts) out.hosts.add(name);
  out.hosts.add(host_name());
  out.version = version();
  out.manager = server::ServiceManager::from_environment();
  return out;
}

// Listens at the given places, and at those that a service manager has passed; else at the default socket.
Result<void> listen(const ServeOptions& words, server::Server& server) {
  auto where = server.listen_inherited();
  if (!where) return std::unexpected(where.error());
  if (where->empty() || words.socket_given) {
    if (auto ok = server.listen_unix(words.socket); !ok) return ok;
    where->push_back(words.socket);
  }
  for (const std::string& one : words.listen) {
    auto made = server.listen_tcp(one);
    if (!made) return std::unexpected(made.error());
    where->push_back((words.tls_certificate.empty() ? "http://" : "https://") + *made);
  }
  for (const std::string& one : *where) log_line(fmt::format("listening at {}", one));
  return {};
}

int run_serve(ServeOptions words) {
  // A reload requested during start is dropped: the files are read anyway.
  (void)std::signal(SIGHUP, SIG_IGN);
  if (words.state.empty()) {
    auto folder = default_state_folder();
    if (!folder) return unusable(folder.error());
    words.state = std::move(*folder);
  }
  for (const std::string& where : words.listen) {
    if (auto ok = server::check_tcp_address(where); !ok) return unusable(ok.error());
  }
  if (auto ok = check_words(words); !ok) return unusable(ok.error());
  const auto queues = chosen_queues(words.queues);
  if (!queues) return unusable(queues.error());
  for (const std::string& key : queues->of_the_machine) {
    if (!words.check) log_line(fmt::format("{} has no effect here: {}", key, words.queues.file));
  }
  auto tls = ServeTls::open({.certificate = words.tls_certificate,
                             .key = words.tls_key,
                             .client_ca = words.tls_client_ca,
                             .config = words.config});
  if (!tls) return unusable(tls.error());
  tls->say_end(log_line, real_time_s());
  ServeClock clock(words.clock_jump_max_s, log_line);
  if (words.check) return run_check(words, *queues, clock);
  words.socket_given = !words.socket.empty();
  if (!words.socket_given) words.socket = default_socket(words.state);
  const std::string socket_folder = std::filesystem::path(words.socket).parent_path().string();
  // First: a start that fails removes files, which must be its own.
  if (auto ok = check_state_files(words.state); !ok) return unusable(ok.error());
  FirstStart first(words.state);
  for (const std::string& folder : {words.state, socket_folder.empty() ? "." : socket_folder}) {
    if (auto ok = first.make_folder(folder); !ok) return unusable(ok.error());
  }
  const auto lock = journal::FolderLock::take(words.state);
  if (!lock) return unusable(lock.error());
  auto store = journal::SqliteStore::open(words.state);
  if (!store) return unusable(with_remedy(store.error(), words.state));
  auto service = recovered(words, *queues, **store, clock, !first.is_new());
  if (!service) return unusable(service.error());
  auto audit =
      AuditFile::open(words.audit.empty() ? words.state + "/audit.log" : words.audit, log_line);
  if (!audit) return unusable(audit.error());
  server::TokenFile tokens(words.state + "/tokens", log_line);
  server::Server server(**service, std::move(*store),
                        server_options(words, tokens, *audit, *tls, clock));
  if (auto ok = listen(words, server); !ok) return unusable(ok.error());
  first.done();
  const int status = server.run();
  log_line("all changes are saved; the service exits");
  return status;
}

}  // namespace

void add_serve(CommandLine& line) {
  auto words = std::make_shared<ServeOptions>();
  CommandLine sub = line.command(
      "serve", "Serve one machine to many clients, with its state on disk",
      "Clients use the protocol of copse session, or HTTP. Every acknowledged change is durable "
      "and "
      "survives a crash. SIGTERM and SIGINT end the service; SIGHUP reloads certificates and "
      "reopens "
      "the audit log. docs/tools/serve.md has more.\n"
      "Exit status: 0 ended by a signal, 2 a machine or state that cannot be used, 74 a change "
      "could "
      "not be written to disk.\n"
      "Examples:\n"
      "  copse serve -L machine.graphml\n"
      "  copse serve -L R.json --state /var/lib/copse --socket /run/copse/copse.sock\n"
      "  copse serve -L machine.graphml --listen 127.0.0.1:7400\n"
      "  copse serve -L machine.graphml --listen 0.0.0.0:7400 --tls-cert cert.pem --tls-key "
      "key.pem\n"
      "  copse serve --state /var/lib/copse\n"
      "  copse serve --config /etc/copse/serve.toml",
      [words] { return run_serve(*words); });
  add_serve_options(sub, *words);
}

}  // namespace copse
