// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/serve/serve_check.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "server/listen.hpp"
#include "server/socket_file.hpp"

namespace copse {

Result<void> check_state_folder(const std::string& folder, const ServeLog& log) {
  namespace fs = std::filesystem;
  std::error_code none;
  fs::path at = fs::absolute(folder, none);
  const bool there = fs::exists(at, none);
  while (!fs::exists(at, none) && at != at.parent_path()) at = at.parent_path();
  if (!fs::is_directory(at, none)) {
    return fail(ErrorCode::invalid, fmt::format("{} is not a folder", at.string()));
  }
  if (::access(at.c_str(), W_OK | X_OK) != 0) {
    return fail(ErrorCode::io, fmt::format("can't write in {}: {}", at.string(),
                                           std::generic_category().message(errno)));
  }
  const auto others = fs::perms::group_all | fs::perms::others_all;
  if (!there || (fs::status(at, none).permissions() & others) == fs::perms::none) return {};
  log(fmt::format("other users can look into {}: chmod 700 makes it private", folder));
  return {};
}

Result<void> check_listening(const std::string& socket, const std::vector<std::string>& ports) {
  for (const std::string& where : ports) {
    const auto made = server::listen_on_tcp(where);
    if (!made) return std::unexpected(made.error());
    (void)::close(made->socket);
  }
  std::error_code none;
  if (!std::filesystem::exists(socket, none)) return {};
  const auto taken = server::SocketFile::take(socket);
  return taken ? Result<void>() : std::unexpected(taken.error());
}

}  // namespace copse
