// SPDX-License-Identifier: Apache-2.0
#include "flux/module/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/job_id.hpp"

namespace copse::flux {

Text text_of(const json_t* value) {
  return Text(json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY));
}

Idset ids(const char* text) {
  auto read = Idset::parse(text == nullptr ? "" : text);
  return read ? std::move(*read) : Idset();
}

Idset ranks_of(const json_t* r) {
  Idset out;
  const json_t* lite = json_object_get(json_object_get(r, "execution"), "R_lite");
  std::vector<Idset::Range> ranges;
  for (std::size_t i = 0; i < json_array_size(lite); ++i) {
    const Idset entry = ids(json_string_value(json_object_get(json_array_get(lite, i), "rank")));
    for (const auto& range : entry.ranges()) ranges.push_back(range);
  }
  std::ranges::sort(ranges);
  for (const auto& [first, last] : ranges) {
    if (!out.contains(first)) out.add_range(first, last);
  }
  return out;
}

int errno_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::infeasible: return EOVERFLOW;
    case ErrorCode::not_found: return ENOENT;
    case ErrorCode::insufficient: return EBUSY;
    case ErrorCode::exists: return EEXIST;
    default: return EINVAL;
  }
}

std::string shown_id(std::uint64_t job) {
  std::array<char, 64> text{};
  if (flux_job_id_encode(job, "f58", text.data(), text.size()) < 0) return f58_text(job);
  return text.data();
}

Error flux_failed(const std::string& what) {
  return {errno == EEXIST ? ErrorCode::exists : ErrorCode::io,
          fmt::format("{}: {}", what, std::strerror(errno)),
          {}};
}

namespace {

int done(flux_future_t* future) {
  const int status = future == nullptr ? -1 : flux_future_get(future, nullptr);
  const int code = errno;
  flux_future_destroy(future);
  errno = code;
  return status;
}

}  // namespace

std::string queue_of(std::string_view jobspec) {
  json_t* whole =
      jobspec.empty() ? nullptr : json_loadb(jobspec.data(), jobspec.size(), 0, nullptr);
  const json_t* system = json_object_get(json_object_get(whole, "attributes"), "system");
  const char* queue = json_string_value(json_object_get(system, "queue"));
  const std::string out = queue == nullptr ? "" : queue;
  json_decref(whole);
  return out;
}

SystemAttributes system_attributes(std::string_view jobspec) {
  json_t* tree = json_loadb(jobspec.data(), jobspec.size(), 0, nullptr);
  const json_t* system = json_object_get(json_object_get(tree, "attributes"), "system");
  const json_t* duration = json_object_get(system, "duration");
  SystemAttributes out{.present = system != nullptr};
  if (json_is_number(duration)) out.duration_s = json_number_value(duration);
  json_decref(tree);
  return out;
}

int register_service(flux_t* h, const char* name) { return done(flux_service_register(h, name)); }
void unregister_service(flux_t* h, const char* name) { done(flux_service_unregister(h, name)); }

}  // namespace copse::flux
