// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as reservations. What is refused says why, with the place. What is accepted is booked
// on a small machine, or refused with a sentence; when it is cancelled the machine is as it was.
#include <cstdint>
#include <string>
#include <string_view>

#include "go_on.hpp"
#include "queue/job_queue.hpp"
#include "queue/reservation/reservation_reader.hpp"
#include "target.hpp"

namespace {

using copse::fuzz::require;

struct SilentSink : copse::queue::QueueSink {
  void started(copse::JobId, const copse::Grant&) override {}
  void denied(copse::JobId, const copse::Error&) override {}
};

}  // namespace

FUZZ_TARGET(reservations) {
  if (size > 8192) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto engine = copse::fuzz::engine_on(copse::fuzz::small_machine(), "low");
  const auto read =
      copse::queue::read_reservations(text, "fuzz", {.clock_end_s = engine->options().horizon});
  if (!read) {
    require(!read.error().text.empty() && read.error().place.file == "fuzz");
    require(read.error().text.find('\n') == std::string::npos);
    return 0;
  }
  const std::uint64_t before = engine->fingerprint();
  SilentSink sink;
  copse::queue::JobQueue queue(*engine, {{.discipline = copse::bundled_disciplines()[1]}}, sink);
  for (const auto& spec : *read) {
    const auto losses = queue.reserve(spec);
    require(losses ? losses->empty() : !losses.error().text.empty());
  }
  for (const auto& view : queue.reservations())
    require(queue.cancel_reservation(view.name).has_value());
  require(engine->grant_count() == 0 && engine->fingerprint() == before);
  return 0;
}
