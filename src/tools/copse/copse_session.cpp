// SPDX-License-Identifier: Apache-2.0
//
// copse session: requests on standard input, answers on standard output.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "files/read_file.hpp"
#include "session/session.hpp"
#include "session/stream.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

struct SessionWords {
  MachineSetup setup;
  std::string format;
  std::string restore, save, effects;  // files; "": none
};

// Files that requests may not overwrite: those that the command line reads or writes.
Result<void> save_for_request(const SessionWords& words, const std::string& path,
                              std::string_view bytes) {
  std::vector<std::string> own = words.setup.running;
  own.insert(own.end(), {words.setup.machine.path, words.setup.hres, words.effects});
  for (const std::string& file : own) {
    std::error_code ignored;
    if (file.empty() || !std::filesystem::is_regular_file(file, ignored)) continue;
    if (!std::filesystem::equivalent(file, path, ignored)) continue;
    return fail(ErrorCode::invalid,
                fmt::format("\"file\": {} is in use by this session; save to another file", file));
  }
  return save_file(path, bytes);
}

// Reports before the first request that the session cannot be saved at its end. A pipe is not opened:
// its reader would see an end of file.
Result<void> can_write(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_fifo(path, ignored)) return {};
  Output probe;
  return probe.open(path);
}

Result<std::size_t> read_some(char* to, std::size_t bytes_max) {
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, to, bytes_max);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return fail(ErrorCode::io, "can't read requests: " + reason_of(errno));
  }
}

bool write_output(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(STDOUT_FILENO, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

// A saved session, or a new one on a machine.
Result<Session> open(const SessionWords& words, SessionEnvironment environment) {
  if (words.restore.empty() == words.setup.machine.path.empty()) {
    return fail(ErrorCode::invalid, "the machine is missing: give --load-file or --restore");
  }
  if (words.restore.empty()) {
    return open_session(words.setup, words.format, std::move(environment));
  }
  const auto bytes = read_file(words.restore);
  if (!bytes) return std::unexpected(bytes.error());
  auto session = session_of_save(*bytes, std::move(environment));
  if (!session) session.error().place.file = words.restore;
  return session;
}

int run_session(const SessionWords& words) {
  auto policy = policy_of(words.setup);
  if (!policy) return unusable(policy.error());
  Output effects;
  SessionEnvironment environment{.read_file = read_file,
                                 .write_file =
                                     [&words](const std::string& path, std::string_view bytes) {
                                       return save_for_request(words, path, bytes);
                                     },
                                 .extra_policies = std::move(policy->own)};
  if (!words.effects.empty()) {
    if (auto ok = effects.open(words.effects); !ok) return unusable(ok.error());
    environment.write_effects = [&effects](std::string_view bytes) {
      return effects.write_now(bytes);
    };
  }
  if (auto ok = can_write(words.save); !ok) return unusable(ok.error());
  auto session = open(words, std::move(environment));
  if (!session) return unusable(session.error());
  // If the reader closes the pipe, the exit status reports it, not a signal.
  std::signal(SIGPIPE, SIG_IGN);
  const auto served = serve(*session, {.read_some = read_some, .write_all = write_output});
  if (!served) return unusable(served.error());
  if (session->effects_lost()) return unusable({ErrorCode::io, "can't write " + words.effects, {}});
  if (auto ok = effects.close(); !ok) return unusable(ok.error());
  if (words.save.empty()) return kDone;
  const auto saved = save_file(words.save, session->save());
  return saved ? kDone : unusable(saved.error());
}

}  // namespace

Result<Session> open_session(MachineSetup setup, const std::string& format,
                             SessionEnvironment environment) {
  auto machine = load_machine(setup);
  if (!machine) return std::unexpected(machine.error());
  if (setup.machine.piece_gib > 0 && !machine->scheduling) {
    return fail(
        ErrorCode::invalid,
        "--treepool-memory requires a machine with TreePool's scheduling key, and its traverser");
  }
  if (machine->scheduling && !setup.traverser_given) {
    setup.traverser = Traverser::treepool;
    setup.traverser_given = true;
  }
  auto scheduling = std::exchange(machine->scheduling, {});
  auto engine = make_engine(setup, std::move(*machine));
  if (!engine) return std::unexpected(engine.error());
  SessionOptions options;
  options.environment = std::move(environment);
  options.scheduling = std::move(scheduling);
  if (!format.empty()) options.format = parse_format(format).value_or(Format::rv1_nosched);
  return Session(std::move(*engine), std::move(options));
}

void add_session(CommandLine& line) {
  auto words = std::make_shared<SessionWords>();
  CommandLine sub = line.command(
      "session", "Answer requests on one machine, one JSON object per line",
      "Requests come on standard input, answers go to standard output, in order. "
      "docs/tools/session.md "
      "describes the protocol.\n"
      "Exit status: 0 quit or the end of input, 2 the machine cannot be used.\n"
      "Examples:\n"
      "  copse session -L R.json <requests.jsonl\n"
      "  copse session -L machine.graphml -P low -F rv1\n"
      "  copse session -L machine.graphml --effects today.effects --save tonight.save\n"
      "  copse session --restore tonight.save",
      [words] { return run_session(*words); });
  sub.streams("requests", "answers");
  words->setup.clock_alone = true;
  add_machine_options(sub, words->setup, true);
  sub.added("--load-file").required(false);
  const auto restore = sub.option("--restore", words->restore,
                                  "continue a saved session, instead of loading a machine")
                           .reads_file();
  sub.option("--save", words->save, "save the session to this file when it ends")
      .writes_file()
      .may_replace(restore);
  sub.option(
         "--effects", words->effects,
         "record the effects of each request in this file, before it is answered; see copse replay")
      .writes_file();
  sub.option("-F,--match-format", words->format,
             "the format of R in answers: rv1, rv1_nosched (default) or rv1_shorthand; a "
             "machine of TreePool has its own")
      .one_of({"rv1", "rv1_nosched", "rv1_shorthand"})
      .unit("FORMAT");
  sub.option("--treepool-memory", words->setup.machine.piece_gib,
             "count memory and storage of a TreePool's scheduling key, in pieces of GIB; "
             "without this option, they are only hints")
      .between(1, std::int64_t{1} << 20)
      .unit("GIB");
}

}  // namespace copse
