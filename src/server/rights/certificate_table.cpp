// SPDX-License-Identifier: Apache-2.0
#include "server/rights/certificate_table.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "server/rights/tokens.hpp"

namespace copse::server {

namespace {

constexpr std::array<std::string_view, 4> kKindsOfNames{"CN:", "DNS:", "email:", "URI:"};

bool is_certificate_name(std::string_view name) {
  return name.size() <= CertificateTable::kNameBytesMax &&
         std::ranges::any_of(kKindsOfNames, [&](std::string_view kind) {
           return name.starts_with(kind) && name.size() > kind.size();
         });
}

}  // namespace

Result<void> CertificateTable::add(std::string_view name, std::string_view user,
                                   std::string_view role) {
  if (!is_certificate_name(name)) {
    return fail(ErrorCode::invalid,
                fmt::format("{} is not a certificate name: it must begin with CN:, DNS:, email: or "
                            "URI:, and have at most {} bytes",
                            shown_word(name), kNameBytesMax));
  }
  if (!is_token_name(user)) {
    return fail(ErrorCode::invalid,
                fmt::format("{} is not a user name: 1 to {} letters, digits, '.', '_' and '-'",
                            shown_word(user), Tokens::kNameBytesMax));
  }
  const auto known = parse_role(role);
  if (!known || *known == Role::none) {
    constexpr std::array<std::string_view, 4> kWords{"guest", "user", "operator", "owner"};
    return fail(ErrorCode::invalid, unknown_word("role", role, kWords));
  }
  if (rows_.size() >= kRowsMax) {
    return fail(ErrorCode::limit, fmt::format("there are more than {} certificates", kRowsMax));
  }
  if (!rows_.try_emplace(std::string(name), Caller{*known, std::string(user)}).second) {
    return fail(ErrorCode::exists, fmt::format("{} already has a row", shown_word(name)));
  }
  return {};
}

Caller CertificateTable::authenticate(std::span<const std::string> names) const {
  for (const std::string& name : names) {
    if (const auto row = rows_.find(name); row != rows_.end()) return row->second;
  }
  return {};
}

}  // namespace copse::server
