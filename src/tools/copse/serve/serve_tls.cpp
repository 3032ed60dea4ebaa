// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/serve/serve_tls.hpp"

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "files/read_file.hpp"
#include "text/counted.hpp"
#include "tools/copse/serve/serve_config.hpp"

namespace copse {

namespace {

// A file of options that is read once may be a pipe.
Result<server::CertificateTable> table_of(const ServeTls::Words& words) {
  if (words.config.empty() || words.client_ca.empty()) return server::CertificateTable();
  const auto text = read_file(words.config);
  if (!text) return std::unexpected(text.error());
  return read_certificate_table(*text, words.config);
}

}  // namespace

Result<ServeTls> ServeTls::open(Words words) {
  ServeTls out(std::move(words));
  const Words& w = out.words_;
  if (w.certificate.empty() && !(w.key.empty() && w.client_ca.empty())) {
    return fail(ErrorCode::invalid, fmt::format("--{} requires --tls-cert",
                                                w.key.empty() ? "tls-client-ca" : "tls-key"));
  }
  if (w.certificate.empty()) return out;
  auto table = table_of(w);
  if (!table) return std::unexpected(table.error());
  out.table_ = std::move(*table);
  auto tls = server::TlsServer::open({.certificate = w.certificate,
                                      .key = w.key.empty() ? w.certificate : w.key,
                                      .client_ca = w.client_ca});
  if (!tls) return std::unexpected(tls.error());
  out.tls_.emplace(std::move(*tls));
  return out;
}

void ServeTls::reload(const Log& log, std::int64_t now_s) {
  if (!tls_) return;
  auto table = table_of(words_);
  if (table) {
    table_ = std::move(*table);
  } else {
    log("the table of certificates is unchanged: " + table.error().message());
  }
  if (const auto read = tls_->reload(); read) {
    log("the certificate is reloaded");
    say_end(log, now_s);
  } else {
    log("the certificate is unchanged: " + read.error().message());
  }
}

void ServeTls::say_end(const Log& log, std::int64_t now_s) const {
  constexpr std::int64_t kDay = 24 * 3600, kSoonDays = 14;
  if (!tls_) return;
  const std::int64_t left_s = tls_->ends_s() - now_s;
  if (left_s <= 0) {
    log(fmt::format("the certificate {} has expired: replace it, and send SIGHUP",
                    shown_word(words_.certificate)));
  } else if (left_s < kSoonDays * kDay) {
    log(fmt::format("the certificate {} expires within {}", shown_word(words_.certificate),
                    counted((left_s + kDay - 1) / kDay, "day")));
  }
}

}  // namespace copse
