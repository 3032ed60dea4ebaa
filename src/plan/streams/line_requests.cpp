// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/line_requests.hpp"

#include <utility>

#include <fmt/format.h>

#include "request/constraint.hpp"
#include "request/hres.hpp"
#include "request/jobspec/jobspec_words.hpp"
#include "request/jobspec/start_conditions.hpp"
#include "request/shape.hpp"
#include "text/counted.hpp"
#include "text/tree/json_tree.hpp"

namespace copse::plan {

// Sets the constraint of this line's request.
Result<void> LineRequests::set_constraint(const std::optional<TreeView>& tree) {
  if (!tree) {
    requests_.constrain({}, {});
    return {};
  }
  auto constraint = read_constraint(*tree, JobspecLimits{}.hosts_max, JobspecWords::own);
  if (!constraint) return std::unexpected(constraint.error());
  key_.clear();
  append_json(key_, *tree);
  requests_.constrain(key_, std::move(*constraint));
  return {};
}

// Sets the hierarchical resources of this line's request.
Result<void> LineRequests::set_hres(const std::optional<TreeView>& hres) {
  if (!hres) {
    requests_.also({}, {});
    return {};
  }
  auto request = parse_hres_request(hres->text());
  if (!request) return hres->fail("hres: " + request.error().text, request.error().code);
  requests_.also(hres->text(), std::move(*request));
  return {};
}

Result<std::uint32_t> LineRequests::find(const RequestOfLine& asked) {
  if (asked.shape) return find_shape(*asked.shape);
  if (asked.jobspec && asked.jobspec->is_mapping()) return find_jobspec(*asked.jobspec);
  if (asked.jobspec) return find_file(*asked.jobspec);
  if (asked.nodes > 0 && asked.cores > 0) {
    return requests_.cores_of_nodes(asked.nodes, asked.cores);
  }
  return asked.nodes > 0 ? requests_.whole_nodes(asked.nodes) : requests_.cores(asked.cores);
}

Result<std::uint32_t> LineRequests::find_shape(TreeView shape) {
  key_ = "shape ";
  key_ += shape.text();
  if (const auto* known = requests_.find(key_)) return *known;
  auto request = parse_shape(shape.text());
  if (!request) {
    return shape.fail("shape: " + request.error().text, request.error().code);
  }
  return requests_.add(key_, std::move(*request));
}

Result<std::uint32_t> LineRequests::find_jobspec(TreeView jobspec) {
  key_ = "jobspec ";
  append_json(key_, jobspec);
  if (const auto* known = requests_.find(key_)) return noted(*known);
  auto request = read_jobspec(jobspec, JobspecWords::own);
  if (!request) return std::unexpected(std::move(request.error()));
  return noted(requests_.add(key_, std::move(*request)));
}

Result<std::uint32_t> LineRequests::noted(Result<std::uint32_t> number) {
  if (!number) return number;
  for (const std::string& key : keys_without_effect(requests_[*number].start_conditions)) {
    ++without_effect_[key];
  }
  return number;
}

void LineRequests::add_remarks(std::vector<std::string>& to) const {
  for (const auto& [key, jobspecs] : without_effect_) {
    to.push_back(
        fmt::format("{} {}, which has no effect here: give \"after\" or \"submit\" in the line",
                    counted(jobspecs, "jobspec has", "jobspecs have"), key));
  }
}

Result<std::uint32_t> LineRequests::find_file(TreeView name) {
  key_ = "file ";
  key_ += name.text();
  if (const auto* known = requests_.find(key_)) return *known;
  if (!options_.read_file) return name.fail("files of jobspecs are not read here");
  const std::string path(name.text());
  auto text = options_.read_file(path);
  if (!text) return std::unexpected(std::move(text.error()));
  auto request = parse_jobspec(*text, path, JobspecWords::own);
  if (!request) return std::unexpected(std::move(request.error()));
  return noted(requests_.add(key_, std::move(*request)));
}

}  // namespace copse::plan
