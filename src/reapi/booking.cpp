// SPDX-License-Identifier: Apache-2.0
#include "reapi/booking.hpp"

#include <string>

#include "formats/allocation_file.hpp"
#include "formats/jgf/jgf_set.hpp"
#include "formats/machine_formats.hpp"

namespace copse::reapi {

namespace {

// The form of a text.
struct Form {
  bool rv1 = false;    // else only JGF
  bool graph = false;  // it has a graph
  bool shorthand = false;
};

// Errors: invalid.
Result<Form> form_of(std::string_view r, bool bare_shorthand) {
  if (r.empty()) return fail(ErrorCode::invalid, "R is empty");
  if (guess_machine_format(r) != "rv1exec" && r.find("\"execution\"") == r.npos) {
    return Form{.graph = true, .shorthand = bare_shorthand};
  }
  if (r.find("\"scheduling\"") == r.npos) return Form{.rv1 = true};
  const auto set = read_jgf_set(r, "R");
  if (!set) return std::unexpected(set.error());
  const std::string writer = set->writer.value_or("fluxion");
  const bool shorthand = writer == "fluxion:jgf_shorthand";
  if (!shorthand && writer != "fluxion" && writer != "fluxion:jgf") {
    return fail(ErrorCode::invalid, "unknown writer of \"scheduling\": " + writer.substr(0, 64));
  }
  return Form{.rv1 = true, .graph = true, .shorthand = shorthand};
}

}  // namespace

Result<Booking> read_booking(const ResourceGraph& graph, std::string_view r, bool bare_shorthand) {
  const auto form = form_of(r, bare_shorthand);
  if (!form) return std::unexpected(form.error());
  const char* const format = !form->graph ? "rv1exec" : form->shorthand ? "jgf_shorthand" : "jgf";
  auto taken = read_allocation(graph, r, "R", format);
  if (!taken) return std::unexpected(taken.error());
  Booking out{.pools = std::move(taken->taken.pools), .has_root = taken->taken.rooted};
  if (!form->rv1) return out;
  const auto times = read_times(r, "R");
  if (!times) return std::unexpected(times.error());
  out.start_s = times->start_s;
  if (times->end_s > 0) out.duration_s = times->end_s - times->start_s;
  return out;
}

Result<std::vector<PoolId>> read_freed(const ResourceGraph& graph, std::string_view r) {
  const auto form = form_of(r, false);
  if (!form) return std::unexpected(form.error());
  return copse::read_given_back(graph, form->graph ? "jgf" : "rv1exec", r, "R");
}

}  // namespace copse::reapi
