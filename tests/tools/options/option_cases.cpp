// SPDX-License-Identifier: Apache-2.0
#include "tools/options/option_cases.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include "journal/sqlite_store.hpp"
#include "paths.hpp"
#include "tools/copse/copse.hpp"
#include "tools/in_process.hpp"
#include "tools/live_service.hpp"

namespace copse {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kLiveService = "a service that runs";
constexpr const char* kBehind = "--";  // a command behind it

// Good values of options that others need.
const GoodLine& good_values() {
  static const GoodLine kValues{{"--shape", "slot=1/core"},
                                {"--generate", "3"},
                                {"--explain", kFlagGiven},
                                {"--hres", "hres/resources.yaml"},
                                {"--running", "r.json"},
                                {"--repeat", "daily"},
                                {"--user", "ada"},
                                {"--from", "sacct"},
                                {"--trace-fields", "user"},
                                {"--state", "running"},
                                {"--why", "1h"},
                                {"--table", kFlagGiven}};
  return kValues;
}

constexpr const char* kRText =
    R"({"version": 1, "execution": {"R_lite": [{"rank": "0-1", "children": {"core": "0-3"}}],)"
    R"( "starttime": 0, "expiration": 0, "nodelist": ["n[0-1]"]}})";

// The file of a state in which nothing has happened; made once, since it takes syncs.
const std::string& new_state() {
  static const std::string kBytes = [] {
    const Scratch scratch;
    EXPECT_TRUE(journal::SqliteStore::open(scratch.path().string()).has_value());
    return scratch.read("state.db");
  }();
  return kBytes;
}

// The documented status for a file of another kind. An empty stream of jobs, requests or reservations is
// right. validate has a status for a file of another kind, and that of jobspecs one for a text that cannot
// be read at all. Requests of --after that fail are reported, and the command continues.
int status_of(const OptionRow& row, const WrongValue& wrong) {
  const std::string& name = row.names.front();
  const bool other_kind = wrong.what == "a file of another kind";
  if (row.command == "jobspec validate") {
    if (wrong.value == "bytes" || wrong.value == "/dev/zero") return 3;
    if (other_kind) return 1;
  }
  if (row.command == "r validate" && other_kind) return 1;
  if (name == "--after" && other_kind) return wrong.value == "empty" ? 0 : 1;
  static const std::set<std::string> kMayBeEmpty{"jobs", "--reservations", "--config"};
  return wrong.value == "empty" && kMayBeEmpty.contains(name) ? 0 : 2;
}

}  // namespace

void PrintTo(const CommandRow& row, std::ostream* out) { *out << "copse " << row.command; }

const OptionTable& copse_options() {
  static const OptionTable kTable = copse_option_table();
  return kTable;
}

std::vector<CommandRow> commands_that_run() {
  std::vector<CommandRow> out;
  std::ranges::copy_if(copse_options().commands, std::back_inserter(out),
                       [](const CommandRow& row) { return !row.is_group; });
  return out;
}

// Of each command, with all files that it can write. A new command needs one here.
const std::map<std::string, GoodLine>& good_lines() {
  static const std::string kDesk = "machines/desk.graphml";
  static const std::map<std::string, GoodLine> kLines{
      {"match", {{"--load-file", kDesk}, {"request", "job.yaml"}}},
      {"info", {{"--load-file", kDesk}}},
      {"convert", {{"--load-file", kDesk}, {"--to", "jgf"}, {"--output", "made"}}},
      {"show", {{"--load-file", kDesk}, {"--output", "made"}, {"--page", "made2"}}},
      {"status", {{"--load-file", kDesk}}},
      {"find", {{"--load-file", kDesk}, {"expression", "status=up"}}},
      {"plan",
       {{"--load-file", kDesk},
        {"jobs", "jobs.jsonl"},
        {"--output", "made"},
        {"--gantt", "made2"},
        {"--page", "made4"},
        {"--grants", "made5"},
        {"--trace", "made3"}}},
      {"jobspec validate", {{"file", "job.yaml"}}},
      {"jobspec expand", {{"shape", "slot=1/core"}}},
      {"r encode", {{"--ranks", "0-1"}, {"--hosts", "n[0-1]"}}},
      {"r from-hwloc", {{"file", "data/hwloc/two-sockets.xml"}}},
      {"r parse-config", {{"path", "resource.toml"}}},
      {"r decode", {{"file", "r.json"}}},
      {"r info", {{"file", "r.json"}}},
      {"r verify", {{"file", "two.json"}}},
      {"r validate", {{"file", "r.json"}}},
      {"r append", {{"file", "r.json"}}},
      {"r diff", {{"file", "two.json"}}},
      {"r intersect", {{"file", "two.json"}}},
      {"r remap", {{"file", "r.json"}}},
      {"r rerank", {{"hostlist", "n[1,0]"}, {"--input", "r.json"}}},
      {"r normalize", {{"file", "r.json"}}},
      {"r set-property", {{"property", "fast"}, {"--input", "r.json"}}},
      {"session", {{"--load-file", kDesk}, {"--save", "made"}, {"--effects", "made2"}}},
      {"serve", {{"--load-file", kDesk}, {"--check", kFlagGiven}, {"--state", "kept"}}},
      {"state check", {{"dir", "state"}}},
      {"state dump", {{"dir", "state"}}},
      {"state compact", {{"dir", "state"}}},
      {"state repair", {{"dir", "state"}}},
      {"token add", {{"name", "ada"}, {"--state", "state"}}},
      {"token list", {{"--state", "state"}}},
      {"token revoke", {{"name", "bob"}, {"--state", "state"}}},
      {"submit", {{"--server", kLiveService}, {"request", "job.yaml"}}},
      {"jobs", {{"--server", kLiveService}}},
      {"why", {{"--server", kLiveService}, {"job", "3"}}},
      {"when", {{"--server", kLiveService}, {"job", "3"}}},
      {"cancel", {{"--server", kLiveService}, {"ids", "2"}}},
      // Not 2: then 3 would start, and `run` would wait for it.
      {"end", {{"--server", kLiveService}, {"ids", "5"}}},
      {"hold", {{"--server", kLiveService}, {"ids", "4"}}},
      {"release", {{"--server", kLiveService}, {"ids", "4"}}},
      {"priority", {{"--server", kLiveService}, {"ids", "4"}, {"--to", "2"}}},
      {"wait", {{"--server", kLiveService}, {"ids", "1"}}},
      {"watch", {{"--server", kLiveService}, {"ids", "1"}}},
      {"nodes", {{"--server", kLiveService}, {"nodes", "node0"}}},
      {"drain", {{"--server", kLiveService}, {"nodes", "node0"}, {"--reason", "fan"}}},
      {"undrain", {{"--server", kLiveService}, {"nodes", "0-3"}}},
      {"down", {{"--server", kLiveService}, {"nodes", "node0"}, {"--reason", "fan"}}},
      {"up", {{"--server", kLiveService}, {"nodes", "0-3"}}},
      {"usage", {{"--server", kLiveService}}},
      {"reserve", {{"--server", kLiveService}, {"request", "job.yaml"}}},
      {"reservation add",
       {{"--server", kLiveService},
        {"name", "maintenance"},
        {"--nodes", "node0"},
        {"--at", "2033-01-01"},
        {"--duration", "1h"}}},
      {"reservation list", {{"--server", kLiveService}}},
      {"reservation end", {{"--server", kLiveService}, {"name", "course"}}},
      {"run",
       {{"--server", kLiveService},
        {"--any-host", kFlagGiven},
        {"request", "job.yaml"},
        {kBehind, "true"}}},
      {"flux why", {{"job", "123"}}},
      {"flux when", {{"job", "123"}}},
      {"flux layers", {}},
      {"flux set-layer", {{"resource", "license"}, {"nodes", "n1"}, {"count", "3"}}},
      {"replay", {{"file", "effects"}, {"--save", "made"}}},
      {"supply",
       {{"--load-file", "hres/cluster.json"},
        {"--hres", "hres/resources.yaml"},
        {"--output", "made"}}},
  };
  return kLines;
}

GoodLine line_for(const OptionRow& row) {
  GoodLine line = good_lines().at(row.command);
  for (const std::string& other : row.excludes) line.erase(other);
  for (const std::string& other : row.needs) {
    if (line.contains(other)) continue;
    EXPECT_TRUE(good_values().contains(other)) << "good_values() has none for " << other;
    line[other] = good_values().at(other);
    for (const OptionRow& needed : copse_options().options) {
      if (needed.command != row.command || needed.names.front() != other) continue;
      for (const std::string& excluded : needed.excludes) line.erase(excluded);
    }
  }
  return line;
}

std::string good_value(const OptionRow& row) {
  const std::string& name = row.names.front();
  const GoodLine& good = good_lines().at(row.command);
  if (const auto at = good.find(name); at != good.end()) return at->second;
  if (const auto at = good_values().find(name); at != good_values().end()) return at->second;
  switch (row.kind) {
    case ValueKind::none: return kFlagGiven;
    case ValueKind::input_file: return "r.json";
    case ValueKind::output_file: return "made";
    case ValueKind::time: return "1h";
    default: return "1";
  }
}

Words split_words(const std::string& text) {
  Words out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// A service is started when a line needs it.
std::string value_of(const std::string& value) {
  return value == kLiveService ? service_with_jobs().socket() : value;
}

// The words of a line: arguments in the order of the command, behind the options.
Words words_of(const std::string& command, const GoodLine& line) {
  Words out = split_words(command);
  for (const auto& [name, value] : line) {
    if (!name.starts_with("-") || name == kBehind) continue;
    out.push_back(name);
    if (value != kFlagGiven) out.push_back(value_of(value));
  }
  for (const OptionRow& row : copse_options().options) {
    if (row.command != command || !row.positional) continue;
    const auto given = line.find(row.names.front());
    if (given != line.end()) out.push_back(value_of(given->second));
  }
  if (const auto behind = line.find(kBehind); behind != line.end()) {
    out.insert(out.end(), {kBehind, behind->second});
  }
  return out;
}

CommandFolder::CommandFolder() {
  fs::create_directory_symlink(fs::path(source_dir()) / "examples/hres", scratch_.path() / "hres");
  fs::create_directory(scratch_.path() / "folder");
  scratch_.write("job.yaml",
                 "version: 9999\nresources:\n  - type: slot\n    count: 1\n"
                 "    label: a\n    with:\n      - type: core\n        count: 1\n"
                 "attributes:\n  system:\n    duration: 60\ntasks:\n"
                 "  - command: [a]\n    slot: a\n    count:\n      per_slot: 1\n");
  scratch_.write("jobs.jsonl", "{\"shape\": \"slot=1/core\", \"duration\": 60}\n");
  scratch_.write("r.json", kRText + std::string("\n"));
  scratch_.write("two.json", kRText + std::string("\n") + kRText + "\n");
  scratch_.write("resource.toml",
                 "[resource]\n[[resource.config]]\nhosts = \"n[0-1]\"\n"
                 "cores = \"0-3\"\n");
  // Flux, which `copse flux` asks.
  fs::create_directory(scratch_.path() / "bin");
  scratch_.write("bin/flux", "#!/bin/sh\nexit 0\n");
  fs::permissions(scratch_.path() / "bin/flux", fs::perms::owner_all);
  static const std::string kPath = std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
  setenv("PATH", ((scratch_.path() / "bin").string() + ':' + kPath).c_str(), 1);
  scratch_.write("bytes", std::string("\x7f\0ELF\xff\xfe\x01\n\0\x1b[31m", 16));
  scratch_.write("other.json", "[{\"a\": [1, 2.5, null]}]\n");
  scratch_.write("prose", "This is a letter: no machine, no request.\n");
  scratch_.write("empty", "");
  (void)run({.words = {program("copse"), "session", "-L", "machines/desk.graphml", "--effects",
                       "effects"},
             .input = "{\"op\": \"alloc\", \"id\": 1, \"shape\": \"slot=1/core\"}\n",
             .folder = scratch_.path()});
  fs::create_directory(scratch_.path() / "state");
  scratch_.write("state/state.db", new_state());
  scratch_.write("state/tokens", "bob user " + std::string(64, 'a') + " 1\n");
  fs::permissions(scratch_.path() / "state/tokens", fs::perms::owner_read | fs::perms::owner_write);
  before_ = files();
}

std::map<std::string, std::string> CommandFolder::files() const {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(path())) {
    if (entry.is_symlink()) continue;
    const std::string name = fs::relative(entry.path(), path()).string();
    out[name] = entry.is_directory() ? "a folder" : scratch_.read(name);
  }
  return out;
}

Words CommandFolder::take_changes() const {
  Words out;
  const auto now = files();
  for (const auto& [name, text] : now) {
    const auto at = before_.find(name);
    if (at != before_.end() && at->second == text) continue;
    out.push_back(name);
    at == before_.end() ? (void)fs::remove_all(path() / name) : scratch_.write(name, at->second);
  }
  for (const auto& [name, text] : before_) {
    if (!now.contains(name)) out.push_back(name + " is gone");
  }
  return out;
}

void expect_refused(const CommandFolder& folder, const OptionRow& row, const Words& words,
                    const WrongValue& wrong) {
  std::string shown = "copse";
  for (const std::string& word : words) shown += " '" + word + '\'';
  SCOPED_TRACE(wrong.what + ": " + shown);
  const Outcome got = run_copse(words, folder.path());
  const Words changed = folder.take_changes();
  const int status = status_of(row, wrong);
  EXPECT_EQ(got.status, status) << got.errors;
  if (status == 0) return;  // the figures of plan are on standard error
  if (row.names.front() == "--after" && status == 1) {
    EXPECT_TRUE(got.errors.starts_with("copse: " + wrong.value + ":")) << got.errors;
    return;
  }
  EXPECT_EQ(got.output, "");
  EXPECT_EQ(changed, Words{});
  EXPECT_TRUE(got.errors.starts_with("copse: ")) << got.errors;
  EXPECT_EQ(std::ranges::count(got.errors, '\n'), 1) << got.errors;
  EXPECT_TRUE(got.errors.ends_with('\n')) << got.errors;
  EXPECT_TRUE(std::ranges::none_of(got.errors, [](char c) { return c == 0x1b || c == 0; }))
      << "the message has raw bytes of the input: " << got.errors;
  EXPECT_LE(got.errors.size(), 400U) << got.errors;
}

std::vector<OptionRow> CommandTest::options() {
  std::vector<OptionRow> out;
  std::ranges::copy_if(copse_options().options, std::back_inserter(out),
                       [](const OptionRow& row) { return row.command == GetParam().command; });
  return out;
}

std::string name_of_test(const testing::TestParamInfo<CommandRow>& command) {
  std::string name = "copse_" + command.param.command;
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

}  // namespace copse
