// SPDX-License-Identifier: Apache-2.0
//
// TlsSocket: TLS on a connected socket, for either end. Nothing blocks: a step that cannot proceed
// returns what the socket must be ready for.
//
// The caller owns the socket, and must keep it open while steps are taken. No step may follow one
// that failed or ended.
//
// Memory: about 10 KiB between records, up to 40 KiB during one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Only src/server/tls includes OpenSSL.
struct ssl_st;
struct x509_st;
struct ssl_ctx_st;

namespace copse::server {

class TlsSocket {
 public:
  struct Step {
    // ended: the other end has sent its close_notify.
    enum class State : std::uint8_t { done, wants_read, wants_write, ended, failed };
    State state = State::failed;
    std::size_t bytes = 0;    // read or written
    std::string why{};        // if failed: OpenSSL's reason
    long verify_error = 0;    // if failed: why the peer's certificate is refused (X509_V_ERR_…)
    bool is_not_tls = false;  // if failed: the peer does not speak TLS
    bool is_refused = false;  // if failed: the peer sent an alert
    [[nodiscard]] bool waits() const {
      return state == State::wants_read || state == State::wants_write;
    }
  };
  enum class Side : std::uint8_t { server, client };

  TlsSocket(ssl_ctx_st& context, int socket, Side side);
  TlsSocket(const TlsSocket&) = delete;
  TlsSocket& operator=(const TlsSocket&) = delete;
  ~TlsSocket();

  // For a client, before the handshake: the expected host, a name or a numeric address. False: it
  // is neither.
  [[nodiscard]] bool expect_host(const std::string& host);

  [[nodiscard]] Step handshake();
  [[nodiscard]] Step read(char* bytes, std::size_t most);
  [[nodiscard]] Step write(std::string_view bytes);  // as much as the socket accepts
  // Sends close_notify, if the socket accepts it now.
  void send_close_notify();

  // Bytes that were already read from the socket wait for read().
  [[nodiscard]] bool has_pending() const;
  // After the handshake: the names in the peer's verified certificate (certificate_names()); empty:
  // it presented none.
  [[nodiscard]] std::vector<std::string> peer_names() const;

 private:
  [[nodiscard]] Step step_of(int result, std::size_t bytes);

  int socket_;
  ssl_st* ssl_;          // nullptr: out of memory; every step fails
  bool usable_ = false;  // the handshake is done, and no step has failed
};

// The names in a certificate: "CN:ada"; of the subject's alternative names, "DNS:ci.example.org",
// "email:ada@example.org", "URI:spiffe://example.org/ci".
// CN first, then the others in their order; at most 64. Empty names, names above 256 bytes and
// names with control characters are left out: what a table reads as "ada" must be the whole name.
[[nodiscard]] std::vector<std::string> certificate_names(const x509_st& certificate);

}  // namespace copse::server
