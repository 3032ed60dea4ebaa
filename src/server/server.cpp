// SPDX-License-Identifier: Apache-2.0
#include "server/server.hpp"

#include <utility>  // before Asio 1.74, which uses std::exchange

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <vector>

#include <fmt/format.h>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "journal/commit_thread.hpp"
#include "server/line_connection.hpp"
#include "server/listen.hpp"
#include "server/page/page_service.hpp"
#include "server/unsorted.hpp"

namespace copse::server {

namespace {

namespace asio = boost::asio;
using Stream = asio::generic::stream_protocol;
using Acceptor = asio::basic_socket_acceptor<Stream>;

constexpr int kDone = 0, kDiskFailed = 74;  // as sysexits.h calls an error of input or output
constexpr auto kLookAtDisk = std::chrono::seconds(1);
constexpr auto kLookAtClock = std::chrono::milliseconds(250);
constexpr auto kTurnOfPage = std::chrono::milliseconds(2);
constexpr auto kAcceptAgain = std::chrono::milliseconds(100);

}  // namespace

struct Server::Impl : Journal, ConnectionHost {
  Service& service;
  Options options;
  asio::io_context loop{1};
  asio::signal_set signals{loop, SIGTERM, SIGINT}, hang_up{loop};
  asio::steady_timer disk_timer{loop}, accept_timer{loop}, grace_timer{loop}, alive_timer{loop},
      clock_timer{loop};
  std::vector<Acceptor> acceptors{};
  std::vector<SocketFile> socket_files{};
  journal::DiskSpace space;
  journal::Sequence durable_now;
  std::deque<std::string> recent;  // from before it began
  EventLog events;
  PageService page;
  HttpContext http_context;
  Routes routes{http_context};
  HttpShared http;
  Connections connections{};
  bool stopping = false, working = false;
  // When records were appended that are not on disk yet.
  std::deque<std::pair<journal::Sequence, std::chrono::steady_clock::time_point>> appended{};
  std::unique_ptr<journal::CommitThread> commits{};

  Impl(Service& service_in, std::unique_ptr<journal::Store> store, Options options_in)
      : service(service_in),
        options(std::move(options_in)),
        space(options.folder, options.space),
        durable_now(service.next()),
        recent(service.take_recent()),
        events(service.session().engine(), service.next() - recent.size(), options.events),
        page(service, page_assets()),
        http_context{
            .service = service, .events = events, .version = options.version, .page = &page},
        http{.routes = routes, .events = events, .limits = options.http} {
    http_context.more_metrics = [this](std::string& out) { append_metrics(out); };
    page.more_health = [this](JsonWriter& json) { append_health(json); };
    http.answered = [this](std::chrono::steady_clock::duration took) { page.requests.add(took); };
    http.who_of_token = [this](std::string_view token) {
      return options.who_of_token ? options.who_of_token(token) : Who{};
    };
    http.tls = options.tls;
    http.who_of_certificate = options.who_of_certificate;
    for (std::string& record : recent) events.add(std::move(record));
    recent.clear();
    if (options.audit) service.audit(options.audit);
    connections.bound(options.held_bytes_max);
    commits = std::make_unique<journal::CommitThread>(
        std::move(store), service.next(),
        journal::CommitThread::Host{
            .kept =
                [this](journal::Sequence next) { asio::post(loop, [this, next] { kept(next); }); },
            .failed = [this](const Error& error) { disk_failed(error); }});
    service.keep_in(*this);
  }

  // --- Journal
  journal::Sequence append(std::string record) override {
    events.add(record);
    const journal::Sequence number = commits->append(std::move(record));
    appended.emplace_back(number, std::chrono::steady_clock::now());
    return number;
  }
  void snapshot(std::function<std::string()> state) override {
    commits->snapshot(std::move(state));
  }
  [[nodiscard]] bool room() const override { return options.folder.empty() || space.room(); }

  // --- ConnectionHost
  [[nodiscard]] std::int64_t now_s() const override { return options.clock(); }
  [[nodiscard]] journal::Sequence durable() const override { return durable_now; }
  [[nodiscard]] bool busy() const override {
    return commits->waiting_bytes() > options.waiting_bytes_max;
  }

  void served() override { work(); }

  // A turn of a pass, when others had theirs.
  void work() {
    if (stopping || std::exchange(working, true)) return;
    asio::post(loop, [this] {
      working = false;
      if (stopping) return;
      const bool idle = service.work(now_s());
      if (work_for_page() && idle) return;
      if (busy()) return;  // the clock comes back to it
      work();
    });
  }

  // A turn of what the page shows of times to come; true if it needs none.
  bool work_for_page() {
    auto end = std::chrono::steady_clock::now() + kTurnOfPage;
    return page.work({.expired =
                          [](void* of) {
                            return std::chrono::steady_clock::now() >=
                                   *static_cast<decltype(end)*>(of);
                          },
                      .context = &end});
  }

  // Planned starts, and leases that are over.
  void watch_clock() {
    page.tick();
    work();
    clock_timer.expires_after(kLookAtClock);
    clock_timer.async_wait([this](const boost::system::error_code& code) {
      if (!code && !stopping) watch_clock();
    });
  }

  void kept(journal::Sequence next) {
    durable_now = next;
    const auto now = std::chrono::steady_clock::now();
    for (; !appended.empty() && appended.front().first < next; appended.pop_front()) {
      page.commits.add(now - appended.front().second);
    }
    connections.kept(next);
    if (stopping && durable_now >= service.next()) await_clients();
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
      if (!code && !stopping) watch_disk();
    });
  }

  void append_metrics(std::string& out) const {
    const auto figure = [&](std::string_view name, std::string_view about, std::string_view kind,
                            std::uint64_t value) {
      out +=
          fmt::format("# HELP {} {}\n# TYPE {} {}\n{} {}\n", name, about, name, kind, name, value);
    };
    const auto gauge = [&](std::string_view name, std::string_view about, std::uint64_t value) {
      figure(name, about, "gauge", value);
    };
    gauge("copse_connections", "Clients that are connected.", connections.size());
    gauge("copse_held_bytes", "Bytes kept for clients: unfinished lines, unsent answers.",
          connections.held());
    gauge("copse_clients_let_go", "Clients let go because all together were kept too much.",
          connections.let_go());
    gauge("copse_event_streams", "Streams of events that are open.", http.streams);
    if (options.tls != nullptr) {
      figure("copse_tls_handshakes_failed_total", "Clients with which TLS did not come about.",
             "counter", http.handshakes_failed);
      gauge("copse_tls_certificate_end_seconds", "When the certificate of the service ends.",
            static_cast<std::uint64_t>(options.tls->ends_s()));
    }
    gauge("copse_journal_waiting_bytes", "Bytes on their way to the disk.",
          commits->waiting_bytes());
    page.requests.append_metric(out, "copse_request_duration_seconds",
                                "From the last byte of a request over HTTP to its answer.");
    page.commits.append_metric(out, "copse_journal_commit_duration_seconds",
                               "From a change to its place on disk.");
    gauge("copse_disk_room", "1: there is space for changes; 0: only for what gives back.",
          room() ? 1 : 0);
  }

  void append_health(JsonWriter& json) const {
    json.member("connections", connections.size());
    json.member("streams", http.streams);
    json.member("waiting_bytes", commits->waiting_bytes());
  }

  void accept(std::size_t number) {
    acceptors[number].async_accept(
        [this, number](const boost::system::error_code& code, Stream::socket socket) {
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

  void welcome(Stream::socket socket) {
    boost::system::error_code ignored;
    const int family = socket.local_endpoint(ignored).protocol().family();
    if (connections.size() >= options.clients_max) return turn_away(std::move(socket), family);
    if (family != AF_UNIX) {
      return speak_http(std::move(socket), family, {options.anonymous, "anonymous"});
    }
    Who who = peer_of(socket.native_handle(), options.everybody);
    who.name = service.user_of(who.name);
    connections.add(std::make_shared<Unsorted>(
        std::move(socket), connections,
        [this, who = std::move(who)](const std::shared_ptr<Unsorted>& client, char first) {
          sort(client, first, who);
        }));
  }

  void turn_away(Stream::socket socket, int family) const {
    if (family != AF_UNIX && options.tls != nullptr) return;  // no TLS is begun to say so
    std::string text = fmt::format(
        "{{\"error\": \"invalid\", \"message\": \"there are {} clients, as many as may be: try "
        "again later\"}}\n",
        options.clients_max);
    if (family != AF_UNIX) {
      text = fmt::format(
          "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: "
          "1\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}",
          text.size(), text);
    }
    boost::system::error_code ignored;
    (void)socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(text), ignored);
  }

  void speak_http(Stream::socket socket, int family, Who who) {
    connections.add(make_http_connection(loop, socket.release(), family, http, *this, connections,
                                         std::move(who)));
  }

  void sort(const std::shared_ptr<Unsorted>& client, char first, const Who& who) {
    if (first >= 'A' && first <= 'Z') {
      speak_http(std::move(client->socket()), AF_UNIX, who);
    } else {
      connections.add(std::make_shared<LineConnection>(std::move(client->socket()), service, *this,
                                                       connections, options.client, who));
    }
    connections.remove(client);
  }

  Result<std::string> listen(Result<Listener> made) {
    if (!made) return std::unexpected(made.error());
    Acceptor acceptor(loop);
    boost::system::error_code code;
    if (acceptor.assign({made->family, 0}, made->socket, code)) {
      return fail(ErrorCode::io, fmt::format("can't listen at {}: {}", made->name, code.message()));
    }
    acceptors.push_back(std::move(acceptor));
    if (made->file) socket_files.push_back(std::move(*made->file));
    if (!made->loopback && options.tls == nullptr) {
      options.log(
          made->name +
          " can be reached from elsewhere, and what goes there is not encrypted: --tls-cert "
          "FILE encrypts it");
    }
    return made->name;
  }

  void say_alive() {
    if (!options.manager.every()) return;
    options.manager.lives();
    alive_timer.expires_after(*options.manager.every());
    alive_timer.async_wait([this](const boost::system::error_code& code) {
      if (!code && !stopping) say_alive();
    });
  }

  void await_reload() {
    hang_up.async_wait([this](const boost::system::error_code& code, int) {
      if (code || stopping) return;
      options.manager.reloading();
      if (options.reload) options.reload();
      options.manager.ready();
      await_reload();
    });
  }

  void begin_stop() {
    // What has come already is told after its timer was cancelled: nothing may begin again then.
    if (std::exchange(stopping, true)) return;
    options.manager.stopping();
    signals.cancel();
    hang_up.cancel();
    disk_timer.cancel();
    alive_timer.cancel();
    clock_timer.cancel();
    accept_timer.cancel();
    boost::system::error_code ignored;
    for (auto& acceptor : acceptors) (void)acceptor.close(ignored);
    socket_files.clear();
    connections.when_empty([this] { grace_timer.cancel(); });
    connections.stop_listening();
    await_disk();
  }

  // Who is owed an answer gets it when the disk has what it says, and then a while to take it. The
  // timer is what the loop waits for while commits are on their way.
  void await_disk() {
    if (durable_now >= service.next()) return await_clients();
    if (connections.size() == 0) return;
    close_after(options.stop.disk,
                "the disk has not kept what was done last; who waits for it is not answered");
  }
  void await_clients() {
    if (connections.size() > 0) close_after(options.stop.clients, {});
  }
  void close_after(std::chrono::milliseconds time, std::string why) {
    grace_timer.expires_after(time);
    grace_timer.async_wait([this, why = std::move(why)](const boost::system::error_code& code) {
      if (code) return;
      if (!why.empty()) options.log(why);
      connections.close_all();
    });
  }
};

Server::Server(Service& service, std::unique_ptr<journal::Store> store, Options options)
    : impl_(std::make_unique<Impl>(service, std::move(store), std::move(options))) {}

Server::~Server() = default;

Result<void> Server::listen_unix(const std::string& path) {
  const mode_t mode = impl_->options.everybody == Role::nobody ? 0600 : 0666;
  const auto where = impl_->listen(listen_on_unix(path, mode));
  if (!where) return std::unexpected(where.error());
  return {};
}

Result<std::string> Server::listen_tcp(const std::string& where) {
  return impl_->listen(listen_on_tcp(where));
}

Result<std::vector<std::string>> Server::listen_handed_down() {
  std::vector<std::string> out;
  for (const int socket : impl_->options.manager.sockets()) {
    auto where = impl_->listen(listener_of(socket));
    if (!where) return std::unexpected(where.error());
    out.push_back(std::move(*where));
  }
  return out;
}

int Server::run() {
  Impl& impl = *impl_;
  impl.signals.async_wait([&impl](const boost::system::error_code& code, int) {
    if (!code) impl.begin_stop();
  });
  if (impl.options.reload) {
    boost::system::error_code ignored;
    (void)impl.hang_up.add(SIGHUP, ignored);
    impl.await_reload();
  }
  impl.watch_disk();
  impl.say_alive();
  impl.watch_clock();
  for (std::size_t i = 0; i < impl.acceptors.size(); ++i) impl.accept(i);
  impl.options.manager.ready();
  impl.loop.run();
  impl.service.snapshot();
  impl.commits.reset();  // keeps what it has, and the state
  return kDone;
}

void Server::stop() {
  asio::post(impl_->loop, [this] { impl_->begin_stop(); });
}

}  // namespace copse::server
