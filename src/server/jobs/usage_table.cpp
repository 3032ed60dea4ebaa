// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/usage_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "server/jobs/journal_parts.hpp"
#include "text/json_writer.hpp"
#include "text/tree/json_tree.hpp"

namespace copse::server {

namespace {

using OfGrant = queue::KeptUsage::OfGrant;

void append_used(std::string& out, const queue::Priorities::Used& used, const std::string* user) {
  JsonWriter json(out);
  json.object([&] {
    json.member_json("usage", fmt::format("{}", used.core_s));
    json.member("at", used.as_of_s);
    if (user != nullptr) json.member("user", *user);
  });
  out += '\n';
}

void append_grant(std::string& out, const OfGrant& row) {
  JsonWriter json(out);
  json.object([&] {
    json.member("grant", row.id);
    if (row.ended) {
      json.member("ended", true);
      return;
    }
    json.member("user", row.user);
    json.member_json("cores", fmt::format("{}", row.cores));
    json.array("size", row.size, [&](std::int64_t count) { json.value(count); });
  });
  out += '\n';
}

constexpr std::size_t kPrioritiesInLine = 1'000;
constexpr std::int64_t kTimeMax_s = INT64_C(1) << 53;

void append_priorities(std::string& out, std::span<const std::pair<JobId, std::int64_t>> rows,
                       const std::optional<std::int64_t>& at_s) {
  if (at_s) {
    JsonWriter json(out);
    json.object([&] {
      json.list("priorities", [] {});
      json.member("at", *at_s);
    });
    out += '\n';
  }
  while (!rows.empty()) {
    const auto some = rows.first(std::min(rows.size(), kPrioritiesInLine));
    rows = rows.subspan(some.size());
    JsonWriter json(out);
    json.object([&] {
      json.array("priorities", some, [&](const auto& row) {
        const std::array<std::int64_t, 2> pair{static_cast<std::int64_t>(row.first), row.second};
        json.array(pair, [&](std::int64_t value) { json.value(value); });
      });
    });
    out += '\n';
  }
}

void append_lines(std::string& out, const queue::KeptUsage& rows) {
  for (const auto& [user, used] : rows.users) append_used(out, used, &user);
  if (rows.all) append_used(out, *rows.all, nullptr);
  for (const OfGrant& grant : rows.grants) append_grant(out, grant);
  append_priorities(out, rows.priorities, rows.prioritized_s);
}

// A finite number of at least 0.
Result<double> amount(const TreeView& object, std::string_view key) {
  const auto value = object.find(key);
  const auto number = value ? value->real() : std::nullopt;
  if (number && std::isfinite(*number) && *number >= 0) return *number;
  return fail(ErrorCode::invalid, fmt::format("\"{}\" is not an amount", key));
}

std::string user_in(const TreeView& object, const UserOf& user_of) {
  std::string user(object.word("user"));
  return user_of ? user_of(user) : user;
}

Result<OfGrant> read_grant(const TreeView& object, std::int64_t id, const UserOf& user_of) {
  OfGrant out{.id = static_cast<JobId>(id), .ended = object.is_true("ended")};
  if (out.ended) return out;
  out.user = user_in(object, user_of);
  const auto cores = amount(object, "cores");
  if (!cores) return std::unexpected(cores.error());
  out.cores = *cores;
  std::size_t counts = 0;
  for (const TreeView count : object.list("size")) {
    const auto number = count.integer();
    if (!number || *number < 0 || counts == out.size.size()) break;
    out.size.at(counts++) = *number;
  }
  if (counts < out.size.size()) return fail(ErrorCode::invalid, "\"size\" is not 4 counts");
  return out;
}

}  // namespace

void UsageTable::put_user(queue::KeptUsage::OfUser row) {
  const auto [at, is_new] = users_.emplace(row.user, rows_.users.size());
  if (is_new) {
    rows_.users.push_back(std::move(row));
  } else {
    rows_.users[at->second] = std::move(row);
  }
}

void UsageTable::put_grant(OfGrant row) {
  const auto at = grants_.find(row.id);
  if (at == grants_.end()) {
    if (row.ended) return;
    grants_.emplace(row.id, rows_.grants.size());
    rows_.grants.push_back(std::move(row));
    return;
  }
  const std::size_t place = at->second;
  if (!row.ended) {
    rows_.grants[place] = std::move(row);
    return;
  }
  // The last one takes its place.
  grants_.erase(at);
  if (place + 1 < rows_.grants.size()) {
    rows_.grants[place] = std::move(rows_.grants.back());
    grants_[rows_.grants[place].id] = place;
  }
  rows_.grants.pop_back();
}

std::string UsageTable::put(const queue::KeptUsage& changes) {
  std::string out;
  append_lines(out, changes);
  for (const auto& row : changes.users) put_user(row);
  if (changes.all) rows_.all = changes.all;
  for (const OfGrant& row : changes.grants) put_grant(row);
  if (changes.prioritized_s) {
    rows_.prioritized_s = changes.prioritized_s;
    priorities_.clear();
  }
  for (const auto& [id, priority] : changes.priorities) priorities_[id] = priority;
  return out;
}

std::optional<std::int64_t> UsageTable::priority_of(JobId id) const {
  const auto at = priorities_.find(id);
  return at == priorities_.end() ? std::nullopt : std::optional(at->second);
}

void UsageTable::keep_priorities(const std::function<bool(JobId id)>& waits) {
  std::erase_if(priorities_, [&](const auto& row) { return !waits(row.first); });
}

std::string UsageTable::state() const {
  std::string out;
  append_lines(out, rows_);
  const std::vector<std::pair<JobId, std::int64_t>> rows(priorities_.begin(), priorities_.end());
  append_priorities(out, rows, {});
  return out;
}

Result<void> UsageTable::apply_priorities(const TreeView& object) {
  if (const auto at = object.number("at")) {
    if (*at < 0 || *at > kTimeMax_s) return fail(ErrorCode::invalid, "\"at\" is not a time");
    rows_.prioritized_s = at;
    priorities_.clear();
  }
  for (const TreeView row : object.list("priorities")) {
    const auto id = row.first_child();
    const auto priority = id ? id->next() : std::nullopt;
    const auto number = id ? id->integer() : std::nullopt;
    const auto value = priority ? priority->integer() : std::nullopt;
    if (!number || *number < 1 || !value || *value == INT64_MIN) {
      return fail(ErrorCode::invalid, "\"priorities\" is not a list of ids and priorities");
    }
    priorities_[static_cast<JobId>(*number)] = *value;
  }
  return {};
}

Result<void> UsageTable::apply_line(std::string_view line, const UserOf& user_of) {
  const auto tree = read_json_object(line);
  if (!tree) return std::unexpected(tree.error());
  const TreeView object(*tree);
  if (object.find("priorities")) return apply_priorities(object);
  if (const auto id = object.number("grant")) {
    auto row = read_grant(object, *id, user_of);
    if (!row) return std::unexpected(row.error());
    put_grant(std::move(*row));
    return {};
  }
  const auto used = amount(object, "usage");
  if (!used) return std::unexpected(used.error());
  const auto at = object.number("at");
  if (!at || *at < 0 || *at > kTimeMax_s) return fail(ErrorCode::invalid, "\"at\" is not a time");
  const queue::Priorities::Used row{*used, *at};
  if (object.find("user")) {
    put_user({user_in(object, user_of), row});
  } else {
    rows_.all = row;
  }
  return {};
}

Result<void> UsageTable::apply(std::string_view lines, const UserOf& user_of) {
  return for_each_line(lines, "usage",
                       [&](std::string_view line) { return apply_line(line, user_of); });
}

void UsageTable::correct_times(const std::function<std::int64_t(std::int64_t time_s)>& correct) {
  for (auto& row : rows_.users) row.used.as_of_s = correct(row.used.as_of_s);
  if (rows_.all) rows_.all->as_of_s = correct(rows_.all->as_of_s);
  if (rows_.prioritized_s) rows_.prioritized_s = correct(*rows_.prioritized_s);
}

}  // namespace copse::server
