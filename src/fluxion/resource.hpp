// SPDX-License-Identifier: Apache-2.0
//
// Resource: Fluxion's commands on an engine, for the three programs that serve them: resource-query,
// the C API (reapi) and the Flux module. Each program adds its own messages and error numbers.
//
//   fluxion::Resource resource(engine, Format::rv1_nosched);
//   const auto matched = resource.match(Operation::allocate, {.text = jobspec}, 7);
//   if (matched.result) resource.write(**matched.result, matched.queue(), out);
//
// Thread safety: none. Costs: those of the engine.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "copse/engine.hpp"
#include "formats/grant_writer.hpp"

namespace copse::fluxion {

// A scheduler that plans jobs on the same engine. It performs changes of the machine itself, so that
// its queue takes them into account.
class EngineSharer {
 public:
  virtual ~EngineSharer() = default;
  virtual void set_status(std::span<const PoolId> pools, Status status) = 0;
  // Errors of both: as the functions of Engine.
  [[nodiscard]] virtual Result<void> attach(std::span<const NewSubtree> subtrees) = 0;
  [[nodiscard]] virtual Result<std::vector<JobId>> remove(std::span<const PoolId> tops) = 0;
  virtual void properties_changed() = 0;
};

class Resource {
 public:
  // REQUIRES that the engine outlives it.
  Resource(Engine& engine, Format format) : engine_(engine), writer_(format) {}
  // nullptr: changes are made on the engine directly. REQUIRES that the sharer outlives its use.
  void share_with(EngineSharer* sharer) { sharer_ = sharer; }
  [[nodiscard]] Engine& engine() { return engine_; }
  [[nodiscard]] const ResourceGraph& graph() const { return engine_.graph(); }

  // --- Jobs
  struct Jobspec {
    std::string_view text, file{};  // `file`: the name in messages
  };
  struct Matched {
    MatchResult result;
    PreparedRequest* request = nullptr;  // nullptr: `result` has the error of the jobspec
    double elapsed_s = 0;                // of both steps
    [[nodiscard]] std::string_view queue() const { return request->request().queue; }
  };
  // Prepares and matches. Errors: those of Engine::prepare and Engine::match.
  [[nodiscard]] Matched match(Operation operation, const Jobspec& jobspec, JobId grant);
  // Appends a match in the format; nothing if the format cannot represent it.
  void write(const Match& match, std::string_view queue, std::string& out) {
    writer_.write(graph(), GrantView::of(match, queue), out);
  }
  [[nodiscard]] GrantWriter& writer() { return writer_; }

  // --- Pools
  // Appends the pools found, in the format given, or in that of grants. Errors: as Engine::find.
  [[nodiscard]] Result<void> find(std::string_view expression, std::optional<Format> format,
                                  std::string& out);
  void set_status(std::span<const PoolId> pools, Status status);
  // "KEY=VALUE" as its parts; none if a part is empty.
  using Property = std::pair<std::string, std::string>;
  [[nodiscard]] static std::optional<Property> parse_property(std::string_view assignment);
  void set_property(std::span<const PoolId> pools, const Property& property);
  void remove_property(std::span<const PoolId> pools, const std::string& key);

  // --- A machine that grows and shrinks
  // Adds the pools of a JGF that the machine does not have. Errors: those of read_jgf_set() and
  // Engine::attach(); exists (the machine has all of them).
  [[nodiscard]] Result<void> add_subgraph(std::string_view jgf, std::string_view file);
  // Errors: as Engine::remove.
  [[nodiscard]] Result<void> remove(std::span<const PoolId> tops);

 private:
  Engine& engine_;
  GrantWriter writer_;
  EngineSharer* sharer_ = nullptr;
};

}  // namespace copse::fluxion
