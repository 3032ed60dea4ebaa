// SPDX-License-Identifier: Apache-2.0
#include "plan/job.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "request/constraint.hpp"
#include "request/resource_of.hpp"

namespace copse::plan {

namespace {

Request in_slot(std::int64_t slots, Resource inside) {
  Request out;
  out.resources.push_back(resource_of("slot", slots, {std::move(inside)}));
  return out;
}

}  // namespace

void Requests::also(std::string_view text, HresRequest hres) {
  hres_text_ = text;
  hres_ = std::move(hres);
}

void Requests::also_all(const HresRequest& hres) {
  for (Request& request : entries_) {
    if (request.hres.empty()) request.hres = hres;
  }
}

void Requests::constrain(std::string_view text, Constraint constraint) {
  constraint_text_ = text;
  constraint_ = std::move(constraint);
}

std::string Requests::key(std::string_view text) const {
  std::string out(text);  // texts have no zero byte
  if (!hres_text_.empty()) (out += '\0') += hres_text_;
  if (!constraint_text_.empty()) (out.append(2, '\0')) += constraint_text_;
  return out;
}

const std::uint32_t* Requests::find(std::string_view text) const {
  const bool plain = hres_text_.empty() && constraint_text_.empty();
  auto it = plain ? by_text_.find(text) : by_text_.find(key(text));
  return it == by_text_.end() ? nullptr : &it->second;
}

Result<std::uint32_t> Requests::add(std::string_view text, Request request) {
  if (entries_.size() >= kRequestsMax) {
    return fail(ErrorCode::limit, fmt::format("more than {} different requests", kRequestsMax));
  }
  const auto number = static_cast<std::uint32_t>(entries_.size());
  if (!hres_.empty()) request.hres = hres_;
  if (!constraint_text_.empty()) {
    request.constraint = both(std::move(request.constraint), constraint_);
  }
  entries_.push_back(std::move(request));
  by_text_.emplace(key(text), number);
  return number;
}

Result<std::uint32_t> Requests::whole_nodes(std::int64_t nodes) {
  const std::string text = fmt::format("nodes {}", nodes);
  if (const auto* known = find(text)) return *known;
  return add(text, in_slot(nodes, resource_of("node", 1)));
}

Result<std::uint32_t> Requests::cores(std::int64_t cores, std::int64_t memory_mb) {
  std::string text = fmt::format("cores {}", cores);
  if (memory_mb > 0) text += fmt::format(" memory {}", memory_mb);
  if (const auto* known = find(text)) return *known;
  Request request = in_slot(cores, resource_of("core", 1));
  if (memory_mb > 0) {
    request.resources.front().with.push_back(resource_of("memory", memory_mb));
  }
  return add(text, std::move(request));
}

Result<std::uint32_t> Requests::cores_of_nodes(std::int64_t nodes, std::int64_t cores) {
  const std::string text = fmt::format("nodes {} cores {}", nodes, cores);
  if (const auto* known = find(text)) return *known;
  // The nodes contain the slots, so they may be shared (RFC 14). A slot has one core, because all
  // resources of a slot come from one place, such as a socket, and the cores may be on several.
  Request request;
  request.resources.push_back(
      resource_of("node", nodes, {resource_of("slot", cores, {resource_of("core", 1)})}));
  return add(text, std::move(request));
}

void SkippedEntries::add(std::string_view why, std::uint64_t count) {
  if (count == 0) return;
  const auto known = std::ranges::find(reasons_, why, &Reason::why);
  if (known == reasons_.end()) {
    reasons_.push_back({why, count});
  } else {
    known->count += count;
  }
}

std::uint64_t SkippedEntries::count() const {
  std::uint64_t out = 0;
  for (const Reason& reason : reasons_) out += reason.count;
  return out;
}

std::uint32_t Jobs::word(std::string_view text) {
  if (text.empty()) return 0;
  const auto known = numbers_.find(text);
  if (known != numbers_.end()) return known->second;
  const auto number = static_cast<std::uint32_t>(words.size());
  words.emplace_back(text);
  numbers_.emplace(text, number);
  return number;
}

}  // namespace copse::plan
