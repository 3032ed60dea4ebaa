// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/grug/grug.hpp"
#include "formats/grug/grug_paths.hpp"
#include "formats/grug/grug_plan.hpp"

namespace copse::grug {
namespace {

using Handle = GraphBuilder::Handle;

// Ids are also written as JSON numbers, which are exact up to here.
constexpr std::int64_t kIdMax = INT64_C(1) << 53;
// Comparing paths takes time even where nothing comes of it.
constexpr std::uint64_t kLookupsMax = UINT64_C(1) << 27;

// The pools of a recipe vertex: consecutive ones if it made them, else a list.
struct Pools {
  Handle first = 0;
  std::uint32_t count = 0;
  std::vector<Handle> list;  // `count` entries if not empty
  [[nodiscard]] Handle operator[](std::uint32_t i) const {
    return list.empty() ? first + i : list[i];
  }
};

class Generator {
 public:
  Generator(const Recipe& recipe, const Plan& plan, GraphBuilder& builder)
      : recipe_(recipe),
        plan_(plan),
        builder_(builder),
        pools_(recipe.vertices.size()),
        paths_(plan.compared_subsystems),
        pools_before_(builder.pool_count()) {}

  Result<void> run() {
    if (auto ok = builder_.expect(plan_.pools + pools_before_, plan_.edges); !ok) {
      return placed(ok.error(), recipe_.spot);
    }
    for (const Step& step : plan_.steps) {
      const Edge& edge = recipe_.edges[step.edge];
      if (auto ok = take(step, edge); !ok) return placed(ok.error(), edge.spot);
      if (!step.target_has_edges) pools_[edge.target] = {};
      if (step.is_last_of_source) pools_[edge.source] = {};
    }
    return {};
  }

 private:
  // Errors of the builder have no place of their own: they get the edge's.
  Result<void> placed(Error error, Spot spot) const {
    if (error.place.line == 0) error.place = recipe_.place(spot);
    return std::unexpected(std::move(error));
  }
  [[nodiscard]] std::unexpected<Error> error(Spot at, Spot instead, std::string text,
                                             ErrorCode code = ErrorCode::invalid) const {
    return fail(code, std::move(text), recipe_.place(at, instead));
  }

  Result<void> take(const Step& step, const Edge& edge) {
    const Vertex& source = recipe_.vertices[edge.source];
    if (source.root.value == 1 && pools_[edge.source].count == 0) {
      if (auto ok = make_root(source, pools_[edge.source]); !ok) return ok;
    }
    if (pools_[edge.source].count == 0) return {};
    switch (edge.method) {
      case Method::multiply: return multiply(step, edge);
      case Method::associate_in: return associate_all(step, edge);
      case Method::associate_by_path_in: return associate_by_path(step, edge);
    }
    return {};
  }

  // The words of a recipe vertex, interned only once it makes a pool: types are ordered by that.
  Result<PoolSpec> spec_of(const Vertex& vertex) {
    const auto type = builder_.type(vertex.type.value);
    if (!type) return std::unexpected(type.error());
    const auto unit = builder_.unit(vertex.unit.value);
    if (!unit) return std::unexpected(unit.error());
    PoolSpec spec;
    spec.type = *type;
    spec.unit = *unit;
    spec.basename = builder_.basename(vertex.basename.value);
    spec.size = vertex.size.value;
    return spec;
  }

  // What a recipe adds to a pool: a padded name, properties.
  void add_to(const Vertex& vertex, std::int64_t id, Handle pool) {
    if (vertex.id_width > 0 && id >= 0) {
      builder_.set_name(pool, fmt::format("{}{:0{}}", vertex.basename.value, id, vertex.id_width));
    }
    for (const std::string& name : vertex.properties) builder_.set_property(pool, name, {});
    if (vertex.divisible) builder_.set_divisible(pool);
  }

  struct Words {
    SubsystemId subsystem;
    RelationId relation, reverse;
  };

  Result<Words> words_of(const Edge& edge) {
    const auto subsystem = builder_.subsystem(edge.e_subsystem.value);
    if (!subsystem) return std::unexpected(subsystem.error());
    const auto relation = builder_.relation(edge.relation.value);
    if (!relation) return std::unexpected(relation.error());
    const auto reverse = builder_.relation(edge.rrelation.value);
    if (!reverse) return std::unexpected(reverse.error());
    return Words{*subsystem, *relation, *reverse};
  }

  // Remembers pools by type, for ASSOCIATE edges only.
  void remember(const Vertex& vertex, Handle first, std::uint32_t count) {
    if (plan_.associates && count > 0) made_[vertex.type.value].push_back({first, count, {}});
  }

  Result<void> make_root(const Vertex& root, Pools& pools) {
    const auto subsystem = builder_.subsystem(root.subsystem.value);
    if (!subsystem) return std::unexpected(subsystem.error());
    if (builder_.has_root(*subsystem)) {
      pools = {builder_.root(*subsystem), 1, {}};
      return {};
    }
    auto spec = spec_of(root);
    if (!spec) return std::unexpected(spec.error());
    spec->id = 0;
    if (root.type.value == "node") spec->rank = builder_.next_rank();
    const auto pool = builder_.add_pool(*spec);
    if (!pool) return std::unexpected(pool.error());
    pools = {*pool, 1, {}};
    add_to(root, 0, *pool);
    remember(root, *pool, 1);
    if (const int column = paths_.column(root.subsystem.value); column >= 0) {
      if (paths_.is_full()) return too_many_paths();
      paths_.set_root(column, *pool, builder_.pool_name(*pool));
    }
    return builder_.set_root(*subsystem, *pool);
  }

  // Ids of a MULTIPLY edge: start + (k * scale + i) * stride for the i-th pool below the source's
  // j-th pool, where k = j mod period. Checked for the first and the last.
  struct Numbers {
    std::int64_t start = -1, stride = 0;
    std::uint64_t period = 1;
  };
  Result<Numbers> numbers_of(const Step& step, const Edge& edge, std::uint64_t sources) const {
    Numbers numbers;
    if (edge.id_scope.value < 0) return numbers;
    numbers.start = edge.id_start.value;
    numbers.stride = edge.id_scope.value == 0 ? 1 : edge.id_stride.value;
    numbers.period = edge.id_scope.value == 0 ? 1 : step.period;
    const std::uint64_t steps =  // the largest k * scale + i; below kPoolsMax
        std::min(numbers.period, sources) * static_cast<std::uint64_t>(edge.multi_scale.value) - 1;
    std::int64_t last = 0;
    if (__builtin_mul_overflow(static_cast<std::int64_t>(steps), numbers.stride, &last) ||
        __builtin_add_overflow(last, numbers.start, &last) || last < -kIdMax || last > kIdMax ||
        numbers.start < -kIdMax || numbers.start > kIdMax) {
      return error(edge.id_start.spot, edge.spot,
                   fmt::format("ids from {} by {} in {} steps leave the range of ±{}; lower "
                               "id_start, id_stride or multi_scale",
                               numbers.start, numbers.stride, steps, kIdMax));
    }
    if (steps == 0) numbers.stride = 0;  // not taken once, and perhaps too large to be added
    return numbers;
  }

  Result<void> multiply(const Step& step, const Edge& edge) {
    if (edge.multi_scale.value <= 0) return {};
    const Pools& sources = pools_[edge.source];
    const auto scale = static_cast<std::uint64_t>(edge.multi_scale.value);
    std::uint64_t count = 0;
    if (__builtin_mul_overflow(scale, std::uint64_t{sources.count}, &count) ||
        count > kPoolsMax - std::min<std::uint64_t>(kPoolsMax, builder_.pool_count())) {
      return error(edge.multi_scale.spot, edge.spot, too_many_pools(recipe_, edge),
                   ErrorCode::limit);
    }
    const auto numbers = numbers_of(step, edge, sources.count);
    if (!numbers) return std::unexpected(numbers.error());
    const Vertex& vertex = recipe_.vertices[edge.target];
    auto spec = spec_of(vertex);
    if (!spec) return std::unexpected(spec.error());
    const auto words = words_of(edge);
    if (!words) return std::unexpected(words.error());

    const auto first = static_cast<Handle>(builder_.pool_count());
    const bool is_node = vertex.type.value == "node";
    const bool adds = vertex.id_width > 0 || !vertex.properties.empty();
    std::uint64_t k = 0;  // j mod period
    for (std::uint32_t j = 0; j < sources.count; ++j) {
      const Handle source = sources[j];
      spec->id = numbers->start + static_cast<std::int64_t>(k * scale) * numbers->stride;
      for (std::uint64_t i = 0; i < scale; ++i, spec->id += numbers->stride) {
        if (is_node) spec->rank = builder_.next_rank();
        const auto pool = builder_.add_pool(*spec);
        if (!pool) return std::unexpected(pool.error());
        if (adds) add_to(vertex, spec->id, *pool);
        if (auto ok =
                builder_.add_edge(source, *pool, words->subsystem, words->relation, words->reverse);
            !ok) {
          return ok;
        }
      }
      if (++k == numbers->period) k = 0;
    }
    pools_[edge.target] = {first, static_cast<std::uint32_t>(count), {}};
    edges_ += count;
    remember(vertex, first, static_cast<std::uint32_t>(count));
    return multiply_paths(edge, scale);
  }

  // The paths of what multiply() made, only for subsystems that are compared by path.
  Result<void> multiply_paths(const Edge& edge, std::uint64_t scale) {
    const int column = paths_.column(edge.e_subsystem.value);
    if (column < 0) return {};
    const Pools& sources = pools_[edge.source];
    const Pools& made = pools_[edge.target];
    for (std::uint32_t i = 0; i < made.count; ++i) {
      if (paths_.is_full()) return too_many_paths();
      paths_.set_below(column, sources[static_cast<std::uint32_t>(i / scale)], made[i],
                       builder_.pool_name(made[i]));
    }
    return {};
  }

  [[nodiscard]] std::unexpected<Error> too_many_paths() const {
    return fail(ErrorCode::limit, fmt::format("the recipe compares more than {} paths; associate "
                                              "fewer pools by path",
                                              Paths::kPathsMax));
  }

  // Refuse too many edges, or too many path lookups, before they are made.
  Result<void> check_pairs(const Edge& edge, std::uint64_t pairs) const {
    if (pairs <= kEdgesMax - std::min(kEdgesMax, edges_)) return {};
    return error(edge.spot, {}, too_many_edges(recipe_, edge), ErrorCode::limit);
  }
  Result<void> count_lookups(const Edge& edge, std::uint64_t pools, std::int64_t levels) {
    const auto climbs = std::min<std::int64_t>(levels, paths_.depth_max());
    lookups_ += pools * (1 + static_cast<std::uint64_t>(climbs));
    if (lookups_ <= kLookupsMax) return {};
    return error(edge.spot, {},
                 fmt::format("the recipe compares paths of more than {} pools; associate fewer "
                             "pools by path",
                             kLookupsMax),
                 ErrorCode::limit);
  }

  // Joins two pools. `column` is where paths of the edge's subsystem are kept, -1 if they are not.
  Result<void> join(const Edge& edge, const Words& words, int column, Handle source, Handle target,
                    Pools& joined) {
    if (source == target) {
      return error(edge.spot, {},
                   fmt::format("this edge associates pool {} with itself; pools of type {} are "
                               "both its source and its target",
                               xml::quoted(builder_.pool_name(source)),
                               xml::quoted(recipe_.vertices[edge.target].type.value)));
    }
    if (auto ok = builder_.add_edge(source, target, words.subsystem, words.relation, words.reverse);
        !ok) {
      return ok;
    }
    ++edges_;
    if (column >= 0) {
      if (paths_.is_full()) return too_many_paths();
      paths_.set_below(column, source, target, builder_.pool_name(target));
    }
    ++joined.count;
    if (keeps_list_) joined.list.push_back(target);
    return {};
  }

  Result<void> associate_all(const Step& step, const Edge& edge) {
    const auto& ranges = made_[recipe_.vertices[edge.target].type.value];
    const Pools& sources = pools_[edge.source];
    std::uint64_t targets = 0;
    for (const Pools& range : ranges) targets += range.count;
    if (targets == 0) return {};
    if (auto ok = check_pairs(edge, targets * sources.count); !ok) return ok;
    const auto words = words_of(edge);
    if (!words) return std::unexpected(words.error());
    const int column = paths_.column(edge.e_subsystem.value);
    keeps_list_ = step.target_has_edges;
    Pools joined;
    for (std::uint32_t j = 0; j < sources.count; ++j) {
      for (const Pools& range : ranges) {
        for (std::uint32_t i = 0; i < range.count; ++i) {
          if (auto ok = join(edge, *words, column, sources[j], range[i], joined); !ok) return ok;
        }
      }
    }
    pools_[edge.target] = std::move(joined);
    return {};
  }

  // What ASSOCIATE_BY_PATH_IN joins: source j to targets[firsts[b]] … targets[firsts[b + 1] - 1],
  // in order of creation, where b is buckets[j], or to nothing if that is KeyTable::kNone.
  struct Matches {
    std::vector<std::uint32_t> buckets;
    std::vector<std::uint32_t> firsts;
    std::vector<Handle> targets;
  };

  // Equal paths share a bucket. The table has the paths of the smaller side only.
  Matches match_paths(const Edge& edge, const Pools& sources, const std::vector<Pools>& ranges,
                      std::uint64_t target_count) const {
    const int column = paths_.column(edge.as_tgt_subsystem.value);
    const auto each = [&](const Pools& pools, std::int64_t levels, auto visit) {
      for (std::uint32_t i = 0; i < pools.count; ++i) {
        visit(pools[i], paths_.key(paths_.stripped(column, pools[i], levels)));
      }
    };
    const auto each_source = [&](auto visit) { each(sources, edge.as_src_uplvl.value, visit); };
    const auto each_target = [&](auto visit) {
      for (const Pools& range : ranges) each(range, edge.as_tgt_uplvl.value, visit);
    };
    KeyTable table(std::min<std::uint64_t>(sources.count, target_count));
    const auto add = [&](Handle, const Paths::Key& key) { table.add(key); };
    if (sources.count <= target_count) {
      each_source(add);
    } else {
      each_target(add);
    }

    Matches matches;
    each_source([&](Handle, const Paths::Key& key) { matches.buckets.push_back(table.find(key)); });
    std::vector<std::uint32_t>& firsts = matches.firsts;
    firsts.assign(std::size_t{table.size()} + 2, 0);
    std::vector<std::pair<std::uint32_t, Handle>> found;  // (bucket, target)
    each_target([&](Handle target, const Paths::Key& key) {
      const std::uint32_t bucket = table.find(key);
      if (bucket == KeyTable::kNone) return;
      found.emplace_back(bucket, target);
      ++firsts[bucket + 2];
    });
    for (std::size_t b = 2; b < firsts.size(); ++b) firsts[b] += firsts[b - 1];
    matches.targets.resize(found.size());
    for (const auto& [bucket, target] : found) matches.targets[firsts[bucket + 1]++] = target;
    return matches;
  }

  Result<void> associate_by_path(const Step& step, const Edge& edge) {
    const auto& ranges = made_[recipe_.vertices[edge.target].type.value];
    const Pools& sources = pools_[edge.source];
    std::uint64_t targets = 0;
    for (const Pools& range : ranges) targets += range.count;
    if (auto ok = count_lookups(edge, targets, edge.as_tgt_uplvl.value); !ok) return ok;
    if (auto ok = count_lookups(edge, sources.count, edge.as_src_uplvl.value); !ok) return ok;
    const auto [buckets, firsts, found] = match_paths(edge, sources, ranges, targets);
    std::uint64_t pairs = 0;
    for (const std::uint32_t b : buckets) {
      if (b != KeyTable::kNone) pairs += firsts[b + 1] - firsts[b];
    }
    if (pairs == 0) return {};
    if (auto ok = check_pairs(edge, pairs); !ok) return ok;
    const auto words = words_of(edge);
    if (!words) return std::unexpected(words.error());
    const int column = paths_.column(edge.e_subsystem.value);
    keeps_list_ = step.target_has_edges;
    Pools joined;
    for (std::uint32_t j = 0; j < sources.count; ++j) {
      if (buckets[j] == KeyTable::kNone) continue;
      for (std::uint32_t t = firsts[buckets[j]]; t < firsts[buckets[j] + 1]; ++t) {
        if (auto ok = join(edge, *words, column, sources[j], found[t], joined); !ok) return ok;
      }
    }
    pools_[edge.target] = std::move(joined);
    return {};
  }

  const Recipe& recipe_;
  const Plan& plan_;
  GraphBuilder& builder_;
  std::vector<Pools> pools_;                                       // by recipe vertex
  std::unordered_map<std::string_view, std::vector<Pools>> made_;  // by type
  Paths paths_;
  std::uint64_t pools_before_;
  std::uint64_t edges_ = 0;
  std::uint64_t lookups_ = 0;
  bool keeps_list_ = false;  // the target of the running step is a source later on
};

}  // namespace

Result<void> generate(const Recipe& recipe, GraphBuilder& builder) {
  const auto plan = make_plan(recipe);
  if (!plan) return std::unexpected(plan.error());
  return Generator(recipe, *plan, builder).run();
}

}  // namespace copse::grug
