// SPDX-License-Identifier: Apache-2.0
//
// Durable changes of `copse serve`: clients of a running service allocate and free a core in turn,
// each with so many requests on their way. One line of JSON:
//   changes_a_second   answered allocs and frees, each of which is on disk
//   p50_ms, p99_ms     from the request to its answer
//   syncs_a_second     of the disk below FOLDER, one after another, before the load: 4 KiB each
//
//   bench_serve SOCKET FOLDER [--clients N] [--depth N] [--seconds N]
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

namespace copse::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Load {
  std::string socket, folder;
  int clients = 16, depth = 1;
  double seconds = 5;
};

[[noreturn]] void give_up(const std::string& why) {
  std::fputs(("bench_serve: " + why + "\n").c_str(), stderr);
  std::exit(2);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double syncs_a_second(const std::string& folder) {
  const std::string path = folder + "/bench-serve.tmp";
  const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (file < 0) give_up("can't write " + path);
  const std::string page(4096, 'x');
  const auto start = Clock::now();
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

// One client: its ids are its own. Each is allocated, then freed.
class Client {
 public:
  Client(const std::string& path, int number, int depth)
      : depth_(depth), first_(number * 1'000'000) {
    socket_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      give_up("nobody listens at " + path);
    }
  }

  [[nodiscard]] int socket() const { return socket_; }
  void send_more() {
    std::string out;
    for (; static_cast<int>(sent_at_.size()) < depth_; sent_at_.push_back(Clock::now())) {
      const int id = first_ + asked_ / 2 % 1'000 + 1;
      out +=
          asked_++ % 2 == 0
              ? fmt::format(R"({{"op": "alloc", "id": {}, "shape": "slot=1/core", "duration": 0}})"
                            "\n",
                            id)
              : fmt::format(R"({{"op": "free", "id": {}}})"
                            "\n",
                            id);
    }
    if (::send(socket_, out.data(), out.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(out.size())) {
      give_up("the service has gone");
    }
  }
  void receive(std::vector<double>& took_s) {
    char bytes[1 << 16];
    const ssize_t got = ::recv(socket_, bytes, sizeof(bytes), 0);
    if (got <= 0) give_up("the service has gone");
    received_.append(bytes, static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end; (end = received_.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      if (received_.compare(begin, 8, "{\"error\"") == 0) {
        give_up(received_.substr(begin, end - begin));
      }
      took_s.push_back(seconds_since(sent_at_.front()));
      sent_at_.pop_front();
    }
    received_.erase(0, begin);
  }

 private:
  int socket_ = -1, depth_, first_, asked_ = 0;
  std::deque<Clock::time_point> sent_at_;
  std::string received_;
};

void run(const Load& load) {
  const double syncs = syncs_a_second(load.folder);
  std::vector<Client> clients;
  std::vector<pollfd> polled;
  for (int i = 0; i < load.clients; ++i) {
    clients.emplace_back(load.socket, i, load.depth);
    polled.push_back({.fd = clients.back().socket(), .events = POLLIN, .revents = 0});
  }
  std::vector<double> took_s;
  const auto start = Clock::now();
  for (Client& client : clients) client.send_more();
  while (seconds_since(start) < load.seconds) {
    if (::poll(polled.data(), polled.size(), 1'000) <= 0) continue;
    for (std::size_t i = 0; i < clients.size(); ++i) {
      if (polled[i].revents == 0) continue;
      clients[i].receive(took_s);
      clients[i].send_more();
    }
  }
  const double all_s = seconds_since(start);
  if (took_s.empty()) give_up("no answer came");
  std::ranges::sort(took_s);
  const auto part = [&](std::size_t percent) {
    return took_s[std::min(took_s.size() - 1, took_s.size() * percent / 100)] * 1'000;
  };
  fmt::print(
      "{{\"clients\": {}, \"depth\": {}, \"changes_a_second\": {:.0f}, \"p50_ms\": {:.3f}, "
      "\"p99_ms\": {:.3f}, \"syncs_a_second\": {:.0f}}}\n",
      load.clients, load.depth, static_cast<double>(took_s.size()) / all_s, part(50), part(99),
      syncs);
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
  copse::bench::Load load;
  std::vector<std::string> words(argv + 1, argv + argc), places;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--clients" && has_value) {
      load.clients = std::atoi(words[++i].c_str());
    } else if (words[i] == "--depth" && has_value) {
      load.depth = std::atoi(words[++i].c_str());
    } else if (words[i] == "--seconds" && has_value) {
      load.seconds = std::atof(words[++i].c_str());
    } else {
      places.push_back(words[i]);
    }
  }
  if (places.size() != 2 || load.clients < 1 || load.depth < 1) {
    copse::bench::give_up(
        "usage: bench_serve SOCKET FOLDER [--clients N] [--depth N] [--seconds N]");
  }
  load.socket = places[0];
  load.folder = places[1];
  copse::bench::run(load);
  return 0;
}
