// SPDX-License-Identifier: Apache-2.0
//
// copse reservation: named reservations of a service's nodes, such as maintenance.
#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/clock_time.hpp"
#include "base/duration.hpp"
#include "host/clock/local_time.hpp"
#include "host/clock/real_clock.hpp"
#include "request/shape.hpp"
#include "text/counted.hpp"
#include "text/json_writer.hpp"
#include "text/printable.hpp"
#include "text/tree/tree.hpp"
#include "tools/copse/client/client_commands.hpp"
#include "tools/copse/client/request_words.hpp"
#include "tools/copse/client/service/service_client.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

std::string time_words(TreeView time) {
  const std::string_view nodes = time.word("nodes");
  return fmt::format("{} to {} on {}", local_time_text(time.number("from").value_or(0)),
                     local_time_text(time.number("until").value_or(0)),
                     nodes.empty() ? "no nodes: none were available" : nodes);
}

std::string user_words(TreeView request) {
  const auto users = request.find("users");
  if (!users) return "";
  if (users->is_scalar()) return fmt::format(", for {}", users->text());
  if (!users->is_sequence()) return "";
  if (users->size() == 0) return ", for no jobs";
  std::string out = ", for ";
  for (const TreeView user : users->entries()) {
    out += fmt::format("{}{}", user.text(), user.next() ? "," : "");
  }
  return out;
}

std::string loss_words(TreeView loss) {
  return fmt::format("job {} keeps {} until {}\n", loss.number("job").value_or(0),
                     loss.word("nodes"), local_time_text(loss.number("until").value_or(0)));
}

std::string moved_words(TreeView moved, bool complete) {
  const std::int64_t job = moved.number("job").value_or(0);
  const std::string from = local_time_text(moved.number("from").value_or(0));
  if (const auto to_s = moved.number("to")) {
    return fmt::format("job {} starts at {}, not at {} as promised\n", job, local_time_text(*to_s),
                       from);
  }
  return complete
             ? fmt::format("job {} is no longer promised a start; it was {}\n", job, from)
             : fmt::format("job {} will not start at {} as promised; ask copse when {} later\n",
                           job, from, job);
}

// A line, with the first of its times: "upkeep: 2033-01-01T08:00:00Z to … on node[0-1], weekly, for
// ada,bo, by root".
std::string reservation_words(TreeView one) {
  std::string out = fmt::format("{}: ", one.word("name"));
  if (const auto first = one.list("times").begin().at) out += time_words(*first);
  if (const auto request = one.find("request")) {
    const std::string_view repeat = request->word("repeat");
    if (!repeat.empty()) out += fmt::format(", {}", repeat);
    out += user_words(*request);
  }
  const std::string_view by = one.word("by");
  if (!by.empty()) out += fmt::format(", by {}", by);
  if (const auto waiting = one.number("waiting")) {
    out += fmt::format(", {} for it", counted(*waiting, "job waits", "jobs wait"));
  }
  return out + "\n";
}

// Lines: running jobs that overlap the added or tried reservation, and jobs with a moved promised start.
std::string effect_words(TreeView answer) {
  std::string out;
  for (const TreeView loss : answer.list("losses")) out += loss_words(loss);
  const auto complete = answer.find("complete");
  std::int64_t shown = 0;
  for (const TreeView moved : answer.list("moved")) {
    out += moved_words(moved, !complete);
    ++shown;
  }
  const std::int64_t more = answer.number("moved_count").value_or(shown) - shown;
  if (more > 0) {
    out += fmt::format("{}\n",
                       counted(more, "other promised start moves", "other promised starts move"));
  }
  return out;
}

constexpr std::int64_t kSecondsOfDay = 86'400;

struct ReservationWords {
  ClientOptions client;
  std::string name, nodes, shape, constraint, at, repeat, until;
  std::int64_t duration_s = 0, count = 0;
  std::vector<std::string> users;
  bool no_users = false, dry_run = false;
};

// "08:00" is the next time that local clocks show that; "2h" counts from now.
Result<std::int64_t> start_of(const std::string& text, std::string_view option) {
  const std::int64_t now_s = real_time_s();
  if (text == "now") return now_s;
  const auto wrong = [&](const Error& error) {
    return fail(error.code, fmt::format("{}: {}", option, error.text));
  };
  const auto no_time = [&] {
    return fail(
        ErrorCode::invalid,
        fmt::format("{}: \"{}\" is not a time: give a date (2026-11-22T08:00), a time of day "
                    "from 00:00 to 23:59 (the next one), how long from now (2h), or now",
                    option, text));
  };
  if (looks_like_a_date(text)) {
    const auto time_s = parse_time(text, utc_of_local_time);
    return time_s ? time_s : wrong(time_s.error());
  }
  const bool of_a_day = text.contains(':') && text.find_first_not_of("0123456789:") == text.npos;
  if (!of_a_day) {
    const auto in_s = parse_duration(text);
    if (!in_s) return in_s.error().code == ErrorCode::limit ? wrong(in_s.error()) : no_time();
    return *in_s < kRealTime_s ? now_s + *in_s : *in_s;
  }
  for (std::int64_t day = -1; day <= 2; ++day) {
    std::string when = local_time_text(now_s + day * kSecondsOfDay).substr(0, 10);
    when.append("T").append(text);
    const auto time_s = parse_time(when, utc_of_local_time);
    if (!time_s) return no_time();
    if (*time_s >= now_s) return time_s;
  }
  return now_s;
}

Result<void> write_room(JsonWriter& json, const ReservationWords& words) {
  const bool number = words.nodes.find_first_not_of("0123456789") == words.nodes.npos;
  if (!words.nodes.empty() && number && words.nodes.size() < 10) {
    json.member("nodes", std::stoll(words.nodes));
  } else if (!words.nodes.empty()) {
    json.member("nodes", words.nodes);
  }
  if (!words.shape.empty()) {
    if (auto read = parse_shape(words.shape, "--shape"); !read) {
      return std::unexpected(read.error());
    }
    json.member("shape", words.shape);
  }
  if (words.constraint.empty()) return {};
  const auto constraint = constraint_json(words.constraint);
  if (!constraint) return std::unexpected(constraint.error());
  json.member_json("constraint", *constraint);
  return {};
}

Result<void> write_reservation(JsonWriter& json, const ReservationWords& words) {
  if (words.nodes.empty() && words.shape.empty() && words.constraint.empty()) {
    return fail(ErrorCode::invalid, "no nodes are named: give --nodes, --shape or --constraint");
  }
  const auto start_s = start_of(words.at, "--at");
  if (!start_s) return std::unexpected(start_s.error());
  json.member("name", words.name);
  json.member("start", *start_s);
  json.member("duration", words.duration_s);
  if (auto written = write_room(json, words); !written) return written;
  if (!words.users.empty() || words.no_users) {
    json.array("users", words.users, [&](const std::string& user) { json.value(user); });
  }
  if (words.repeat.empty()) return {};
  json.member("repeat", words.repeat);
  if (words.count > 0) json.member("count", words.count);
  if (words.until.empty()) return {};
  const auto until_s = start_of(words.until, "--until");
  if (!until_s) return std::unexpected(until_s.error());
  json.member("until", *until_s);
  return {};
}

int run_add_reservation(const ReservationWords& words) {
  Result<void> written;
  const std::string line = object_text([&](JsonWriter& json) {
    json.member("op", std::string_view(words.dry_run ? "try-reservation" : "add-reservation"));
    json.object("reservation", [&] { written = write_reservation(json, words); });
  });
  if (!written) return unusable(written.error());
  return ask_and_show(words.client, line, [&](TreeView answer) {
    return write_words(reservation_words(answer) + effect_words(answer) +
                       (words.dry_run ? "nothing is reserved (--dry-run)\n" : ""));
  });
}

int run_list_reservations(const ReservationWords& words) {
  return ask_and_show(words.client, R"({"op": "reservations"})", [](TreeView answer) {
    std::string out;
    for (const TreeView one : answer.list("reservations")) out += reservation_words(one);
    return write_words(out);
  });
}

int run_end_reservation(const ReservationWords& words) {
  const std::string line = object_text([&](JsonWriter& json) {
    json.member("op", "end-reservation");
    json.member("name", words.name);
  });
  return ask_and_show(words.client, line, [](TreeView) { return kDone; });
}

void add_when(CommandLine& sub, ReservationWords& words) {
  sub.option("--at", words.at,
             "when it starts: 2026-11-22T08:00, 08:00 (the next), or 2h (from now)")
      .unit("TIME")
      .required();
  sub.duration("--duration", words.duration_s, 0, "how long it lasts: 90, 10m, 4h, 2d").required();
  const auto repeat = sub.option("--repeat", words.repeat, "repeat it daily or weekly")
                          .one_of({"daily", "weekly"})
                          .unit("HOW");
  sub.option("--count", words.count, "the number of times in all (default: without end)")
      .between(std::int64_t{1}, std::int64_t{1'000'000'000})
      .unit("NUMBER")
      .needs(repeat);
  sub.option("--until", words.until, "the latest time at which it may start")
      .unit("TIME")
      .needs(repeat);
}

void add_adding(CommandLine& group) {
  auto words = std::make_shared<ReservationWords>();
  CommandLine sub = group.command(
      "add", "Reserve nodes for a time: other jobs avoid them",
      "Running jobs continue. Those that overlap the reservation are listed with the nodes that "
      "they "
      "keep, and so are waiting jobs whose promised start moves.\n"
      "Examples:\n"
      "  copse reservation add maintenance --nodes node[0-3] --at 08:00 --duration 4h "
      "--repeat weekly --nobody\n"
      "  copse reservation add course --nodes 2 --at 2h --duration 90m --users ada,bo --dry-run",
      [words] { return run_add_reservation(*words); });
  sub.option("name", words->name, "its name").unit("NAME").required();
  sub.option("--nodes", words->nodes, "names of nodes, such as node[0-3], or a number of nodes")
      .unit("NODES");
  sub.option("--shape", words->shape, "the nodes that a job of this RFC 46 shape would get")
      .unit("SHAPE");
  sub.option("--constraint", words->constraint,
             "nodes with these properties, such as \"h100,^debug\"; without --nodes: all of them")
      .unit("CONSTRAINT");
  add_when(sub, *words);
  const auto users =
      sub.list("--users", words->users, "users whose jobs may start in it (default: all)")
          .unit("USER");
  sub.flag("--nobody", words->no_users, "no jobs may start in it").excludes(users);
  sub.flag("--dry-run", words->dry_run, "show its effects on jobs, but reserve nothing");
  add_client_options(sub, words->client);
}

}  // namespace

void add_reservation(CommandLine& line) {
  CommandLine group = line.group("reservation", "Manage named reservations of a service's nodes",
                                 "Examples:\n  copse reservation list");
  add_adding(group);
  auto words = std::make_shared<ReservationWords>();
  CommandLine list = group.command("list", "List the reservations in the order of their next times",
                                   "Examples:\n  copse reservation list",
                                   [words] { return run_list_reservations(*words); });
  add_client_options(list, words->client);
  words = std::make_shared<ReservationWords>();
  CommandLine end =
      group.command("end", "End a reservation, with all times to come; jobs in it run on",
                    "Examples:\n  copse reservation end maintenance",
                    [words] { return run_end_reservation(*words); });
  end.option("name", words->name, "its name").unit("NAME").required();
  add_client_options(end, words->client);
}

}  // namespace copse
