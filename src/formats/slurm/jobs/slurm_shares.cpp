// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/jobs/slurm_shares.hpp"

#include <algorithm>

#include "base/json_number.hpp"
#include "formats/slurm/slurm_json.hpp"

namespace copse {

namespace {

using Type = JsonWalk::Type;
using Value = JsonWalk::Value;
using Token = JsonWalk::Token;

constexpr std::int64_t kIndexMax = 1 << 16;
constexpr std::size_t kCoresMax = 1U << 16;  // of one share

class SharesReader {
 public:
  SharesReader(JsonWalk& walk, std::vector<NodeShare>& out) : walk_(walk), out_(out) {}

  bool read(Value& value, const Token& token) {
    if (token.type == Type::null) return true;
    const bool read = walk_.members(
        value, token, "\"job_resources\"", [&](std::string_view key, Value& v, const Token& t) {
          if (key == "nodes" && t.type == Type::object) return nodes(v, t);
          if (key == "allocated_nodes") return shares(v, t);
          if (key == "threads_per_core") {
            return slurm_number(walk_, v, t, "\"threads_per_core\"", threads_);
          }
          return walk_.skip(v, t);
        });
    if (!read) return false;
    for (NodeShare& share : out_) {
      share.whole = whole_;
      if (!share.cores.empty()) share.cores_anywhere = 0;
      share.cpus_anywhere = true;
      share.cpus_of_core = std::clamp<std::int64_t>(threads_.value_or(0), 0, kIndexMax);
    }
    return true;
  }

 private:
  bool nodes(Value& value, const Token& token) {
    return walk_.members(value, token, "\"nodes\" of job_resources",
                         [&](std::string_view key, Value& v, const Token& t) {
                           if (key == "whole") return walk_.boolean(t, "\"whole\"", whole_);
                           if (key == "allocation") return shares(v, t);
                           return walk_.skip(v, t);
                         });
  }

  bool shares(Value& value, const Token& token) {
    return walk_.elements(value, token, "an allocation of nodes", [&](Value& v, const Token& t) {
      NodeShare share;
      if (!walk_.members(v, t, "a node of job_resources",
                         [&](std::string_view key, Value& member, const Token& at) {
                           return read_member(key, member, at, share);
                         })) {
        return false;
      }
      if (share.host.empty()) {
        return walk_.refuse(t.offset, "a node of job_resources has no name");
      }
      out_.push_back(std::move(share));
      return true;
    });
  }

  bool read_member(std::string_view key, Value& v, const Token& t, NodeShare& share) {
    if (key == "name" || key == "nodename") {
      return slurm_text(walk_, v, t, "the name of a node", share.host);
    }
    if (key == "sockets") return sockets(v, t, share);
    if (key == "cpus_used") return count(v, t, "\"cpus_used\"", share.cores_anywhere);
    if (key == "memory_allocated") return count(v, t, "\"memory_allocated\"", share.memory_mb);
    if (key == "cpus" && t.type == Type::object) {
      return one_of(v, t, "count", "\"cpus\"", share.cores_anywhere);
    }
    if (key == "memory" && t.type == Type::object) {
      return one_of(v, t, "allocated", "\"memory\"", share.memory_mb);
    }
    return walk_.skip(v, t);
  }

  bool one_of(Value& v, const Token& t, std::string_view wanted, std::string_view what,
              std::int64_t& to) {
    return walk_.members(v, t, what, [&](std::string_view key, Value& member, const Token& at) {
      return key == wanted ? count(member, at, what, to) : walk_.skip(member, at);
    });
  }
  bool count(Value& v, const Token& t, std::string_view what, std::int64_t& to) {
    std::optional<std::int64_t> number;
    if (!slurm_number(walk_, v, t, what, number)) return false;
    to = number && *number != kSlurmInfinite ? *number : 0;
    return to >= 0 || walk_.refuse(t.offset, std::string(what) + " is below 0");
  }

  // --- Sockets and cores, as lists with indexes or as objects by index
  bool sockets(Value& value, const Token& token, NodeShare& share) {
    if (token.type == Type::array) {
      return walk_.elements(value, token, "\"sockets\"", [&](Value& v, const Token& t) {
        return indexed(v, t, "a socket", [&](std::int64_t socket, Value& cores, const Token& at) {
          return read_cores(cores, at, socket, share);
        });
      });
    }
    return walk_.members(
        value, token, "\"sockets\"", [&](std::string_view key, Value& v, const Token& t) {
          std::int64_t socket = 0;
          if (!index(key, t, socket)) return false;
          return walk_.members(v, t, "a socket",
                               [&](std::string_view name, Value& cores, const Token& at) {
                                 return name == "cores" ? read_cores(cores, at, socket, share)
                                                        : walk_.skip(cores, at);
                               });
        });
  }

  // {"index": n, "cores": …}: visit(n, value, token). The index comes first, as Slurm writes it.
  template <class Visit>
  bool indexed(Value& value, const Token& token, std::string_view what, Visit visit) {
    std::optional<std::int64_t> number;
    return walk_.members(value, token, what, [&](std::string_view key, Value& v, const Token& t) {
      if (key == "index") return slurm_number(walk_, v, t, "\"index\"", number);
      if (key != "cores" && key != "status") return walk_.skip(v, t);
      if (!number || *number < 0 || *number > kIndexMax) {
        return walk_.refuse(t.offset, std::string(what) + " has no index before this");
      }
      return visit(*number, v, t);
    });
  }

  bool read_cores(Value& value, const Token& token, std::int64_t socket, NodeShare& share) {
    std::vector<std::string> status;
    const auto add = [&](std::int64_t core, Value& v, const Token& t) {
      if (!slurm_words(walk_, v, t, "the status of a core", status)) return false;
      const bool has = std::ranges::any_of(status, [](const std::string& word) {
        return word.starts_with("ALLOCATED") || word.starts_with("allocated");
      });
      if (!has) return true;
      if (share.cores.size() == kCoresMax) {
        return walk_.refuse(t.offset, "a node has more than 65536 cores", ErrorCode::limit);
      }
      share.cores.emplace_back(static_cast<std::int32_t>(socket), static_cast<std::int32_t>(core));
      return true;
    };
    if (token.type == Type::array) {
      return walk_.elements(value, token, "\"cores\"",
                            [&](Value& v, const Token& t) { return indexed(v, t, "a core", add); });
    }
    return walk_.members(value, token, "\"cores\"",
                         [&](std::string_view key, Value& v, const Token& t) {
                           std::int64_t core = 0;
                           return index(key, t, core) && add(core, v, t);
                         });
  }

  bool index(std::string_view key, const Token& token, std::int64_t& to) {
    const auto number = json_integer(key);
    if (!number || *number < 0 || *number > kIndexMax) {
      return walk_.refuse(token.key_offset, "the number of a socket or core is out of range");
    }
    to = *number;
    return true;
  }

  JsonWalk& walk_;
  std::vector<NodeShare>& out_;
  bool whole_ = false;
  std::optional<std::int64_t> threads_;
};

}  // namespace

bool read_slurm_shares(JsonWalk& walk, JsonWalk::Value& value, const JsonWalk::Token& token,
                       std::vector<NodeShare>& out) {
  return SharesReader(walk, out).read(value, token);
}

}  // namespace copse
