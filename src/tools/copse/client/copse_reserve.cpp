// SPDX-License-Identifier: Apache-2.0
//
// copse reserve: resources outside the queue of a service, at the earliest time.
#include <memory>

#include <fmt/format.h>

#include "host/clock/local_time.hpp"
#include "text/printable.hpp"
#include "tools/copse/client/client_commands.hpp"
#include "tools/copse/client/event_words.hpp"
#include "tools/copse/client/request_words.hpp"
#include "tools/copse/client/service/service_client.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

struct ReserveOptions {
  ClientOptions client;
  RequestWords request;
  std::int64_t id = -1;
};

std::string reserved_words(TreeView answer) {
  const auto r = answer.find("R");
  const auto execution = r && r->is_mapping() ? r->find("execution") : std::nullopt;
  const std::string nodes = r ? nodelist_of_r(*r) : "";
  std::string out = fmt::format("{} from {}", answer.number("id").value_or(0),
                                local_time_text(answer.number("at").value_or(0)));
  const auto end_s = execution ? execution->number("expiration") : std::nullopt;
  if (end_s) out += *end_s > 0 ? " to " + local_time_text(*end_s) : " on, without end";
  if (!nodes.empty()) out += " on " + nodes;
  return out;
}

int run_reserve(const ReserveOptions& o) {
  Result<void> written;
  const std::string line = object_text([&](JsonWriter& json) {
    json.member("op", "reserve");
    if (o.id >= 0) json.member("id", o.id);
    written = write_request(json, o.request);
  });
  if (!written) return unusable(written.error());
  return ask_and_show(o.client, line, [](TreeView answer) {
    return write_line(printable(reserved_words(answer), LineEnds::escape));
  });
}

}  // namespace

void add_reserve(CommandLine& line) {
  auto o = std::make_shared<ReserveOptions>();
  CommandLine sub = line.command(
      "reserve", "Reserve resources of a service outside its queue, at the earliest time",
      "It delays no promised start. copse cancel releases it.\n"
      "Exit status: 0 reserved, 1 never, or not while the current grants last.\n"
      "Examples:\n"
      "  copse reserve --shape 'slot=4/node{x}' --duration 2h",
      [o] { return run_reserve(*o); });
  add_request_options(sub, o->request);
  sub.option("--id", o->id, "the id to use (default: a new one)").not_negative().unit("ID");
  add_client_options(sub, o->client);
}

}  // namespace copse
