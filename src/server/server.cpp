// SPDX-License-Identifier: Apache-2.0
#include "server/server.hpp"

#include <utility>  // before Asio 1.74, which uses std::exchange

#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <deque>

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "journal/commit_thread.hpp"
#include "server/accept/acceptors.hpp"
#include "server/disk_watch.hpp"
#include "server/fairness/time_budget.hpp"
#include "server/figures/server_figures.hpp"
#include "server/leases/lease_clock.hpp"
#include "server/line_connection.hpp"
#include "server/listen.hpp"
#include "server/page/page_service.hpp"
#include "server/protocol_detector.hpp"

namespace copse::server {

namespace {

namespace asio = boost::asio;
using Stream = asio::generic::stream_protocol;

constexpr int kDone = 0, kDiskFailed = 74;  // EX_IOERR of sysexits.h
constexpr auto kClockInterval = std::chrono::milliseconds(250);
constexpr auto kForecastBudget = std::chrono::milliseconds(2);
constexpr auto kTurn = std::chrono::milliseconds(2);

std::int64_t time_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

struct Server::Impl : Journal, ConnectionHost {
  Service& service;
  Options options;
  asio::io_context loop{1};
  asio::signal_set signals{loop, SIGTERM, SIGINT}, hang_up{loop};
  asio::steady_timer grace_timer{loop}, watchdog_timer{loop}, clock_timer{loop};
  Acceptors acceptors{loop, [this](Stream::socket socket) { accept_client(std::move(socket)); }};
  DiskWatch disk;
  journal::Sequence durable_now;
  std::deque<std::string> recent;  // records from before the start
  EventLog events;
  PageService page;
  HttpContext http_context;
  Routes routes{http_context};
  HttpServerState http;
  FairLimit places;  // before the connections that have them
  Connections connections{};
  FairQueue turns{};
  bool stopping = false, working = false, serving = false, closing = false;
  LeaseClock leases{std::chrono::milliseconds(kClockInterval).count()};
  // Records that are not on disk yet, and when they were appended.
  std::deque<std::pair<journal::Sequence, std::chrono::steady_clock::time_point>> appended{};
  std::unique_ptr<journal::CommitThread> commits{};

  Impl(Service& service_in, std::unique_ptr<journal::Store> store, Options options_in)
      : service(service_in),
        options(std::move(options_in)),
        disk(loop, options.folder, options.space, options.log),
        durable_now(service.next()),
        recent(service.take_recent_records()),
        events(service.session().engine(), service.next() - recent.size(), options.events),
        page(service, page_assets()),
        http_context{
            .service = service, .events = events, .version = options.version, .page = &page},
        http{.routes = routes, .events = events, .limits = options.http, .hosts = options.hosts},
        places(options.clients_max) {
    http_context.more_metrics = [this](std::string& out) { append_metrics(out); };
    page.more_health = [this](JsonWriter& json) { append_health(json); };
    http.answered = [this](std::chrono::steady_clock::duration took) { page.requests.add(took); };
    http.authenticate_token = [this](std::string_view token) {
      return options.authenticate_token ? options.authenticate_token(token) : Caller{};
    };
    http.tls = options.tls;
    http.authenticate_certificate = options.authenticate_certificate;
    for (std::string& record : recent) events.add(std::move(record));
    recent.clear();
    if (options.audit) service.set_audit_sink(options.audit);
    connections.set_buffer_limit(options.buffered_bytes_max);
    commits = std::make_unique<journal::CommitThread>(
        std::move(store), service.next(),
        journal::CommitThread::Host{
            .on_durable =
                [this](journal::Sequence next) {
                  asio::post(loop, [this, next] { on_durable(next); });
                },
            .on_failure = [this](const Error& error) { disk_failed(error); }});
    service.set_journal(*this);
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
  [[nodiscard]] bool has_disk_space() const override { return disk.has_space(); }

  // --- ConnectionHost
  [[nodiscard]] std::int64_t now_s() const override { return options.clock(); }
  [[nodiscard]] journal::Sequence durable() const override { return durable_now; }
  // Too many bytes of records wait for the disk.
  [[nodiscard]] bool busy() const { return commits->pending_bytes() > options.pending_bytes_max; }

  void add_turn(const std::shared_ptr<Connection>& connection) override {
    turns.add(connection->account(), connection);
    serve();
  }

  // Serves clients for one budget, then reads from sockets and works on the queue.
  void serve() {
    if (turns.empty() || busy() || std::exchange(serving, true)) return;
    asio::post(loop, [this] {
      serving = false;
      TimeBudget budget(kTurn);
      while (!turns.empty() && !busy()) {
        turns.run(budget.budget(), time_ns);
        if (budget.expired()) break;
      }
      work();
      serve();
    });
  }

  // Runs one budget of queue work, then lets clients run.
  void work() {
    if (stopping || std::exchange(working, true)) return;
    asio::post(loop, [this] {
      working = false;
      if (stopping) return;
      const bool idle = service.work(now_s());
      if (work_for_page() && idle) return;
      if (busy()) return;  // continues at the next tick of the clock
      work();
    });
  }

  // Runs one budget of forecast work for the page; true: nothing is left to do.
  bool work_for_page() {
    TimeBudget budget(kForecastBudget);
    return page.work(budget.budget());
  }

  // Promised starts that are due, and expired leases.
  void watch_clock() {
    page.tick();
    leases.tick(time_ns() / 1'000'000, now_s(), service, turns);
    work();
    clock_timer.expires_after(kClockInterval);
    clock_timer.async_wait([this](const boost::system::error_code& code) {
      if (!code && !stopping) watch_clock();
    });
  }

  void on_durable(journal::Sequence next) {
    durable_now = next;
    const auto now = std::chrono::steady_clock::now();
    for (; !appended.empty() && appended.front().first < next; appended.pop_front()) {
      page.commits.add(now - appended.front().second);
    }
    connections.on_durable(next);
    serve();
    if (stopping && durable_now >= service.next()) wait_for_clients();
  }

  // Called on the commit thread. No destructor runs: no client may learn anything more.
  void disk_failed(const Error& error) const {
    options.log("a commit failed, and the service ends: " + error.message());
    std::_Exit(kDiskFailed);
  }

  void append_metrics(std::string& out) const {
    append_server_figures(
        out, {.connections = connections.size(),
              .buffered_bytes = connections.buffered_bytes(),
              .disconnected = connections.disconnected(),
              .streams = http.streams.size(),
              .replaced = places.replaced() + http.streams.replaced(),
              .handshakes_failed = http.handshakes_failed,
              .certificate_ends_s = options.tls == nullptr ? -1 : options.tls->ends_s(),
              .pending_bytes = commits->pending_bytes(),
              .has_disk_space = has_disk_space()});
    page.requests.append_metric(out, "copse_http_request_duration_seconds",
                                "Time to answer an HTTP request, from its last byte.");
    page.commits.append_metric(out, "copse_journal_commit_duration_seconds",
                               "Time from a change until it is on disk.");
    append_process_figures(out);
  }

  void append_health(JsonWriter& json) const {
    json.member("connections", connections.size());
    json.member("streams", http.streams.size());
    json.member("pending_bytes", commits->pending_bytes());
  }

  void accept_client(Stream::socket socket) {
    boost::system::error_code ignored;
    const int family = socket.local_endpoint(ignored).protocol().family();
    const bool is_unix = family == AF_UNIX;
    Caller caller{options.anonymous, "anonymous"};
    if (is_unix) {
      caller = peer_caller(socket.native_handle(), options.other_users, options.users);
      caller.name = service.user_of(caller.name);
    }
    Account account =
        is_unix ? account_of(caller) : Account{"peer " + peer_address(socket.native_handle())};
    FairLimit::Permit place = places.take({.account = account, .is_stranger = !is_unix});
    if (!place.taken()) return refuse_client(std::move(socket), family);
    if (!is_unix) {
      return start_http(std::move(socket), family, caller, std::move(account), std::move(place));
    }
    connections.add(std::make_shared<ProtocolDetector>(
                        std::move(socket), connections, std::move(account),
                        [this, caller = std::move(caller)](
                            const std::shared_ptr<ProtocolDetector>& client, char first) {
                          start_protocol(client, first, caller);
                        }),
                    std::move(place));
  }

  void refuse_client(Stream::socket socket, int family) const {
    if (family != AF_UNIX && options.tls != nullptr) return;  // it would need a handshake
    const std::string text = no_place_text(options.clients_max, family != AF_UNIX);
    boost::system::error_code ignored;
    (void)socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(text), ignored);
  }

  void start_http(Stream::socket socket, int family, const Caller& caller, Account account,
                  FairLimit::Permit place) {
    connections.add(make_http_connection(loop, socket.release(), family, http, *this, connections,
                                         caller, std::move(account)),
                    std::move(place));
  }

  void start_protocol(const std::shared_ptr<ProtocolDetector>& client, char first,
                      const Caller& caller) {
    FairLimit::Permit place = connections.take_place(client);
    if (first >= 'A' && first <= 'Z') {
      start_http(std::move(client->socket()), AF_UNIX, caller, client->account(), std::move(place));
    } else {
      connections.add(std::make_shared<LineConnection>(std::move(client->socket()), service, *this,
                                                       connections, options.client, caller),
                      std::move(place));
    }
  }

  Result<std::string> listen(Result<Listener> made) {
    if (!made) return std::unexpected(made.error());
    const bool is_plain = !made->loopback && options.tls == nullptr;
    auto name = acceptors.add(std::move(*made));
    if (name && is_plain) {
      options.log(
          *name +
          " is reachable from other computers, and not encrypted: --tls-cert FILE encrypts it");
    }
    return name;
  }

  void notify_watchdog() {
    if (!options.manager.watchdog_interval()) return;
    options.manager.notify_watchdog();
    watchdog_timer.expires_after(*options.manager.watchdog_interval());
    watchdog_timer.async_wait([this](const boost::system::error_code& code) {
      if (!code && !stopping) notify_watchdog();
    });
  }

  void wait_for_reload() {
    hang_up.async_wait([this](const boost::system::error_code& code, int) {
      if (code || stopping) return;
      options.manager.reloading();
      if (options.reload) options.reload();
      options.manager.ready();
      wait_for_reload();
    });
  }

  void begin_stop() {
    // A handler may still run after its timer was cancelled; it must not start anything.
    if (std::exchange(stopping, true)) return;
    options.manager.stopping();
    signals.cancel();
    hang_up.cancel();
    disk.stop();
    watchdog_timer.cancel();
    clock_timer.cancel();
    acceptors.close();
    connections.when_empty([this] { grace_timer.cancel(); });
    connections.stop_listening();
    wait_for_disk();
  }

  // Answers are sent once their records are durable; then clients have some time to read them. The
  // timer also keeps the loop running while commits are in progress.
  void wait_for_disk() {
    if (durable_now >= service.next()) return wait_for_clients();
    if (connections.size() == 0) return;
    close_after(options.stop.disk,
                "the last changes are not on disk yet: clients that wait for them get no answer");
  }
  void wait_for_clients() {
    if (connections.size() > 0 && !std::exchange(closing, true))
      close_after(options.stop.clients, {});
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
  const mode_t mode = impl_->options.other_users == Role::none ? 0600 : 0666;
  const auto where = impl_->listen(listen_on_unix(path, mode));
  if (!where) return std::unexpected(where.error());
  return {};
}

Result<std::string> Server::listen_tcp(const std::string& where) {
  return impl_->listen(listen_on_tcp(where));
}

Result<std::vector<std::string>> Server::listen_inherited() {
  std::vector<std::string> out;
  for (const int socket : impl_->options.manager.inherited_sockets()) {
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
    impl.wait_for_reload();
  }
  impl.disk.start();
  impl.notify_watchdog();
  impl.watch_clock();
  impl.acceptors.start();
  impl.options.manager.ready();
  impl.loop.run();
  impl.service.snapshot();
  impl.commits.reset();  // writes the remaining records and the state
  return kDone;
}

void Server::stop() {
  asio::post(impl_->loop, [this] { impl_->begin_stop(); });
}

}  // namespace copse::server
