// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/line_words.hpp"

#include "base/hostlist.hpp"
#include "request/hres.hpp"
#include "request/shape.hpp"
#include "text/json_writer.hpp"

namespace copse::plan {

namespace {

// A number of this type, without anything that the keys of a line can't say.
bool is_plain(const Resource& r, std::string_view type) {
  return r.type == type && !r.count.moldable() && r.exclusive == Exclusivity::unset &&
         r.unit.empty() && (type == "slot" || r.label.empty());
}

// The resource below, if it is the only one and of this type.
const Resource* only_below(const Resource& r, std::string_view type) {
  return r.with.size() == 1 && is_plain(r.with.front(), type) ? &r.with.front() : nullptr;
}

bool is_one_leaf(const Resource* r) { return r != nullptr && r->count.min == 1 && r->with.empty(); }

// Sets nodes and cores, if they say it all.
bool set_counts(const Request& request, LineWords& out) {
  if (request.resources.size() != 1 || request.slots_share) return false;
  const Resource& top = request.resources.front();
  if (is_plain(top, "slot")) {
    if (is_one_leaf(only_below(top, "node"))) out.nodes = top.count.min;
    if (is_one_leaf(only_below(top, "core"))) out.cores = top.count.min;
    return out.nodes > 0 || out.cores > 0;
  }
  const Resource* const slot = is_plain(top, "node") ? only_below(top, "slot") : nullptr;
  if (slot == nullptr || !is_one_leaf(only_below(*slot, "core"))) return false;
  out.nodes = top.count.min;
  out.cores = slot->count.min;
  return true;
}

// The recursion is bounded by the parsers' depth.
void append_constraint(JsonWriter& json, const Constraint& constraint) {
  using Op = Constraint::Op;
  const auto operands = [&](std::string_view key) {
    json.array(key, constraint.operands, [&](const Constraint& c) { append_constraint(json, c); });
  };
  json.object([&] {
    switch (constraint.op) {
      case Op::properties:
        json.array("properties", constraint.words, [&](const std::string& w) { json.value(w); });
        break;
      case Op::hostlist:
        json.list("hostlist", [&] { json.value(compress_hostlist(constraint.words)); });
        break;
      case Op::ranks: {
        Idset ranks;
        for (const auto& [first, last] : constraint.ranks) ranks.add_range(first, last);
        json.list("ranks", [&] { json.value(ranks); });
        break;
      }
      case Op::all: operands("and"); break;
      case Op::any: operands("or"); break;
      case Op::negate: operands("not"); break;
      case Op::none: break;
    }
  });
}

std::string_view word(Dependency::On on) {
  switch (on) {
    case Dependency::On::ended: return "afterany:";
    case Dependency::On::failed: return "afternotok:";
    case Dependency::On::started: return "after:";
    case Dependency::On::ended_well: break;
  }
  return "afterok:";
}

}  // namespace

LineWords line_words(const Request& request) {
  LineWords out;
  if (!set_counts(request, out)) out.shape = shape_text(request);
  if (!request.constraint.empty()) {
    JsonWriter json(out.constraint);
    append_constraint(json, request.constraint);
  }
  if (!request.hres.empty()) out.hres = hres_text(request.hres);
  return out;
}

std::string dependency_text(const Jobs& jobs, const Job& job) {
  std::string out;
  for (const Dependency& awaited : jobs.after_of(job)) {
    if (!out.empty()) out += ',';
    out += word(awaited.on);
    out += jobs.jobs[awaited.job].name;
  }
  return out;
}

}  // namespace copse::plan
