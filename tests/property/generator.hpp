// SPDX-License-Identifier: Apache-2.0
//
// The seeded generator of machines, requests and event streams: a seed gives the same case on every
// platform. Property tests, crash tests and benches use it.
//
// Covered: several node types on one machine (with and without sockets, leaf nodes, pools of size
// 0), ids and uniq_ids beyond 10,000, equal, descending, shuffled, negative and missing ids, edges
// in another order than that of creation, unequal sizes below one parent, parents of more than 64
// children; counts with every operator, exclusive true and false, labels, slots at and above the
// level of their contents, lists of several types, constraints, impossible requests; matches of all
// six operations, cancels, status and properties of any pool, a clock that advances.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "copse/engine.hpp"
#include "copse/request.hpp"
#include "property/machine.hpp"
#include "property/random.hpp"

namespace copse::property {

enum class MachineSize : std::uint8_t {
  small,  // 10 to 400 pools
  large,  // 1,000 to 3,000 pools, some parent with more than 64 interior children
};
enum class Stream : std::uint8_t {
  usual,  // up to 40 events
  queue,  // 150 to 300, mostly reservations: hundreds of times at which something changes
};

[[nodiscard]] Machine make_machine(Random& random, MachineSize size);
[[nodiscard]] Recipe make_recipe(Random& random);  // of a regular machine

[[nodiscard]] Request make_request(Random& random, const Machine& machine);
// The request as a jobspec that parse_jobspec reads back to the same request.
[[nodiscard]] std::string jobspec_text(const Request& request);

struct Event {
  enum class Kind : std::uint8_t {
    match,
    cancel,
    set_status,
    set_property,
    attach,       // attach `coming` below `pool`, numbered from `first`
    remove,       // remove `pool` and everything below it
    update,       // grant to `job` what job `other` was granted
    cancel_part,  // free the pools of `job` that `dice` selects
    compact,
    advance  // advance the clock by `duration_s`
  };
  Kind kind = Kind::match;
  Operation operation = Operation::allocate;
  std::uint32_t request = 0;  // index into the case's requests
  JobId job = 0;
  bool undo = false;  // cancel at once what a match granted: the state must be as before
  Number pool = 0;
  Status status = Status::up;
  std::string key;
  std::vector<ComingPool> coming;
  Number first = 0;
  JobId other = 0;
  std::uint32_t dice = 0;
  std::int64_t start = 0, duration_s = 0;  // for update, advance
};
[[nodiscard]] std::string text(const Event& event);

struct Case {
  std::uint64_t seed = 0;
  Machine machine;
  std::vector<Request> requests;
  std::vector<Event> events;
};

[[nodiscard]] Case make_case(std::uint64_t seed, MachineSize size, Stream stream = Stream::usual);
// A machine that grows and shrinks: events of all kinds. `odd`: one of odd_machine.hpp.
// change_generator.cpp.
[[nodiscard]] Case make_change_case(std::uint64_t seed, MachineSize size, bool odd = false);
// Adds this number of such events to a case.
void add_changes(Random& random, Case& a_case, std::int64_t count);
// All that a person needs to repeat a case by hand.
[[nodiscard]] std::string text(const Case& a_case);

}  // namespace copse::property
