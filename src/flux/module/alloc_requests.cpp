// SPDX-License-Identifier: Apache-2.0
#include "flux/module/alloc_requests.hpp"

#include <array>
#include <utility>

#include "flux/module/wire.hpp"
#include "text/json_writer.hpp"

namespace copse::flux {

namespace {

// Types of a response to sched.alloc (RFC 27).
enum class Type { success = 0, annotate = 1, deny = 2, cancel = 3 };

template <class More>
std::string response(JobId job, Type type, More more) {
  std::string out;
  JsonWriter json(out);
  json.object([&] {
    json.member("id", job);
    json.member("type", static_cast<int>(type));
    more(json);
  });
  return out;
}

}  // namespace

AllocRequests::~AllocRequests() {
  // The job manager repeats requests that were not answered.
  for (const auto& [job, message] : requests_) flux_msg_decref(message);
  for (const Success& success : succeeded_) flux_msg_decref(success.message);
  for (const auto& [future, successes] : commits_) {
    flux_future_destroy(future);
    for (const Success& success : successes) flux_msg_decref(success.message);
  }
  flux_kvs_txn_destroy(next_);
}

bool AllocRequests::add(JobId job, const flux_msg_t* message) {
  if (!requests_.emplace(job, message).second) return false;
  flux_msg_incref(message);
  return true;
}

const flux_msg_t* AllocRequests::take(JobId job) {
  const auto at = requests_.find(job);
  if (at == requests_.end()) return nullptr;
  const flux_msg_t* message = at->second;
  requests_.erase(at);
  return message;
}

void AllocRequests::give_up(const char* what) {
  flux_log_error(h_, "alloc: %s", what);
  flux_reactor_stop_error(flux_get_reactor(h_));
}

void AllocRequests::answer(const flux_msg_t* message, JobId job, const std::string& text) {
  if (flux_respond(h_, message, text.c_str()) == 0) return;
  flux_log_error(h_, "alloc: cannot answer %s", shown_id(job).c_str());
}

void AllocRequests::succeed(JobId job, const std::string& r, const std::string& annotations) {
  const flux_msg_t* message = take(job);
  if (message == nullptr) return;
  succeeded_.push_back(
      {.message = message, .answer = response(job, Type::success, [&](JsonWriter& json) {
                             json.member_json("R", r);
                             json.member_json("annotations", annotations);
                           })});
  std::array<char, 64> key{};
  if (next_ == nullptr) next_ = flux_kvs_txn_create();
  if (next_ == nullptr || flux_job_kvs_key(key.data(), key.size(), job, "R") < 0 ||
      flux_kvs_txn_put(next_, 0, key.data(), r.c_str()) < 0) {
    return give_up("cannot write R to the KVS");
  }
  next_bytes_ += r.size();
  if (succeeded_.size() >= kJobsMax || next_bytes_ >= kBytesMax) send();
}

void AllocRequests::commit() {
  if (!succeeded_.empty() && commits_.size() < kCommitsMax) send();
}

void AllocRequests::send() {
  flux_future_t* future = flux_kvs_commit(h_, nullptr, 0, next_);
  flux_kvs_txn_destroy(std::exchange(next_, nullptr));
  next_bytes_ = 0;
  const auto done = [](flux_future_t* of, void* self) {
    static_cast<AllocRequests*>(self)->committed(of);
  };
  if (future == nullptr || flux_future_then(future, -1., done, this) < 0) {
    flux_future_destroy(future);
    return give_up("cannot write R to the KVS");
  }
  commits_.emplace(future, std::exchange(succeeded_, {}));
}

void AllocRequests::committed(flux_future_t* future) noexcept {
  guarded(h_, [&] {
    const auto at = commits_.find(future);
    const bool written = flux_future_get(future, nullptr) == 0;
    if (!written) give_up("cannot write R to the KVS");
    for (const Success& success : at->second) {
      if (written && flux_respond(h_, success.message, success.answer.c_str()) < 0) {
        give_up("cannot answer the job manager");
      }
      flux_msg_decref(success.message);
    }
    commits_.erase(at);
    commit();
  });
  flux_future_destroy(future);
}

void AllocRequests::annotate(JobId job, const std::string& annotations) {
  const auto at = requests_.find(job);
  if (at == requests_.end()) return;
  answer(at->second, job, response(job, Type::annotate, [&](JsonWriter& json) {
           json.member_json("annotations", annotations);
         }));
}

void AllocRequests::deny(JobId job, const std::string& note) {
  const flux_msg_t* message = take(job);
  if (message == nullptr) return;
  answer(message, job,
         response(job, Type::deny, [&](JsonWriter& json) { json.member("note", note); }));
  flux_msg_decref(message);
}

void AllocRequests::cancelled(JobId job) {
  const flux_msg_t* message = take(job);
  if (message == nullptr) return;
  answer(message, job, response(job, Type::cancel, [](JsonWriter&) {}));
  flux_msg_decref(message);
}

void AllocRequests::complain(const std::string& line) { flux_log(h_, LOG_ERR, "%s", line.c_str()); }

}  // namespace copse::flux
