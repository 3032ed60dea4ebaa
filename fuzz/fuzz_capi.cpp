// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as calls of include/copse.h, in any order, with handles of any kind: good ones, NULL,
// freed ones, ones of another kind, numbers. Every call must end with a code of the header, and no
// fault of Copse.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "byte_draws.hpp"
#include "copse.h"
#include "go_on.hpp"
#include "target.hpp"

namespace {

using copse::fuzz::ByteDraws;
using copse::fuzz::require;

constexpr int kCallsMax = 200;
constexpr const char* kMachine = R"({"version": 1, "execution": {
  "R_lite": [{"rank": "0-3", "children": {"core": "0-3", "gpu": "0"}}],
  "starttime": 0, "expiration": 0, "nodelist": ["n[0-3]"]}})";
constexpr const char* kTaken = R"({"version": 1, "execution": {
  "R_lite": [{"rank": "1-2", "children": {"core": "0-1"}}],
  "starttime": 0, "expiration": 0, "nodelist": ["n[1-2]"]}})";
constexpr const char* kJobspec =
    "version: 1\nresources: [{type: slot, count: 2, label: x, with: [{type: core, count: 3}]}]\n"
    "tasks: []\nattributes: {system: {duration: 50}}\n";

void ignore(void* context, const char* /*bytes*/, std::size_t length) {
  *static_cast<std::size_t*>(context) += length;
}

class Caller {
 public:
  explicit Caller(ByteDraws draws) : draws_(draws) {}
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() {
    for (void* queue : all_[3]) copse_queue_free(static_cast<copse_queue*>(queue));
    for (void* request : all_[2]) copse_request_free(static_cast<copse_request*>(request));
    for (void* engine : all_[1]) copse_engine_free(static_cast<copse_engine*>(engine));
    for (void* machine : all_[0]) copse_machine_free(static_cast<copse_machine*>(machine));
    copse_free(text_);
    copse_free(list_);
    copse_free(result_.text);
  }

  void run() {
    for (int i = 0; i < kCallsMax && !draws_.over(); ++i) {
      copse_free(text_);
      copse_free(list_);
      copse_free(result_.text);
      text_ = nullptr;
      list_ = nullptr;
      result_ = COPSE_RESULT_INIT;
      const copse_code code = call();
      require(code <= COPSE_NO_MEMORY);
      require(std::string(copse_word(code)) != "unknown");
      require(copse_version() != nullptr);
    }
  }

 private:
  // Mostly the newest of the kind that is wanted; else anything.
  template <class T>
  T* any(std::size_t kind) {
    if (!all_[kind].empty() && draws_.chance(80)) {
      return static_cast<T*>(all_[kind][all_[kind].size() - 1 -
                                        draws_.below(std::min<std::size_t>(all_[kind].size(), 3))]);
    }
    const std::vector<void*>& other = all_[draws_.below(4)];
    if (!other.empty() && draws_.chance(60)) {
      return static_cast<T*>(other[draws_.below(other.size())]);
    }
    return reinterpret_cast<T*>(draws_.chance(50) ? 0 : draws_.below(UINT64_MAX));
  }
  copse_machine* machine() { return any<copse_machine>(0); }
  copse_engine* engine() { return any<copse_engine>(1); }
  copse_request* request() { return any<copse_request>(2); }
  copse_queue* queue() { return any<copse_queue>(3); }
  template <class T>
  void keep(std::size_t kind, T* handle) {
    if (handle != nullptr) all_[kind].push_back(handle);
  }

  const char* layer() { return draws_.chance(80) ? "flat" : words(); }
  const char* queue_name() { return draws_.pick<const char*>({"", nullptr, "debug"}); }
  std::uint64_t job() { return draws_.below(6); }
  std::int64_t time() {
    return draws_.pick<std::int64_t>({0, 1, 5, 50, 100, 1000, -1, INT64_MAX, INT64_MIN});
  }
  const char* words() {
    return draws_.pick<const char*>({"n0",
                                     "n[1-2]",
                                     "0-3",
                                     "2",
                                     "/cluster0",
                                     "/cluster0/n1",
                                     "rv1",
                                     "simple",
                                     "jgf",
                                     "json",
                                     "text",
                                     "",
                                     "nonsense",
                                     "[",
                                     "status=down",
                                     "sched-now=free",
                                     "slot=1/node{x}",
                                     "slot=2/core",
                                     "slot=9/node",
                                     "core",
                                     nullptr});
  }
  const char* text() {
    return draws_.pick<const char*>(
        {kMachine, kJobspec, "", "{}", "[", nullptr, R"([{resource: flat, mode: MODE_1}])"});
  }

  copse_code make() {
    copse_machine* machine_out = nullptr;
    copse_engine* engine_out = nullptr;
    copse_request* request_out = nullptr;
    copse_queue* queue_out = nullptr;
    copse_code code = COPSE_OK;
    switch (draws_.below(10)) {
      case 8:  // there is no such file, or it is no machine
        code =
            copse_machine_load(draws_.pick<const char*>({"", "/", "/dev/null", "/none/x", nullptr}),
                               nullptr, &machine_out, &error_);
        break;
      case 0:
        code = copse_machine_read(draws_.chance(80) ? kMachine : text(), COPSE_TERMINATED, nullptr,
                                  &machine_out, &error_);
        break;
      case 1: {
        copse_engine_options how = COPSE_ENGINE_OPTIONS_INIT;
        how.policy = draws_.pick<const char*>({"low", "high", "first", "compact", "none", nullptr});
        how.traverser = static_cast<copse_traverser>(draws_.below(5));
        how.now = draws_.chance(90) ? 0 : time();
        code =
            copse_engine_new(machine(), draws_.chance(80) ? &how : nullptr, &engine_out, &error_);
        break;
      }
      case 2: code = copse_engine_clone(engine(), &engine_out, &error_); break;
      case 3: {
        std::size_t length = 0;
        code = copse_engine_save(engine(), &text_, &length, &error_);
        if (code == COPSE_OK) code = copse_engine_load(text_, length, &engine_out, &error_);
        break;
      }
      case 4:
        code = copse_request_new(engine(), draws_.chance(80) ? kJobspec : text(), COPSE_TERMINATED,
                                 nullptr, &request_out, &error_);
        break;
      case 5: {
        copse_request_options how = COPSE_REQUEST_OPTIONS_INIT;
        how.duration = time();
        how.hres = draws_.chance(80) ? nullptr : words();
        code = copse_request_shape(engine(), words(), &how, &request_out, &error_);
        break;
      }
      case 6: {
        copse_queue_options how = COPSE_QUEUE_OPTIONS_INIT;
        how.discipline = draws_.pick<const char*>({"easy", "fcfs", "conservative", "no", nullptr});
        code = copse_queue_new(engine(), &how, &queue_out, &error_);
        break;
      }
      case 7: code = copse_queue_clone(queue(), &queue_out, &engine_out, &error_); break;
      default: code = copse_replay(text(), COPSE_TERMINATED, &engine_out, nullptr, &error_);
    }
    keep(0, machine_out);
    keep(1, engine_out);
    keep(2, request_out);
    keep(3, queue_out);
    return code;
  }

  copse_code change() {
    switch (draws_.below(26)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return copse_match(engine(), static_cast<copse_operation>(draws_.below(7)), request(),
                           job(), draws_.chance(50) ? nullptr : words(), &result_, &error_);
      case 4:
        return copse_match_between(engine(), request(), job(), time(), time(), nullptr, &result_,
                                   &error_);
      case 5:
      case 6: return copse_cancel(engine(), job(), &error_);
      case 7: return copse_cancel_ranks(engine(), job(), words(), nullptr, &error_);
      case 8: return copse_cancel_part(engine(), job(), text(), COPSE_TERMINATED, nullptr, &error_);
      case 9:
        return copse_update(engine(), job(), text(), COPSE_TERMINATED, time(), time(), &error_);
      case 10: return copse_set_end(engine(), job(), time(), &error_);
      case 11:
        return copse_move_earlier(engine(), job(), request(), time(), time(), nullptr, &error_);
      case 12: return copse_advance(engine(), time(), &error_);
      case 13:
        return copse_set_status(engine(), words(), static_cast<copse_status>(draws_.below(6)),
                                &error_);
      case 14: return copse_set_property(engine(), words(), words(), words(), &error_);
      case 15: return copse_grow(engine(), text(), COPSE_TERMINATED, &error_);
      case 16: {
        std::size_t count = 0;
        return copse_shrink(engine(), words(), &list_, &count, &error_);
      }
      case 17: return copse_supply_add(engine(), text(), COPSE_TERMINATED, &error_);
      case 18: return copse_supply_set_count(engine(), "flat", words(), time(), &error_);
      case 19: return copse_request_set_duration(request(), time(), &error_);
      case 20: {
        copse_layer_reservation kept = COPSE_LAYER_RESERVATION_INIT;
        kept.id = words();
        kept.resource = "flat";
        kept.nodes = words();
        kept.end = time();
        return copse_supply_reserve(engine(), &kept, &error_);
      }
      case 21: return copse_supply_free(engine(), words(), &error_);
      case 22: return copse_supply_remove(engine(), layer(), words(), &error_);
      case 23: return copse_supply_set_nodes(engine(), layer(), words(), words(), &error_);
      case 24: return copse_set_tag(engine(), words(), words(), words(), &error_);
      default: {
        copse_sink sink = COPSE_SINK_INIT;
        sink.context = &written_;
        sink.write = draws_.chance(90) ? ignore : nullptr;
        return copse_observe(engine(), draws_.chance(70) ? &sink : nullptr, &error_);
      }
    }
  }

  copse_code ask() {
    std::size_t length = 0;
    std::int64_t when = 0;
    copse_engine_info info = COPSE_ENGINE_INFO_INIT;
    info.size = draws_.pick<std::size_t>({info.size, info.size, 0, 8, SIZE_MAX});
    copse_status status = COPSE_UP;
    copse_queue_info counts = COPSE_QUEUE_INFO_INIT;
    copse_job_state state = COPSE_JOB_HELD;
    std::uint64_t number = 0;
    switch (draws_.below(16)) {
      case 0: return copse_explain(engine(), request(), words(), nullptr, &text_, &length, &error_);
      case 1: return copse_grant(engine(), job(), words(), &result_, &error_);
      case 2: return copse_jobs(engine(), &list_, &length, &error_);
      case 3: return copse_get_status(engine(), words(), &status, &error_);
      case 4: return copse_find(engine(), words(), words(), &text_, &length, &error_);
      case 5: return copse_usage(engine(), words(), &text_, &length, &error_);
      case 6: return copse_supply_layers(engine(), time(), &text_, &length, &error_);
      case 7: return copse_engine_describe(engine(), &info, &error_);
      case 8: return copse_engine_fingerprint(engine(), &number, &error_);
      case 9: return copse_machine_write(machine(), &text_, &length, &error_);
      case 10: return copse_machine_count(machine(), words(), &number, nullptr, &error_);
      case 11: return copse_queue_describe(queue(), &counts, &error_);
      case 12: return copse_queue_state(queue(), job(), &state, &error_);
      case 13: return copse_queue_why(queue(), job(), words(), &text_, &length, &error_);
      case 14: return copse_pool(engine(), words(), &text_, &length, &error_);
      default: return copse_queue_when(queue(), job(), &when, &error_);
    }
  }

  copse_code run_queue() {
    copse_decision decision = COPSE_DECISION_INIT;
    std::int64_t when = 0;
    switch (draws_.below(13)) {
      case 0:
      case 1:
      case 2: {
        copse_job what = COPSE_JOB_INIT;
        what.id = job();
        what.shape = draws_.chance(80) ? "slot=2/node{x}" : words();
        what.jobspec = draws_.chance(90) ? nullptr : kJobspec;
        what.duration = time();
        what.submitted = draws_.chance(80) ? 0 : time();
        what.held = draws_.chance(20);
        return copse_queue_submit(queue(), &what, &error_);
      }
      case 3:
      case 4: return copse_queue_work(queue(), draws_.below(3), nullptr, &error_);
      case 5: return copse_queue_next(queue(), &decision, &error_);
      case 6: return copse_queue_cancel(queue(), job(), &error_);
      case 7:
        return draws_.chance(50) ? copse_queue_hold(queue(), job(), &error_)
                                 : copse_queue_release(queue(), job(), &error_);
      case 8: return copse_queue_set_priority(queue(), job(), time(), &error_);
      case 9: return copse_queue_ended(queue(), job(), time(), &error_);
      case 10: return copse_queue_advance(queue(), time(), &error_);
      case 11:
        return copse_queue_set_status(queue(), words(), static_cast<copse_status>(draws_.below(6)),
                                      &error_);
      default: return copse_queue_next_time(queue(), &when, &error_);
    }
  }

  // What reservations are and who has something is of any words: most are refused.
  copse_code change_queue() {
    constexpr const char* kReservation =
        R"({"name": "r", "nodes": "n[0-1]", "start": 5, "duration": 50, "users": ["ada"]})";
    const char* const reservation = draws_.chance(80) ? kReservation : text();
    std::size_t count = 0;
    switch (draws_.below(11)) {
      case 0: return copse_queue_set_duration(queue(), job(), time(), &error_);
      case 1: return copse_queue_set_end(queue(), job(), time(), &error_);
      case 2: return copse_queue_set_stopped(queue(), queue_name(), draws_.chance(50), &error_);
      case 3:
        return copse_queue_set_discipline(
            queue(), queue_name(),
            draws_.pick<const char*>({"fcfs", "hybrid", "conservative", "no", nullptr}),
            static_cast<std::uint64_t>(draws_.below(9)), &error_);
      case 4: {
        copse_job what = COPSE_JOB_INIT;
        what.id = job();
        what.duration = time();
        return copse_queue_adopt(queue(), &what, draws_.chance(80) ? kTaken : text(),
                                 COPSE_TERMINATED, time(), &error_);
      }
      case 5:
        return copse_queue_ended_part(queue(), job(), draws_.chance(80) ? kTaken : text(),
                                      COPSE_TERMINATED, nullptr, &error_);
      case 6: return copse_queue_grow(queue(), text(), COPSE_TERMINATED, &error_);
      case 7: return copse_queue_shrink(queue(), words(), &list_, &count, &error_);
      case 8:
        return copse_queue_reserve(queue(), reservation, COPSE_TERMINATED, &list_, &count, &error_);
      case 9:
        return copse_queue_change_reservation(queue(), reservation, COPSE_TERMINATED, &list_,
                                              &count, &error_);
      default:
        return copse_queue_cancel_reservation(queue(), draws_.chance(80) ? "r" : words(), &error_);
    }
  }

  copse_code free_one() {
    switch (draws_.below(4)) {
      case 0: return copse_machine_free(machine());
      case 1: return copse_engine_free(engine());
      case 2: return copse_request_free(request());
      default: return copse_queue_free(queue());
    }
  }

  copse_code call() {
    switch (draws_.below(13)) {
      case 0:
      case 1:
      case 2: return make();
      case 3:
      case 4:
      case 5:
      case 6: return change();
      case 7:
      case 8: return ask();
      case 9:
      case 10: return run_queue();
      case 11: return change_queue();
      default: return free_one();
    }
  }

  ByteDraws draws_;
  std::array<std::vector<void*>, 4> all_;  // by kind; those that were freed, too
  copse_error error_ = COPSE_ERROR_INIT;
  copse_result result_ = COPSE_RESULT_INIT;
  char* text_ = nullptr;
  std::uint64_t* list_ = nullptr;
  std::size_t written_ = 0;
};

}  // namespace

FUZZ_TARGET(capi) {
  if (size > 4096) return 0;
  Caller(ByteDraws(data, size)).run();
  return 0;
}
