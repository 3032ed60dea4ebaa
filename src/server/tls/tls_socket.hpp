// SPDX-License-Identifier: Apache-2.0
//
// TlsSocket: TLS on a socket that is connected, for either end. Nothing here waits: a step that can't go
// on says for what the socket has to be ready.
//
// The socket belongs to whoever made it, and must stay open as long as steps are taken. After a step
// that failed or ended, no other follows.
//
// Memory: about 10 KiB between records, and up to 40 KiB while one is on its way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// OpenSSL is in src/server/tls alone.
struct ssl_st;
struct ssl_ctx_st;

namespace copse::server {

class TlsSocket {
 public:
  struct Step {
    // ended: the other end has said that it sends no more.
    enum class State : std::uint8_t { done, wants_read, wants_write, ended, failed };
    State state = State::failed;
    std::size_t bytes = 0;    // that were read or written
    std::string why{};        // of failed: what OpenSSL says
    long distrust = 0;        // of failed: why the other's certificate is refused (X509_V_ERR_…)
    bool is_no_tls = false;   // of failed: what came is no TLS
    bool is_refused = false;  // of failed: the other end has refused something, and said so
    [[nodiscard]] bool waits() const {
      return state == State::wants_read || state == State::wants_write;
    }
  };
  enum class Side : std::uint8_t { server, client };

  TlsSocket(ssl_ctx_st& context, int socket, Side side);
  TlsSocket(const TlsSocket&) = delete;
  TlsSocket& operator=(const TlsSocket&) = delete;
  ~TlsSocket();

  // For a client, before the handshake: who has to be at the other end. A name, or an address in
  // digits. False: it is neither.
  [[nodiscard]] bool expect_host(const std::string& host);

  [[nodiscard]] Step handshake();
  [[nodiscard]] Step read(char* bytes, std::size_t most);
  [[nodiscard]] Step write(std::string_view bytes);  // as much as the socket takes
  // Says that nothing more is sent, if the socket takes it now.
  void say_end();

  // Bytes that have been read from the socket already wait for read().
  [[nodiscard]] bool has_some() const;
  // After the handshake: the names in the other's certificate, which was found good; as
  // certificate_names() has them. None: it has shown none.
  [[nodiscard]] std::vector<std::string> peer_names() const;

 private:
  [[nodiscard]] Step step_of(int result, std::size_t bytes);

  int socket_;
  ssl_st* ssl_;          // nullptr: there was no memory for one; every step fails
  bool usable_ = false;  // the handshake is done, and no step has failed
};

}  // namespace copse::server
