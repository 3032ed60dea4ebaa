// SPDX-License-Identifier: Apache-2.0
//
// A session: requests to one engine as JSON objects, a line each, answered in order by a JSON
// object a line.
//
//   alloc, reserve   id, shape or jobspec, duration?, constraints?   {"id", "at", "R"}
//   satisfy          the same without id                             {}
//   free             id, ranks?                                      {}
//   now              t                                               {}
//   down, up         ranks: an idset or "all"                        {}
//   info             id?                                             {"grants": [...]}
//   quit                                                             {}, and the end
//
// A refused request changes nothing; it is answered {"error": CODE, "message": TEXT} with CODE one
// of insufficient, infeasible, invalid.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "copse/engine.hpp"
#include "formats/formats.hpp"
#include "formats/treepool.hpp"

namespace copse {

class Session {
 public:
  // `key`: the scheduling key of the machine's R, written in answers.
  Session(std::unique_ptr<Engine> engine, std::optional<TreepoolKey> key);
  Session(Session&&) noexcept;
  ~Session();

  // Answers one line; appends the answer and a newline. False: the session is over.
  bool answer(std::string_view line, std::string& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A session on the machine of an R (RFC 20), with its locality domains if TreePool wrote it.
// Errors: as read_r, graph_of_r, read_treepool, Engine::create.
[[nodiscard]] Result<Session> session_of_r(std::string_view text, std::string_view file = {});

}  // namespace copse
