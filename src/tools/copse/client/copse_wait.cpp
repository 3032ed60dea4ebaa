// SPDX-License-Identifier: Apache-2.0
//
// copse wait, copse watch: the events of the jobs of a service.
#include <memory>
#include <set>

#include "text/printable.hpp"
#include "tools/copse/client/client_commands.hpp"
#include "tools/copse/client/event_words.hpp"
#include "tools/copse/client/service/service_client.hpp"
#include "tools/copse/client/why_words.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

struct WatchOptions {
  ClientOptions client;
  std::vector<std::string> ids;
};

// Shows events as they arrive.
class Follower {
 public:
  Follower(const ServiceClient& service, bool json, bool only_ends)
      : service_(service), json_(json), only_ends_(only_ends) {}

  // Until all of these jobs have ended; without any, until the reader closes the pipe. Errors: those of the service; io.
  Result<void> follow(const std::vector<std::int64_t>& ids) {
    all_ = ids.empty();
    left_.insert(ids.begin(), ids.end());
    if (auto ok = out_.open({}); !ok) return ok;
    auto stream = service_.events();
    if (!stream) return std::unexpected(stream.error());
    if (auto ok = look(); !ok) return ok;
    while (all_ || !left_.empty()) {
      auto events = stream->take();
      if (!events) return std::unexpected(events.error());
      for (const EventStream::Event& event : *events) {
        if (event.kind == "gone") {  // some were missed
          stream = service_.events();
          if (!stream) return std::unexpected(stream.error());
          if (auto ok = look(); !ok) return ok;
          break;
        }
        for (const std::string& line : event.lines) take(line);
      }
      if (!good_) break;
    }
    return out_.close();
  }
  [[nodiscard]] bool all_ended_well() const { return well_; }

 private:
  // The jobs that have already ended.
  Result<void> look() {
    if (left_.empty()) return {};
    std::string lines;
    for (const std::int64_t id : left_) lines += job_line("job", id) + "\n";
    auto answers = service_.ask_all(lines);
    if (!answers) return std::unexpected(answers.error());
    for (const auto& answer : *answers) {
      if (!answer) return std::unexpected(answer.error());
      const TreeView job = answer->top();
      if (job.word("state") != "ended") continue;
      end(job.number("id").value_or(0), job);
      say(json_ ? answer->text + "\n" : past_words(job));
    }
    return {};
  }

  void take(const std::string& line) {
    const auto event = read_job_event(line);
    if (!event || (!all_ && !left_.contains(event->job))) return;
    const bool ends = event->event == "end";
    if (ends) end(event->job, event->top());
    if (only_ends_ && !ends) return;
    say(json_ ? line + "\n" : event_words(*event));
  }

  void end(std::int64_t id, TreeView job) {
    left_.erase(id);
    well_ = well_ && ended_well(job);
  }

  void say(const std::string& text) {
    good_ = out_.write_now(json_ ? text : printable(text, LineEnds::keep)) && good_;
  }

  const ServiceClient& service_;
  bool json_, only_ends_, all_ = false, well_ = true, good_ = true;
  std::set<std::int64_t> left_{};
  Output out_{};
};

int run_follow(const WatchOptions& o, bool wait) {
  const auto ids = parse_ids(o.ids);
  if (!ids) return unusable(ids.error());
  const auto service = ServiceClient::of(o.client);
  if (!service) return unusable(service.error());
  Follower follower(*service, o.client.json, wait);
  if (auto ok = follower.follow(*ids); !ok) return not_served(ok.error());
  return !wait || follower.all_ended_well() ? kDone : kNo;
}

}  // namespace

void add_wait(CommandLine& line) {
  auto o = std::make_shared<WatchOptions>();
  CommandLine wait =
      line.command("wait", "Wait until jobs of a service have ended, and show their results",
                   "Exit status: 0 all ended well, 1 one failed, was cancelled or lost, 2 one "
                   "does not exist.\n"
                   "Examples:\n"
                   "  copse wait 7\n"
                   "  copse wait $(copse submit job.yaml) && echo well",
                   [o] { return run_follow(*o, true); });
  wait.option("ids", o->ids, "jobs: 7 9-12").unit("ID").required();
  add_client_options(wait, o->client);
  o = std::make_shared<WatchOptions>();
  CommandLine watch = line.command("watch", "Show events of a service's jobs as they happen",
                                   "Without ids, it runs until it is interrupted.\n"
                                   "Examples:\n"
                                   "  copse watch\n"
                                   "  copse watch 7\n"
                                   "  copse watch --json | jq -c 'select(.event == \"start\")'",
                                   [o] { return run_follow(*o, false); });
  watch.option("ids", o->ids, "only these jobs, until all of them have ended: 7 9-12").unit("ID");
  add_client_options(watch, o->client);
}

}  // namespace copse
