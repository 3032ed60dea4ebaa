// SPDX-License-Identifier: Apache-2.0
#include "plan/streams/event_lines.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/utf8.hpp"
#include "queue/reservation/reservation_reader.hpp"
#include "text/text_lines.hpp"
#include "text/tree/json_tree.hpp"

namespace copse::plan {

namespace {

// In the order of Event::Type, without deadline, then the keys that go with them.
constexpr unsigned kIds = KnownKey::kText | KnownKey::kNumber | KnownKey::kTruth;
constexpr std::array<KnownKey, 10> kEventKeys{{{"up", KnownKey::kText},
                                               {"down", KnownKey::kText},
                                               {"drain", KnownKey::kText},
                                               {"cancel", kIds | KnownKey::kList},
                                               {"hold", kIds | KnownKey::kList},
                                               {"release", kIds | KnownKey::kList},
                                               {"priority", KnownKey::kMapping},
                                               {"reserve", KnownKey::kMapping},
                                               {"time", KnownKey::kTime},
                                               {"requeue", KnownKey::kTruth}}};
constexpr std::array<Event::Type, 8> kTypes{
    Event::Type::up,   Event::Type::down,    Event::Type::drain,    Event::Type::cancel,
    Event::Type::hold, Event::Type::release, Event::Type::priority, Event::Type::reserve};
constexpr std::string_view kTimeKey = "time", kRequeueKey = "requeue", kPriorityKey = "priority";

std::string_view key_of(Event::Type type) {
  const auto at = std::ranges::find(kTypes, type);
  return at == kTypes.end() ? "deadline"
                            : kEventKeys[static_cast<std::size_t>(at - kTypes.begin())].name;
}

bool is_job(TreeView line) {
  for (auto key = line.first_child(); key; key = key->next()->next()) {
    if (find_key(job_line_keys(), key->text()) != nullptr && key->text() != kPriorityKey)
      return true;
  }
  return false;
}

}  // namespace

KnownKeys event_line_keys() { return kEventKeys; }

bool EventLines::is_event(TreeView line) {
  for (auto key = line.first_child(); key; key = key->next()->next()) {
    if (find_key(kEventKeys, key->text()) != nullptr && key->text() != kPriorityKey) return true;
  }
  return false;
}

Result<void> EventLines::read(TreeView line, std::uint32_t line_number) {
  Event event;
  std::optional<TreeView> about, requeue;
  std::string_view what;
  bool has_time = false;
  for (auto key = line.first_child(); key; key = key->next()->next()) {
    const TreeView value = *key->next();
    const KnownKey* known = find_key(kEventKeys, key->text());
    if (known == nullptr) return key->fail(unknown_key("key of an event", key->text(), kEventKeys));
    if (known->name == kTimeKey) {
      const auto time_s = line_seconds(kTimeKey, value, 0);
      if (!time_s) return std::unexpected(time_s.error());
      event.time_s = *time_s;
      has_time = true;
    } else if (known->name == kRequeueKey) {
      requeue = value;
    } else if (about) {
      return key->fail(fmt::format("an event must have one type, not both \"{}\" and \"{}\"", what,
                                   known->name));
    } else {
      event.type = kTypes[static_cast<std::size_t>(known - kEventKeys.data())];
      what = known->name;
      about = value;
    }
  }
  if (!has_time) return line.fail("the event has no time");
  if (!about)
    return line.fail(
        "the event has no type: give down, up, drain, cancel, hold, release, priority or "
        "reserve");
  if (requeue) {
    if (event.type != Event::Type::down) return requeue->fail("\"requeue\" goes with \"down\"");
    const auto truth = requeue->read_truth(kRequeueKey);
    if (!truth) return std::unexpected(truth.error());
    event.requeue = *truth;
  }
  if (event.of_nodes()) return add_nodes(event, *about, line_number);
  if (event.type == Event::Type::reserve) return add_reservation(event, *about, line_number);
  return event.type == Event::Type::priority ? add_priorities(event, *about, line_number)
                                             : add_jobs(event, what, *about, line_number);
}

Result<void> EventLines::add(const Event& event, Named named) {
  if (out_.events.size() >= kEventsMax) {
    return fail(ErrorCode::limit, fmt::format("more than {} events", kEventsMax));
  }
  out_.events.push_back(event);
  named_.push_back(std::move(named));
  return {};
}

Result<void> EventLines::add_deadline(std::string_view job, std::int64_t time_s,
                                      std::uint32_t line_number) {
  return add({.time_s = time_s, .type = Event::Type::deadline}, {std::string(job), line_number});
}

Result<void> EventLines::add_nodes(Event event, TreeView hosts, std::uint32_t line_number) {
  if (!hosts.is_quoted_string()) return hosts.fail("nodes are a text, such as \"node[0-3]\"");
  if (!options_.find_node) return hosts.fail("events of nodes are not read here");
  const auto names = expand_hostlist(hosts.text());
  if (!names) return hosts.fail("nodes: " + names.error().text, names.error().code);
  if (names->empty()) return hosts.fail("nodes are a text, such as \"node[0-3]\"");
  if (out_.event_nodes.size() + names->size() > kEventNodesMax) {
    return hosts.fail(fmt::format("more than {} nodes in events", kEventNodesMax),
                      ErrorCode::limit);
  }
  event.first_node = static_cast<std::uint32_t>(out_.event_nodes.size());
  event.nodes = static_cast<std::uint32_t>(names->size());
  for (const std::string& name : *names) {
    const auto node = options_.find_node(name);
    if (!node) {
      return hosts.fail(options_.no_node ? options_.no_node(name)
                                         : fmt::format("the machine has no node \"{:.64}\"", name),
                        ErrorCode::not_found);
    }
    out_.event_nodes.push_back(*node);
  }
  return add(event, {{}, line_number});
}

// The second of two with one name is refused when it is made.
//
Result<void> EventLines::add_reservation(Event event, TreeView object, std::uint32_t line_number) {
  if (!object.is_mapping()) return object.fail("\"reserve\" is a reservation, as an object");
  queue::ReservationReadOptions how{.zero_s = std::nullopt, .clock_end_s = options_.clock_end_s};
  if (options_.find_node) {
    how.has_node = [&](std::string_view name) { return options_.find_node(name).has_value(); };
    how.no_node = options_.no_node;
  }
  auto spec = queue::read_reservation(object, how);
  if (!spec) return std::unexpected(spec.error());
  event.first_node = static_cast<std::uint32_t>(out_.later_reservations.size());
  out_.later_reservations.push_back(std::move(*spec));
  out_.later_places.push_back({object.place().file, line_number, object.place().column});
  return add(event, {{}, line_number});
}

Result<void> EventLines::add_jobs(const Event& event, std::string_view key, TreeView ids,
                                  std::uint32_t line_number) {
  const auto add_one = [&](TreeView id) -> Result<void> {
    auto name = id.read_name(key, kNameBytesMax);
    if (!name) return id.fail(fmt::format("\"{}\" is an id or a list of ids", key));
    return add(event, {std::move(*name), line_number});
  };
  if (!ids.is_sequence()) return add_one(ids);
  if (ids.size() == 0) return ids.fail(fmt::format("\"{}\" names no job", key));
  for (auto id = ids.first_child(); id; id = id->next()) {
    if (auto ok = add_one(*id); !ok) return ok;
  }
  return {};
}

Result<void> EventLines::add_priorities(Event event, TreeView priorities,
                                        std::uint32_t line_number) {
  if (!priorities.is_mapping()) {
    return priorities.fail("\"priority\" is an object: an id and its new priority");
  }
  if (priorities.size() == 0) return priorities.fail("\"priority\" names no job");
  for (auto id = priorities.first_child(); id; id = id->next()->next()) {
    auto name = id->read_name("priority", kNameBytesMax);
    if (!name) return std::unexpected(name.error());
    const auto priority = id->next()->read_whole(*name, INT32_MIN, INT32_MAX);
    if (!priority) return std::unexpected(priority.error());
    event.priority = static_cast<std::int32_t>(*priority);
    if (auto ok = add(event, {std::move(*name), line_number}); !ok) return ok;
  }
  return {};
}

Result<void> EventLines::finish(const JobNumbers& numbers) {
  for (std::size_t e = there_; e < out_.events.size(); ++e) {
    Event& event = out_.events[e];
    if (!event.of_job()) continue;
    const Named& named = named_[e - there_];
    const SourceLocation place{std::string(file_), named.line, 0};
    const auto at = numbers.find(named.job);
    if (at == numbers.end()) {
      return fail(ErrorCode::not_found,
                  fmt::format("no job of the stream has the id \"{}\"", shown(named.job)), place);
    }
    event.job = at->second;
    const std::int64_t submit_s = out_.jobs[event.job].submit_s;
    if (event.time_s >= submit_s) continue;
    return fail(ErrorCode::invalid,
                fmt::format("\"{}\" of job \"{}\" is at {} s, before the job is submitted, at {} s",
                            key_of(event.type), shown(named.job), event.time_s, submit_s),
                place);
  }
  std::ranges::stable_sort(out_.events, {}, &Event::time_s);
  return {};
}

Result<void> read_events(std::string_view text, std::string_view file, const ReadOptions& options,
                         Jobs& jobs) {
  EventLines events(jobs, file, options);
  TextLines lines(text);
  std::string_view line;
  const auto placed = [&](Error error) {
    error.place = {std::string(file), lines.number(), error.place.column};
    return std::unexpected(std::move(error));
  };
  while (lines.next(line)) {
    if (without_blanks(line).empty()) continue;
    if (line.size() > options.line_bytes_max) {
      return placed({ErrorCode::limit,
                     fmt::format("a line of more than {} bytes", options.line_bytes_max),
                     {}});
    }
    if (first_invalid_utf8(line) != std::string_view::npos) {
      return placed({ErrorCode::invalid, "this is not UTF-8", {}});
    }
    const auto tree = read_json_tree(line, file);
    if (!tree) return placed({ErrorCode::invalid, "this is not a JSON object", {}});
    if (!*tree) return placed(tree->error());
    const TreeView object(**tree);
    if (!EventLines::is_event(object) && is_job(object)) {
      return placed({ErrorCode::invalid,
                     "this is a job, and only events are read here: put it into the stream",
                     {}});
    }
    if (auto ok = events.read(object, lines.number()); !ok) return placed(ok.error());
  }
  JobNumbers numbers;
  for (std::uint32_t job = 0; job < jobs.jobs.size(); ++job) {
    numbers.emplace(jobs.jobs[job].name, job);
  }
  return events.finish(numbers);
}

}  // namespace copse::plan
