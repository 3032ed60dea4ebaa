// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/journal_parts.hpp"

namespace copse::server {

namespace {

constexpr std::string_view kUsage{"\0\0\0\0\0", 5};
constexpr std::string_view kDrains{"\0\0\0\0", 4}, kReservations{"\0\0\0", 3}, kClients{"\0\0", 2};

// Takes the bytes before the next NUL. False: there is none.
bool take_lines(std::string_view& bytes, std::string_view& out) {
  const std::size_t end = bytes.find('\0');
  if (end == std::string_view::npos) return false;
  out = bytes.substr(0, end);
  bytes.remove_prefix(end + 1);
  return true;
}

}  // namespace

std::string join_parts(const JournalParts& parts) {
  std::string out;
  out.reserve(parts.usage.size() + parts.drains.size() + parts.reservations.size() +
              parts.clients.size() + parts.jobs.size() + parts.engine.size() + 20);
  if (!parts.usage.empty()) {
    out += kUsage;
    out += parts.usage;
    out += '\0';
  }
  if (!parts.drains.empty()) {
    out += kDrains;
    out += parts.drains;
    out += '\0';
  }
  if (!parts.reservations.empty()) {
    out += kReservations;
    out += parts.reservations;
    out += '\0';
  }
  if (!parts.clients.empty()) {
    out += kClients;
    out += parts.clients;
    out += '\0';
  }
  if (!parts.jobs.empty()) {
    out += '\0';
    out += parts.jobs;
    out += '\0';
  }
  out += parts.engine;
  return out;
}

Result<JournalParts> split_parts(std::string_view bytes) {
  JournalParts out;
  if (bytes.starts_with(kUsage)) {
    bytes.remove_prefix(kUsage.size());
    if (!take_lines(bytes, out.usage)) {
      return fail(ErrorCode::invalid, "the lines about usage are not terminated");
    }
  }
  if (bytes.starts_with(kDrains)) {
    bytes.remove_prefix(kDrains.size());
    if (!take_lines(bytes, out.drains)) {
      return fail(ErrorCode::invalid, "the lines about drained nodes are not terminated");
    }
  }
  if (bytes.starts_with(kReservations)) {
    bytes.remove_prefix(kReservations.size());
    if (!take_lines(bytes, out.reservations)) {
      return fail(ErrorCode::invalid, "the lines about reservations are not terminated");
    }
  }
  if (bytes.starts_with(kClients)) {
    bytes.remove_prefix(kClients.size());
    if (!take_lines(bytes, out.clients)) {
      return fail(ErrorCode::invalid, "the lines about clients are not terminated");
    }
  }
  if (bytes.starts_with('\0')) {
    bytes.remove_prefix(1);
    if (!take_lines(bytes, out.jobs)) {
      return fail(ErrorCode::invalid, "the lines about jobs are not terminated");
    }
  }
  out.engine = bytes;
  return out;
}

}  // namespace copse::server
