// SPDX-License-Identifier: Apache-2.0
#include "copse/serializer.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace copse {

namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kWordsMax = 1u << 20;

// A JSON string. Never throws for what it is given: bad bytes are replaced.
std::string json_string(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// For sentences: short, whatever was given.
std::string shown(std::string_view text) { return json_string(text.substr(0, 64)); }

// Equal as written: bytes that are not UTF-8 agree with what stands for them.
bool same(std::string_view a, std::string_view b) {
  return a == b || json_string(a) == json_string(b);
}

void append_map(std::string& out, const char* key, const ResourceGraph::Attributes* map) {
  if (map == nullptr || map->empty()) return;
  fmt::format_to(std::back_inserter(out), ",\"{}\":", key);
  char before = '{';
  for (const auto& [word, value] : *map) {
    fmt::format_to(std::back_inserter(out), "{}{}:{}", before, json_string(word),
                   json_string(value));
    before = ',';
  }
  out += '}';
}

void append_pool(std::string& out, const ResourceGraph& graph, PoolId p, const StatusOf& status) {
  fmt::format_to(
      std::back_inserter(out),
      "{{\"uuid\":\"{}\",\"uniq_id\":{},\"type\":{},\"basename\":{},\"name\":{},\"id\":{},"
      "\"size\":{},\"unit\":{},\"rank\":{}",
      graph.uuid(p), graph.uniq_id(p), json_string(graph.type_name(p)),
      json_string(graph.basename_text(p)), json_string(graph.name(p)), graph.id(p), graph.size(p),
      json_string(graph.unit_text(p)), graph.rank(p));
  if (status) fmt::format_to(std::back_inserter(out), ",\"status\":\"{}\"", word(status(p)));
  append_map(out, "properties", graph.properties(p));
  append_map(out, "tags", graph.tags(p));
  ResourceGraph::Attributes paths;
  for (std::uint32_t s = 0; s < graph.subsystem_count(); ++s) {
    const SubsystemId subsystem{static_cast<std::uint8_t>(s)};
    if (!graph.in_subsystem(p, subsystem)) continue;
    paths.emplace(graph.subsystem_name(subsystem), graph.path(p, subsystem));
  }
  append_map(out, "paths", &paths);
  out += '}';
}

// One entry of the list as it was written.
struct Entry {
  std::optional<std::string> uuid, type;
  std::optional<std::int64_t> uniq_id;
  ResourceGraph::Attributes paths;
  SerializedPool result;
};

// Finds what an entry means, and checks it.
class Finder {
 public:
  explicit Finder(const ResourceGraph& graph) : graph_(graph), listed_(graph.pool_count()) {
    by_uniq_id_.reserve(graph.pool_count());
    for (std::uint32_t v = 0; v < graph.pool_count(); ++v) by_uniq_id_.push_back(v);
    std::sort(by_uniq_id_.begin(), by_uniq_id_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return graph.uniq_id(PoolId{a}) < graph.uniq_id(PoolId{b});
    });
  }

  [[nodiscard]] Result<PoolId> find(const Entry& entry) {
    if (!entry.type) return fail(ErrorCode::invalid, "has no type");
    auto found = entry.uniq_id ? by_uniq_id(*entry.uniq_id) : by_path(entry);
    if (!found) return found;
    if (auto same = check(*found, entry); !same) return std::unexpected(same.error());
    if (listed_[found->v]) {
      return fail(ErrorCode::invalid, fmt::format("lists {} a second time", graph_.name(*found)));
    }
    listed_[found->v] = true;
    return found;
  }

 private:
  [[nodiscard]] Result<PoolId> by_uniq_id(std::int64_t uniq_id) const {
    auto it = std::lower_bound(
        by_uniq_id_.begin(), by_uniq_id_.end(), uniq_id,
        [&](std::uint32_t v, std::int64_t id) { return graph_.uniq_id(PoolId{v}) < id; });
    if (it != by_uniq_id_.end() && graph_.uniq_id(PoolId{*it}) == uniq_id) return PoolId{*it};
    return fail(ErrorCode::not_found,
                fmt::format("has uniq_id {}, but none of the graph's {} pools has", uniq_id,
                            graph_.pool_count()));
  }

  [[nodiscard]] Result<PoolId> by_path(const Entry& entry) const {
    if (entry.paths.empty()) return fail(ErrorCode::invalid, "has neither a uniq_id nor a path");
    const std::string& path = entry.paths.begin()->second;
    std::vector<PoolId> found = graph_.at_path(path);
    std::erase_if(found, [&](PoolId p) { return !check(p, entry); });
    if (found.size() == 1) return found[0];
    return fail(found.empty() ? ErrorCode::not_found : ErrorCode::invalid,
                fmt::format("{} {} with this uuid, type and paths",
                            found.empty() ? "names no pool at" : "names more than one pool at",
                            shown(path)));
  }

  [[nodiscard]] Result<void> check(PoolId p, const Entry& entry) const {
    const auto differs = [&](std::string_view what, std::string_view given, std::string_view is) {
      return fail(ErrorCode::invalid,
                  fmt::format("gives {} as the {} of {}, which has {}", shown(given), what,
                              shown(graph_.name(p)), shown(is)));
    };
    if (!same(*entry.type, graph_.type_name(p)))
      return differs("type", *entry.type, graph_.type_name(p));
    for (const auto& [name, path] : entry.paths) {
      const std::uint32_t s = graph_.names().subsystems.find(name);
      if (s == Interner::kNone) {
        return fail(ErrorCode::not_found,
                    fmt::format("has a path in {}, which is no subsystem here", shown(name)));
      }
      const std::string is = graph_.path(p, SubsystemId{static_cast<std::uint8_t>(s)});
      if (!same(path, is)) return differs("path in " + name, path, is);
    }
    if (entry.uuid && *entry.uuid != graph_.uuid(p)) {
      return differs("uuid", *entry.uuid, graph_.uuid(p));
    }
    return {};
  }

  const ResourceGraph& graph_;
  std::vector<std::uint32_t> by_uniq_id_;  // pools, sorted by it
  std::vector<bool> listed_;
};

// Takes the events of nlohmann's parser (its SAX interface), so that no tree of the text is made
// and nesting ends at four levels. Each event returns false to end the parse; `refused` then says
// why.
class Reader {
 public:
  Reader(const ResourceGraph& graph, std::string_view text, std::string_view file)
      : finder_(graph), text_(text), file_(file) {}

  Result<std::vector<SerializedPool>> read() {
    const bool whole = Json::sax_parse(text_.begin(), text_.end(), this);
    if (refused_) return std::unexpected(std::move(*refused_));
    if (!whole) return fail(ErrorCode::invalid, "the text is not JSON", {file_});
    if (!versioned_ || !listed_) {
      return fail(ErrorCode::invalid, "the text has no \"version\" or no \"pools\"", {file_});
    }
    return std::move(found_);
  }

  // --- Events
  bool null() { return unexpected("null"); }
  bool boolean(bool) { return unexpected("true or false"); }
  bool number_float(double, const std::string& digits) { return unexpected(digits); }
  bool binary(Json::binary_t&) { return unexpected("bytes"); }
  bool number_integer(std::int64_t number) {
    if (level_ == Level::pool && (key_ == "id" || key_ == "rank")) return true;
    return unexpected(fmt::format("{}", number));
  }
  bool number_unsigned(std::uint64_t number) {
    if (level_ == Level::top && key_ == "version" && number == 1) return versioned_ = true;
    if (level_ == Level::pool) {
      if (key_ == "id" || key_ == "rank" || key_ == "size") return true;
      if (key_ == "uniq_id") {
        if (number > INT64_MAX) return unexpected(fmt::format("{}", number));
        entry_.uniq_id = static_cast<std::int64_t>(number);
        return true;
      }
    }
    return unexpected(fmt::format("{}", number));
  }

  bool string(std::string& text) {
    if (level_ == Level::words) return put_word(std::move(text));
    if (level_ != Level::pool) return unexpected(shown(text));
    if (key_ == "basename" || key_ == "name" || key_ == "unit") return true;
    if (key_ == "uuid") {
      entry_.uuid = std::move(text);
    } else if (key_ == "type") {
      entry_.type = std::move(text);
    } else if (key_ == "status") {
      entry_.result.status = parse_status(text);
      if (!entry_.result.status) {
        return refuse(ErrorCode::invalid, fmt::format("{} is no status", shown(text)));
      }
    } else {
      return unexpected(shown(text));
    }
    return true;
  }

  bool start_object(std::size_t) {
    switch (level_) {
      case Level::outside: return descend(Level::top);
      case Level::list: entry_ = {}; return descend(Level::pool);
      case Level::pool:
        words_ = key_ == "properties" ? &entry_.result.properties
                 : key_ == "tags"     ? &entry_.result.tags
                 : key_ == "paths"    ? &entry_.paths
                                      : nullptr;
        if (words_ == nullptr) break;
        level_ = Level::words;  // the keys seen are still the pool's
        return true;
      default: break;
    }
    return unexpected("an object");
  }

  bool key(std::string& text) {
    key_ = text;
    if (level_ == Level::words) return true;
    if (std::find(seen_.begin(), seen_.end(), text) != seen_.end()) {
      return refuse(ErrorCode::invalid, fmt::format("{} is given twice", shown(text)));
    }
    if (seen_.size() >= kKeysMax) return refuse(ErrorCode::invalid, "there are too many keys");
    seen_.push_back(std::move(text));
    return true;
  }

  bool end_object() {
    if (level_ == Level::words) {
      level_ = Level::pool;
      return true;
    }
    if (level_ == Level::pool) {
      auto found = finder_.find(entry_);
      if (!found) return refuse(found.error().code, std::move(found.error().text), " ");
      entry_.result.pool = *found;
      found_.push_back(std::move(entry_.result));
      level_ = Level::list;
      return true;
    }
    level_ = Level::outside;
    return true;
  }

  bool start_array(std::size_t) {
    if (level_ != Level::top || key_ != "pools") return unexpected("a list");
    listed_ = true;
    saved_ = std::move(seen_);
    level_ = Level::list;
    return true;
  }
  bool end_array() {
    seen_ = std::move(saved_);
    level_ = Level::top;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const Json::exception&) {
    const std::string_view before = text_.substr(0, position == 0 ? 0 : position - 1);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0
    refused_ = Error{ErrorCode::invalid, "the text is not JSON here",
                     Place{file_, static_cast<std::uint32_t>(lines + 1),
                           static_cast<std::uint32_t>(before.size() - line_start + 1)}};
    return false;
  }

 private:
  enum class Level : std::uint8_t { outside, top, list, pool, words };
  static constexpr std::size_t kKeysMax = 16;  // more than there are

  bool descend(Level to) {
    level_ = to;
    seen_.clear();
    return true;
  }

  bool put_word(std::string value) {
    if (++words_count_ > kWordsMax) {
      return refuse(ErrorCode::limit,
                    fmt::format("there are more than {} properties, tags and paths", kWordsMax));
    }
    if (words_->emplace(key_, std::move(value)).second) return true;
    return refuse(ErrorCode::invalid, fmt::format("{} is given twice", shown(key_)));
  }

  bool unexpected(std::string_view what) {
    what = what.substr(0, 80);
    if (level_ == Level::outside || level_ == Level::list) {
      return refuse(ErrorCode::invalid, fmt::format("{} stands where an object must", what));
    }
    return refuse(ErrorCode::invalid, fmt::format("{} is not what {} takes", what, shown(key_)));
  }

  bool refuse(ErrorCode code, std::string text, const char* after_entry = ": ") {
    if (level_ != Level::outside && level_ != Level::top) {
      text = fmt::format("pools[{}]{}{}", found_.size(), after_entry, text);
    }
    refused_ = Error{code, std::move(text), {file_}};
    return false;
  }

  Finder finder_;
  std::string_view text_;
  std::string file_;
  Level level_ = Level::outside;
  std::string key_;
  std::vector<std::string> seen_, saved_;  // keys of the object being read, and of the one around
  Entry entry_;
  ResourceGraph::Attributes* words_ = nullptr;
  std::uint32_t words_count_ = 0;
  bool versioned_ = false, listed_ = false;
  std::vector<SerializedPool> found_;
  std::optional<Error> refused_;
};

}  // namespace

Result<std::string> serialize(const ResourceGraph& graph, std::span<const PoolId> pools,
                              const StatusOf& status) {
  std::string out = "{\"version\":1,\"pools\":[";
  for (std::size_t i = 0; i < pools.size(); ++i) {
    if (i > 0) out += ",\n";
    append_pool(out, graph, pools[i], status);
    if (out.size() + 3 > kSerializedMax) {
      return fail(ErrorCode::limit, fmt::format("the text of {} pools exceeds {} MiB after {}",
                                                pools.size(), kSerializedMax >> 20, i + 1));
    }
  }
  out += "]}\n";
  return out;
}

Result<std::vector<SerializedPool>> deserialize(const ResourceGraph& graph, std::string_view text,
                                                std::string_view file) {
  if (text.size() > kSerializedMax) {
    return fail(ErrorCode::limit,
                fmt::format("the text has {} bytes; the limit is {} MiB", text.size(),
                            kSerializedMax >> 20),
                {std::string(file)});
  }
  return Reader(graph, text, file).read();
}

}  // namespace copse
