// SPDX-License-Identifier: Apache-2.0
#include "server/server.hpp"

#include <utility>  // before Asio 1.74, which uses std::exchange

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "server/line_connection.hpp"
#include "store/commit_thread.hpp"

namespace copse::server {

namespace {

namespace asio = boost::asio;
using Unix = asio::local::stream_protocol;

constexpr int kDone = 0, kDiskFailed = 74;  // as sysexits.h calls an error of input or output
constexpr auto kLookAtDisk = std::chrono::seconds(1);
constexpr auto kLookAtClock = std::chrono::milliseconds(250);
constexpr auto kAcceptAgain = std::chrono::milliseconds(100);
constexpr auto kGrace = std::chrono::seconds(5);  // for clients to take what they are owed

std::unexpected<Error> no_socket(const std::string& path, const boost::system::error_code& why) {
  return fail(ErrorCode::io, fmt::format("can't listen at {}: {}", path, why.message()));
}

}  // namespace

struct Server::Impl : Journal, ConnectionHost {
  Service& service;
  Options options;
  asio::io_context loop{1};
  asio::signal_set signals{loop, SIGTERM, SIGINT};
  asio::steady_timer disk_timer{loop}, accept_timer{loop}, grace_timer{loop}, clock_timer{loop};
  std::vector<Unix::acceptor> acceptors{};
  std::vector<std::string> socket_files{};
  store::DiskSpace space;
  store::Sequence durable_now;
  Connections connections{};
  bool stopping = false, working = false;
  std::unique_ptr<store::CommitThread> commits{};

  Impl(Service& service_in, std::unique_ptr<store::Store> store, Options options_in)
      : service(service_in),
        options(std::move(options_in)),
        space(options.folder, options.space),
        durable_now(service.next()) {
    commits = std::make_unique<store::CommitThread>(
        std::move(store), service.next(),
        store::CommitThread::Host{
            .kept =
                [this](store::Sequence next) { asio::post(loop, [this, next] { kept(next); }); },
            .failed = [this](const Error& error) { disk_failed(error); }});
    service.keep_in(*this);
  }

  // --- Journal
  store::Sequence append(std::string record) override { return commits->append(std::move(record)); }
  void snapshot(std::function<std::string()> state) override {
    commits->snapshot(std::move(state));
  }
  [[nodiscard]] bool room() const override { return options.folder.empty() || space.room(); }

  // --- ConnectionHost
  [[nodiscard]] std::int64_t now_s() const override { return options.clock(); }
  [[nodiscard]] store::Sequence durable() const override { return durable_now; }
  [[nodiscard]] bool busy() const override {
    return commits->waiting_bytes() > options.waiting_bytes_max;
  }

  void served() override { work(); }

  // A turn of a pass, when others had theirs.
  void work() {
    if (stopping || std::exchange(working, true)) return;
    asio::post(loop, [this] {
      working = false;
      if (stopping || service.work(now_s())) return;
      if (busy()) return;  // the clock comes back to it
      work();
    });
  }

  // Planned starts, and leases that are over.
  void watch_clock() {
    work();
    clock_timer.expires_after(kLookAtClock);
    clock_timer.async_wait([this](const boost::system::error_code& code) {
      if (!code) watch_clock();
    });
  }

  void kept(store::Sequence next) {
    durable_now = next;
    connections.kept(next);
  }

  // On the thread of the commits. No destructor runs: nothing more may be said to anybody.
  void disk_failed(const Error& error) const {
    options.log("the disk refused a commit, so the service ends: " + error.message());
    std::_Exit(kDiskFailed);
  }

  void watch_disk() {
    if (options.folder.empty()) return;
    const bool before = space.room();
    const auto looked = space.update();
    if (!looked) options.log(looked.error().message());
    if (before && !space.room()) {
      options.log("the disk is nearly full: only what gives back is done from now on");
    } else if (!before && space.room()) {
      options.log("the disk has room again");
    }
    disk_timer.expires_after(kLookAtDisk);
    disk_timer.async_wait([this](const boost::system::error_code& code) {
      if (!code) watch_disk();
    });
  }

  void accept(std::size_t number) {
    acceptors[number].async_accept(
        [this, number](const boost::system::error_code& code, Unix::socket socket) {
          if (code == asio::error::operation_aborted || stopping) return;
          if (!code) {
            welcome(std::move(socket));
            return accept(number);
          }
          // Most likely there are no more descriptors: others have to go first.
          accept_timer.expires_after(kAcceptAgain);
          accept_timer.async_wait([this, number](const boost::system::error_code& cancelled) {
            if (!cancelled) accept(number);
          });
        });
  }

  void welcome(Unix::socket socket) {
    if (connections.size() < options.clients_max) {
      connections.add(std::move(socket), service, *this, options.client);
      return;
    }
    const std::string text = fmt::format(
        "{{\"error\": \"invalid\", \"message\": \"there are {} clients, as many as may be: try "
        "again later\"}}\n",
        options.clients_max);
    boost::system::error_code ignored;
    (void)socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(text), ignored);
  }

  void begin_stop() {
    if (std::exchange(stopping, true)) return;
    signals.cancel();
    disk_timer.cancel();
    clock_timer.cancel();
    accept_timer.cancel();
    boost::system::error_code ignored;
    for (auto& acceptor : acceptors) (void)acceptor.close(ignored);
    for (const std::string& file : socket_files) ::unlink(file.c_str());
    // The timer is what the loop waits for while commits are on their way.
    if (connections.size() == 0) return;
    grace_timer.expires_after(kGrace);
    grace_timer.async_wait([this](const boost::system::error_code& code) {
      if (!code) connections.close_all();
    });
    connections.when_empty([this] { grace_timer.cancel(); });
    connections.stop_listening();
  }
};

Server::Server(Service& service, std::unique_ptr<store::Store> store, Options options)
    : impl_(std::make_unique<Impl>(service, std::move(store), std::move(options))) {}

Server::~Server() {
  for (const std::string& file : impl_->socket_files) ::unlink(file.c_str());
}

Result<void> Server::listen_unix(const std::string& path) {
  boost::system::error_code code;
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return fail(ErrorCode::limit,
                fmt::format("the socket {} has a path of {} bytes; a socket may have {}", path,
                            path.size(), sizeof(sockaddr_un::sun_path) - 1));
  }
  const Unix::endpoint endpoint(path);
  Unix::socket probe(impl_->loop);
  if (!probe.connect(endpoint, code))
    return fail(ErrorCode::exists, fmt::format("somebody listens at {} already", path));
  if (code == asio::error::connection_refused) ::unlink(path.c_str());
  Unix::acceptor acceptor(impl_->loop);
  if (acceptor.open(endpoint.protocol(), code)) return no_socket(path, code);
  const mode_t before = ::umask(0177);
  (void)acceptor.bind(endpoint, code);
  ::umask(before);
  if (code) return no_socket(path, code);
  impl_->socket_files.push_back(path);
  if (acceptor.listen(asio::socket_base::max_listen_connections, code)) {
    return no_socket(path, code);
  }
  impl_->acceptors.push_back(std::move(acceptor));
  return {};
}

int Server::run() {
  Impl& impl = *impl_;
  impl.signals.async_wait([&impl](const boost::system::error_code& code, int) {
    if (!code) impl.begin_stop();
  });
  impl.watch_disk();
  impl.watch_clock();
  for (std::size_t i = 0; i < impl.acceptors.size(); ++i) impl.accept(i);
  impl.loop.run();
  impl.service.snapshot();
  impl.commits.reset();  // keeps what it has, and the state
  return kDone;
}

void Server::stop() {
  asio::post(impl_->loop, [this] { impl_->begin_stop(); });
}

}  // namespace copse::server
