// SPDX-License-Identifier: Apache-2.0
//
// copse session: requests on standard input, answers on standard output.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "formats/rv1/rv1_read.hpp"
#include "session/session.hpp"
#include "session/stream.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

struct SessionWords {
  MachineSetup setup;
  std::string format;
  bool traverser_given = false;
};

std::ptrdiff_t read_input(char* to, std::size_t bytes_max) {
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, to, bytes_max);
    if (got >= 0 || errno != EINTR) return got;
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

// The key that TreePool wrote into the machine's R, if the machine is one.
Result<std::optional<TreepoolKey>> treepool_key(const MachineFile& file) {
  const auto text = read_whole(file.path);
  if (!text) return std::unexpected(text.error());
  const std::string format = file.format.empty() ? guess_format(*text) : file.format;
  if (format != "rv1exec" || text->find("TreePool") == std::string::npos) {
    return std::optional<TreepoolKey>();
  }
  const auto r = read_r(*text, file.path);
  if (!r) return std::unexpected(r.error());
  return read_treepool(*text, r->ranks(), file.path);
}

int run_session(const SessionWords& words) {
  auto session = open_session(words.setup, words.traverser_given, words.format);
  if (!session) return unusable(session.error());
  // Who stops reading is told by the status, not by a signal.
  std::signal(SIGPIPE, SIG_IGN);
  const auto served = serve(*session, {.read_some = read_input, .write_all = write_output});
  return served ? kDone : unusable(served.error());
}

}  // namespace

Result<Session> open_session(MachineSetup setup, bool traverser_given, const std::string& format) {
  if (setup.machine.format == "rv1") setup.machine.format = "rv1exec";
  SessionOptions options;
  if (!traverser_given) {
    auto key = treepool_key(setup.machine);
    if (!key) return std::unexpected(key.error());
    options.key = std::move(*key);
  }
  if (setup.piece_gib > 0 && !options.key) {
    return fail(ErrorCode::invalid,
                "--treepool-memory is for a machine with the scheduling key of TreePool, and its "
                "traverser");
  }
  if (options.key) {
    setup.traverser = Traverser::treepool;
    setup.layouts = options.key->layouts;
  }
  if (!format.empty()) options.format = parse_format(format).value_or(Format::rv1_nosched);
  auto engine = set_up(setup);
  if (!engine) return std::unexpected(engine.error());
  return Session(std::move(*engine), std::move(options));
}

void add_session(CommandLine& line) {
  auto words = std::make_shared<SessionWords>();
  CommandLine sub = line.command(
      "session", "Answer requests on one machine, a JSON object a line",
      "Requests come on standard input, answers go to standard output, in order; "
      "docs/tools/session.md\n"
      "is the protocol. Exit status: 0 quit or the end of input, 2 a machine that cannot be used.\n"
      "Examples:\n"
      "  copse session -L R.json <requests.jsonl\n"
      "  copse session -L machine.graphml -P low -F rv1",
      [words] { return run_session(*words); });
  add_machine_options(sub, words->setup, true);
  sub.option("-F,--match-format", words->format,
             "of the R in answers: rv1, rv1_nosched (default) or rv1_shorthand; the machine of "
             "a TreePool has its own")
      .one_of({"rv1", "rv1_nosched", "rv1_shorthand"});
  sub.option("--treepool-memory", words->setup.piece_gib,
             "count memory and storage of a TreePool's scheduling key, in pieces of GIB; "
             "without it they are hints")
      .between(1, std::int64_t{1} << 20)
      .unit("GIB");
  sub.added("--traverser-policy").when_given([words] { words->traverser_given = true; });
}

}  // namespace copse
