// SPDX-License-Identifier: Apache-2.0
//
// copse session: requests on standard input, answers on standard output.
#include <iostream>
#include <memory>
#include <string>

#include "session/session.hpp"
#include "tools/copse.hpp"

namespace copse {

namespace {

int run_session(const MachineFile& file) {
  const auto text = read_whole(file.path);
  if (!text) return unusable(text.error());
  auto session = session_of_r(*text, file.path);
  if (!session) return unusable(session.error());
  std::ios::sync_with_stdio(false);
  std::string line, answer;
  while (std::getline(std::cin, line)) {
    answer.clear();
    const bool more = session->answer(line, answer);
    std::cout << answer;
    if (!more || std::cin.rdbuf()->in_avail() <= 0) std::cout.flush();
    if (!more) break;
  }
  std::cout.flush();
  return kDone;
}

}  // namespace

void add_session(CLI::App& app, Command& chosen) {
  auto file = std::make_shared<MachineFile>();
  CLI::App* sub =
      add_command(app, "session", "Answer requests on one machine, a JSON object a line",
                  "Examples:\n"
                  "  copse session -L R.json <requests.jsonl\n",
                  chosen, [file] { return run_session(*file); });
  sub->add_option("-L,--load-file", file->path, "the machine, an R (RFC 20)")->required();
  sub->add_option("-f,--load-format", file->format, "rv1")->check(CLI::IsMember({"rv1"}));
}

}  // namespace copse
