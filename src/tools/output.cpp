// SPDX-License-Identifier: Apache-2.0
#include "tools/output.hpp"

#include <cerrno>
#include <iostream>

#include "tools/read_file.hpp"

namespace copse {

namespace {

constexpr const char* kStandardOutput = "to standard output";

std::unexpected<Error> cannot_write(const std::string& what, int error = errno) {
  return fail(ErrorCode::io, "can't write " + what + ": " + reason_of(error));
}

}  // namespace

void Output::fail_now() {
  good_ = false;
  error_ = errno;
}

Result<void> Output::open(const std::string& path) {
  path_ = path;
  if (path.empty() || path == "-") return {};
  file_.reset(std::fopen(path.c_str(), "wb"));
  if (file_ == nullptr) return cannot_write(path);
  return {};
}

bool Output::write(std::string_view text) {
  if (good_ && std::fwrite(text.data(), 1, text.size(), stream()) != text.size()) fail_now();
  return good_;
}

Result<void> Output::close() {
  if (good_ && std::fflush(stream()) != 0) fail_now();
  const bool to_file = file_ != nullptr;
  if (to_file && std::fclose(file_.release()) != 0 && good_) fail_now();
  if (good_) return {};
  return cannot_write(to_file ? path_ : kStandardOutput, error_);
}

Result<void> write_out(const std::string& path, std::string_view text) {
  Output out;
  if (auto ok = out.open(path); !ok) return ok;
  (void)out.write(text);
  return out.close();
}

Result<void> flush_standard_output() {
  const bool streamed = std::cout.flush().good();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && streamed) return {};
  return cannot_write(kStandardOutput);
}

void write_error(std::string_view text) { (void)std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace copse
