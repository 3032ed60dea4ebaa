// SPDX-License-Identifier: Apache-2.0
#include "host/progress.hpp"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

namespace copse {

using std::chrono::milliseconds;

Progress::Progress(std::string what, std::FILE* stream)
    : Progress(std::move(what), stream, stream != nullptr && ::isatty(::fileno(stream)) == 1,
               Clock::now()) {}

Progress::Progress(std::string what, std::FILE* stream, bool terminal, Clock::time_point begin)
    : what_(std::move(what)),
      stream_(stream),
      terminal_(terminal),
      begin_(begin),
      next_(begin + milliseconds(500)) {}

Progress::~Progress() {
  if (!shown_) return;
  std::fputs("\r\033[2K", stream_);
  std::fflush(stream_);
}

// Assumes constant speed. The blanks at the end overwrite a longer line.
std::string Progress::left(std::uint64_t done, std::uint64_t all, Clock::time_point now) const {
  const std::chrono::duration<double> took = now - begin_;
  if (took.count() < 2 || done == 0 || done >= all) return {};
  const double left_s = took.count() * static_cast<double>(all - done) / static_cast<double>(done);
  return fmt::format(", about {:.0f} s left  ", left_s);
}

void Progress::at(std::uint64_t done, std::uint64_t all, Clock::time_point now) {
  if (!terminal_ || now < next_) return;
  next_ = now + milliseconds(100);
  shown_ = true;
  if (all == 0) {
    std::fputs(fmt::format("\r{} …", what_).c_str(), stream_);
  } else {
    const double percent =
        100.0 * static_cast<double>(std::min(done, all)) / static_cast<double>(all);
    std::fputs(fmt::format("\r{} … {:.0f} %{}", what_, percent, left(done, all, now)).c_str(),
               stream_);
  }
  std::fflush(stream_);
}

}  // namespace copse
