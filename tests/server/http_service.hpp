// SPDX-License-Identifier: Apache-2.0
//
// A service without a disk, and the routes of HTTP to it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/http/routes.hpp"
#include "server/page/page_service.hpp"
#include "server/service.hpp"
#include "server/user_grants.hpp"
#include "session/machines.hpp"

namespace copse::server {

class HttpService : public Journal {
 public:
  explicit HttpService(LiveJobs::Setup jobs = {}) {
    NoDisk disk;
    Service::Options start;
    start.jobs = std::move(jobs);
    start.make_session = [](SessionEnvironment environment) {
      return session_of_r(kPlainMachine, 0, {}, std::move(environment));
    };
    service = std::move(*Service::recover(disk, std::move(start)));
    service->set_journal(*this);
    events = std::make_unique<EventLog>(service->session().engine(), service->next(),
                                        EventLog::Limits{.records_max = 100});
    page = std::make_unique<PageService>(*service, kFiles);
    context = std::make_unique<HttpContext>(
        HttpContext{.service = *service, .events = *events, .version = "test", .page = page.get()});
  }

  journal::Sequence append(std::string record) override {
    events->add(record);
    return records_++;
  }
  void snapshot(std::function<std::string()> /*state*/) override {}
  [[nodiscard]] bool has_disk_space() const override { return has_room; }

  // Users may take anything outside the queues.
  static LiveJobs::Setup with_user_grants() {
    LiveJobs::Setup out;
    out.grants = wide_grant_bounds();
    return out;
  }

  HttpResponse ask(std::string_view method, std::string_view target, std::string_view body = {},
                   Caller caller = {Role::owner, "root"}) {
    return Routes(*context).answer(
        {.method = method, .target = target, .body = body, .caller = std::move(caller)}, now_s);
  }

  std::unique_ptr<Service> service;
  std::unique_ptr<EventLog> events;
  std::unique_ptr<PageService> page;
  std::unique_ptr<HttpContext> context;
  bool has_room = true;
  std::int64_t now_s = 100;

 private:
  static constexpr PageAsset kFiles[] = {
      {"index.html",
       "<head><link rel=\"stylesheet\" href=\"style.css\"></head>"
       "<script type=\"module\" src=\"app.js\"></script>"},
      {"app.js", "import './x.js';"},
      {"page.js", "import './x.js';"},
      {"style.css", "body { color: black }"}};

  class NoDisk : public journal::Store {
   public:
    Result<void> append(journal::Sequence, std::span<const std::string>) override { return {}; }
    Result<void> snapshot(journal::Sequence, std::string_view) override { return {}; }
    Result<journal::Sequence> load(const journal::Recovery&) override { return 0; }
  };

  journal::Sequence records_ = 0;
};

}  // namespace copse::server
