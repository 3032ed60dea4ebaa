// SPDX-License-Identifier: Apache-2.0
#include "server/rights/user_names.hpp"

#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <span>

namespace copse::server {

namespace {

constexpr std::size_t kGroupTextsMax = std::size_t{16} << 20;

}  // namespace

std::optional<std::string> name_of_user(std::uint32_t uid) {
  passwd facts{};
  passwd* found = nullptr;
  std::array<char, 16'384> texts{};
  if (::getpwuid_r(uid, &facts, texts.data(), texts.size(), &found) == 0 && found != nullptr) {
    return found->pw_name;
  }
  return std::nullopt;
}

std::vector<std::string> groups_of_user(const std::string& user) {
  constexpr int kGroupsMax = 65'536;  // of one user, as in Linux
  passwd facts{};
  passwd* found = nullptr;
  std::vector<char> texts(std::size_t{1} << 16);
  if (::getpwnam_r(user.c_str(), &facts, texts.data(), texts.size(), &found) != 0 ||
      found == nullptr) {
    return {};
  }
  std::vector<gid_t> ids(64);
  int count = static_cast<int>(ids.size());
  if (::getgrouplist(user.c_str(), facts.pw_gid, ids.data(), &count) < 0) {
    ids.resize(static_cast<std::size_t>(std::min(count, kGroupsMax)));
    count = static_cast<int>(ids.size());
    if (::getgrouplist(user.c_str(), facts.pw_gid, ids.data(), &count) < 0) return {};
  }
  std::vector<std::string> out;
  for (const gid_t id : std::span(ids).first(static_cast<std::size_t>(count))) {
    group entry{};
    group* named = nullptr;
    // A group with too many members for the buffer has a name all the same: a larger one is tried.
    int error = ::getgrgid_r(id, &entry, texts.data(), texts.size(), &named);
    while (error == ERANGE && texts.size() < kGroupTextsMax) {
      texts.resize(2 * texts.size());
      error = ::getgrgid_r(id, &entry, texts.data(), texts.size(), &named);
    }
    if (named != nullptr) out.emplace_back(named->gr_name);
  }
  return out;
}

const std::vector<std::string>& UserGroups::of(const std::string& user, std::int64_t now_s) {
  const auto [at, is_new] = known_.try_emplace(user);
  if (is_new || now_s - at->second.at_s >= kGroupsAge_s) at->second = {groups_of_user(user), now_s};
  return at->second.groups;
}

std::string UserNames::of(std::string_view user) {
  constexpr std::string_view kUid = "uid:";
  if (!user.starts_with(kUid)) return std::string(user);
  const std::string_view digits = user.substr(kUid.size());
  std::uint32_t uid = 0;
  const auto [at, error] = std::from_chars(digits.data(), digits.data() + digits.size(), uid);
  if (error != std::errc() || at != digits.data() + digits.size()) return std::string(user);
  if (const auto known = known_.find(uid); known != known_.end()) return known->second;
  const auto name = name_of_(uid);
  if (!name) return std::string(user);
  return known_[uid] = *name;
}

}  // namespace copse::server
