// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/reservation_words.hpp"

#include <optional>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "text/counted.hpp"
#include "tools/copse/client/service/service_client.hpp"

namespace copse {

namespace {

std::string time_words(TreeView time) {
  const std::string_view nodes = word_in(time, "nodes");
  return fmt::format("{} to {} on {}", readable_time(number_in(time, "from").value_or(0)),
                     readable_time(number_in(time, "until").value_or(0)),
                     nodes.empty() ? "no nodes: none were available" : nodes);
}

std::string user_words(TreeView request) {
  const auto users = request.find("users");
  if (!users) return "";
  if (users->is_scalar()) return fmt::format(", for {}", users->text());
  if (!users->is_sequence()) return "";
  if (users->size() == 0) return ", for no jobs";
  std::string out = ", for ";
  for (auto user = users->first_child(); user; user = user->next()) {
    out += fmt::format("{}{}", user->text(), user->next() ? "," : "");
  }
  return out;
}

std::string loss_words(TreeView loss) {
  return fmt::format("job {} keeps {} until {}\n", number_in(loss, "job").value_or(0),
                     word_in(loss, "nodes"), readable_time(number_in(loss, "until").value_or(0)));
}

std::string moved_words(TreeView moved, bool complete) {
  const std::int64_t job = number_in(moved, "job").value_or(0);
  const std::string from = readable_time(number_in(moved, "from").value_or(0));
  if (const auto to_s = number_in(moved, "to")) {
    return fmt::format("job {} starts at {}, not at {} as promised\n", job, readable_time(*to_s),
                       from);
  }
  return complete
             ? fmt::format("job {} is no longer promised a start; it was {}\n", job, from)
             : fmt::format("job {} will not start at {} as promised; ask copse when {} later\n",
                           job, from, job);
}

}  // namespace

std::string reservation_words(TreeView one) {
  std::string out = fmt::format("{}: ", word_in(one, "name"));
  const auto times = one.find("times");
  const auto first = times ? times->first_child() : std::nullopt;
  if (first) out += time_words(*first);
  if (const auto request = one.find("request")) {
    const std::string_view repeat = word_in(*request, "repeat");
    if (!repeat.empty()) out += fmt::format(", {}", repeat);
    out += user_words(*request);
  }
  const std::string_view by = word_in(one, "by");
  if (!by.empty()) out += fmt::format(", by {}", by);
  if (const auto waiting = number_in(one, "waiting")) {
    out += fmt::format(", {} for it", counted(*waiting, "job waits", "jobs wait"));
  }
  return out + "\n";
}

std::string effect_words(TreeView answer) {
  std::string out;
  if (const auto losses = answer.find("losses")) {
    for (auto loss = losses->first_child(); loss; loss = loss->next()) out += loss_words(*loss);
  }
  const auto complete = answer.find("complete");
  std::int64_t shown = 0;
  if (const auto moved = answer.find("moved")) {
    for (auto one = moved->first_child(); one; one = one->next(), ++shown) {
      out += moved_words(*one, !complete);
    }
  }
  const std::int64_t more = number_in(answer, "moved_count").value_or(shown) - shown;
  if (more > 0) {
    out += fmt::format("{}\n",
                       counted(more, "other promised start moves", "other promised starts move"));
  }
  return out;
}

}  // namespace copse
