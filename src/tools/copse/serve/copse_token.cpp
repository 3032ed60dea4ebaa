// SPDX-License-Identifier: Apache-2.0
//
// copse token: tokens that authenticate the clients of a service.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "host/clock/real_clock.hpp"
#include "server/file_lock.hpp"
#include "server/rights/tokens.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/serve/state_folder.hpp"

namespace copse {

namespace {

using server::Tokens;

struct TokenWords {
  std::string name, state;
  std::string role = "user";
};

Result<std::string> token_path(const TokenWords& words) {
  auto folder = words.state.empty() ? default_state_folder() : Result<std::string>(words.state);
  if (!folder) return folder;
  if (auto ok = check_state_files(*folder); !ok) return std::unexpected(ok.error());
  return *folder + "/tokens";
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

int run_add(const TokenWords& words) {
  const auto path = token_path(words);
  if (!path) return unusable(path.error());
  const server::Role role = *server::parse_role(words.role);
  // A wrong name leaves no folder behind.
  if (auto named = Tokens().add(words.name, role, 0); !named) return unusable(named.error());
  if (const std::string folder = folder_of(*path); !std::filesystem::is_directory(folder)) {
    return unusable({ErrorCode::not_found,
                     fmt::format("there is no folder {}: {}", folder,
                                 words.state.empty()
                                     ? "name the folder of the service's state with --state, or "
                                       "start copse serve first"
                                     : "--state must name the folder of the service's state"),
                     {}});
  }
  const auto lock = server::FileLock::wait_for_folder(folder_of(*path));
  if (!lock) return unusable(lock.error());
  auto tokens = Tokens::load(*path);
  if (!tokens) return unusable(tokens.error());
  const auto token = tokens->add(words.name, role, real_time_s());
  if (!token) return unusable(token.error());
  if (auto ok = tokens->save(*path); !ok) return unusable(ok.error());
  return write_text(*token + "\n");
}

int run_list(const TokenWords& words) {
  const auto path = token_path(words);
  if (!path) return unusable(path.error());
  const auto tokens = Tokens::load(*path);
  if (!tokens) return unusable(tokens.error());
  std::string text = fmt::format("{:<20} {:<8} {}\n", "NAME", "ROLE", "MADE");
  for (const Tokens::Entry& entry : tokens->entries()) {
    text += fmt::format("{:<20} {:<8} {}\n", entry.name, server::word(entry.role),
                        readable_time(entry.made_s));
  }
  return write_text(text);
}

int run_revoke(const TokenWords& words) {
  const auto path = token_path(words);
  if (!path) return unusable(path.error());
  std::optional<server::FileLock> lock;
  if (std::filesystem::exists(*path)) {  // else there is none to revoke, perhaps not even a folder
    auto taken = server::FileLock::wait_for_folder(folder_of(*path));
    if (!taken) return unusable(taken.error());
    lock.emplace(std::move(*taken));
  }
  auto tokens = Tokens::load(*path);
  if (!tokens) return unusable(tokens.error());
  if (!tokens->revoke(words.name)) {
    return unusable(
        {ErrorCode::not_found, fmt::format("there is no token named \"{}\"", words.name), {}});
  }
  const auto saved = tokens->save(*path);
  return saved ? kDone : unusable(saved.error());
}

CommandLine token_command(CommandLine& group, const std::shared_ptr<TokenWords>& words,
                          const std::string& name, const std::string& about,
                          const std::string& example, int (*run)(const TokenWords&)) {
  CommandLine sub =
      group.command(name, about, "Examples:\n  " + example, [words, run] { return run(*words); });
  sub.streams({}, "the answer");
  return sub;
}

void add_token_state(CommandLine& sub, TokenWords& words) {
  sub.option("--state", words.state,
             "the folder of the service's state (default: $XDG_STATE_HOME/copse)")
      .unit("DIR");
}

}  // namespace

void add_token(CommandLine& line) {
  CommandLine group = line.group("token", "Manage the tokens of clients over TCP",
                                 "Examples:\n  copse token add ada --role operator");
  auto words = std::make_shared<TokenWords>();
  CommandLine add =
      token_command(group, words, "add", "Make a token, and show it; it cannot be shown again",
                    "copse token add ada --role operator", run_add);
  add.option("name", words->name, "the name of the user: letters, digits, '.', '_', '-'")
      .unit("NAME")
      .required();
  add.option("--role", words->role,
             "the role of the user: guest, user (default), operator or owner")
      .one_of({"guest", "user", "operator", "owner"})
      .unit("ROLE");
  add_token_state(add, *words);
  words = std::make_shared<TokenWords>();
  CommandLine list = token_command(group, words, "list", "List the names that have tokens",
                                   "copse token list --state /var/lib/copse", run_list);
  add_token_state(list, *words);
  words = std::make_shared<TokenWords>();
  CommandLine revoke = token_command(group, words, "revoke", "Revoke a token at once",
                                     "copse token revoke ada", run_revoke);
  revoke.option("name", words->name, "the name of the user").unit("NAME").required();
  add_token_state(revoke, *words);
}

}  // namespace copse
