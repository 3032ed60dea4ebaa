// SPDX-License-Identifier: Apache-2.0
//
// copse serve: one machine for many clients, with its state on disk.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "server/server.hpp"
#include "store/folder_lock.hpp"
#include "store/sqlite_store.hpp"
#include "text/printable.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/serve/state_folder.hpp"
#include "tools/real_clock.hpp"

namespace copse {

namespace {

struct ServeWords {
  MachineSetup setup;
  std::string format, state, socket;
  bool traverser_given = false, check = false;
  std::uint64_t clients = 10'000, snapshot_records = 100'000;
};

void log_line(const std::string& line) {
  const std::string text = "copse: " + printable(line, LineEnds::escape) + "\n";
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

// As many clients as may be asked for, if the system lets a process have so many descriptors.
std::size_t clients_possible(std::uint64_t wanted) {
  constexpr rlim_t kOthers = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= wanted + kOthers) return wanted;
  const std::size_t possible = limit.rlim_cur > kOthers ? limit.rlim_cur - kOthers : 1;
  log_line(fmt::format("{} clients at one time, not {}: a process may have {} open files", possible,
                       wanted, limit.rlim_cur));
  return possible;
}

Result<Session> first_session(const ServeWords& words, SessionOutside outside) {
  if (words.setup.machine.path.empty()) {
    return fail(ErrorCode::invalid,
                fmt::format("there is no state in {} yet: --load-file says what the machine is",
                            words.state));
  }
  MachineSetup setup = words.setup;
  setup.now_s = setup.now_s.value_or(real_time_s());
  return open_session(std::move(setup), words.traverser_given, words.format, std::move(outside));
}

Result<std::unique_ptr<server::Service>> recovered(const ServeWords& words, store::Store& store) {
  auto policy = policy_of(words.setup);
  if (!policy) return std::unexpected(policy.error());
  server::Service::Start start;
  start.own = std::move(policy->own);
  start.snapshot_records = words.snapshot_records;
  start.fresh = [&words](SessionOutside outside) {
    return first_session(words, std::move(outside));
  };
  auto service = server::Service::recover(store, std::move(start));
  if (!service) return service;
  const bool old = (*service)->recovered();
  log_line(fmt::format("the state is in {}: {}, {} grants", words.state,
                       old ? fmt::format("{} changes so far", (*service)->next()) : "new",
                       (*service)->session().engine().grant_count()));
  if (old && !words.setup.machine.path.empty()) {
    log_line("the machine is that of the state; --load-file is not read");
  }
  return service;
}

// Whether the machine or the state can be served; nothing is made.
int run_check(const ServeWords& words) {
  if (std::filesystem::exists(words.state + "/state.db")) {
    const auto lock = store::FolderLock::take(words.state);
    if (!lock) return unusable(lock.error());
    auto store = store::SqliteStore::open(words.state);
    if (!store) return unusable(store.error());
    const auto service = recovered(words, **store);
    return service ? kDone : unusable(service.error());
  }
  const auto machine = first_session(words, {});
  return machine ? kDone : unusable(machine.error());
}

int run_serve(ServeWords words) {
  if (words.state.empty()) {
    auto folder = default_state_folder();
    if (!folder) return unusable(folder.error());
    words.state = std::move(*folder);
  }
  if (words.check) return run_check(words);
  if (words.socket.empty()) words.socket = default_socket(words.state);
  const std::string socket_folder = std::filesystem::path(words.socket).parent_path().string();
  for (const std::string& folder : {words.state, socket_folder.empty() ? "." : socket_folder}) {
    if (auto ok = make_private_folder(folder); !ok) return unusable(ok.error());
  }
  const auto lock = store::FolderLock::take(words.state);
  if (!lock) return unusable(lock.error());
  auto store = store::SqliteStore::open(words.state);
  if (!store) return unusable(store.error());
  auto service = recovered(words, **store);
  if (!service) return unusable(service.error());
  server::Server server(**service, std::move(*store),
                        {.clients_max = clients_possible(words.clients),
                         .clock = real_time_s,
                         .log = log_line,
                         .folder = words.state});
  if (auto ok = server.listen_unix(words.socket); !ok) return unusable(ok.error());
  log_line(fmt::format("listening at {}", words.socket));
  const int status = server.run();
  log_line("everything is kept; good-bye");
  return status;
}

}  // namespace

void add_serve(CommandLine& line) {
  auto words = std::make_shared<ServeWords>();
  CommandLine sub = line.command(
      "serve", "Serve one machine to many clients, with its state on disk",
      "Clients speak the protocol of copse session. What was answered is on disk, and there again\n"
      "after a crash. SIGTERM and SIGINT end the service; docs/tools/serve.md has more.\n"
      "Exit status: 0 ended by a signal, 2 a machine or state that cannot be used, 74 the disk\n"
      "refused to keep a change.\n"
      "Examples:\n"
      "  copse serve -L machine.graphml\n"
      "  copse serve -L R.json --state /var/lib/copse --socket /run/copse/copse.sock\n"
      "  copse serve --state /var/lib/copse",
      [words] { return run_serve(*words); });
  words->setup.clock_alone = true;
  add_machine_options(sub, words->setup, true);
  sub.added("--load-file").required(false);
  sub.added("--traverser-policy").when_given([words] { words->traverser_given = true; });
  sub.option("-F,--match-format", words->format,
             "of the R in answers: rv1, rv1_nosched (default) or rv1_shorthand; the machine of "
             "a TreePool has its own")
      .one_of({"rv1", "rv1_nosched", "rv1_shorthand"})
      .unit("FORMAT");
  sub.heading("Service");
  sub.flag("--check", words->check,
           "say whether the machine or the state can be served, and leave");
  sub.option("--state", words->state,
             "the folder of the state (default: $XDG_STATE_HOME/copse); what is there goes on")
      .unit("DIR");
  sub.option("--socket", words->socket,
             "the Unix socket (default: $XDG_RUNTIME_DIR/copse/copse.sock)")
      .unit("PATH");
  sub.option("--clients", words->clients, "clients at one time, at most (default: 10000)")
      .between(std::uint64_t{1}, std::uint64_t{1'000'000})
      .unit("NUMBER");
  sub.option("--snapshot-changes", words->snapshot_records,
             "changes after which the whole state is written (default: 100000)")
      .between(std::uint64_t{1}, std::uint64_t{1'000'000'000})
      .unit("NUMBER");
}

}  // namespace copse
