// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/serve/serve_options.hpp"

#include "base/duration.hpp"
#include "tools/copse/command_line/option_spec.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

namespace {

constexpr ValueKind kReadFile = ValueKind::input_file;
constexpr std::uint64_t kJobsMost = 100'000'000;

constexpr OptionSpec<ServeOptions> kAnswerOptions[] = {
    {member<&ServeOptions::format>,
     {.names = "-F,--match-format",
      .unit = "FORMAT",
      .about = "the format of R in answers: rv1, rv1_nosched (default) or rv1_shorthand; a machine "
               "of TreePool has its own",
      .words = "rv1 rv1_nosched rv1_shorthand"}},
};

constexpr OptionSpec<ServeOptions> kJobOptions[] = {
    {member<&ServeOptions::queues, &QueueChoice::file>,
     {.names = "--queues",
      .about = "a file of queues with their disciplines, nodes, limits and priorities, as Flux and "
               "Fluxion have them (TOML), or slurm.conf",
      .kind = kReadFile}},
    {member<&ServeOptions::queues, &QueueChoice::discipline>,
     {.names = "-d,--discipline",
      .unit = "DISCIPLINE",
      .about = "the discipline of the single queue that exists without --queues: fcfs, easy "
               "(default), hybrid, conservative, or your own plugin: ./own.so",
      .suggested = "fcfs easy hybrid conservative",
      .excludes = "--queues"}},
};

constexpr OptionSpec<ServeOptions> kServiceOptions[] = {
    {member<&ServeOptions::config>,
     {.names = "--config",
      .about = "a TOML file with these options under their long names; the command line takes "
               "precedence",
      .kind = kReadFile}},
    {member<&ServeOptions::check>,
     {.names = "--check",
      .about = "check whether the machine or the state can be served, print what was read, and "
               "exit"}},
    {member<&ServeOptions::state>,
     {.names = "--state",
      .unit = "DIR",
      .about = "the folder of the state (default: $XDG_STATE_HOME/copse); an existing state is "
               "continued"}},
    {member<&ServeOptions::socket>,
     {.names = "--socket",
      .unit = "PATH",
      .about = "the Unix socket (default: $XDG_RUNTIME_DIR/copse/copse.sock)"}},
    {member<&ServeOptions::listen>,
     {.names = "--listen",
      .unit = "WHERE",
      .about = "also serve HTTP at this address and port: 127.0.0.1:7400, or 7400 for short; "
               "clients need a token there (copse token)"}},
    {member<&ServeOptions::allowed_hosts>,
     {.names = "--allowed-host",
      .unit = "NAME",
      .about = "also answer at --listen if a client asks for this name; addresses, localhost and "
               "the name of this computer are always allowed, and with TLS all names"}},
    {member<&ServeOptions::tls_certificate>,
     {.names = "--tls-cert",
      .about = "serve HTTPS at --listen, with this certificate: a PEM file with the certificate, "
               "then its intermediate chain; SIGHUP reads it again",
      .kind = kReadFile}},
    {member<&ServeOptions::tls_key>,
     {.names = "--tls-key",
      .about = "the key of the certificate (PEM; default: in the same file); other users must not "
               "be able to read it",
      .kind = kReadFile}},
    {member<&ServeOptions::tls_client_ca>,
     {.names = "--tls-client-ca",
      .about =
          "accept client certificates signed by these (PEM); the table tls-clients of --config "
          "maps them to users",
      .kind = kReadFile}},
    {member<&ServeOptions::everybody>,
     {.names = "--everybody",
      .unit = "ROLE",
      .about = "the role of other users of this computer at the socket: none (default: no "
               "rights), guest, user, operator or owner",
      .words = "none guest user operator owner"}},
    {member<&ServeOptions::anonymous>,
     {.names = "--anonymous",
      .unit = "ROLE",
      .about = "the role over TCP of clients without a token or certificate: none (default: no "
               "rights) or guest",
      .words = "none guest"}},
    {member<&ServeOptions::private_data>,
     {.names = "--private-data",
      .unit = "WHAT",
      .about = "what users and guests do not see of others: none (default: they see what squeue "
               "shows) or jobs (nothing of the jobs of others)",
      .words = "none jobs"}},
    {member<&ServeOptions::audit>,
     {.names = "--audit",
      .unit = "PATH",
      .about =
          "the log of each change and its user (default: audit.log in the folder of the state; "
          "-: standard error)"}},
    {member<&ServeOptions::clients>,
     {.names = "--clients",
      .unit = "NUMBER",
      .about = "clients at one time, at most (default: 10000)",
      .least = 1,
      .most = 1'000'000}},
    {member<&ServeOptions::client_mebibytes>,
     {.names = "--client-mebibytes",
      .unit = "NUMBER",
      .about = "memory for unfinished lines and unsent answers of all clients; beyond it, the "
               "client that uses the most memory is disconnected (default: 512)",
      .least = 1,
      .most = 1'048'576}},
    {member<&ServeOptions::jobs>,
     {.names = "--jobs",
      .unit = "NUMBER",
      .about = "unfinished jobs, at most (default: 1000000)",
      .least = 1,
      .most = kJobsMost}},
    {member<&ServeOptions::jobs_of_user>,
     {.names = "--jobs-of-user",
      .unit = "NUMBER",
      .about = "unfinished jobs per user, at most; operators are exempt (default: 100000)",
      .least = 1,
      .most = kJobsMost}},
    {member<&ServeOptions::planned_of_user>,
     {.names = "--planned-of-user",
      .unit = "NUMBER",
      .about = "future reservations per user outside the queue, at most; operators are exempt "
               "(default: 10000)",
      .least = 1,
      .most = kJobsMost}},
    {member<&ServeOptions::snapshot_records>,
     {.names = "--snapshot-changes",
      .unit = "NUMBER",
      .about = "write the whole state after this many changes (default: 100000)",
      .least = 1,
      .most = 1'000'000'000}},
};

}  // namespace

void add_serve_options(CommandLine& line, ServeOptions& options) {
  options.setup.clock_alone = true;
  options.setup.policy_by_levels = true;
  add_machine_options(line, options.setup, true);
  line.added("--load-file").required(false);
  add_options(line, options, kAnswerOptions);
  line.heading("Jobs");
  add_options(line, options, kJobOptions);
  line.heading("Service");
  add_options(line, options, kServiceOptions);
  line.duration(
      "--stop-grace", options.stop_grace_s, 0,
      "a cancelled job ends by itself if its executor does not report its end within this "
      "time (default: 60 s; inf: never)");
  line.duration("--down-grace", options.down_grace_s, 0,
                "a job ends, as lost, if a node of it is down for this time (default: 60 s; inf: "
                "never)");
  line.duration("--default-lease", options.default_lease_s, 0,
                "the lease of jobs that name none (default: no limit)");
  line.duration("--clock-jump-max", options.clock_jump_max_s, kEndless_s,
                "by how much the computer's clock may jump ahead; beyond it, the service does not "
                "follow, or does not start (default: 366d)");
  line.flag("--clock-back", options.clock_back,
            "set the clock of a state that is ahead of the computer's clock back to it, once");
}

}  // namespace copse
