// SPDX-License-Identifier: Apache-2.0
#include "stream_object.hpp"

#include <algorithm>
#include <utility>

#include <pybind11/stl.h>

#include "files/read_file.hpp"
#include "formats/text_format.hpp"
#include "host/job_stream.hpp"
#include "plan/streams/job_reader.hpp"
#include "plan/streams/line_words.hpp"
#include "plan/workload.hpp"
#include "raise.hpp"

namespace py = pybind11;

namespace copse::python {

namespace {

bool wants(const std::vector<std::string>& fields, std::string_view field) {
  return std::ranges::find(fields, field) != fields.end();
}

void check_words(const StreamObject::Words& words) {
  const auto refuse = [](const std::string& text) { throw Raised({ErrorCode::invalid, text, {}}); };
  if (!words.format.empty() && words.format != "sacct" && words.format != "flux" &&
      words.format != "swf") {
    refuse("\"" + words.format.substr(0, 64) + "\" is not one of the formats sacct, flux, swf");
  }
  for (const std::string& field : words.fields) {
    if (field == "user" || field == "queue" || field == "partition") continue;
    refuse("\"" + field.substr(0, 64) + "\" is not one of the fields user, queue, partition");
  }
}

bool needs_machine(std::string_view text, const StreamObject::Words& words) {
  return !words.events.empty() || words.format == "sacct" || words.format == "flux" ||
         (words.format.empty() &&
          (is_job_list(text_format(text)) || text_format(text) == TextFormat::slurm_accounting));
}

Result<plan::Jobs> read_on(const ResourceGraph& graph, const std::string& text,
                           const std::string& file, const plan::ReadOptions& lines,
                           const StreamObject::Words& words) {
  const NodeRows rows(graph);
  JobStreamOptions how{.from = words.format, .lines = lines};
  how.lines.find_node = [&](std::string_view name) -> std::optional<PoolId> {
    for (std::uint32_t row = 0; row < rows.count(); ++row) {
      if (rows.name(row) == name) return rows.pool(row);
    }
    return std::nullopt;
  };
  std::vector<MoreLines> more;
  if (!words.events.empty()) more.push_back({words.events_file, words.events});
  return read_job_stream(text, file, graph, more, how);
}

StreamPointer generate(std::uint64_t jobs, std::int64_t nodes, double load, std::uint64_t seed) {
  const py::gil_scoped_release others_run;
  return std::make_shared<StreamObject>(StreamObject{
      .jobs = value_of(plan::generate({.jobs = jobs, .nodes = nodes, .load = load, .seed = seed})),
      .offered_load = load,
      .seed = seed});
}

std::string swf(const StreamObject& stream) {
  std::string out;
  plan::append_swf(out, stream.jobs);
  return out;
}

}  // namespace

StreamPointer StreamObject::read(const std::string& text, const std::string& file,
                                 const MachineObject* machine, const Words& words) {
  const py::gil_scoped_release others_run;
  check_words(words);
  if (machine == nullptr && needs_machine(text, words)) {
    throw Raised({ErrorCode::invalid,
                  "cluster lists and node events need a machine, as in "
                  "plan.read(path, machine)",
                  SourceLocation{file}});
  }
  const plan::ReadOptions lines{.processors_per_node = words.processors_per_node,
                                .trace_user = wants(words.fields, "user"),
                                .trace_queue = wants(words.fields, "queue"),
                                .trace_partition = wants(words.fields, "partition"),
                                .read_file = words.files ? read_file : nullptr};
  const auto read_alone = [&] {
    return words.format == "swf" ? plan::read_swf(text, file, lines)
                                 : plan::read_jobs(text, file, lines);
  };
  auto jobs =
      machine == nullptr ? read_alone() : read_on(machine->graph(), text, file, lines, words);
  return std::make_shared<StreamObject>(
      StreamObject{.jobs = value_of(std::move(jobs)), .file = file});
}

Table StreamObject::table() const {
  using plan::Job;
  Table out;
  out.add_each("id", jobs.jobs, &Job::name);
  out.add_each("submit", jobs.jobs, &Job::submit_s);
  out.add_each("duration", jobs.jobs, &Job::duration_s);
  out.add_each("run", jobs.jobs, &Job::run_s);
  out.add_each("priority", jobs.jobs, &Job::priority);
  out.add_each("user", jobs.jobs,
               [&](const Job& job) { return std::string_view(jobs.words[job.user]); });
  out.add_each("queue", jobs.jobs,
               [&](const Job& job) { return std::string_view(jobs.words[job.queue]); });
  out.add_each("reservation", jobs.jobs,
               [&](const Job& job) { return std::string_view(jobs.words[job.reservation]); });
  std::vector<plan::LineWords> words;  // by request
  words.reserve(jobs.requests.size());
  for (std::uint32_t r = 0; r < jobs.requests.size(); ++r) {
    words.push_back(plan::line_words(jobs.requests[r]));
  }
  const auto of_request = [&](auto member) {
    return
        [&words, member](const Job& job) -> decltype(auto) { return words[job.request].*member; };
  };
  const auto text_of_request = [&](auto member) {
    return
        [&words, member](const Job& job) { return std::string_view(words[job.request].*member); };
  };
  out.add_each("nodes", jobs.jobs, of_request(&plan::LineWords::nodes));
  out.add_each("cores", jobs.jobs, of_request(&plan::LineWords::cores));
  out.add_each("shape", jobs.jobs, text_of_request(&plan::LineWords::shape));
  out.add_each("constraint", jobs.jobs, text_of_request(&plan::LineWords::constraint));
  out.add_each("hres", jobs.jobs, text_of_request(&plan::LineWords::hres));
  Texts dependencies;
  for (const Job& job : jobs.jobs) dependencies.add(plan::dependency_text(jobs, job));
  out.add("dependency", std::move(dependencies));
  std::vector<std::int64_t> deadlines(jobs.jobs.size(), -1);
  for (const plan::Event& event : jobs.events) {
    if (event.type == plan::Event::Type::deadline) deadlines[event.job] = event.time_s;
  }
  out.add("deadline", std::move(deadlines));
  return out;
}

void bind_stream(py::module_& module) {
  py::class_<StreamObject, StreamPointer>(
      module, "Jobs",
      "An immutable stream of jobs, made by plan.read() and plan.generate().\n"
      "\n"
      "Units: whole seconds from the stream's time 0 on.\n"
      "Shapes: to_table() has a row for each job, in the order of the stream; len() counts them.\n"
      "Raises: Invalid (with file and line), LimitExceeded, NotFound, InputOutput (a file).\n"
      "Cost: O(length of the text) to read, O(jobs) each after that; reading leaves the GIL.\n"
      "Source: docs/tools/plan.md; the Standard Workload Format; what Slurm and Flux print.")
      .def_static(
          "read",
          [](const std::string& text, const std::string& file, std::int64_t per_node,
             const MachineObject* machine, std::string format, std::vector<std::string> fields,
             std::string events, std::string events_file, bool files) {
            return StreamObject::read(text, file, machine,
                                      {.processors_per_node = per_node,
                                       .format = std::move(format),
                                       .fields = std::move(fields),
                                       .events = std::move(events),
                                       .events_file = std::move(events_file),
                                       .files = files});
          },
          py::arg("text"), py::arg("file") = "jobs", py::arg("processors_per_node") = 0,
          py::arg("machine") = py::none(), py::kw_only(), py::arg("format") = "",
          py::arg("fields") = py::tuple(), py::arg("events") = "",
          py::arg("events_file") = "events", py::arg("files") = false,
          "Of JSON lines, a trace (SWF), or what sacct -P, squeue --json or flux jobs --json "
          "print.")
      .def_static("generate", &generate, py::arg("jobs"), py::arg("nodes"), py::kw_only(),
                  py::arg("load") = 0.7, py::arg("seed") = 1,
                  "A synthetic stream for a machine with this number of nodes.")
      .def("to_table", &StreamObject::table,
           "A row for each job, with the keys of its line: id, submit, duration, run (seconds), "
           "priority,\n"
           "user, queue, reservation, nodes, cores, shape, constraint, hres, dependency, deadline. "
           "What a\n"
           "job does not have is '', 0 of nodes and cores, or a deadline of -1. plan.jobs_of() "
           "takes the\n"
           "table and its rows; events other than deadlines are not in it.")
      .def("to_swf", &swf, "The stream as a trace.")
      .def_property_readonly(
          "remarks", [](const StreamObject& self) { return self.jobs.remarks; },
          "Sentences: what of the file does not count.")
      .def_property_readonly(
          "skipped", [](const StreamObject& self) { return self.jobs.skipped; },
          "The number of rows of the file that are not jobs to run.")
      .def("__len__", [](const StreamObject& self) { return self.jobs.jobs.size(); })
      .def("__repr__", [](const StreamObject& self) {
        return "<copse.plan.Jobs: " + std::to_string(self.jobs.jobs.size()) + " jobs>";
      });
}

}  // namespace copse::python
