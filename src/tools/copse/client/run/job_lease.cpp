// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/run/job_lease.hpp"

#include <algorithm>

#include "text/json_writer.hpp"
#include "text/tree/json_tree.hpp"

namespace copse {

namespace {

constexpr auto kTryAgain = std::chrono::seconds(1), kNoLease = std::chrono::seconds(60);

}  // namespace

LeasedJob::LeasedJob(const ServiceClient& service, EventStream stream, std::int64_t id,
                     std::int64_t lease_s)
    : service_(service),
      stream_(std::move(stream)),
      id_(id),
      every_(lease_s > 0 ? std::chrono::milliseconds(lease_s * 1000 / 3) : kNoLease),
      next_(Clock::now()) {}

// The stream is opened first, so that no start is missed.
Result<LeasedJob> LeasedJob::submit(const ServiceClient& service, const std::string& line,
                                    std::int64_t lease_s) {
  auto stream = service.events();
  if (!stream) return std::unexpected(stream.error());
  const auto answer = service.ask(line);
  if (!answer) return std::unexpected(answer.error());
  const auto id = answer->top().number("id");
  if (id) return LeasedJob(service, std::move(*stream), *id, lease_s);
  return fail(ErrorCode::io, "the service accepted the job but gave no id");
}

int LeasedJob::descriptor() const { return stream_ ? stream_->descriptor() : -1; }

// From an event, or from the job itself: then `event` is its state.
void LeasedJob::take(TreeView job, std::string_view event, News& news) {
  if (const auto restarts = job.number("restarts"); restarts && *restarts != restarts_) {
    restarts_ = *restarts;
    news = {.requeued = true, .r = {}, .ending = {}};
    runs_ = false;
  }
  if ((event == "start" || event == "running") && !runs_) {
    runs_ = news.started = true;
    next_ = Clock::now();
    const auto r = job.find("R");
    news.r.clear();
    r ? append_json(news.r, *r) : (void)(news.r = "null");
  }
  if (event == "stop" || job.is_true("stopping")) news.stop = true;
  if (event == "end" || event == "ended") {
    news.ended = true;
    news.ending = ending_words(job);
  }
}

LeasedJob::News LeasedJob::hear() {
  News news;
  auto events = stream_->take();
  if (!events) {
    stream_.reset();
    next_ = Clock::now();
    return news;
  }
  for (const EventStream::Event& event : *events) {
    if (event.kind == "gone") {
      stream_.reset();
      next_ = Clock::now();
      return news;
    }
    for (const std::string& line : event.lines) {
      const auto received = read_job_event(line);
      if (received && received->job == id_) take(received->top(), received->event, news);
    }
  }
  return news;
}

int LeasedJob::wait_ms() const {
  if (has_pending()) return 0;
  if (stream_ && !runs_) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_ - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

// Its changes since the stream broke.
void LeasedJob::look(News& news) {
  const auto job = service_.ask(job_line("job", id_));
  if (job) {
    take(job->top(), job->top().word("state"), news);
  } else if (job.error().code == ErrorCode::invalid) {
    news.ended = true;
    news.ending = job.error().message();
  }
}

LeasedJob::News LeasedJob::tick() {
  News news;
  if (Clock::now() < next_) return news;
  next_ = Clock::now() + std::min<Clock::duration>(every_, kTryAgain);
  if (!stream_) {
    auto stream = service_.events();
    if (!stream) return news;
    stream_ = std::move(*stream);
    look(news);
  }
  if (!runs_ || news.ended) return news;
  const auto renewed = service_.ask(line_of_run("renew", {}));
  if (renewed) next_ = Clock::now() + every_;
  if (!renewed && renewed.error().code == ErrorCode::invalid) look(news);
  return news;
}

Result<void> LeasedJob::cancel() const {
  if (auto answer = service_.ask(job_line("cancel", id_)); !answer) {
    return std::unexpected(answer.error());
  }
  return {};
}

// The first run is meant by default, also by services that know no others.
std::string LeasedJob::line_of_run(std::string_view op, std::optional<int> status) const {
  return object_text([&](JsonWriter& json) {
    json.member("op", op);
    json.member("id", id_);
    if (status) json.member("status", *status);
    if (restarts_ > 0) json.member("restarts", restarts_);
  });
}

Result<void> LeasedJob::end(int status) const {
  const auto answer = service_.ask(line_of_run("end", status));
  if (!answer) return std::unexpected(answer.error());
  return {};
}

}  // namespace copse
