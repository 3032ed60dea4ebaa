// SPDX-License-Identifier: Apache-2.0
#include "server/accept/acceptors.hpp"

#include <chrono>

#include <fmt/format.h>

namespace copse::server {

namespace {

constexpr auto kRetry = std::chrono::milliseconds(100);

}  // namespace

Result<std::string> Acceptors::add(Listener listener) {
  Acceptor acceptor(loop_);
  boost::system::error_code code;
  if (acceptor.assign({listener.family, 0}, listener.socket, code)) {
    return fail(ErrorCode::io,
                fmt::format("can't listen at {}: {}", listener.name, code.message()));
  }
  acceptors_.push_back(std::move(acceptor));
  if (listener.file) files_.push_back(std::move(*listener.file));
  return std::move(listener.name);
}

void Acceptors::start() {
  for (std::size_t i = 0; i < acceptors_.size(); ++i) accept(i);
}

void Acceptors::close() {
  closed_ = true;
  timer_.cancel();
  boost::system::error_code ignored;
  for (auto& acceptor : acceptors_) (void)acceptor.close(ignored);
  files_.clear();
}

void Acceptors::accept(std::size_t number) {
  acceptors_[number].async_accept(
      [this, number](const boost::system::error_code& code, Stream::socket socket) {
        if (code == boost::asio::error::operation_aborted || closed_) return;
        if (!code) {
          accepted_(std::move(socket));
          return accept(number);
        }
        timer_.expires_after(kRetry);
        timer_.async_wait([this, number](const boost::system::error_code& cancelled) {
          if (!cancelled) accept(number);
        });
      });
}

}  // namespace copse::server
