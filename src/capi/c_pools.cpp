// SPDX-License-Identifier: Apache-2.0
//
// The machine of an engine, and its hierarchical resources: include/copse.h.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capi/match_out.hpp"
#include "capi/objects.hpp"
#include "capi/pools_in.hpp"
#include "formats/formats.hpp"
#include "formats/grant_writer.hpp"
#include "formats/hres/hres.hpp"
#include "formats/jgf/graph_jgf.hpp"
#include "formats/jgf/jgf_set.hpp"
#include "formats/jgf/jgf_subtrees.hpp"
#include "formats/jgf/pool_json.hpp"
#include "session/layers.hpp"
#include "session/status/machine_status_text.hpp"

namespace copse::capi {

namespace {

Outcome<LayerReservation> layer_reservation(const copse_layer_reservation* reservation) {
  copse_layer_reservation how = COPSE_LAYER_RESERVATION_INIT;
  if (reservation == nullptr) return refuse(COPSE_INVALID, "the reservation is NULL");
  if (auto ok = read_struct(reservation, how); !ok) return std::unexpected(ok.error());
  if (how.id == nullptr || how.resource == nullptr || how.nodes == nullptr ||
      (how.jobs == nullptr && how.job_count > 0)) {
    return refuse(COPSE_INVALID, "a reservation needs an id, a resource, nodes and jobs");
  }
  return LayerReservation{.id = how.id,
                          .resource = how.resource,
                          .nodes = how.nodes,
                          .count = how.count,
                          .start = how.start,
                          .end = how.end,
                          .jobs = {how.jobs, how.jobs + how.job_count}};
}

// Calls body(Engine&, resource, nodes) for a named layer.
template <class Body>
copse_code with_layer(copse_engine* engine, const char* resource, const char* nodes,
                      copse_error* error, Body body) {
  return with_engine(engine, Access::write, error, [&](EngineUse& use) -> Outcome<void> {
    const auto name = word_in(resource, "the resource");
    if (!name) return std::unexpected(name.error());
    const auto where = word_in(nodes, "the list of nodes");
    if (!where) return std::unexpected(where.error());
    return body(use.engine(), *name, *where);
  });
}

// Pools as a machine in JGF; no pools: an empty text.
Outcome<void> graph_out(const ResourceGraph& graph, std::span<const ExpandedPool> found,
                        char** text, size_t* length) {
  std::vector<PoolId> pools;
  for (const ExpandedPool& f : found) pools.push_back(f.pool);
  std::string out;
  if (!pools.empty()) {
    if (auto ok = write_jgf(graph, pools, sink_into(out)); !ok) return done(ok);
  }
  return text_out(out, text, length);
}

// Calls body(Engine&, PoolId, std::string key) for each pool that `where` names.
template <class Body>
copse_code with_words(copse_engine* engine, const char* where, const char* key, copse_error* error,
                      Body body) {
  return with_engine(engine, Access::write, error, [&](EngineUse& use) -> Outcome<void> {
    const auto name = word_in(key, "the key");
    if (!name) return std::unexpected(name.error());
    if (name->empty()) return refuse(COPSE_INVALID, "the key is empty");
    const auto pools = pools_in(use.engine().graph(), where);
    if (!pools) return std::unexpected(pools.error());
    for (const PoolId pool : *pools) body(use.engine(), pool, std::string(*name));
    return {};
  });
}

}  // namespace

extern "C" {

copse_code copse_set_status(copse_engine* engine, const char* where, copse_status status,
                            copse_error* error) {
  return with_engine(engine, Access::write, error, [&](EngineUse& use) -> Outcome<void> {
    const auto value = status_in(status);
    if (!value) return std::unexpected(value.error());
    const auto pools = pools_in(use.engine().graph(), where);
    if (!pools) return std::unexpected(pools.error());
    for (const PoolId pool : *pools) use.engine().set_status(pool, *value);
    return {};
  });
}

copse_code copse_get_status(copse_engine* engine, const char* where, copse_status* status,
                            copse_error* error) {
  return with_engine(engine, Access::read, error, [&](EngineUse& use) -> Outcome<void> {
    if (status == nullptr) return refuse(COPSE_INVALID, "the status is NULL");
    const auto pools = pools_in(use.engine().graph(), where);
    if (!pools) return std::unexpected(pools.error());
    *status = static_cast<copse_status>(use.engine().status(pools->front()));
    return {};
  });
}

copse_code copse_set_property(copse_engine* engine, const char* where, const char* key,
                              const char* value, copse_error* error) {
  return with_words(engine, where, key, error, [&](Engine& e, PoolId pool, std::string name) {
    e.set_property(pool, std::move(name), std::string(word_or(value, "")));
  });
}

copse_code copse_set_tag(copse_engine* engine, const char* where, const char* key,
                         const char* value, copse_error* error) {
  return with_words(engine, where, key, error, [&](Engine& e, PoolId pool, std::string name) {
    e.set_tag(pool, std::move(name), std::string(word_or(value, "")));
  });
}

copse_code copse_pool(copse_engine* engine, const char* where, char** json, size_t* length,
                      copse_error* error) {
  return with_engine(engine, Access::read, error, [&](EngineUse& use) -> Outcome<void> {
    const ResourceGraph& graph = use.engine().graph();
    const auto pools = pools_in(graph, where);
    if (!pools) return std::unexpected(pools.error());
    std::string out;
    append_pool_json(out, graph, pools->front(), use.engine().status(pools->front()));
    return text_out(out, json, length);
  });
}

copse_code copse_grow(copse_engine* engine, const char* jgf, size_t length, copse_error* error) {
  return with_engine(engine, Access::write, error, [&](EngineUse& use) -> Outcome<void> {
    const auto text = text_in(jgf, length, "the JGF");
    if (!text) return std::unexpected(text.error());
    const auto set = read_jgf_set(*text, "JGF");
    if (!set) return std::unexpected(Failure(set.error()));
    const auto subtrees = subtrees_of(use.engine().graph(), use.engine().names(), *set);
    if (!subtrees) return std::unexpected(Failure(subtrees.error()));
    return done(use.engine().attach(*subtrees));
  });
}

copse_code copse_shrink(copse_engine* engine, const char* where, uint64_t** jobs, size_t* count,
                        copse_error* error) {
  return with_engine(engine, Access::write, error, [&](EngineUse& use) -> Outcome<void> {
    const auto pools = pools_in(use.engine().graph(), where);
    if (!pools) return std::unexpected(pools.error());
    if (jobs != nullptr && count == nullptr) return refuse(COPSE_INVALID, "the count is NULL");
    const auto lost = use.engine().remove(*pools);
    if (!lost) return std::unexpected(Failure(lost.error()));
    return jobs == nullptr ? Outcome<void>() : list_out(*lost, jobs, count);
  });
}

copse_code copse_find(copse_engine* engine, const char* expression, const char* format, char** text,
                      size_t* length, copse_error* error) {
  return with_engine(engine, Access::read, error, [&](EngineUse& use) -> Outcome<void> {
    const auto words = word_in(expression, "the expression");
    if (!words) return std::unexpected(words.error());
    const bool graph = word_or(format, "simple") == "graph";
    if (auto ok = graph ? Outcome<void>() : check_format(format); !ok) return ok;
    const auto found = use.engine().find(*words);
    if (!found) return std::unexpected(Failure(found.error()));
    if (graph) return graph_out(use.engine().graph(), found->pools, text, length);
    Writer writer(parse_format(word_or(format, "simple")).value_or(Format::simple));
    std::string out;
    append_found(use.engine(), *found, writer, out);
    return text_out(out, text, length);
  });
}

copse_code copse_usage(copse_engine* engine, const char* format, char** text, size_t* length,
                       copse_error* error) {
  return with_engine(engine, Access::read, error, [&](EngineUse& use) -> Outcome<void> {
    const auto json = wants_json(format);
    if (!json) return std::unexpected(json.error());
    std::string out;
    (*json ? append_status_json : append_status_text)(out, status_of(use.engine()),
                                                      StatusLevels::without);
    return text_out(out, text, length);
  });
}

copse_code copse_supply_add(copse_engine* engine, const char* yaml, size_t length,
                            copse_error* error) {
  return with_engine(engine, Access::write, error, [&](EngineUse& use) -> Outcome<void> {
    const auto text = text_in(yaml, length, "the text of resources");
    if (!text) return std::unexpected(text.error());
    const auto spec = read_hres(*text, "resources");
    if (!spec) return std::unexpected(Failure(spec.error()));
    return done(use.engine().add_resources(*spec, "resources"));
  });
}

copse_code copse_supply_remove(copse_engine* engine, const char* resource, const char* nodes,
                               copse_error* error) {
  return with_layer(engine, resource, nodes, error, [](Engine& e, auto name, auto where) {
    return done(e.remove_layer(name, where));
  });
}

copse_code copse_supply_set_count(copse_engine* engine, const char* resource, const char* nodes,
                                  int64_t count, copse_error* error) {
  return with_layer(engine, resource, nodes, error, [&](Engine& e, auto name, auto where) {
    return done(e.set_layer_count(name, where, count));
  });
}

copse_code copse_supply_set_nodes(copse_engine* engine, const char* resource, const char* nodes,
                                  const char* to, copse_error* error) {
  return with_layer(engine, resource, nodes, error,
                    [&](Engine& e, auto name, auto where) -> Outcome<void> {
                      const auto target = word_in(to, "the new list of nodes");
                      if (!target) return std::unexpected(target.error());
                      return done(e.set_layer_nodes(name, where, *target));
                    });
}

copse_code copse_supply_reserve(copse_engine* engine, const copse_layer_reservation* reservation,
                                copse_error* error) {
  return with_engine(engine, Access::write, error, [&](EngineUse& use) -> Outcome<void> {
    const auto wanted = layer_reservation(reservation);
    if (!wanted) return std::unexpected(wanted.error());
    return done(use.engine().reserve_layer(*wanted));
  });
}

copse_code copse_supply_free(copse_engine* engine, const char* id, copse_error* error) {
  return with_engine(engine, Access::write, error, [&](EngineUse& use) -> Outcome<void> {
    const auto name = word_in(id, "the id");
    if (!name) return std::unexpected(name.error());
    return done(use.engine().free_layer(*name));
  });
}

copse_code copse_supply_layers(copse_engine* engine, int64_t at, char** json, size_t* length,
                               copse_error* error) {
  return with_engine(engine, Access::read, error, [&](EngineUse& use) -> Outcome<void> {
    SessionRequest line;
    line.at = at;
    std::string out;
    if (auto ok = list_layers(use.engine(), line, out); !ok) return done(ok);
    return text_out(out, json, length);
  });
}

}  // extern "C"

}  // namespace copse::capi
