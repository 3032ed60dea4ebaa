// SPDX-License-Identifier: Apache-2.0
//
// GrantText: writes grants for a session: R, and the rows of `info`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "copse/engine.hpp"
#include "formats/grant_writer.hpp"
#include "rset/rset_scheduling.hpp"

namespace copse {

// The parts of a Match or a Grant that are written.
struct AllocationView {
  std::int64_t start, end, nslots;
  const Selection& selection;
  const GrantCharges& charges;

  // A view of a Match or a Grant, which must outlive it.
  template <class Given>
  [[nodiscard]] static AllocationView of(const Given& given) {
    return {given.start, given.end, given.nslots, given.selection, given.charges};
  }
};

class GrantText {
 public:
  // Writes R in `format`; if `scheduling` (TreePool's key) is not nullptr, in form rv1 with that
  // key.
  GrantText(Format format, const RScheduling* scheduling)
      : scheduling_(scheduling),
        writer_(scheduling != nullptr ? Format::rv1 : format, GrantWriter::WholePools::filled) {}

  // Appends R; null without cores and gpus. An end at the horizon is written as 0: no end.
  // O(resources of the grant).
  void append_r(const Engine& engine, const AllocationView& got, std::string_view queue,
                std::string& out);
  // Appends {"id", "at", "R", "hres"?, "remarks"?}.
  void append_granted(const Engine& engine, std::int64_t id, const AllocationView& got,
                      std::string_view queue, std::string& out,
                      std::span<const std::string> remarks = {});

 private:
  const RScheduling* scheduling_;
  GrantWriter writer_;
};

}  // namespace copse
