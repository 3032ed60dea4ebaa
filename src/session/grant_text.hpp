// SPDX-License-Identifier: Apache-2.0
//
// GrantText: what a session says of grants: their R, and what `info` shows of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "copse/engine.hpp"
#include "formats/grant_writer.hpp"
#include "rset/rset_scheduling.hpp"

namespace copse {

// What a match or a grant has.
struct Granted {
  std::int64_t start, end, nslots;
  const Selection& selection;
  const GrantCharges& charges;

  // Of a Match or a Grant, which must outlive it.
  template <class Given>
  [[nodiscard]] static Granted of(const Given& given) {
    return {given.start, given.end, given.nslots, given.selection, given.charges};
  }
};

class GrantText {
 public:
  // In this form; with TreePool's scheduling key, if there is one, in form rv1.
  GrantText(Format format, const RScheduling* scheduling)
      : scheduling_(scheduling),
        writer_(scheduling != nullptr ? Format::rv1 : format, GrantWriter::WholePools::filled) {}

  // Its R; null, if there is no core and no gpu in it. An end at the end of the clock is 0: none.
  // O(what it has).
  void append_r(const Engine& engine, const Granted& got, std::string_view queue, std::string& out);
  // {"id", "at", "R", "hres"?}
  void append_granted(const Engine& engine, std::int64_t id, const Granted& got,
                      std::string_view queue, std::string& out);

 private:
  const RScheduling* scheduling_;
  GrantWriter writer_;
};

}  // namespace copse
