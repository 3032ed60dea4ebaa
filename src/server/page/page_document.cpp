// SPDX-License-Identifier: Apache-2.0
//
// The document of all jobs, read once by the page and then updated by changes.
#include <fmt/format.h>

#include "base/idset.hpp"
#include "base/job_id.hpp"
#include "queue/reservation/reservation.hpp"
#include "server/page/jobs_document.hpp"
#include "server/page/page_handlers.hpp"

namespace copse::server {

namespace {

// Times of reservations, as in the document "happenings".
void append_reservations(JsonWriter& json, HttpContext& context) {
  const MachineWatch& machine = context.page->machine();
  const auto name_of = [&](JobId id) {
    std::string name = context.service.jobs().reservation_name(id);
    return name.empty() ? fmt::format("reservation {}", id - kFirstReservationId) : name;
  };
  json.key("reservations");
  json.open('[');
  for (auto at = machine.allocations().lower_bound(kFirstReservationId);
       at != machine.allocations().end(); ++at) {
    json.object([&] {
      json.member("name", name_of(at->first));
      json.member("start", at->second.start_s);
      json.member("end", at->second.end_s);
      Idset nodes;
      for (const NodeRange& run : at->second.nodes) {
        nodes.add_range(run.first, run.first + run.count - 1);
      }
      json.member("nodes", nodes);
      json.array("draws", at->second.draws, [&](const LayerCharge& charge) {
        json.array(std::initializer_list<std::int64_t>{charge.layer, charge.amount},
                   [&](std::int64_t number) { json.value(number); });
      });
    });
  }
  json.close(']');
}

}  // namespace

HttpResponse get_page_jobs(HttpContext& context, const HttpCall& call) {
  if (context.page == nullptr) return no_page();
  JobsDocument document(context, {}, context.service.hidden_from(call.request.caller));
  document.add_all();
  std::string body, jobs;
  JsonWriter json(body);
  json.object([&] {
    const MachineWatch& machine = context.page->machine();
    json.member("cursor", fmt::format("{}-{}", machine.seen(), context.service.events().next()));
    json.member("now", context.service.session().engine().now());
    json.member("cut", document.cut());
    json.member("since", machine.since_s());
    json.member("forecast", context.page->forecast().version());
    document.append(jobs);
    json.member_json("jobs", jobs);
    append_reservations(json, context);
  });
  return page_answer(call, std::move(body));
}

}  // namespace copse::server
