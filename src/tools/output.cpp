// SPDX-License-Identifier: Apache-2.0
#include "tools/output.hpp"

#include <iostream>

namespace copse {

Result<void> Output::open(const std::string& path) {
  path_ = path;
  if (path.empty() || path == "-") return {};
  file_.reset(std::fopen(path.c_str(), "wb"));
  if (file_ == nullptr) return fail(ErrorCode::io, "can't write " + path);
  return {};
}

bool Output::write(std::string_view text) {
  good_ = good_ && std::fwrite(text.data(), 1, text.size(), stream()) == text.size();
  return good_;
}

Result<void> Output::close() {
  good_ = good_ && std::fflush(stream()) == 0;
  const bool to_file = file_ != nullptr;
  if (to_file) good_ = std::fclose(file_.release()) == 0 && good_;
  if (good_) return {};
  return fail(ErrorCode::io, "can't write " + (to_file ? path_ : "to standard output"));
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
  return fail(ErrorCode::io, "can't write to standard output");
}

void write_error(std::string_view text) { (void)std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace copse
