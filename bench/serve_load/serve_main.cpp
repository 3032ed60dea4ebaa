// SPDX-License-Identifier: Apache-2.0
//
// Load for a running `copse serve`, and what comes of it as one line of JSON.
//
//   bench_serve SOCKET FOLDER [options]
//
// Clients allocate and free a core in turn, in bursts of --depth, for --seconds or until there were so
// many --requests. FOLDER is on the disk that the service has its state on.
//   a_second         answered requests; changes are on disk then
//   p50_ms, p99_ms   from the burst to an answer
//   syncs_a_second   of the disk below FOLDER, one after another, before the load: 4 KiB each
//   before_mib, after_mib   resident memory of the service
//
// Other loads
//   --jobs           jobs are submitted and ended instead; they start in between
//   --get PATH       documents are asked for over HTTP instead
//   --rate N         no more than so many a second, of all clients
// and clients that do nothing else, meanwhile
//   --idle N         are connected
//   --streams N      read events over HTTP; events_a_second: of all of them together
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "client.hpp"
#include "streams.hpp"

namespace copse::bench {
namespace {

struct Load {
  std::string socket{}, folder{};
  Client::Wish wish{};
  int clients = 16, idle = 0, streams = 0;
  double seconds = 5, rate = 0;  // 0: as many as there can be
  std::int64_t requests = 0;     // 0: as many as there are in that time
};

double syncs_a_second(const std::string& folder) {
  const std::string path = folder + "/bench-serve.tmp";
  const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) give_up("can't write " + path);
  const std::string page(4096, 'x');
  const auto start = LoadClock::now();
  int count = 0;
  for (; seconds_since(start) < 1; ++count) {
    if (::pwrite(file, page.data(), page.size(), (count % 256) * 4096) != 4096 ||
        ::fdatasync(file) != 0) {
      give_up("can't sync " + path);
    }
  }
  const double took = seconds_since(start);
  ::close(file);
  ::unlink(path.c_str());
  return count / took;
}

class Run {
 public:
  explicit Run(const Load& load) : load_(load), syncs_(syncs_a_second(load.folder)) {
    for (int i = 0; i < load.idle; ++i) idle_.push_back(connect_to(load.socket));
    for (int i = 0; i < load.clients; ++i) {
      clients_.emplace_back(load.socket, i, load.wish);
      polled_.push_back({.fd = clients_.back().socket(), .events = POLLIN, .revents = 0});
    }
    before_mib_ = resident_mib(polled_.front().fd);
    if (load.streams > 0) streams_ = std::make_unique<Streams>(load.socket, load.streams);
  }

  void go() {
    start_ = LoadClock::now();
    while (!over()) {
      for (Client& client : clients_) {
        if (!client.idle() || !may_send()) continue;
        client.send_burst();
        sent_ += load_.wish.depth;
      }
      if (::poll(polled_.data(), polled_.size(), 1) <= 0) continue;
      for (std::size_t i = 0; i < clients_.size(); ++i) {
        if (polled_[i].revents != 0) clients_[i].receive(took_s_);
      }
      thin_out();
    }
    all_s_ = seconds_since(start_);
  }

  void print() {
    if (took_s_.empty()) give_up("no answer came");
    const double after_mib = resident_mib(polled_.front().fd);
    const auto answers = static_cast<double>(answered_ + static_cast<std::int64_t>(took_s_.size()));
    std::ranges::sort(took_s_);
    const auto part = [&](std::size_t percent) {
      return took_s_[std::min(took_s_.size() - 1, took_s_.size() * percent / 100)] * 1'000;
    };
    fmt::print(
        "{{\"clients\": {}, \"depth\": {}, \"answers\": {:.0f}, \"a_second\": {:.0f}, \"p50_ms\": "
        "{:.3f}, \"p99_ms\": {:.3f}, \"syncs_a_second\": {:.0f}, \"before_mib\": {:.1f}, "
        "\"after_mib\": {:.1f}",
        load_.clients, load_.wish.depth, answers, answers / all_s_, part(50), part(99), syncs_,
        before_mib_, after_mib);
    if (streams_ != nullptr) {
      const double of_first =
          static_cast<double>(std::max<std::uint64_t>(1, streams_->first_bytes()));
      const double events = static_cast<double>(streams_->bytes()) *
                            static_cast<double>(streams_->first_events()) / of_first;
      fmt::print(", \"streams\": {}, \"events_a_second\": {:.0f}, \"disconnected\": {}",
                 load_.streams, events / all_s_, streams_->disconnected());
    }
    fmt::print("}}\n");
  }

 private:
  [[nodiscard]] bool over() const {
    if (load_.requests > 0) {
      return answered_ + static_cast<std::int64_t>(took_s_.size()) >= load_.requests;
    }
    return seconds_since(start_) >= load_.seconds;
  }
  [[nodiscard]] bool may_send() const {
    if (load_.requests > 0 && sent_ >= load_.requests) return false;
    return load_.rate <= 0 || static_cast<double>(sent_) <= load_.rate * seconds_since(start_);
  }
  // Of very many times, every second one says as much.
  void thin_out() {
    constexpr std::size_t kMost = 4'000'000;
    if (took_s_.size() < kMost) return;
    for (std::size_t i = 0; i < kMost / 2; ++i) took_s_[i] = took_s_[2 * i];
    answered_ += static_cast<std::int64_t>(took_s_.size() - kMost / 2);
    took_s_.resize(kMost / 2);
  }

  Load load_;
  double syncs_, before_mib_ = 0, all_s_ = 0;
  std::vector<int> idle_{};
  std::vector<Client> clients_{};
  std::vector<pollfd> polled_{};
  std::unique_ptr<Streams> streams_{};
  std::vector<double> took_s_{};
  std::int64_t sent_ = 0, answered_ = 0;  // answered_: whose times are not kept any more
  LoadClock::time_point start_{};
};

Load read_words(const std::vector<std::string>& words) {
  Load out;
  std::vector<std::string> places;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--jobs") {
      out.wish.kind = Client::Kind::jobs;
      continue;
    }
    if (!word.starts_with("--") || i + 1 == words.size()) {
      places.push_back(word);
      continue;
    }
    const std::string& value = words[++i];
    if (word == "--clients") out.clients = std::atoi(value.c_str());
    if (word == "--depth") out.wish.depth = std::atoi(value.c_str());
    if (word == "--idle") out.idle = std::atoi(value.c_str());
    if (word == "--streams") out.streams = std::atoi(value.c_str());
    if (word == "--seconds") out.seconds = std::atof(value.c_str());
    if (word == "--rate") out.rate = std::atof(value.c_str());
    if (word == "--requests") out.requests = std::atoll(value.c_str());
    if (word == "--get") out.wish.kind = Client::Kind::get;
    if (word == "--get") out.wish.get = value;
  }
  if (places.size() != 2 || out.clients < 1 || out.wish.depth < 1) {
    give_up(
        "usage: bench_serve SOCKET FOLDER [--clients N] [--depth N] [--seconds N] [--requests N] "
        "[--rate N] [--jobs] [--get PATH] [--idle N] [--streams N]");
  }
  out.socket = places[0];
  out.folder = places[1];
  return out;
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    (void)::setrlimit(RLIMIT_NOFILE, &limit);
  }
  copse::bench::Run run(copse::bench::read_words({argv + 1, argv + argc}));
  run.go();
  run.print();
  return 0;
}
