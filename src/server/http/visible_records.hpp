// SPDX-License-Identifier: Apache-2.0
//
// VisibleRecords: records of the journal as a client sees them (EventLog::append): the events of jobs,
// and the effects of grants, of others are reduced or left out.
#pragma once

#include <string>
#include <string_view>

#include "server/service.hpp"

namespace copse::server {

class VisibleRecords {
 public:
  // REQUIRES that the service outlives this.
  VisibleRecords(const Service& service, const Caller& caller)
      : service_(service), viewer_(service.viewer_of(caller)) {}

  // Whether reduce() leaves all lines as they are.
  [[nodiscard]] bool all() const { return viewer_.sees_all; }
  // Reduces the lines of a record in place. O(length), unless the client sees everything.
  void reduce(std::string& lines) const;

 private:
  void append(std::string_view line, std::string& out) const;

  const Service& service_;
  Viewer viewer_;
};

}  // namespace copse::server
