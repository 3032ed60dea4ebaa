// SPDX-License-Identifier: Apache-2.0
//
// copse usage: what the users of a service have used, as sshare shows it.
#include <memory>

#include <fmt/format.h>

#include "tools/copse/client/client_commands.hpp"
#include "tools/copse/client/request_words.hpp"
#include "tools/copse/client/service/service_client.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

int show_usage(TreeView answer) {
  std::string out = fmt::format("{:<16} {:>10} {:>12} {:>10} {:>10}\n", "USER", "SHARE",
                                "CORE-HOURS", "PART", "FAIR-SHARE");
  for (const TreeView one : answer.list("users")) {
    const auto factor = [&](std::string_view key) {
      const auto member = one.find(key);
      return member ? member->real().value_or(0) : 0;
    };
    out += fmt::format("{:<16} {:>10.4f} {:>12.1f} {:>10.4f} {:>10.4f}\n",
                       shown_user(one.word("user")), factor("share"), factor("core_seconds") / 3600,
                       factor("part"), factor("fair_share"));
  }
  return write_words(out);
}

}  // namespace

void add_usage(CommandLine& line) {
  auto o = std::make_shared<ClientOptions>();
  CommandLine sub =
      line.command("usage", "Show what users have used, and their fair shares",
                   "Usage is halved with every half-life of the service's rule of priorities. No "
                   "user is listed\n"
                   "if the rule has no weight for fair shares.\n"
                   "Examples:\n"
                   "  copse usage\n"
                   "  copse usage --json | jq '.users[] | select(.fair_share < 0.5) | .user'",
                   [o] { return ask_and_show(*o, R"({"op": "usage"})", show_usage); });
  add_client_options(sub, *o);
}

}  // namespace copse
