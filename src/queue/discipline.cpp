// SPDX-License-Identifier: Apache-2.0
#include "copse/discipline.hpp"

#include <array>
#include <vector>

#include "base/nearest_word.hpp"

namespace copse {

namespace {

Treatment fcfs(const JobView&) { return Treatment::stop; }
Treatment easy(const JobView& job) {
  return job.promises < 1 ? Treatment::promise : Treatment::all_wait;
}
Treatment hybrid(const JobView& job) {
  return job.promises < job.discipline.reservation_depth ? Treatment::promise : Treatment::all_wait;
}
Treatment conservative(const JobView&) { return Treatment::promise; }

}  // namespace

std::span<const Discipline> bundled_disciplines() {
  static const std::array<Discipline, 4> all{{
      {"fcfs", "first come, first served: no job overtakes a waiting one", fcfs},
      {"easy", "the first waiting job has a promise; others start if they do not break it", easy},
      {"hybrid", "the first 64 waiting jobs have promises", hybrid},
      {"conservative", "all waiting jobs have promises", conservative},
  }};
  return all;
}

Result<Discipline> find_discipline(std::string_view name, std::span<const Discipline> own) {
  std::vector<std::string_view> known;
  for (const auto list : {own, bundled_disciplines()}) {
    for (const Discipline& discipline : list) {
      if (discipline.name == name) return discipline;
      known.push_back(discipline.name);
    }
  }
  return fail(ErrorCode::not_found, unknown_word("discipline", name, known));
}

}  // namespace copse
