// SPDX-License-Identifier: Apache-2.0
//
// The document of all jobs, read once by the page and then updated by changes.
#include <memory>
#include <ranges>
#include <utility>

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
  const std::ranges::subrange reserved(machine.allocations().lower_bound(kFirstReservationId),
                                       machine.allocations().end());
  json.array("reservations", reserved, [&](const auto& each) {
    const auto& [id, held] = each;
    json.object([&] {
      json.member("name", name_of(id));
      json.member("start", held.start_s);
      json.member("end", held.end_s);
      Idset nodes;
      for (const NodeRange& run : held.nodes) {
        nodes.add_range(run.first, run.first + run.count - 1);
      }
      json.member("nodes", nodes);
      json.array("draws", held.draws, [&](const LayerCharge& charge) {
        json.array(std::initializer_list<std::int64_t>{charge.layer, charge.amount},
                   [&](std::int64_t number) { json.value(number); });
      });
    });
  });
}

// The jobs are collected in one step, written in the next, and compressed in the last, so that
// others wait for one of these only. Cursor and time are those of the first.
class JobsPage final : public ResponseWork {
 public:
  JobsPage(HttpContext& context, const HttpCall& call)
      : context_(context),
        jobs_(context, {}, context.service.hidden_from(call.request.caller)),
        accept_encoding_(call.request.accept_encoding) {}

  bool step(HttpResponse& out, std::int64_t /*now_s*/) override {
    switch (next_step_++) {
      case 0: collect(); return false;
      case 1: write(); return false;
      default: out = page_answer(accept_encoding_, std::move(body_)); return true;
    }
  }

 private:
  void collect() {
    jobs_.add_all();
    const MachineWatch& machine = context_.page->machine();
    json_.open('{');
    json_.member("cursor", fmt::format("{}-{}", machine.seen(), context_.service.events().next()));
    json_.member("now", context_.service.session().engine().now());
    json_.member("cut", jobs_.cut());
    json_.member("since", machine.since_s());
    json_.member("forecast", context_.page->forecast().version());
    append_reservations(json_, context_);
  }
  void write() {
    json_.key("jobs");
    jobs_.append(json_.begin());
    json_.close('}');
  }

  HttpContext& context_;
  JobsDocument jobs_;
  std::string_view accept_encoding_;  // of the request, which outlives this
  int next_step_ = 0;
  std::string body_{};
  JsonWriter json_{body_};
};

}  // namespace

HttpResponse get_page_jobs(HttpContext& context, const HttpCall& call) {
  if (context.page == nullptr) return no_page();
  HttpResponse out;
  out.work = std::make_shared<JobsPage>(context, call);
  return out;
}

}  // namespace copse::server
