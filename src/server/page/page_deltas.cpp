// SPDX-License-Identifier: Apache-2.0
//
// Changes for an open page, twice a second. An event is the difference between two positions,
// whatever happened in between: its cost is that of naming each changed job and node once. Its id
// is the later position, from which a page resumes a lost stream.
#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "server/http/problem.hpp"
#include "server/page/jobs_document.hpp"
#include "server/page/page_handlers.hpp"

namespace copse::server {

namespace {

// Above these, the page reads the whole document instead, at its own rate.
constexpr std::size_t kNodeRunsMax = 400, kJobsMax = 300;

struct Cursor {
  journal::Sequence record = 0;
  std::uint64_t event = 0;
};

// Parses "RECORD-EVENT". Errors: invalid, limit.
Result<Cursor> cursor_of(std::string_view text) {
  const std::size_t mark = std::min(text.find('-'), text.size());
  const auto record =
      parse_integer(text.substr(0, mark), "the first number of a place in the stream");
  if (!record) return std::unexpected(record.error());
  const auto event = parse_integer(text.substr(std::min(mark + 1, text.size())),
                                   "the second number of a place in the stream");
  if (!event) return std::unexpected(event.error());
  return Cursor{static_cast<journal::Sequence>(*record), static_cast<std::uint64_t>(*event)};
}

class PageDeltas : public EventSource {
 public:
  PageDeltas(HttpContext& context, IsHidden hidden, Cursor from)
      : context_(context), hidden_(std::move(hidden)), at_(from) {}

  journal::Sequence next(std::string& out) override {
    const MachineWatch& machine = context_.page->machine();
    const JobEventLog& events = context_.service.events();
    const std::uint64_t forecast = context_.page->last_forecast().version();
    const Cursor now{machine.seen(), events.next()};
    const std::vector<Run> runs = now.record == at_.record ? std::vector<Run>() : changed(machine);
    // An advance of the clock alone is not sent.
    if (begun_ && runs.empty() && now.event == at_.event && forecast == forecast_) {
      at_ = now;
      return 0;
    }
    begun_ = true;
    forecast_ = forecast;
    const queue::JobQueue& queue = context_.service.jobs().queue();
    const std::string body = object_text([&](JsonWriter& json) {
      json.member("now", context_.service.session().engine().now());
      json.member("waiting", queue.waiting());
      json.member("running", queue.running());
      json.member("forecast", forecast);
      json.member("machine_generation", machine.generation());
      append_nodes(json, runs);
      append_jobs(json, events);
    });
    at_ = now;
    out += fmt::format("id: {}-{}\ndata: {}\n\n", now.record, now.event, body);
    return context_.service.next();
  }

 private:
  struct Run {
    std::uint32_t first, count;
    NodeSummary look;
  };

  // Changed nodes as ranges of equal neighbours; more than kNodeRunsMax if there are too many.
  [[nodiscard]] std::vector<Run> changed(const MachineWatch& machine) const {
    std::vector<Run> out;
    for (std::uint32_t lane = 0; lane < machine.nodes().size(); ++lane) {
      if (machine.changed(lane) <= at_.record) continue;
      const NodeSummary& look = machine.nodes()[lane];
      const bool more = !out.empty() && out.back().first + out.back().count == lane &&
                        out.back().look.state == look.state && out.back().look.share == look.share;
      if (more) {
        ++out.back().count;
      } else {
        out.push_back({lane, 1, look});
        if (out.size() > kNodeRunsMax) break;
      }
    }
    return out;
  }

  static void append_nodes(JsonWriter& json, const std::vector<Run>& runs) {
    json.key("nodes");
    if (runs.size() > kNodeRunsMax) return json.json("null");
    json.array(runs, [&](const Run& run) {
      json.array(std::initializer_list<std::uint32_t>{run.first, run.count, run.look.state,
                                                      run.look.share},
                 [&](std::uint32_t number) { json.value(number); });
    });
  }

  void append_jobs(JsonWriter& json, const JobEventLog& events) const {
    std::vector<JobId> ids;
    json.key("jobs");
    if (at_.event < events.oldest()) return json.json("null");
    for (std::uint64_t number = at_.event; number < events.next(); ++number) {
      ids.push_back(events.job(number));
    }
    std::ranges::sort(ids);
    const auto same = std::ranges::unique(ids);
    ids.erase(same.begin(), same.end());
    if (ids.size() > kJobsMax) return json.json("null");
    JobsDocument document(context_, {}, hidden_);
    document.add(ids);
    document.append(json.begin());
  }

  HttpContext& context_;
  IsHidden hidden_;
  Cursor at_;
  std::uint64_t forecast_ = 0;
  bool begun_ = false;
};

}  // namespace

HttpResponse get_page_events(HttpContext& context, const HttpCall& call) {
  if (context.page == nullptr) return no_page();
  const MachineWatch& machine = context.page->machine();
  const JobEventLog& events = context.service.events();
  Cursor from{machine.seen(), events.next()};
  std::string_view text = call.request.last_event_id;
  const std::string* since = call.target.find("since");
  if (text.empty() && since != nullptr) text = *since;
  if (!text.empty()) {
    const auto read = cursor_of(text);
    if (!read) return problem_of(read.error());
    if (read->record > machine.seen() || read->event > events.next() ||
        read->event < events.oldest()) {
      return problem(Problem::gone,
                     fmt::format("changes since {} are no longer kept: read /v1/page/state and its "
                                 "documents again",
                                 text));
    }
    from = *read;
  }
  HttpResponse out;
  out.type = "text/event-stream";
  out.event_source =
      std::make_shared<PageDeltas>(context, context.service.hidden_from(call.request.caller), from);
  return out;
}

}  // namespace copse::server
