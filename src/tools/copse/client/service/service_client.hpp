// SPDX-License-Identifier: Apache-2.0
//
// ServiceClient: sends requests to a service. They are lines of the session protocol, sent over HTTP
// (POST /v1/batch), on Unix sockets and on TCP alike.
//
//   auto service = ServiceClient::of(options);
//   auto answer = service->ask(job_line("why", 7));
//
// Answers are read as strict JSON: {"id": } is an error. A refusal of the service is an error with its
// message: insufficient, infeasible, or invalid.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "text/tree/tree.hpp"
#include "tools/copse/client/service/http_client.hpp"
#include "tools/copse/client/service/service_address.hpp"

namespace copse {

// An object, as received and as a tree.
struct ServiceAnswer {
  std::string text;  // without its line end
  Tree tree;
  [[nodiscard]] TreeView top() const { return TreeView(tree); }
};

class ServiceClient {
 public:
  // Errors: those of find_service. Nothing is sent yet.
  [[nodiscard]] static Result<ServiceClient> of(const ClientOptions& options);
  explicit ServiceClient(ServiceAddress address) : address_(std::move(address)) {}

  // A line without its end. Errors: those of ask_http; the refusal.
  [[nodiscard]] Result<ServiceAnswer> ask(std::string_view line) const;
  // Many, each with its line end: an answer or a refusal for each. Errors: as above, for all.
  [[nodiscard]] Result<std::vector<Result<ServiceAnswer>>> ask_all(std::string_view lines) const;
  // A path of /v1.
  [[nodiscard]] Result<ServiceAnswer> get(std::string_view target) const;
  [[nodiscard]] Result<EventStream> events() const { return EventStream::open(address_); }
  [[nodiscard]] const ServiceAddress& address() const { return address_; }

 private:
  [[nodiscard]] Result<ServiceAnswer> read(std::string_view text) const;

  ServiceAddress address_;
};

// Strict JSON: one object. Errors: invalid.
[[nodiscard]] Result<Tree> read_answer(std::string_view text);

// {"op": "why", "id": 7}
[[nodiscard]] std::string job_line(std::string_view op, std::int64_t id);

// Sends a line, and writes its answer: as received if options.json, else by `show`, which returns the
// exit status.
int ask_and_show(const ClientOptions& options, std::string_view line,
                 const std::function<int(TreeView)>& show);

// Reports the error. The exit status: kNo for a refusal (not now, never), kUnusable for other errors.
int not_served(const Error& error);
// Writes it, with a line end.
int write_line(std::string_view text);

}  // namespace copse
