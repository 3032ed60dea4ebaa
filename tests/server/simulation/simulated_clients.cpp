// SPDX-License-Identifier: Apache-2.0
#include "simulated_clients.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace copse::server {

namespace {

constexpr std::size_t kAhead = 6;
// What lines cost on a large machine, of the clock of the simulation.
constexpr std::int64_t kCheap_ns = 100'000, kDear_ns = 10'000'000;
constexpr std::size_t kGreedyLines = 2'000;
// Of each of the accounts, a turn and a dear line; and the lines that the client itself has sent.
constexpr std::int64_t kWaitMax_ns = 50'000'000;

// The number behind `key`, if it is there.
std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::uint64_t out = 0;
  for (char c : text.substr(at + key.size())) {
    if (c < '0' || c > '9') break;
    out = out * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return out;
}

template <class Each>
void for_each_line_of(std::string_view text, Each each) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    each(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

bool is_operator(const Caller& caller) { return may(caller.role, Permission::release_any); }

// Each user submits with a secret of its own: others do not see it, whatever they read.
std::string with_secret(std::string text, const Caller& who) {
  constexpr std::string_view kMark = "SECRET";
  if (const std::size_t at = text.find(kMark); at != std::string::npos) {
    text.replace(at, kMark.size(), "secret-of-" + who.name + ".");
  }
  return text;
}

// The first user whose secret is in the text, if the caller may not see it; "": none.
std::string_view seen_secret(std::string_view text, const Caller& who) {
  constexpr std::string_view kMark = "secret-of-";
  for (std::size_t at = text.find(kMark); at != std::string_view::npos;
       at = text.find(kMark, at + 1)) {
    std::string_view name = text.substr(at + kMark.size());
    name = name.substr(0, name.find('.'));
    if (!is_operator(who) && (who.role < Role::user || name != who.name)) return name;
  }
  return {};
}

}  // namespace

// --- TurnTaker

void TurnTaker::begin() {
  client_ = std::make_unique<LineClient>(host_.service(), LineClient::Limits{}, who_);
  sent_.clear();
}

void TurnTaker::send(const std::string& line, std::size_t cut, std::size_t times) {
  const bool dear = line.find("\"status\"") != std::string::npos ||
                    line.find("\"explain\"") != std::string::npos ||
                    line.find("\"try-reservation\"") != std::string::npos;
  std::string rest = line.substr(cut);
  for (std::size_t i = 1; i < times; ++i) rest += line;
  sent_.insert(sent_.end(), times, {host_.clock_ns(), dear ? kDear_ns : kCheap_ns});
  client_->add_input(std::string_view(line).substr(0, cut));
  client_->add_input(rest);
  host_.turns().add(account_of(who_), self_);
}

bool TurnTaker::work(queue::WorkBudget budget) {
  while (client_->has_work()) {
    host_.spend(sent_.front().cost_ns);
    client_->process(host_.now_s, {.jobs = 1});
    if (client_->is_working()) {  // a dear request: this was one of its steps
      if (budget.spend()) break;
      continue;
    }
    const std::int64_t waited_ns = host_.clock_ns() - sent_.front().at_ns;
    sent_.pop_front();
    if (waited_ns > wait_max_ns_) {
      host_.fail(fmt::format("{} waited {} ms for its turn", who_.name, waited_ns / 1'000'000));
    }
    if (budget.spend()) break;
  }
  return client_->has_work();
}

// --- GreedyUser

void GreedyUser::connect() {
  begin();
  asked_ = 0;
}

void GreedyUser::ask() {
  if (asked_ > 0) return;
  constexpr std::uint64_t kTrials = 4;  // one of so many rounds
  const bool tries = ++rounds_ % kTrials == 0;
  asked_ = tries ? kGreedyLines / 10 : kGreedyLines;
  send(tries ? R"({"op": "try-reservation", "reservation": {"name": "greedy", "nodes": 1, )"
               R"("start": 100, "duration": 50}})"
               "\n"
             : "{\"op\": \"status\"}\n",
       0, asked_);
}

void GreedyUser::take() {
  std::string out;
  client_->send(host_.durable(), out);
  const auto lines = static_cast<std::size_t>(std::ranges::count(out, '\n'));
  answers_ += lines;
  asked_ -= std::min(asked_, lines);
}

// --- LineUser

// It watches all jobs, too, if it is no operator.
void LineUser::connect() {
  begin();
  wait_max_ns_ = kWaitMax_ns;
  asked_.clear();
  if (!is_operator(who_)) {
    asked_.emplace_back("watch");
    client_->receive("{\"op\": \"watch\", \"since\": 0}\n", host_.now_s);
  }
  for (const std::uint64_t job : submitted_) {
    if (host_.service().jobs().table().find(job) == nullptr) {
      return host_.fail(fmt::format("job {} was answered, and is not there", job));
    }
  }
}

void LineUser::ask(RandomRequests& requests) {
  if (!client_->accepts_input() || asked_.size() >= kAhead) return;
  asked_.push_back(with_secret(requests.line(), who_));
  const std::string line = asked_.back() + "\n";
  send(line, requests.below(line.size()));
}

void LineUser::check_seen(std::string_view line) {
  const std::string_view other = seen_secret(line, who_);
  if (!other.empty()) {
    host_.fail(
        fmt::format("{} {} sees a secret of {}: {}", word(who_.role), who_.name, other, line));
  }
}

void LineUser::take(RandomRequests& requests) {
  std::string out;
  client_->send(host_.durable(), out);
  for_each_line_of(out, [&](std::string_view line) {
    check_seen(line);
    if (line.starts_with("{\"seq\": ") || line.starts_with("{\"event\": ")) return;
    ++answers_;
    const bool changes = asked_.front().find("\"submit\"") != std::string::npos ||
                         asked_.front().find("\"alloc\"") != std::string::npos;
    if (changes && who_.role < Role::user && line.find("forbidden") == std::string_view::npos) {
      host_.fail(fmt::format("a guest may do {}: {}", asked_.front(), line));
    }
    const bool submits = asked_.front().find("\"submit\"") != std::string::npos;
    const auto id = submits ? number_behind(line, "{\"id\": ") : std::nullopt;
    asked_.pop_front();
    if (!id) return;
    requests.knows(*id);
    if (!submitted_.insert(*id).second) host_.fail(fmt::format("two jobs are called {}", *id));
  });
}

// --- Executor

void Executor::connect() {
  begin();
  wait_max_ns_ = kWaitMax_ns;
  send(fmt::format("{{\"op\": \"watch\", \"since\": {}}}\n", next_));
}

void Executor::act(std::uint64_t dice) {
  if (running_.empty() || !client_->accepts_input()) return;
  auto job = running_.begin();
  std::advance(job, dice / 4 % running_.size());
  const bool ends = dice % 4 == 0;
  if (!ends) host_.renewed(*job);
  send(fmt::format("{{\"op\": \"{}\", \"id\": {}}}\n", ends ? "end" : "renew", *job));
}

void Executor::take() {
  for (;;) {
    std::string out;
    client_->send(host_.durable(), out);
    if (out.empty()) break;
    for_each_line_of(out, [&](std::string_view line) { told(line); });
  }
  ends_ = host_.ends();
}

// The journal goes back to the state before the last one: a client without events since two starts
// may have missed some, and asks which jobs run.
void Executor::look_again(std::string_view gone) {
  if (host_.ends() < ends_ + 2) host_.fail(fmt::format("event {} is lost: {}", next_, gone));
  next_ = number_behind(gone, "\"next\": ").value_or(0);
  running_.clear();
  for (const auto& [id, row] : host_.service().jobs().table().rows()) {
    if (row->stage == JobStage::running) running_.insert(id);
    if (row->started >= 0) started_.insert(id);
  }
  host_.forget_renewals();  // those that wait are lost with the connection
  connect();
}

void Executor::told(std::string_view line) {
  const auto number = number_behind(line, "{\"seq\": ");
  if (!number) {
    if (line.find("\"event\": \"gone\"") != std::string_view::npos) return look_again(line);
    if (line.find("the next event is") != std::string_view::npos) {
      host_.fail(fmt::format("event {} is lost: {}", next_, line));
    }
    return;
  }
  if (*number != next_) {
    return host_.fail(fmt::format("event {} follows {}", *number, next_));
  }
  ++next_;
  const std::uint64_t job = number_behind(line, "\"job\": ").value_or(0);
  if (line.find("\"event\": \"start\"") != std::string_view::npos) {
    running_.insert(job);
    if (!started_.insert(job).second) host_.fail(fmt::format("job {} started twice", job));
  } else if (line.find("\"event\": \"end\"") != std::string_view::npos) {
    running_.erase(job);
  }
}

// --- HttpUser

std::string HttpUser::name_of(const RandomHttp& request) const {
  return who_.name + "-" + request.key;
}

void HttpUser::connect() {
  check_kept();
  if (asked_) send();  // it never got the answer
}

// What was answered is there once; what was not, at most once.
void HttpUser::check_kept() {
  std::map<std::string, int> named;
  for (const auto& [id, row] : host_.service().jobs().table().rows()) ++named[row->name];
  for (const Job& job : jobs_) {
    const int count = named[name_of(job.request)];
    if (count != 1) host_.fail(fmt::format("job {}: {} times", name_of(job.request), count));
  }
  if (asked_ && !asked_->key.empty() && named[name_of(*asked_)] > 1) {
    host_.fail(fmt::format("job {} is there twice", name_of(*asked_)));
  }
}

void HttpUser::ask(RandomRequests& requests) {
  if (asked_) return;
  again_ = !jobs_.empty() && requests.below(8) == 0;
  asked_ = again_ ? jobs_[requests.below(jobs_.size())].request : requests.http(host_.now_s);
  asked_->body = with_secret(std::move(asked_->body), who_);
  if (!again_ && !asked_->key.empty()) {
    asked_->body.insert(1, fmt::format(R"("name": "{}", )", name_of(*asked_)));
  }
  send();
}

void HttpUser::send() {
  answer_ = Routes(host_.http())
                .answer({.method = asked_->method,
                         .target = asked_->target,
                         .body = asked_->body,
                         .idempotency_key = asked_->key,
                         .caller = who_},
                        host_.now_s);
}

void HttpUser::take(RandomRequests& requests) {
  if (!answer_ || answer_->needs > host_.durable()) return;
  ++answers_;
  const std::string_view other = seen_secret(answer_->body, who_);
  if (!other.empty()) host_.fail(fmt::format("{} sees a secret of {}", who_.name, other));
  const HttpResponse answer = std::move(*std::exchange(answer_, std::nullopt));
  const RandomHttp request = std::move(*std::exchange(asked_, std::nullopt));
  if (request.key.empty()) return;
  if (again_) {
    const auto job =
        std::ranges::find(jobs_, request.key, [](const Job& one) { return one.request.key; });
    if (answer.body != job->answer) {
      host_.fail("key " + request.key + " is answered " + answer.body + " not " + job->answer);
    }
  } else if (answer.status == 200) {
    requests.knows(number_behind(answer.body, "{\"id\": ").value_or(0));
    jobs_.push_back({request, answer.body});
  }
}

}  // namespace copse::server
