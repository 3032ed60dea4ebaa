// SPDX-License-Identifier: Apache-2.0
#include "server/drains/drain_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "text/json_writer.hpp"
#include "text/tree/json_tree.hpp"

namespace copse::server {

namespace {

constexpr std::string_view kDrain = "drain", kSetDown = "set_down";

void append_line(std::string& out, std::string_view kind, const DrainRow& row) {
  JsonWriter json(out);
  json.object([&] {
    json.member(kind, row.path);
    json.member("node", row.node);
    if (!row.reason.empty()) json.member("reason", row.reason);
    json.member("by", row.by);
    json.member("at", row.at);
    if (row.down) json.member("down", true);
  });
  out += '\n';
}

void append_end(std::string& out, std::string_view kind, std::string_view path) {
  JsonWriter json(out);
  json.object([&] {
    json.member(kind, path);
    json.member("ended", true);
  });
  out += '\n';
}

}  // namespace

const DrainRow* DrainTable::find(std::string_view path) const {
  const auto at = rows_.find(path);
  return at == rows_.end() ? nullptr : &at->second;
}

void DrainTable::put(DrainRow row) {
  ++changes_;
  append_line(lines_, kDrain, row);
  std::string path = row.path;
  rows_[std::move(path)] = std::move(row);
}

void DrainTable::remove(std::string_view path) {
  ++changes_;
  append_end(lines_, kDrain, path);
  rows_.erase(rows_.find(path));
}

const DrainRow* DrainTable::find_down(std::string_view path) const {
  const auto at = downs_.find(path);
  return at == downs_.end() ? nullptr : &at->second;
}

void DrainTable::put_down(DrainRow row) {
  ++changes_;
  append_line(lines_, kSetDown, row);
  std::string path = row.path;
  downs_[std::move(path)] = std::move(row);
}

void DrainTable::remove_down(std::string_view path) {
  ++changes_;
  append_end(lines_, kSetDown, path);
  downs_.erase(downs_.find(path));
}

std::string DrainTable::state() const {
  std::string out;
  for (const auto& [path, row] : rows_) append_line(out, kDrain, row);
  for (const auto& [path, row] : downs_) append_line(out, kSetDown, row);
  return out;
}

Result<void> DrainTable::apply_line(std::string_view line) {
  const auto tree = read_json_object(line);
  if (!tree) return std::unexpected(tree.error());
  const TreeView object(*tree);
  DrainRow row;
  row.path = object.word(kDrain);
  const bool is_drain = !row.path.empty();
  if (!is_drain) row.path = object.word(kSetDown);
  if (row.path.empty()) return fail(ErrorCode::invalid, "there is no \"drain\"");
  Rows& rows = is_drain ? rows_ : downs_;
  if (object.is_true("ended") || object.is_true("over")) {
    rows.erase(row.path);
    return {};
  }
  row.node = object.word("node");
  row.reason = object.word("reason");
  row.by = object.word("by");
  row.down = object.is_true("down");
  const auto at = object.number("at");
  if (!at) return fail(ErrorCode::invalid, "\"at\" is not a number");
  row.at = *at;
  std::string path = row.path;
  rows[std::move(path)] = std::move(row);
  return {};
}

Result<void> DrainTable::apply(std::string_view lines) {
  for (std::size_t number = 1; !lines.empty(); ++number) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    if (auto done = apply_line(lines.substr(0, end)); !done) {
      return fail(done.error().code,
                  fmt::format("line {} about drained nodes: {}", number, done.error().message()));
    }
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return {};
}

}  // namespace copse::server
