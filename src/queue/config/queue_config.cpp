// SPDX-License-Identifier: Apache-2.0
#include "queue/config/queue_config.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/nearest_word.hpp"
#include "base/scan_text.hpp"
#include "queue/config/job_limits.hpp"
#include "queue/config/limits_reader.hpp"
#include "queue/config/priority_reader.hpp"
#include "request/constraint.hpp"
#include "request/request_checks.hpp"
#include "rset/rset_properties.hpp"
#include "text/split.hpp"
#include "text/tree/json_tree.hpp"
#include "text/tree/toml_tree.hpp"

namespace copse::queue {

namespace {

// Keys of a scheduler's table that its host reads: they configure the machine, not queues.
constexpr std::array<std::string_view, 7> kOfTheMachine{
    "match-policy", "traverser", "mode", "hres", "inventory", "inventory-format", "scheduling"};
// Tables of Fluxion's other modules, whose names resemble the one that is read.
constexpr std::array<std::string_view, 2> kOtherTables{"sched-fluxion-resource",
                                                       "sched-fluxion-feasibility"};
// The other tables of Flux's configuration (flux-config(5)).
constexpr auto kTablesOfFlux = std::to_array<std::string_view>(
    {"access",       "accounting",     "archive",  "bootstrap",   "content",   "content-files",
     "content-s3",   "content-sqlite", "cron",     "exec",        "heartbeat", "housekeeping",
     "ingest",       "job-ingest",     "job-list", "job-manager", "kvs",       "resource",
     "sched-simple", "sdexec",         "systemd",  "tbon"});
constexpr std::size_t kHostsMax = 1u << 20;
constexpr std::int64_t kQueueDepthMax = 1'000'000, kReservationDepthMax = 100'000;

// The settings of one queue, or of all.
struct Settings {
  std::optional<std::string> policy{};
  std::optional<std::int64_t> depth{}, depth_max{}, reservations{}, reservations_max{};
};

class ConfigReader {
 public:
  ConfigReader(std::string_view file, std::span<const Discipline> own) : file_(file), own_(own) {}

  Result<QueueConfig> read(TreeView root) {
    for (const auto& [key, value] : root.members()) {
      if (!is_misspelt(key.text(), kQueueTables)) {
        note_other_table(key.text(), value);
        continue;
      }
      if (std::ranges::find(kOtherTables, key.text()) != kOtherTables.end()) {
        note_machine_keys(key.text(), value);
        continue;
      }
      return value.fail(unknown_key("table", key.text(), kQueueTables));
    }
    if (const auto policy = root.find("policy")) {
      if (auto ok = read_policy(*policy, "", policy_parts()); !ok) {
        return std::unexpected(ok.error());
      }
    }
    if (auto ok = read_queues(root); !ok) return std::unexpected(ok.error());
    auto scheduler = root.find("sched-copse");
    if (!scheduler) {
      scheduler = root.find("sched-fluxion-qmanager");
      fluxion_ = scheduler.has_value();
      if (fluxion_) defaults_ = {.policy = "fcfs", .depth = 32};
    }
    if (const auto limits = root.find("running-limits")) {
      if (auto ok = read_running_limits(*limits, out_.running_limits); !ok) {
        return std::unexpected(ok.error());
      }
    }
    if (auto ok = check_limited_queues(root); !ok) return std::unexpected(ok.error());
    if (const std::string& name = out_.defaults.queue;
        queues_ && !name.empty() && !has_queue(name)) {
      return root.find("policy")->fail(
          fmt::format("policy.jobspec.defaults: {} is no queue of this file", shown_word(name)));
    }
    const auto grants = root.find("grants");
    if (grants) {
      if (auto ok = read_grants_table(*grants); !ok) return std::unexpected(ok.error());
    }
    out_.stated = queues_ || scheduler || grants;
    if (scheduler) {
      if (auto ok = read_scheduler(*scheduler); !ok) return std::unexpected(ok.error());
    }
    for (QueueSpec& line : out_.queues) {
      if (auto ok = settle(line); !ok) return std::unexpected(ok.error());
    }
    if (auto ok = check_queues(out_.queues); !ok) return refuse_at(queues_, ok.error());
    if (auto ok = check_rule(out_.rule); !ok) return refuse_at(priority_, ok.error());
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::unexpected<Error> refuse_at(const std::optional<TreeView>& node,
                                                 const Error& error) const {
    return fail(error.code, error.text, node ? node->place() : copse::SourceLocation{file_, 0, 0});
  }

  static Result<void> known(TreeView node, std::string_view key, KnownKeys keys) {
    if (find_key(keys, key) != nullptr) return {};
    return node.fail(unknown_key("key", key, keys));
  }

  void note_other_table(std::string_view name, TreeView value) {
    if (find_key(kQueueTables, name) != nullptr) return;
    const bool known = std::ranges::find(kTablesOfFlux, name) != kTablesOfFlux.end();
    if (known) {
      out_.tables_of_flux.emplace_back(name);
    } else {
      out_.unknown_tables.emplace_back(name, value.place());
    }
  }

  // Notes the keys of a module's table that configures the machine.
  void note_machine_keys(std::string_view name, TreeView keys) {
    for (const auto& [key, value] : keys.members()) {
      out_.of_the_machine.push_back(fmt::format("{}.{}", name, key.text()));
    }
  }

  [[nodiscard]] PolicyParts policy_parts() { return {out_.limits, out_.access, out_.defaults}; }

  // --- [queues]

  Result<void> read_queues(TreeView root) {
    queues_ = root.find("queues");
    if (!queues_) {
      out_.queues.emplace_back();
      return {};
    }
    const auto queues = queues_->read_table("queues");
    if (!queues) return std::unexpected(queues.error());
    for (const auto& [name, node] : queues->members()) {
      const auto queue = node.read_table(fmt::format("queues.{:.64}", name.text()));
      if (!queue) return std::unexpected(queue.error());
      QueueSpec line;
      line.name = name.text();
      for (const auto& [key, value] : queue->members()) {
        if (auto ok = known(value, key.text(), kQueueKeys); !ok) return ok;
        if (auto ok = read_queue_key(line, key.text(), value); !ok) return ok;
      }
      out_.queues.push_back(std::move(line));
    }
    if (out_.queues.empty()) return queues_->fail("queues has no queue");
    return {};
  }

  Result<void> read_queue_key(QueueSpec& line, std::string_view key, TreeView value) {
    if (key == "policy") return read_policy(value, line.name, policy_parts());
    if (key == "requires") return read_properties(line.constraint, value);
    if (key != "hosts" && key != "parent") return {};
    const auto text = value.read_text(key);
    if (!text) return std::unexpected(text.error());
    if (key == "parent") {
      line.parent = *text;
      return {};
    }
    auto hosts = expand_hostlist(*text, kHostsMax);
    if (!hosts) return value.fail("hosts: " + hosts.error().text, hosts.error().code);
    if (hosts->empty()) return value.fail("hosts names no node");
    std::ranges::sort(*hosts);
    out_.hosts.push_back({*hosts, value.place()});
    Constraint own;
    own.op = Constraint::Op::hostlist;
    own.words = std::move(*hosts);
    line.constraint = both(std::move(line.constraint), std::move(own));
    return {};
  }

  static Result<void> read_properties(Constraint& to, TreeView names) {
    if (!names.is_sequence()) return names.fail("requires must be an array of properties");
    Constraint own;
    own.op = Constraint::Op::properties;
    for (const TreeView name : names.entries()) {
      auto text = name.read_text("a property");
      if (!text) return std::unexpected(text.error());
      if (auto wrong = wrong_property(*text); !wrong.empty()) return name.fail(std::move(wrong));
      own.words.push_back(std::move(*text));
    }
    if (!own.words.empty()) to = both(std::move(to), std::move(own));
    return {};
  }

  [[nodiscard]] Result<void> check_limited_queues(TreeView root) const {
    for (const RunningLimit& limit : out_.running_limits) {
      const std::string& name = limit.queue;
      if (name.empty() || name == kEach || has_queue(name)) continue;
      return root.find("running-limits")
          ->fail(fmt::format("running-limits: {} is no queue of this file", shown_word(name)));
    }
    return {};
  }
  [[nodiscard]] bool has_queue(const std::string& name) const {
    return std::ranges::find(out_.queues, name, &QueueSpec::name) != out_.queues.end();
  }

  Result<void> read_grants_table(TreeView grants) {
    if (auto ok = read_grants(grants, out_.grants); !ok) return ok;
    for (const std::string& name : out_.grants.queues) {
      if (has_queue(name)) continue;
      return grants.fail(
          fmt::format("grants: queues names {}, which is no queue of this file", shown_word(name)));
    }
    return {};
  }

  // --- [sched-copse]

  Result<void> read_scheduler(TreeView node) {
    const auto scheduler = node.read_table("the table of the scheduler");
    if (!scheduler) return std::unexpected(scheduler.error());
    for (const auto& [key, value] : scheduler->members()) {
      if (auto ok = known(value, key.text(), kSchedulerKeys); !ok) return ok;
      if (auto ok = read_scheduler_key(key.text(), value); !ok) return ok;
    }
    return {};
  }

  Result<void> read_scheduler_key(std::string_view key, TreeView value) {
    if (key == "priority") {
      priority_ = value;
      return read_priority(value, out_.queues, out_.rule);
    }
    if (value.is_mapping() && key.ends_with("params")) return read_params(defaults_, value);
    const auto text = value.read_text(key);
    if (!text) return std::unexpected(text.error());
    if (std::ranges::find(kOfTheMachine, key) != kOfTheMachine.end()) {
      out_.of_the_machine.emplace_back(key);
      return {};
    }
    if (key == "queue-policy") {
      defaults_.policy = *text;
      where_ = value;
      return {};
    }
    return key.ends_with("-per-queue") ? read_per_queue(key, *text, value)
                                       : read_params(defaults_, *text, value);
  }

  Result<void> read_params(Settings& to, TreeView params) const {
    for (const auto& [key, value] : params.members()) {
      std::string shown;
      if (!value.is_scalar()) append_json(shown, value);
      const std::string_view text = value.is_scalar() ? value.text() : shown;
      if (auto ok = read_param(to, key.text(), text, value); !ok) return ok;
    }
    return {};
  }

  // "queue-depth=8,max-queue-depth=100"
  Result<void> read_params(Settings& to, std::string_view text, TreeView at) const {
    while (!text.empty()) {
      const std::string_view param = take_part(text, ',');
      const std::size_t equals = param.find('=');
      if (equals == std::string_view::npos) {
        return at.fail(fmt::format("\"{:.64}\" is not a parameter: write name=number", param));
      }
      if (auto ok = read_param(to, param.substr(0, equals), param.substr(equals + 1), at); !ok) {
        return ok;
      }
    }
    return {};
  }

  Result<void> read_param(Settings& to, std::string_view key, std::string_view text,
                          TreeView at) const {
    static constexpr std::string_view kParams[] = {"queue-depth", "max-queue-depth",
                                                   "reservation-depth", "max-reservation-depth"};
    const bool known = std::ranges::find(kParams, key) != std::end(kParams);
    if (!known && fluxion_) return {};
    if (!known) return at.fail(unknown_word("parameter", key, kParams));
    const auto number = parse_number<std::int64_t>(text);
    if (!number || *number < 1) {
      return at.fail(
          fmt::format("{:.64} is \"{:.64}\", not a whole number of 1 or more", key, text));
    }
    if (key == "queue-depth") {
      to.depth = number;
    } else if (key == "max-queue-depth") {
      to.depth_max = number;
    } else if (key == "reservation-depth") {
      to.reservations = number;
    } else {
      to.reservations_max = number;
    }
    return {};
  }

  // "batch:easy debug:fcfs"
  Result<void> read_per_queue(std::string_view key, std::string_view text, TreeView at) {
    while (!text.empty()) {
      const std::string_view word = take_part(text, ' ');
      if (word.empty()) continue;
      const std::size_t colon = word.find(':');
      const std::string name(word.substr(0, colon));
      const auto line = std::ranges::find(out_.queues, name, &QueueSpec::name);
      if (colon == std::string_view::npos || line == out_.queues.end() || line->parent) {
        return at.fail(fmt::format("{}: \"{:.64}\" {}", key, word,
                                   colon == std::string_view::npos ? "has no colon"
                                   : line == out_.queues.end()     ? "names no queue"
                                                                   : "names a virtual queue"));
      }
      const std::string_view value = word.substr(colon + 1);
      if (key == "queue-policy-per-queue") {
        of_queue_[name].policy = value;
      } else if (key == "queue-priority-per-queue") {
        const auto number = parse_number<std::int64_t>(value);
        if (!number) return at.fail(fmt::format("{}: \"{:.64}\" has no whole number", key, word));
        line->priority = *number;
      } else if (auto ok = read_params(of_queue_[name], value, at); !ok) {
        return ok;
      }
    }
    where_ = at;
    return {};
  }

  // Settings of a queue override those of all queues.
  Result<void> settle(QueueSpec& line) {
    const Settings& own = of_queue_[line.name];
    auto discipline = find_discipline(own.policy.value_or(defaults_.policy.value_or("easy")), own_);
    if (!discipline) return refuse_at(where_, discipline.error());
    const auto either = [](const auto& a, const auto& b) { return a ? a : b; };
    const auto depth = either(own.depth, defaults_.depth);
    const auto depth_max = either(own.depth_max, defaults_.depth_max);
    if (depth || depth_max) {  // without a depth: all jobs, up to the limit
      const std::int64_t most = depth_max.value_or(kQueueDepthMax);
      line.depth = static_cast<std::size_t>(std::min(depth.value_or(most), most));
    }
    // Only hybrid has a reservation depth. A depth that reaches the limit is ignored, as in
    // Fluxion.
    const std::int64_t most =
        either(own.reservations_max, defaults_.reservations_max).value_or(kReservationDepthMax);
    const auto reservations = either(own.reservations, defaults_.reservations);
    if (reservations && *reservations < most) {
      discipline->reservation_depth = static_cast<std::size_t>(*reservations);
    }
    discipline->reservation_depth = std::min(discipline->reservation_depth, line.depth);
    line.discipline = std::move(*discipline);
    return {};
  }

  std::string file_;
  std::span<const Discipline> own_;
  QueueConfig out_;
  Settings defaults_;
  std::map<std::string, Settings> of_queue_;
  bool fluxion_ = false;  // Fluxion's table: it ignores unknown parameters
  std::optional<TreeView> queues_{}, priority_{};
  std::optional<TreeView> where_{};  // a policy was named last
};

}  // namespace

Result<QueueConfig> read_queue_config(std::string_view text, std::string_view file,
                                      std::span<const Discipline> own) {
  const auto tree = read_toml_tree(text, file);
  if (!tree) return std::unexpected(tree.error());
  return ConfigReader(file, own).read(TreeView(*tree));
}

}  // namespace copse::queue
