// SPDX-License-Identifier: Apache-2.0
//
// The machine, its nodes and its layers, for the page.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/idset.hpp"
#include "base/job_id.hpp"
#include "page/machine_document.hpp"
#include "server/http/handlers/handlers.hpp"
#include "server/http/problem.hpp"
#include "server/page/encoding.hpp"
#include "server/page/page_handlers.hpp"

namespace copse::server {

namespace {

constexpr std::size_t kPastOfNodeMax = 50, kNextOfNodeMax = 50;

// The pools of a selection within a node, as positions below it from 0; empty: none, or the whole
// node.
Idset positions_in(const ResourceGraph& graph, const Selection& selection, PoolId node) {
  Idset out;
  for (const SelectedPools& taken : selection.taken) {
    if (taken.hidden || !(taken.exclusive || taken.whole)) continue;
    if (taken.first.v <= node.v || !graph.below(taken.first, node)) continue;
    const std::uint32_t end =
        taken.count > 1 ? taken.first.v + taken.count : graph.end(taken.first).v;
    out.add_range(taken.first.v - node.v - 1, end - node.v - 2);
  }
  return out;
}

class NodeDocument {
 public:
  // `hidden`: jobs that are left out.
  NodeDocument(HttpContext& context, IsHidden hidden, std::uint32_t lane)
      : context_(context), hidden_(std::move(hidden)), lane_(lane) {}

  void write(JsonWriter& json) {
    const MachineWatch& machine = context_.page->machine();
    const Engine& engine = context_.service.session().engine();
    const PoolId node = machine.node_rows().pool(lane_);
    const NodeSummary& look = machine.nodes()[lane_];
    json.member("place", lane_);
    json.member("name", machine.node_rows().name(lane_));
    json.member("path", engine.graph().path(node, engine.graph().dominant()));
    if (engine.graph().rank(node) >= 0) json.member("rank", engine.graph().rank(node));
    json.member("status", std::string_view(copse::word(engine.status(node))));
    json.member("state", unsigned{look.state});
    json.member("share", unsigned{look.share});
    json.list("jobs", [&] {
      for (const auto& [job, held] : machine.allocations()) {
        if (!is_on(held.nodes)) continue;
        const Grant* grant = engine.grant(job);
        const Idset pools =
            grant == nullptr ? Idset() : positions_in(engine.graph(), grant->selection, node);
        write_placement(json, job, held.runs ? "running" : "promised", held.start_s, held.end_s,
                        &pools);
      }
      write_next(json);
      write_past(json, machine);
    });
  }

 private:
  [[nodiscard]] bool is_on(std::span<const NodeRange> nodes) const {
    return std::ranges::any_of(nodes, [&](const NodeRange& run) {
      return run.first <= lane_ && lane_ < run.first + run.count;
    });
  }
  void write_placement(JsonWriter& json, JobId job, std::string_view kind, std::int64_t start_s,
                       std::int64_t end_s, const Idset* pools) {
    if (hidden_ && hidden_(job)) return;
    json.object([&] {
      append_job_id(json, "id", job);
      json.member("kind", is_reservation(job) ? std::string_view("reserved") : kind);
      json.member("start", start_s);
      json.member("end", end_s);
      if (pools != nullptr && pools->count() > 0) json.member("pools", *pools);
      if (const JobRow* row = context_.service.jobs().table().find(job)) {
        if (!row->user.empty()) json.member("user", row->user);
        if (!row->name.empty()) json.member("name", row->name);
      }
    });
  }

  void write_next(JsonWriter& json) {
    std::size_t left = kNextOfNodeMax;
    const Forecast& forecast = context_.page->forecast();
    for (const Forecast::Start& start : forecast.starts()) {
      if (!is_on(std::span(forecast.places(start), start.runs))) continue;
      if (left-- == 0) return;
      write_placement(json, start.job, "forecast", start.start_s, start.end_s, nullptr);
    }
  }

  void write_past(JsonWriter& json, const MachineWatch& machine) {
    std::size_t left = kPastOfNodeMax;
    for (auto gone = machine.past().rbegin(); gone != machine.past().rend(); ++gone) {
      if (!is_on(gone->nodes)) continue;
      if (left-- == 0) return;
      write_placement(json, gone->job, "past", gone->start_s, gone->end_s, nullptr);
    }
  }

  HttpContext& context_;
  IsHidden hidden_;
  std::uint32_t lane_;
};

}  // namespace

HttpResponse get_page_state(HttpContext& context, const HttpCall& call) {
  if (context.page == nullptr) return no_page();
  const MachineWatch& machine = context.page->machine();
  const Engine& engine = context.service.session().engine();
  const queue::JobQueue& queue = context.service.jobs().queue();
  const Caller& caller = call.request.caller;
  return page_object(call, [&](JsonWriter& json) {
    json.member("version", context.version);
    json.member("machine", engine.graph().name(engine.graph().root()));
    json.member("nodes", machine.node_rows().count());
    json.member("now", engine.now());
    json.member("clock", call.now_s);
    json.member("horizon", engine.options().horizon);
    json.member("since", machine.since_s());
    // Where the stream of changes continues.
    json.member("cursor", fmt::format("{}-{}", machine.seen(), context.service.events().next()));
    json.member("caller", caller.name);
    json.member("role", word(caller.role));
    json.array("permissions", kPermissions, [&](Permission permission) {
      if (context.service.permits(caller.role, permission)) json.value(word(permission));
    });
    json.member("waiting", queue.waiting());
    json.member("running", queue.running());
    json.member("layers", !engine.layers(engine.now()).empty());
    json.member("machine_generation", machine.generation());
  });
}

HttpResponse get_page_machine(HttpContext& context, const HttpCall& call) {
  if (context.page == nullptr) return no_page();
  return page_answer(call, context.page->machine_document());
}

HttpResponse get_page_nodes(HttpContext& context, const HttpCall& call) {
  if (context.page == nullptr) return no_page();
  const MachineWatch& machine = context.page->machine();
  std::string looks, packed;
  for (const NodeSummary& look : machine.nodes()) {
    looks += static_cast<char>(look.state);
    looks += static_cast<char>(look.share);
  }
  append_base64(packed, looks);
  return page_object(call, [&](JsonWriter& json) {
    json.member("sequence", machine.seen());
    json.member("looks", packed);
    const IsHidden hidden = context.service.hidden_from(call.request.caller);
    // Ranges of nodes with the same job: the length, and the id; "": no job.
    json.list("jobs", [&] {
      const auto& nodes = machine.nodes();
      for (std::size_t begin = 0; begin < nodes.size();) {
        std::size_t end = begin + 1;
        while (end < nodes.size() && nodes[end].job == nodes[begin].job) ++end;
        const JobId job = nodes[begin].job;
        json.value(end - begin);
        json.value(job == 0 || (hidden && hidden(job)) ? std::string() : std::to_string(job));
        begin = end;
      }
    });
    std::string status;
    page::append_status_document(
        status, context.service.session().engine(), machine.node_rows(),
        [&](PoolId node) { return context.service.jobs().drains().only_drained(node); });
    json.member_json("status", status);
  });
}

HttpResponse get_page_node(HttpContext& context, const HttpCall& call) {
  if (context.page == nullptr) return no_page();
  const NodeRows& lanes = context.page->machine().node_rows();
  std::uint32_t lane = 0;
  while (lane < lanes.count() && lanes.name(lane) != call.parameter) ++lane;
  if (lane == lanes.count()) {
    return problem(Problem::not_found,
                   fmt::format("the machine has no node \"{}\"", call.parameter));
  }
  return page_object(call, [&](JsonWriter& json) {
    NodeDocument(context, context.service.hidden_from(call.request.caller), lane).write(json);
  });
}

HttpResponse get_page_fragmentation(HttpContext& context, const HttpCall& call) {
  if (context.page == nullptr) return no_page();
  const FragmentationHistory& history = context.page->fragmentation();
  return page_object(call, [&](JsonWriter& json) {
    json.member("level", history.level());
    json.array("time", history.steps(),
               [&](const FragmentationHistory::Step& step) { json.value(step.time_s); });
    json.array("share", history.steps(), [&](const FragmentationHistory::Step& step) {
      json.json(fmt::format("{:.4f}", step.share));
    });
  });
}

HttpResponse get_page_layers(HttpContext& context, const HttpCall& call) {
  if (context.page == nullptr) return no_page();
  const Engine& engine = context.service.session().engine();
  const std::int64_t last_s = engine.options().horizon - 1;
  const auto at_s = number_of(call.target, "at", engine.now(), 0, last_s);
  if (!at_s) return problem_of(at_s.error());
  if (*at_s < engine.now()) {
    return problem(Problem::invalid,
                   fmt::format("\"at\" must not be before now ({})", engine.now()));
  }
  std::string body;
  page::append_layers_document(body, engine, *at_s);
  return page_answer(call, std::move(body));
}

}  // namespace copse::server
