// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a configuration of queues. What is refused is one sentence; what is accepted makes
// a queue, to each of which a job comes.
#include <cstdint>
#include <string_view>

#include "go_on.hpp"
#include "queue/config/queue_config.hpp"
#include "queue/job_queue.hpp"
#include "target.hpp"

using copse::fuzz::require;

namespace {

struct Silent : copse::queue::QueueSink {
  void started(copse::JobId, const copse::Grant&) override {}
  void denied(copse::JobId, const copse::Error&) override {}
};

// Queues of more hosts are like those of a few, and take seconds with sanitizers.
constexpr std::size_t kWordsMax = 10'000;

std::size_t words(const copse::Constraint& constraint) {
  std::size_t out = constraint.words.size();
  for (const copse::Constraint& operand : constraint.operands) out += words(operand);
  return out;
}

}  // namespace

FUZZ_TARGET(queue_config) {
  if (size > 8192) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto config = copse::queue::read_queue_config(text, "fuzz");
  if (!config) {
    require(!config.error().text.empty());
    require(config.error().text.find('\n') == std::string::npos);
    return 0;
  }
  for (const auto& spec : config->queues) {
    if (words(spec.constraint) > kWordsMax) return 0;
  }
  static const auto machine = copse::fuzz::engine_on(copse::fuzz::small_machine(), "low");
  const auto engine = machine->clone();
  const copse::Request request = copse::fuzz::any_of(engine->graph());
  Silent sink;
  copse::queue::JobQueue queue(*engine, config->queues, sink, config->rule);
  copse::JobId id = 0;
  for (const auto& spec : config->queues) {
    const auto ok = queue.submit(
        {.id = ++id, .duration_s = 10, .queue = spec.name, .kind = "one", .request = &request});
    require(ok.has_value());
  }
  queue.work();
  queue.check();
  return 0;
}
