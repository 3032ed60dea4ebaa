// SPDX-License-Identifier: Apache-2.0
#include "fluxion/resource.hpp"

#include "formats/jgf/jgf_set.hpp"
#include "formats/jgf/jgf_subtrees.hpp"
#include "host/stopwatch.hpp"

namespace copse::fluxion {

Resource::Matched Resource::match(Operation operation, const Jobspec& jobspec, JobId grant) {
  const Stopwatch watch;
  const auto request = engine_.prepare(jobspec.text, jobspec.file);
  if (!request) return {.result = std::unexpected(NoMatch(request.error()))};
  return {.result = engine_.match(operation, **request, grant),
          .request = *request,
          .elapsed_s = watch.seconds()};
}

Result<void> Resource::find(std::string_view expression, std::optional<Format> format,
                            std::string& out) {
  const auto found = engine_.find(expression);
  if (!found) return std::unexpected(found.error());
  if (!format || *format == writer_.format()) {
    append_found(engine_, *found, writer_.writer(), out);
  } else {
    Writer writer(*format);
    append_found(engine_, *found, writer, out);
  }
  return {};
}

void Resource::set_status(std::span<const PoolId> pools, Status status) {
  if (sharer_ != nullptr) return sharer_->set_status(pools, status);
  for (const PoolId pool : pools) engine_.set_status(pool, status);
}

std::optional<Resource::Property> Resource::parse_property(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == assignment.size()) {
    return std::nullopt;
  }
  return Property(assignment.substr(0, equals), assignment.substr(equals + 1));
}

void Resource::set_property(std::span<const PoolId> pools, const Property& property) {
  for (const PoolId pool : pools) engine_.set_property(pool, property.first, property.second);
  if (sharer_ != nullptr) sharer_->properties_changed();
}

void Resource::remove_property(std::span<const PoolId> pools, const std::string& key) {
  for (const PoolId pool : pools) engine_.remove_property(pool, key);
  if (sharer_ != nullptr) sharer_->properties_changed();
}

Result<void> Resource::add_subgraph(std::string_view jgf, std::string_view file) {
  const auto set = read_jgf_set(jgf, file);
  if (!set) return std::unexpected(set.error());
  const auto subtrees = subtrees_of(graph(), engine_.names(), *set);
  if (!subtrees) return std::unexpected(subtrees.error());
  return sharer_ != nullptr ? sharer_->attach(*subtrees) : engine_.attach(*subtrees);
}

Result<void> Resource::remove(std::span<const PoolId> tops) {
  const auto removed = sharer_ != nullptr ? sharer_->remove(tops) : engine_.remove(tops);
  if (!removed) return std::unexpected(removed.error());
  return {};
}

}  // namespace copse::fluxion
