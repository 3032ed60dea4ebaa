// SPDX-License-Identifier: Apache-2.0
//
// Matching, granting and releasing.
#include <pybind11/stl.h>

#include "base/idset.hpp"
#include "engine_object.hpp"
#include "explanation_object.hpp"
#include "formats/allocation_file.hpp"
#include "formats/rv1/rv1_pools.hpp"
#include "match/option_names.hpp"
#include "match_object.hpp"

namespace py = pybind11;

namespace copse::python {

namespace {

using Self = std::shared_ptr<EngineObject>;

bool is_short(const NoMatch& why) {
  return why.code == ErrorCode::insufficient || why.code == ErrorCode::infeasible;
}

// Returns a match or raises; nullptr where the operation grants nothing.
std::unique_ptr<MatchObject> do_match(const Self& self, Operation operation,
                                      PreparedRequest& request, std::optional<JobId> named,
                                      bool explain, bool raises) {
  const EngineObject::Use use(*self);
  const JobId job = self->job_of(named);
  MatchResult matched;
  if (operation != Operation::allocate_orelse_reserve &&
      operation != Operation::without_allocating_future) {  // microseconds
    matched = use->match(operation, request, job);
  } else {
    const py::gil_scoped_release others_run;
    matched = use->match(operation, request, job);
  }
  if (matched) {
    if (allocates(operation)) self->granted(job);
    return std::make_unique<MatchObject>(self, allocates(operation) ? job : 0, **matched,
                                         (*matched)->start > use->now());
  }
  if (!raises && is_short(matched.error())) return nullptr;
  const NoMatch error = matched.error();
  std::shared_ptr<const Explanation> why;
  if (explain && is_short(error)) {
    if (auto made = use->explain(request)) why = std::make_shared<Explanation>(std::move(*made));
  }
  throw Raised(error, std::move(why));
}

// Calls body(PreparedRequest&) with a Request, or with one compiled from a text for this call.
template <class Body>
auto with_request(const Self& self, const py::object& what, Body body) {
  if (py::isinstance<RequestObject>(what)) {
    return body(what.cast<RequestObject&>().prepared(*self));
  }
  RequestObject made = RequestObject::of(self, what, std::nullopt);
  return body(made.prepared(*self));
}

template <Operation kOperation>
std::unique_ptr<MatchObject> match(const Self& self, const py::object& request,
                                   std::optional<JobId> job, bool explain) {
  return with_request(self, request, [&](PreparedRequest& prepared) {
    return do_match(self, kOperation, prepared, job, explain, true);
  });
}

std::unique_ptr<MatchObject> try_match(const Self& self, const py::object& request,
                                       std::optional<JobId> job) {
  return with_request(self, request, [&](PreparedRequest& prepared) {
    return do_match(self, Operation::allocate, prepared, job, false, false);
  });
}

bool satisfiable(const Self& self, const py::object& request) {
  return with_request(self, request, [&](PreparedRequest& prepared) {
    const EngineObject::Use use(*self);
    const auto matched = use->match(Operation::satisfiability, prepared, 0);
    if (!matched && !is_short(matched.error())) throw Raised(matched.error());
    return matched.has_value();
  });
}

ExplanationObject explain(const Self& self, const py::object& request) {
  return with_request(self, request, [&](PreparedRequest& prepared) {
    const EngineObject::Use use(*self);
    const py::gil_scoped_release others_run;
    return ExplanationObject(std::make_shared<Explanation>(value_of(use->explain(prepared))));
  });
}

void cancel(EngineObject& self, JobId job) {
  const EngineObject::Use use(self);
  check(use->cancel(job));
}

bool cancel_ranks(EngineObject& self, JobId job, const std::string& ranks) {
  const EngineObject::Use use(self);
  const Idset set = value_of(Idset::parse(ranks));
  return value_of(use->cancel_part(job, value_of(pools_of_ranks(use->graph(), set)), true));
}

std::unique_ptr<MatchObject> update(const Self& self, JobId job, const py::object& r,
                                    std::optional<std::int64_t> start,
                                    std::optional<std::int64_t> duration) {
  const std::string text = text_of(r);
  const EngineObject::Use use(*self);
  const auto file = value_of(read_allocation(use->graph(), text, "R"));
  if (!file.missing.empty()) throw Raised({ErrorCode::not_found, file.missing.front(), {}});
  const std::int64_t from = start.value_or(file.times.end_s > 0 ? file.times.start_s : use->now());
  std::int64_t lasts = duration.value_or(0);
  if (lasts == 0 && file.times.end_s > 0) lasts = file.times.end_s - file.times.start_s;
  if (lasts == 0) lasts = use->options().horizon - from;
  const Match* const made = value_of(use->update(job, file.taken, from, lasts));
  self->granted(job);
  return std::make_unique<MatchObject>(self, job, *made, made->start > use->now());
}

// Grants one request `count` times.
std::vector<JobId> match_many(const Self& self, const py::object& request, std::size_t count) {
  return with_request(self, request, [&](PreparedRequest& prepared) {
    const EngineObject::Use use(*self);
    const py::gil_scoped_release others_run;
    std::vector<JobId> out;
    while (out.size() < count) {
      const JobId job = self->job_of(std::nullopt);
      const auto matched = use->match(Operation::allocate, prepared, job);
      if (!matched && is_short(matched.error())) break;
      if (!matched) throw Raised(matched.error());
      self->granted(job);
      out.push_back(job);
    }
    return out;
  });
}

}  // namespace

void bind_matches(EngineClass& engine) {
  engine
      .def("match", &match<Operation::allocate_with_satisfiability>, py::arg("request"),
           py::arg("job") = py::none(), py::kw_only(), py::arg("explain") = true,
           "Grants a request now. Raises Insufficient or Infeasible, with the explanation.")
      .def("try_match", &try_match, py::arg("request"), py::arg("job") = py::none(),
           "The same; None if it does not fit now.")
      .def("reserve", &match<Operation::allocate_orelse_reserve>, py::arg("request"),
           py::arg("job") = py::none(), py::kw_only(), py::arg("explain") = true,
           "Grants a request now, or at the earliest possible time.")
      .def("where", &match<Operation::without_allocating_future>, py::arg("request"),
           py::arg("job") = py::none(), py::kw_only(), py::arg("explain") = true,
           "What reserve() would give; nothing is granted.")
      .def("match_many", &match_many, py::arg("request"), py::arg("count"),
           "Grants a request up to `count` times; returns the granted jobs.")
      .def("satisfiable", &satisfiable, py::arg("request"),
           "Whether the empty machine could serve a request.")
      .def("explain", &explain, py::arg("request"),
           "Why a request would get nothing now, or that it fits.")
      .def("update", &update, py::arg("job"), py::arg("resources"), py::kw_only(),
           py::arg("start") = py::none(), py::arg("duration") = py::none(),
           "Books resources that were chosen elsewhere (R, JGF).")
      .def("cancel", &cancel, py::arg("job"), "Releases the grant of a job.")
      .def("cancel_ranks", &cancel_ranks, py::arg("job"), py::arg("ranks"),
           "Releases the resources of a grant on these ranks; True if nothing is left.");
}

}  // namespace copse::python
