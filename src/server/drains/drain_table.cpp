// SPDX-License-Identifier: Apache-2.0
#include "server/drains/drain_table.hpp"

#include "server/jobs/journal_parts.hpp"
#include "text/json_writer.hpp"
#include "text/tree/json_tree.hpp"

namespace copse::server {

namespace {

constexpr std::array<std::string_view, 2> kKeys{"drain", "set_down"};  // by kind

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

const DrainRow* DrainTable::find(std::string_view path, Kind kind) const {
  const auto at = rows(kind).find(path);
  return at == rows(kind).end() ? nullptr : &at->second;
}

void DrainTable::put(DrainRow row, Kind kind) {
  ++changes_;
  append_line(lines_, kKeys.at(index(kind)), row);
  std::string path = row.path;
  rows_.at(index(kind))[std::move(path)] = std::move(row);
}

void DrainTable::remove(std::string_view path, Kind kind) {
  ++changes_;
  append_end(lines_, kKeys.at(index(kind)), path);
  Rows& rows = rows_.at(index(kind));
  rows.erase(rows.find(path));
}

std::string DrainTable::state() const {
  std::string out;
  for (std::size_t kind = 0; kind < rows_.size(); ++kind) {
    for (const auto& [path, row] : rows_.at(kind)) append_line(out, kKeys.at(kind), row);
  }
  return out;
}

Result<void> DrainTable::apply_line(std::string_view line) {
  const auto tree = read_json_object(line);
  if (!tree) return std::unexpected(tree.error());
  const TreeView object(*tree);
  DrainRow row;
  std::size_t kind = 0;
  while (kind < kKeys.size() && object.word(kKeys.at(kind)).empty()) ++kind;
  if (kind == kKeys.size()) return fail(ErrorCode::invalid, "there is no \"drain\"");
  row.path = object.word(kKeys.at(kind));
  Rows& rows = rows_.at(kind);
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
  return for_each_line(lines, "drained nodes",
                       [this](std::string_view line) { return apply_line(line); });
}

}  // namespace copse::server
