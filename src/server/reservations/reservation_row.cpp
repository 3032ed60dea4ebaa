// SPDX-License-Identifier: Apache-2.0
#include "server/reservations/reservation_row.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "text/json_writer.hpp"
#include "text/tree/json_tree.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kNodesOfLineMax = std::size_t{1} << 30;

constexpr TreeLimits kLineLimits{.text_bytes_max = std::size_t{64} << 20};

// Errors: invalid (not a number).
Result<std::int64_t> number_of(TreeView object, std::string_view key) {
  if (const auto number = object.number(key)) return *number;
  return object.fail(fmt::format("\"{}\" is not a number", key));
}

Result<queue::BookedOccurrence> read_booked(TreeView time) {
  if (!time.is_mapping()) return time.fail("a time that is booked is an object");
  queue::BookedOccurrence out;
  const auto start_s = number_of(time, "start");
  if (!start_s) return std::unexpected(start_s.error());
  out.start_s = *start_s;
  if (const std::string_view nodes = time.word("nodes"); !nodes.empty()) {
    auto names = expand_hostlist(nodes, kNodesOfLineMax);
    if (!names) return std::unexpected(names.error());
    out.nodes = std::move(*names);
  }
  const auto layers = time.find("layers");
  if (!layers) return out;
  for (auto layer = layers->first_child(); layer; layer = layer->next()) {
    if (!layer->is_mapping()) return layer->fail("an amount of a layer is an object");
    const auto amount = number_of(*layer, "amount");
    if (!amount) return std::unexpected(amount.error());
    out.layers.push_back(
        {std::string(layer->word("resource")), std::string(layer->word("nodes")), *amount});
  }
  return out;
}

void write_booked(JsonWriter& json, const queue::BookedOccurrence& time) {
  json.object([&] {
    json.member("start", time.start_s);
    json.member("nodes", compress_hostlist(time.nodes));
    if (time.layers.empty()) return;
    json.array("layers", time.layers, [&](const queue::BookedOccurrence::Amount& layer) {
      json.object([&] {
        json.member("resource", layer.resource);
        json.member("nodes", layer.nodes);
        json.member("amount", layer.amount);
      });
    });
  });
}

}  // namespace

void append_line(std::string& out, const ReservationLine& line) {
  const ReservationRow& row = line.row;
  JsonWriter json(out);
  json.object([&] {
    json.member("reservation", row.name);
    if (line.ended) {
      json.member("ended", true);
      return;
    }
    json.member("number", row.number);
    json.member("by", row.by);
    json.member("at", row.at);
    json.member("request", row.request);
    json.array("booked", row.booked,
               [&](const queue::BookedOccurrence& time) { write_booked(json, time); });
  });
  out += '\n';
}

Result<ReservationLine> read_reservation_line(std::string_view text) {
  const auto tree = read_json_object(text, kLineLimits);
  if (!tree) return std::unexpected(tree.error());
  const TreeView object(*tree);
  ReservationLine out;
  out.row.name = object.word("reservation");
  if (out.row.name.empty()) return object.fail("there is no \"reservation\"");
  out.ended = object.is_true("ended") || object.is_true("over");
  if (out.ended) return out;
  out.row.by = object.word("by");
  for (const auto& [key, into] :
       {std::pair{"number", &out.row.number}, std::pair{"at", &out.row.at}}) {
    const auto number = number_of(object, key);
    if (!number) return std::unexpected(number.error());
    *into = *number;
  }
  out.row.request = object.word(object.find("request") ? "request" : "asked");
  const auto booked = object.find("booked");
  if (!booked || !booked->is_sequence()) return object.fail("\"booked\" is not a list");
  for (auto time = booked->first_child(); time; time = time->next()) {
    auto read = read_booked(*time);
    if (!read) return std::unexpected(read.error());
    out.row.booked.push_back(std::move(*read));
  }
  return out;
}

Result<queue::ReservationSpec> spec_of(const ReservationRow& row,
                                       const queue::ReservationReadOptions& how) {
  const auto tree = read_json_object(row.request, kLineLimits);
  if (!tree) return std::unexpected(tree.error());
  auto spec = queue::read_reservation(TreeView(*tree), how);
  if (spec) queue::count_from(row.at, *spec);
  return spec;
}

}  // namespace copse::server
