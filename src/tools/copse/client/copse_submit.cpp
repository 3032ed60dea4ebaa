// SPDX-License-Identifier: Apache-2.0
//
// copse submit: a job for the queue of a service.
#include <memory>

#include "tools/copse/client/client_commands.hpp"
#include "tools/copse/client/request_words.hpp"
#include "tools/copse/client/service/service_client.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

struct SubmitOptions {
  ClientOptions client;
  RequestWords request;
  JobWords job;
  std::int64_t id = -1;
};

int run_submit(const SubmitOptions& o) {
  Result<void> written;
  const std::string line = object_text([&](JsonWriter& json) {
    json.member("op", "submit");
    if (o.id >= 0) json.member("id", o.id);
    written = write_request(json, o.request);
    write_job_words(json, o.job);
  });
  if (!written) return unusable(written.error());
  return ask_and_show(o.client, line, [](TreeView answer) {
    const auto id = answer.number("id");
    if (id) return write_line(std::to_string(*id));
    return unusable({ErrorCode::io, "the service accepted the job but gave no id", {}});
  });
}

}  // namespace

void add_submit(CommandLine& line) {
  auto o = std::make_shared<SubmitOptions>();
  CommandLine sub =
      line.command("submit", "Submit a job to the queue of a service, and print its id",
                   "The service decides when the job starts and what it gets; an executor runs "
                   "it. copse run submits a command and executes it.\n"
                   "Exit status: 0 submitted, 1 the job can never run, 2 it is refused.\n"
                   "Examples:\n"
                   "  copse submit --shape 'slot=2/node' --duration 1h\n"
                   "  copse submit -q batch --name weather job.yaml",
                   [o] { return run_submit(*o); });
  add_request_options(sub, o->request);
  add_job_options(sub, o->job);
  sub.flag("-H,--hold", o->job.held, "hold the job until copse release");
  sub.flag("--requeue", o->job.requeue,
           "submit the job again, with its id, if a node of it fails while it runs");
  sub.duration("--lease", o->job.lease_s, 0,
               "the job is lost if its executor does not renew it within this time (default: no "
               "limit)");
  sub.option("--id", o->id, "the id to use (default: the next one)").not_negative().unit("ID");
  add_client_options(sub, o->client);
}

}  // namespace copse
