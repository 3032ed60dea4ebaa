// SPDX-License-Identifier: Apache-2.0
#include "queue/pass/treatment.hpp"

#include <exception>

#include <fmt/format.h>

namespace copse::queue {

Treatment treatment_of(const JobView& job, const std::string& queue, QueueSink& sink) {
  std::string why;
  try {
    const Treatment out = job.discipline.treat(job);
    if (out <= Treatment::stop) return out;
    why = fmt::format("returned {}, which is not a treatment", static_cast<unsigned>(out));
  } catch (const std::exception& thrown) {
    why = fmt::format("threw an exception: {}", thrown.what());
  } catch (...) {
    why = "threw an exception";
  }
  why = fmt::format("the discipline \"{}\" {}", job.discipline.name, why);
  sink.discipline_failed(queue, {ErrorCode::invalid, std::move(why), {}});
  return Treatment::wait;
}

}  // namespace copse::queue
