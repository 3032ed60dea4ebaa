// SPDX-License-Identifier: Apache-2.0
#include "queue/reservation/reservation_reader.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/nearest_word.hpp"
#include "base/saturating.hpp"
#include "base/utf8.hpp"
#include "request/constraint.hpp"
#include "request/hres.hpp"
#include "request/resource_of.hpp"
#include "request/shape.hpp"
#include "text/text_lines.hpp"
#include "text/tree/json_tree.hpp"
#include "text/tree/line_values.hpp"

namespace copse::queue {

namespace {

constexpr std::size_t kReservationBytesMax = 1U << 20;
constexpr std::int64_t kReservedNodesMax = INT64_C(1) << 30, kRepeatsMax = 1'000'000'000;
constexpr std::size_t kReservationUsersMax = 100'000;

constexpr unsigned kUserName = KnownKey::kText | KnownKey::kNumber | KnownKey::kTruth;
constexpr std::array<KnownKey, 11> kReservationKeys{{{"name", kUserName},
                                                     {"start", KnownKey::kTime},
                                                     {"duration", KnownKey::kTime},
                                                     {"nodes", KnownKey::kText | KnownKey::kNumber},
                                                     {"constraint", KnownKey::kMapping},
                                                     {"shape", KnownKey::kText},
                                                     {"hres", KnownKey::kText},
                                                     {"users", kUserName | KnownKey::kList},
                                                     {"repeat", KnownKey::kText},
                                                     {"count", KnownKey::kNumber},
                                                     {"until", KnownKey::kTime}}};

class ReservationReader {
 public:
  ReservationReader(std::string_view text, std::string_view file,
                    const ReservationReadOptions& options, std::vector<SourceLocation>& places)
      : text_(text), file_(file), options_(options), ranges_(places) {}

  Result<std::vector<ReservationSpec>> read() {
    const std::size_t first = text_.find_first_not_of(" \t\r\n");
    const bool is_list = first != std::string_view::npos && text_[first] == '[';
    if (auto ok = is_list ? read_list() : read_lines(); !ok) return std::unexpected(ok.error());
    return std::move(out_);
  }

  Result<ReservationSpec> read(TreeView object) {
    if (auto ok = read_one(object); !ok) return std::unexpected(ok.error());
    return std::move(out_.front());
  }

 private:
  Result<Tree> tree_of(std::string_view text) const {
    if (text.size() > kReservationBytesMax) {
      return fail(ErrorCode::limit,
                  fmt::format("a line of more than {} bytes", kReservationBytesMax));
    }
    if (first_invalid_utf8(text) != text.npos) return std::unexpected(not_utf8(text));
    auto tree = read_json_tree(text, file_);
    if (!tree) return std::unexpected(not_json(text, "a JSON object, nor a list of them"));
    return std::move(*tree);
  }

  // Adds the line, if the error has none of its own.
  Error placed(Error error, std::uint32_t line, bool always) const {
    if (always || error.place.file.empty()) {
      error.place = {std::string(file_), line, error.place.column};
    }
    return error;
  }

  // The tree reader expects objects, so the list becomes the value of one.
  Result<void> read_list() {
    static constexpr std::string_view kBefore = "{\"\":";
    const auto moved = [&](Error error) {
      if (error.place.line <= 1 && error.place.column > kBefore.size()) {
        error.place.column -= static_cast<std::uint32_t>(kBefore.size());
      }
      return std::unexpected(placed(std::move(error), 1, false));
    };
    const auto tree = tree_of(fmt::format("{}{}}}", kBefore, text_));
    if (!tree) return moved(tree.error());
    const TreeView list = *TreeView(*tree).first_child()->next();
    if (!list.is_sequence()) return moved(list.fail("this is not a list of reservations").error());
    for (auto at = list.first_child(); at; at = at->next()) {
      if (auto ok = read_one(*at); !ok) return moved(ok.error());
      ranges_.back() = moved({{}, {}, ranges_.back()}).error().place;
    }
    return {};
  }

  Result<void> read_lines() {
    TextLines lines(text_);
    std::string_view line;
    while (lines.next(line)) {
      if (without_blanks(line).empty()) continue;
      const auto tree = tree_of(line);
      if (!tree) return std::unexpected(placed(tree.error(), lines.number(), true));
      if (auto ok = read_one(TreeView(*tree)); !ok) {
        return std::unexpected(placed(ok.error(), lines.number(), true));
      }
      ranges_.back().line = lines.number();
    }
    return {};
  }

  Result<void> read_one(TreeView object) {
    if (!object.is_mapping()) return object.fail("a reservation is an object");
    if (out_.size() >= kReservationsMax) {
      return object.fail(fmt::format("more than {} reservations", kReservationsMax),
                         ErrorCode::limit);
    }
    std::array<std::optional<TreeView>, kReservationKeys.size()> values;
    for (auto key = object.first_child(); key; key = key->next()->next()) {
      const KnownKey* known = find_key(kReservationKeys, key->text());
      if (known == nullptr) {
        return key->fail(unknown_key("key of a reservation", key->text(), kReservationKeys));
      }
      values[static_cast<std::size_t>(known - kReservationKeys.data())] = *key->next();
    }
    const auto& [name, start, duration, nodes, constraint, shape, hres, users, repeat, count,
                 until] = values;
    for (const std::size_t needed : {0U, 1U, 2U}) {
      if (values[needed]) continue;
      return object.fail(
          fmt::format("the reservation has no \"{}\"", kReservationKeys[needed].name));
    }
    ReservationSpec spec;
    auto read_name = name->read_name("name", kNameBytesMax);
    if (!read_name) return std::unexpected(read_name.error());
    spec.name = std::move(*read_name);
    if (!names_.insert(spec.name).second) {
      return name->fail(fmt::format("there is another reservation \"{}\"", spec.name));
    }
    if (auto ok = read_time("start", *start, spec.start_s); !ok) return ok;
    const auto lasts = line_seconds("duration", *duration, 1);
    if (!lasts) return std::unexpected(lasts.error());
    spec.duration_s = *lasts;
    if (auto ok = read_room(object, nodes, constraint, shape, hres, spec); !ok) return ok;
    if (users) {
      if (auto ok = read_users(*users, spec); !ok) return ok;
    }
    if (auto ok = read_repeat(repeat, count, until, spec); !ok) return ok;
    if (auto ok = check_reservation(spec, options_.clock_end_s); !ok) {
      return object.fail(ok.error().text);
    }
    out_.push_back(std::move(spec));
    ranges_.push_back(object.place());
    return {};
  }

  Result<void> read_time(std::string_view key, TreeView value, std::int64_t& into) const {
    const auto time_s = value.is_scalar() ? parse_time(value.text(), local_time())
                                          : fail(ErrorCode::invalid, "this is not a time");
    if (!time_s) return value.fail(fmt::format("\"{}\": {}", key, time_s.error().text));
    if (value.text().contains(':') && !looks_like_a_date(value.text())) {
      return value.fail(fmt::format(
          "\"{}\": {} has no date: write a date and a time, such as 2026-11-22T12:00, or how long "
          "after the beginning, such as 8h",
          key, shown_word(value.text())));
    }
    if (*time_s < 0 || *time_s > kTimeMax_s) {
      return value.fail(fmt::format("\"{}\" is not from 0 to {} seconds", key, kTimeMax_s));
    }
    into = *time_s;
    const bool real = *time_s >= kRealTime_s || looks_like_a_date(value.text());
    if (!real || options_.zero_s == 0) return {};
    if (!options_.zero_s) {
      return value.fail(fmt::format("\"{}\" is a date, and {}", key, options_.no_dates));
    }
    into -= *options_.zero_s;
    if (into >= 0) return {};
    return value.fail(fmt::format("\"{}\" is {}, and the clock begins at {}", key,
                                  time_text(*time_s), time_text(*options_.zero_s)));
  }

  LocalTime local_time() const {
    if (options_.local_time != nullptr) return options_.local_time;
    return [](std::int64_t as_utc_s) { return as_utc_s; };
  }

  Result<void> read_room(TreeView object, const std::optional<TreeView>& nodes,
                         const std::optional<TreeView>& constraint,
                         const std::optional<TreeView>& shape, const std::optional<TreeView>& hres,
                         ReservationSpec& spec) const {
    if (!nodes && !constraint && !shape) {
      return object.fail("the reservation has no nodes: give nodes, a constraint or a shape");
    }
    if (nodes && shape) return shape->fail("give nodes or a shape, not both");
    if (constraint) {
      if (!constraint->is_mapping()) {
        return constraint->fail("constraint is an object, such as {\"properties\": [\"fast\"]}");
      }
      auto made = read_constraint(*constraint, JobspecLimits{}.hosts_max);
      if (!made) return std::unexpected(made.error());
      spec.constraint = std::move(*made);
    }
    if (shape) {
      if (!shape->is_quoted_string()) return shape->fail("a shape is a text");
      auto made = parse_shape(shape->text());
      if (!made) return shape->fail("shape: " + made.error().text, made.error().code);
      spec.request = std::move(*made);
    } else if (nodes && !nodes->is_quoted_string()) {
      const auto number = nodes->read_whole("nodes", 1, kReservedNodesMax);
      if (!number) return std::unexpected(number.error());
      if (static_cast<std::size_t>(*number) > options_.nodes) {
        return nodes->fail(
            fmt::format("{} nodes are asked for, and the machine has {}", *number, options_.nodes));
      }
      Request request;
      request.resources.push_back(resource_of("slot", *number, {resource_of("node", 1)}));
      spec.request = std::move(request);
    } else if (nodes) {
      if (auto ok = read_hosts(*nodes, spec); !ok) return ok;
    }
    if (!hres) return {};
    if (!spec.request) return hres->fail("hres requires a shape, or a number of nodes");
    if (!hres->is_quoted_string()) {
      return hres->fail("hres is a text, such as \"flat:2,natural:1\"");
    }
    auto made = parse_hres_request(hres->text());
    if (!made) return hres->fail("hres: " + made.error().text, made.error().code);
    spec.request->hres = std::move(*made);
    return {};
  }

  Result<void> read_hosts(TreeView value, ReservationSpec& spec) const {
    auto hosts = expand_hostlist(value.text(), JobspecLimits{}.hosts_max);
    if (!hosts) return value.fail("nodes: " + hosts.error().text, hosts.error().code);
    for (const std::string& host : *hosts) {
      if (options_.has_node == nullptr || options_.has_node(host)) continue;
      return value.fail(
          "nodes: " + (options_.no_node ? options_.no_node(host)
                                        : fmt::format("the machine has no node \"{:.64}\"", host)));
    }
    if (hosts->empty()) return value.fail("nodes: the list is empty");
    std::ranges::sort(*hosts);
    Constraint made{.op = Constraint::Op::hostlist, .words = {}, .ranks = {}, .operands = {}};
    made.words = std::move(*hosts);
    if (spec.constraint.empty()) {
      spec.constraint = std::move(made);
      return {};
    }
    Constraint both{.op = Constraint::Op::all, .words = {}, .ranks = {}, .operands = {}};
    both.operands.push_back(std::move(made));
    both.operands.push_back(std::move(spec.constraint));
    spec.constraint = std::move(both);
    return {};
  }

  static Result<void> read_users(TreeView value, ReservationSpec& spec) {
    std::vector<std::string>& users = spec.users.emplace();
    const auto add = [&](TreeView name) -> Result<void> {
      if (name.text().contains(',')) {
        return name.fail(
            "\"users\": the name of a user has no comma; several are a list, such as "
            "[\"ada\", \"bo\"]");
      }
      auto user = name.read_name("users", kNameBytesMax);
      if (!user) return std::unexpected(user.error());
      if (users.size() >= kReservationUsersMax) {
        return name.fail(fmt::format("more than {} users", kReservationUsersMax), ErrorCode::limit);
      }
      users.push_back(std::move(*user));
      return {};
    };
    if (!value.is_sequence()) return add(value);
    for (auto name = value.first_child(); name; name = name->next()) {
      if (auto ok = add(*name); !ok) return ok;
    }
    return {};
  }

  Result<void> read_repeat(const std::optional<TreeView>& repeat,
                           const std::optional<TreeView>& count,
                           const std::optional<TreeView>& until, ReservationSpec& spec) const {
    if (!repeat) {
      if (count) return count->fail("\"count\" goes with \"repeat\"");
      if (until) return until->fail("\"until\" goes with \"repeat\"");
      return {};
    }
    const std::string_view word = repeat->is_scalar() ? repeat->text() : std::string_view();
    if (word != "daily" && word != "weekly") {
      return repeat->fail("\"repeat\" is \"daily\" or \"weekly\"");
    }
    spec.every_s = word == "daily" ? kDay_s : kWeek_s;
    if (options_.calendar && options_.zero_s) {
      spec.nth_start = [calendar = options_.calendar, zero_s = *options_.zero_s,
                        days = spec.every_s / kDay_s](std::int64_t start_s, std::int64_t n) {
        const std::int64_t real_s = start_s + zero_s;
        if (real_s < kRealTime_s) return start_s + n * days * kDay_s;
        return days_later(real_s, n * days, calendar) - zero_s;
      };
    }
    if (count) {
      const auto number = count->read_whole("count", 1, kRepeatsMax);
      if (!number) return std::unexpected(number.error());
      spec.count = *number;
    }
    return until ? read_time("until", *until, spec.until_s) : Result<void>();
  }

  std::string_view text_, file_;
  const ReservationReadOptions& options_;
  std::set<std::string> names_;
  std::vector<ReservationSpec> out_;
  std::vector<SourceLocation>& ranges_;
};

}  // namespace

KnownKeys reservation_keys() { return kReservationKeys; }

Result<std::vector<ReservationSpec>> read_reservations(std::string_view text, std::string_view file,
                                                       const ReservationReadOptions& options,
                                                       std::vector<SourceLocation>* places) {
  std::vector<SourceLocation> unasked;
  return ReservationReader(text, file, options, places != nullptr ? *places : unasked).read();
}

void count_from(std::int64_t now_s, ReservationSpec& spec) {
  if (now_s < kRealTime_s || spec.start_s >= kRealTime_s) return;
  spec.start_s = saturating_sum(spec.start_s, now_s);
  if (spec.until_s < kRealTime_s) spec.until_s = saturating_sum(spec.until_s, now_s);
}

Result<ReservationSpec> read_reservation(TreeView object, const ReservationReadOptions& options) {
  std::vector<SourceLocation> unasked;
  return ReservationReader({}, {}, options, unasked).read(object);
}

}  // namespace copse::queue
