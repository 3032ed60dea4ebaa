// SPDX-License-Identifier: Apache-2.0
//
// Queries of an engine, its clock and its statuses.
#include <pybind11/stl.h>

#include "base/idset.hpp"
#include "copse/save.hpp"
#include "copse/status.hpp"
#include "draw/machine_svg.hpp"
#include "engine/engine_image.hpp"
#include "engine_object.hpp"
#include "formats/formats.hpp"
#include "formats/grant_writer.hpp"
#include "formats/jgf/graph_jgf.hpp"
#include "formats/jgf/pool_json.hpp"
#include "match_object.hpp"
#include "table.hpp"

namespace py = pybind11;

namespace copse::python {

namespace {

std::unique_ptr<MatchObject> grant(const std::shared_ptr<EngineObject>& self, JobId job) {
  const EngineObject::Use use(*self);
  const Grant* const has = use->grant(job);
  if (has == nullptr) {
    throw Raised({ErrorCode::not_found, "nonexistent job " + std::to_string(job), {}});
  }
  const Match match{.start = has->start,
                    .end = has->end,
                    .nslots = has->nslots,
                    .selection = has->selection,
                    .charges = has->charges};
  return std::make_unique<MatchObject>(self, job, match, has->start > use->now());
}

Table grants(EngineObject& self) {
  const EngineObject::Use use(self);
  const py::gil_scoped_release others_run;
  GrantTimes times = EngineImager::grant_times(*use);
  Table out;
  out.add("job", std::move(times.jobs));
  out.add("start", std::move(times.starts));
  out.add("end", std::move(times.ends));
  return out;
}

// Free units by node, in machine order; 0 for unusable nodes. Throws NotFound.
std::shared_ptr<Column> free_units(EngineObject& self, const std::string& type) {
  const EngineObject::Use use(self);
  const ResourceGraph& graph = use->graph();
  const TypeId wanted = graph.find_type(type);
  if (wanted == kNoType) {
    throw Raised({ErrorCode::not_found, "the machine has no \"" + type.substr(0, 64) + "\"", {}});
  }
  std::vector<std::int64_t> out;
  for (const PoolId node : graph.of_type(graph.find_type("node"))) {
    out.push_back(use->free_units(node, wanted));
  }
  return std::make_shared<Column>(std::move(out));
}

std::vector<PoolId> pools_at(const Engine& engine, const std::string& path) {
  auto pools = engine.graph().at_path(path);
  if (pools.empty()) {
    throw Raised({ErrorCode::not_found, "no pool has the path " + path, {}});
  }
  return pools;
}

void set_status(EngineObject& self, const std::string& path, const std::string& name) {
  const EngineObject::Use use(self);
  const auto status = parse_status(name);
  if (!status) throw Raised({ErrorCode::invalid, "\"" + name + "\" is not a status", {}});
  for (const PoolId pool : pools_at(*use, path)) use->set_status(pool, *status);
}

// The same for the nodes of some ranks; unknown ranks are skipped.
void set_rank_status(EngineObject& self, const std::string& ranks, const std::string& name) {
  const EngineObject::Use use(self);
  const auto status = parse_status(name);
  if (!status) throw Raised({ErrorCode::invalid, "\"" + name + "\" is not a status", {}});
  const Idset set = ranks == "all" ? Idset() : value_of(Idset::parse(ranks));
  const ResourceGraph& graph = use->graph();
  for (const PoolId node : graph.of_type(graph.find_type("node"))) {
    if (ranks == "all" || set.contains(graph.rank(node))) use->set_status(node, *status);
  }
}

const char* status(EngineObject& self, const std::string& path) {
  const EngineObject::Use use(self);
  return word(use->status(pools_at(*use, path).front()));
}

void set_tag(EngineObject& self, const std::string& path, const std::string& key,
             const std::string& value) {
  const EngineObject::Use use(self);
  if (key.empty()) throw Raised({ErrorCode::invalid, "the key is empty", {}});
  for (const PoolId pool : pools_at(*use, path)) use->set_tag(pool, key, value);
}

// The first pool at a path.
py::object pool(EngineObject& self, const std::string& path) {
  std::string out;
  {
    const EngineObject::Use use(self);
    const PoolId first = pools_at(*use, path).front();
    append_pool_json(out, use->graph(), first, use->status(first));
  }
  return py::module_::import("json").attr("loads")(out);
}

// Paths of the pools for which an expression is true; or a text in a format.
py::object find(EngineObject& self, const std::string& expression, const std::string& format) {
  const EngineObject::Use use(self);
  const auto found = value_of(use->find(expression));
  const ResourceGraph& graph = use->graph();
  std::vector<PoolId> pools;
  for (const ExpandedPool& f : found.pools) pools.push_back(f.pool);
  if (format.empty()) {
    py::list out;
    for (const PoolId p : pools) out.append(graph.path(p, graph.dominant()));
    return out;
  }
  std::string out;
  if (format == "graph") {
    if (!pools.empty()) check(write_jgf(graph, pools, sink_into(out)));
    return py::str(out);
  }
  const auto known = parse_format(format);
  if (!known)
    throw Raised({ErrorCode::unsupported, "unknown format '" + format.substr(0, 64) + "'", {}});
  Writer writer(*known);
  append_found(*use, found, writer, out);
  return py::str(out);
}

std::string svg(EngineObject& self) {
  const EngineObject::Use use(self);
  const py::gil_scoped_release others_run;
  std::string out;
  check(draw::write_machine_svg({.graph = use->graph(), .engine = &*use}, out));
  return out;
}

}  // namespace

void bind_views(EngineClass& engine) {
  engine.def("grant", &grant, py::arg("job"), "The grant of a job. Raises NotFound.")
      .def("grants", &grants, "All grants as a Table: job, start, end.")
      .def(
          "jobs", [](EngineObject& self) { return EngineObject::Use(self)->jobs(); },
          "The jobs that have a grant, ascending.")
      .def("free", &free_units, py::arg("type") = "core",
           "Free units by node, as a Column: 'core', 'gpu', or 'node' for whole nodes. Raises "
           "NotFound.")
      .def("set_status", &set_status, py::arg("path"), py::arg("status"),
           "'up', 'degraded', 'failing', 'down' or 'unknown'; holds for all that is below.")
      .def("set_rank_status", &set_rank_status, py::arg("ranks"), py::arg("status"),
           "Sets the status of nodes, by an idset of ranks or 'all'.")
      .def("set_tag", &set_tag, py::arg("path"), py::arg("key"), py::arg("value") = "",
           "Tags the resource at a path (RFC 4); saves and JGF keep tags.")
      .def("pool", &pool, py::arg("path"),
           "The resource at a path as a dict: 'path', 'type', 'basename', 'name', 'id', 'uuid', "
           "'size', 'unit', 'rank', 'status', 'properties', 'tags', 'subsystems'. Raises NotFound.")
      .def("find", &find, py::arg("expression"), py::kw_only(), py::arg("format") = "",
           "Paths of the resources that an expression of docs/reference/find.md matches, and of "
           "those "
           "above them, or a text: 'simple', 'jgf', …, or 'graph', a machine in JGF.")
      .def("status", &status, py::arg("path"),
           "The status of the resource at a path, as set_status() takes it. Raises NotFound.")
      .def(
          "advance",
          [](EngineObject& self, std::int64_t to) { check(EngineObject::Use(self)->advance(to)); },
          py::arg("time"), "Moves the clock: grants end, reservations begin.")
      .def_property_readonly(
          "now", [](EngineObject& self) { return EngineObject::Use(self)->now(); },
          "The time of its clock, in seconds.")
      .def_property_readonly(
          "fingerprint", [](EngineObject& self) { return EngineObject::Use(self)->fingerprint(); },
          "Equal states have equal numbers.")
      .def(
          "save",
          [](EngineObject& self) {
            const EngineObject::Use use(self);
            return py::bytes(save(*use));
          },
          "The engine as bytes, for Engine.load().")
      .def("_repr_svg_", &svg)
      .def("__len__", [](EngineObject& self) { return EngineObject::Use(self)->grant_count(); })
      .def("__repr__", [](EngineObject& self) {
        const EngineObject::Use use(self);
        return "<copse.Engine of " + std::to_string(use->graph().tree_count()) + " pools, " +
               std::to_string(use->grant_count()) + " grants at " + std::to_string(use->now()) +
               " s>";
      });
}

}  // namespace copse::python
