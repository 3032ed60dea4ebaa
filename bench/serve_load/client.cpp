// SPDX-License-Identifier: Apache-2.0
#include "client.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include <fmt/format.h>

namespace copse::bench {

void give_up(const std::string& why) {
  std::fputs(("bench_serve: " + why + "\n").c_str(), stderr);
  std::exit(2);
}

double seconds_since(LoadClock::time_point start) {
  return std::chrono::duration<double>(LoadClock::now() - start).count();
}

int connect_to(const std::string& path) {
  const int out = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (out < 0) give_up("no more sockets: raise the limit of open files (ulimit -n)");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (::connect(out, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    give_up("nobody listens at " + path);
  }
  return out;
}

double resident_mib(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return 0;
  std::ifstream status("/proc/" + std::to_string(peer.pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::atof(&line[6]) / 1024;
  }
  return 0;
}

Client::Client(const std::string& path, int number, Wish wish)
    : socket_(connect_to(path)), number_(number), wish_(std::move(wish)) {}

std::string Client::request(int place) {
  if (wish_.kind == Kind::get) return fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", wish_.get);
  if (wish_.kind == Kind::jobs && gives_back_) {
    return fmt::format("{{\"op\": \"end\", \"id\": {}}}\n", jobs_[static_cast<std::size_t>(place)]);
  }
  if (wish_.kind == Kind::jobs) {
    return "{\"op\": \"submit\", \"shape\": \"slot=1/core\", \"duration\": 0}\n";
  }
  const std::int64_t id = std::int64_t{number_} * 1'000'000 + place + 1;
  if (gives_back_) return fmt::format("{{\"op\": \"free\", \"id\": {}}}\n", id);
  return fmt::format(
      "{{\"op\": \"alloc\", \"id\": {}, \"shape\": \"slot=1/core\", \"duration\": 0}}\n", id);
}

void Client::send_burst() {
  std::string out;
  for (int i = 0; i < wish_.depth; ++i) out += request(i);
  if (!gives_back_) jobs_.clear();
  left_ = wish_.depth;
  sent_ = LoadClock::now();
  for (std::string_view rest = out; !rest.empty();) {
    const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent <= 0) give_up("the service has gone");
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  gives_back_ = !gives_back_;
}

std::size_t Client::answer_size(std::size_t begin) const {
  if (wish_.kind != Kind::get) {
    const std::size_t end = received_.find('\n', begin);
    return end == std::string::npos ? 0 : end + 1 - begin;
  }
  const std::size_t head = received_.find("\r\n\r\n", begin);
  if (head == std::string::npos) return 0;
  const std::size_t at = received_.find("Content-Length: ", begin);
  if (at == std::string::npos || at > head) give_up("an answer without a length");
  const std::size_t size = head + 4 - begin + std::strtoull(&received_[at + 16], nullptr, 10);
  return begin + size <= received_.size() ? size : 0;
}

void Client::check(std::string_view answer) {
  const bool done = wish_.kind == Kind::get ? answer.substr(0, 12) == "HTTP/1.1 200"
                                            : !answer.starts_with("{\"error\"");
  if (!done) give_up("refused: " + std::string(answer));
  if (wish_.kind == Kind::jobs && answer.starts_with("{\"id\": ")) {
    jobs_.push_back(std::strtoull(answer.data() + 7, nullptr, 10));
  }
}

void Client::receive(std::vector<double>& took_s) {
  static char bytes[1 << 16];
  const ssize_t got = ::recv(socket_, bytes, sizeof(bytes), 0);
  if (got <= 0) give_up("the service has gone");
  received_.append(bytes, static_cast<std::size_t>(got));
  const double now_s = seconds_since(sent_);
  std::size_t begin = 0;
  for (std::size_t size; left_ > 0 && (size = answer_size(begin)) > 0; begin += size, --left_) {
    check(std::string_view(received_).substr(begin, size));
    took_s.push_back(now_s);
  }
  received_.erase(0, begin);
}

}  // namespace copse::bench
