// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/service/service_address.hpp"

#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "files/read_file.hpp"
#include "tools/copse/command_line/command_line.hpp"
#include "tools/copse/serve/state_folder.hpp"

namespace copse {

namespace {

constexpr std::size_t kTokenBytesMax = 1024;
constexpr std::string_view kForms = "write a path, unix:PATH, or https://HOST:PORT";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }) &&
         std::atoi(std::string(text).c_str()) <= 65'535;
}

Result<ServiceAddress> unix_address(std::string_view path) {
  constexpr std::size_t kPathBytesMax = sizeof(sockaddr_un{}.sun_path) - 1;
  if (path.empty()) {
    return fail(ErrorCode::invalid, fmt::format("the socket has no path: {}", kForms));
  }
  if (path.size() > kPathBytesMax) {
    return fail(ErrorCode::limit,
                fmt::format("the path {} of a socket has {} bytes; it may have {}",
                            shown_word(path), path.size(), kPathBytesMax));
  }
  ServiceAddress out;
  out.name = out.path = path;
  return out;
}

Result<ServiceAddress> http_address(std::string_view text, bool secret = false) {
  const std::string_view given = text;
  if (text.ends_with('/')) text.remove_suffix(1);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || !is_port(text.substr(colon + 1))) {
    return fail(ErrorCode::invalid,
                fmt::format("{} is not the address of a service: {}", shown_word(given), kForms));
  }
  std::string_view host = text.substr(0, colon);
  ServiceAddress out;
  out.port = text.substr(colon + 1);
  out.secret = secret;
  out.name = fmt::format("{}://{}:{}", secret ? "https" : "http", host, out.port);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const bool plain = std::ranges::all_of(host, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == ':' || c == '_';
  });
  if (!plain) {
    return fail(ErrorCode::invalid, fmt::format("{} is not a host: {}", shown_word(host), kForms));
  }
  out.host = host;
  return out;
}

Result<std::string> token_in(std::string text, const std::string& where) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const bool plain = std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '~' || c == '+' ||
           c == '/' || c == '=';
  });
  if (!text.empty() && text.size() <= kTokenBytesMax && plain) return text;
  return fail(
      ErrorCode::invalid,
      fmt::format("there is no token in {}: it must be one word, as copse token add prints it",
                  where));
}

Result<std::string> token_of_file(const std::string& path) {
  struct stat facts{};
  if (path != "-" && ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
      (facts.st_mode & 077U) != 0) {
    return fail(ErrorCode::invalid,
                fmt::format("other users can read the token in {}: chmod 600 makes it private",
                            shown_word(path)));
  }
  auto text = read_input(path, kTokenBytesMax);
  if (!text) return text;
  return token_in(std::move(*text), shown_word(path));
}

Result<std::string> token_of(const ClientOptions& options) {
  if (!options.token_file.empty()) return token_of_file(options.token_file);
  if (std::string token = variable("COPSE_TOKEN"); !token.empty()) {
    return token_in(std::move(token), "COPSE_TOKEN");
  }
  if (const std::string file = variable("COPSE_TOKEN_FILE"); !file.empty()) {
    return token_of_file(file);
  }
  return "";
}

// Files of TLS for an address without TLS are an error: they would be ignored silently.
Result<void> refuse_tls_files(const ClientOptions& options, const std::string& name) {
  const char* given = nullptr;
  if (!options.key.empty()) given = "--key";
  if (!options.certificate.empty()) given = "--cert";
  if (!options.ca.empty()) given = "--ca";
  if (given == nullptr) return {};
  return fail(
      ErrorCode::invalid,
      fmt::format("{} requires a service at https://HOST:PORT, and {} has no TLS", given, name));
}

std::string given_or_variable(const std::string& given, const char* name) {
  return given.empty() ? variable(name) : given;
}

Result<void> prepare_tls(const ClientOptions& options, ServiceAddress& address) {
  server::TlsClient::Files files{
      .ca = given_or_variable(options.ca, "COPSE_CA"),
      .certificate = given_or_variable(options.certificate, "COPSE_CERT"),
      .key = given_or_variable(options.key, "COPSE_KEY")};
  if (files.certificate.empty() && !files.key.empty()) {
    return fail(ErrorCode::invalid,
                "the key has no certificate: name one with --cert or COPSE_CERT");
  }
  if (files.key.empty()) files.key = files.certificate;
  auto tls = server::TlsClient::open(files);
  if (!tls) return std::unexpected(tls.error());
  address.ca = files.ca;
  address.tls = std::make_shared<server::TlsClient>(std::move(*tls));
  return {};
}

}  // namespace

Result<ServiceAddress> parse_service_address(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (text.starts_with("http://")) return http_address(text.substr(7));
  if (text.starts_with("https://")) return http_address(text.substr(8), true);
  if (scheme != std::string_view::npos) {
    return fail(ErrorCode::invalid,
                fmt::format("{} is not the address of a service: {}", shown_word(text), kForms));
  }
  if (text.starts_with("unix:")) return unix_address(text.substr(5));
  const std::size_t colon = text.rfind(':');
  const bool has_port = colon != std::string_view::npos && is_port(text.substr(colon + 1));
  return has_port && !text.contains('/') ? http_address(text) : unix_address(text);
}

void add_client_options(CommandLine& line, ClientOptions& options, std::string_view json) {
  line.streams({}, "the answer");
  if (!json.empty()) line.flag("--json", options.json, std::string(json));
  line.heading("Service");
  line.option(
          "--server", options.server,
          "a Unix socket, http://HOST:PORT or https://HOST:PORT (default: $COPSE_SERVER, or the "
          "socket of copse serve)")
      .unit("PATH|URL");
  line.option("--token-file", options.token_file,
              "for HTTP: the file of the token that copse token add printed (default: "
              "$COPSE_TOKEN, or the file $COPSE_TOKEN_FILE)")
      .reads_file();
  line.option("--ca", options.ca,
              "for https: the authorities that may sign the certificate of the service (PEM; "
              "default: $COPSE_CA, or those of the system)")
      .reads_file();
  line.option("--cert", options.certificate,
              "for https: your certificate (PEM; default: $COPSE_CERT)")
      .reads_file();
  line.option("--key", options.key,
              "the key of your certificate (PEM; default: $COPSE_KEY, or in the same file)")
      .reads_file();
  line.heading("Options");
}

Result<ServiceAddress> find_service(const ClientOptions& options) {
  auto token = token_of(options);
  if (!token) return std::unexpected(token.error());
  std::string where = options.server.empty() ? variable("COPSE_SERVER") : options.server;
  if (where.empty()) {
    const auto folder = default_state_folder();
    where = default_socket(folder.value_or(""));
    if (!folder && where == "/copse.sock") {
      return fail(ErrorCode::not_found,
                  "none of XDG_RUNTIME_DIR, XDG_STATE_HOME and HOME is set: name the service with "
                  "--server");
    }
  }
  auto out = parse_service_address(where);
  if (!out) return out;
  out->token = std::move(*token);
  auto prepared = out->secret ? prepare_tls(options, *out) : refuse_tls_files(options, out->name);
  if (!prepared) return std::unexpected(prepared.error());
  return out;
}

}  // namespace copse
