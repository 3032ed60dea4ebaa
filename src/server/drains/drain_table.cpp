// SPDX-License-Identifier: Apache-2.0
#include "server/drains/drain_table.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "request/tree/json_tree.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

namespace {

std::string_view word_of(TreeView object, std::string_view key) {
  const auto value = object.find(key);
  return value && value->is_scalar() ? value->text() : std::string_view();
}

void append_line(std::string& out, const DrainRow& row) {
  JsonWriter json(out);
  json.object([&] {
    json.member("drain", row.path);
    json.member("node", row.node);
    if (!row.reason.empty()) json.member("reason", row.reason);
    json.member("by", row.by);
    json.member("at", row.at);
    if (row.down) json.member("down", true);
  });
  out += '\n';
}

void append_end(std::string& out, std::string_view path) {
  JsonWriter json(out);
  json.object([&] {
    json.member("drain", path);
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
  append_line(lines_, row);
  std::string path = row.path;
  rows_[std::move(path)] = std::move(row);
}

void DrainTable::remove(std::string_view path) {
  append_end(lines_, path);
  rows_.erase(rows_.find(path));
}

std::string DrainTable::state() const {
  std::string out;
  for (const auto& [path, row] : rows_) append_line(out, row);
  return out;
}

Result<void> DrainTable::apply_line(std::string_view line) {
  if (first_invalid_utf8(line) != line.npos) return fail(ErrorCode::invalid, "it is not UTF-8");
  const auto tree = read_json_tree(line, {}, {});
  if (!tree || !*tree || !TreeView(**tree).is_mapping()) {
    return fail(ErrorCode::invalid, "it is not a JSON object");
  }
  const TreeView object(**tree);
  DrainRow row;
  row.path = word_of(object, "drain");
  if (row.path.empty()) return fail(ErrorCode::invalid, "there is no \"drain\"");
  if (word_of(object, "ended") == "true" || word_of(object, "over") == "true") {
    rows_.erase(row.path);
    return {};
  }
  row.node = word_of(object, "node");
  row.reason = word_of(object, "reason");
  row.by = word_of(object, "by");
  row.down = word_of(object, "down") == "true";
  const std::string_view at = word_of(object, "at");
  const auto [end, error] = std::from_chars(at.data(), at.data() + at.size(), row.at);
  if (error != std::errc() || end != at.data() + at.size()) {
    return fail(ErrorCode::invalid, "\"at\" is not a number");
  }
  std::string path = row.path;
  rows_[std::move(path)] = std::move(row);
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
