// SPDX-License-Identifier: Apache-2.0
#include "copse/engine.hpp"

#include <algorithm>

#include "engine/impl.hpp"

namespace copse {

const std::string& PreparedRequest::queue() const { return compiled_->queue; }

PreparedRequest* PreparedCache::find(std::string_view text) {
  if (!entries_.empty() && entries_.front().text == text) return &entries_.front().request;
  auto it = index_.find(text);
  if (it == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, it->second);
  return &entries_.front().request;
}

PreparedRequest* PreparedCache::insert(std::string_view text, PreparedRequest request) {
  if (entries_.size() >= max_ && !entries_.empty()) {
    index_.erase(entries_.back().text);
    entries_.pop_back();
  }
  entries_.push_front({std::string(text), std::move(request)});
  index_.emplace(entries_.front().text, entries_.begin());
  return &entries_.front().request;
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(ResourceGraph graph, EngineOptions options,
                                               Layouts layouts) {
  auto filters = PruneFilters::parse(options.prune_filters, graph);
  if (!filters) return std::unexpected(filters.error());
  auto impl = std::make_unique<Impl>(std::move(graph), std::move(options), std::move(*filters));
  impl->layouts = std::move(layouts);
  if (auto ok = impl->make_treepool(); !ok) return std::unexpected(ok.error());
  if (auto ok = impl->make_channels(); !ok) return std::unexpected(ok.error());
  for (PoolId p : impl->graph.born_down()) impl->set_status(p, Status::down);
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

Result<void> Engine::Impl::make_treepool() {
  if (options.traverser != Traverser::treepool) return {};
  auto made = TreepoolTraverser::create(graph, state, layouts);
  if (!made) return std::unexpected(made.error());
  treepool = std::move(*made);
  return {};
}

void Engine::Impl::set_status(PoolId pool, Status status) {
  state.set_status(pool, status);
  if (treepool != nullptr) treepool->nodes().status_changed(pool);
}

const ResourceGraph& Engine::graph() const { return impl_->graph; }
const EngineOptions& Engine::options() const { return impl_->options; }
Names& Engine::names() { return impl_->graph.names(); }
const std::vector<std::string>& Engine::remarks() const { return impl_->remarks; }
bool Engine::takes_nothing() const { return impl_->takes_nothing; }
std::uint64_t Engine::visits() const { return impl_->visits; }

Result<PreparedRequest> Engine::prepare(Request request) {
  auto compiled = compile(request, impl_->graph, impl_->options.policy, impl_->options.traverser,
                          impl_->layouts, impl_->channels.get());
  if (!compiled) return std::unexpected(compiled.error());
  if (auto ok = impl_->resolve_hres(*compiled, request); !ok) return std::unexpected(ok.error());
  compiled->graph_version = impl_->graph_version;
  PreparedRequest out;
  out.compiled_ = std::make_shared<CompiledRequest>(std::move(*compiled));
  out.request_ = std::move(request);
  return out;
}

Result<PreparedRequest*> Engine::prepare(std::string_view text, std::string_view file) {
  if (PreparedRequest* known = impl_->prepared.find(text)) {
    known->duration_s_.reset();
    return known;
  }
  auto request = parse_jobspec(text, file);
  if (!request) return std::unexpected(request.error());
  auto made = prepare(std::move(*request));
  if (!made) {
    Error error = made.error();
    if (error.place.file.empty()) error.place.file = file;
    return std::unexpected(std::move(error));
  }
  return impl_->prepared.insert(text, std::move(*made));
}

Result<void> Engine::cancel(JobId job) {
  auto it = impl_->by_job.find(job);
  if (it == impl_->by_job.end()) {
    return fail(ErrorCode::not_found, "nonexistent job " + std::to_string(job));
  }
  impl_->apply(it->second, -1);
  impl_->drop_grant(it->second);
  impl_->forget_growth();
  return {};
}

const Grant* Engine::grant(JobId job) const {
  auto it = impl_->by_job.find(job);
  return it == impl_->by_job.end() ? nullptr : &impl_->grants[it->second];
}

std::size_t Engine::grant_count() const { return impl_->by_job.size(); }

std::vector<JobId> Engine::jobs() const {
  std::vector<JobId> out;
  out.reserve(impl_->by_job.size());
  for (const auto& [job, number] : impl_->by_job) out.push_back(job);
  std::sort(out.begin(), out.end());
  return out;
}

Status Engine::status(PoolId pool) const { return impl_->state.status(pool); }
void Engine::set_status(PoolId pool, Status status) { impl_->set_status(pool, status); }
void Engine::set_property(PoolId pool, std::string key, std::string value) {
  impl_->graph.set_property(pool, std::move(key), std::move(value));
}
void Engine::set_tag(PoolId pool, std::string key, std::string value) {
  impl_->graph.set_tag(pool, std::move(key), std::move(value));
}

std::vector<Engine::FilterUse> Engine::filter_use(PoolId pool, JobId job) const {
  std::vector<FilterUse> out;
  const ResourceGraph& g = impl_->graph;
  if (g.leaf(pool)) return out;
  const Shape& shape = g.shape(pool);
  const auto row = impl_->state.row(g.interior(pool));
  const Grant* of_job = job == 0 ? nullptr : grant(job);
  for (TypeId type : impl_->filters.of(g.type(pool))) {
    const int k = shape.total_index(type);
    FilterUse use{type, 0, k < 0 ? 0 : shape.totals[static_cast<std::size_t>(k)].total};
    if (job == 0) {
      use.used = k < 0 ? 0 : row[static_cast<std::size_t>(k) + 1];
    } else if (of_job != nullptr) {
      std::vector<Emitted> emitted;
      expand(g, of_job->selection, emitted);
      for (const Emitted& e : emitted) {
        if (e.exclusive && e.pool != pool && g.below(e.pool, pool) && g.type(e.pool) == type) {
          use.used += g.size(e.pool);
        }
      }
    }
    out.push_back(use);
  }
  return out;
}

std::uint64_t Engine::fingerprint() const {
  const std::uint64_t drawn = impl_->supply == nullptr ? 0 : impl_->supply->fingerprint();
  const std::uint64_t channels = impl_->channels == nullptr ? 0 : impl_->channels->fingerprint();
  return impl_->state.fingerprint() ^ (drawn * 0x9e3779b97f4a7c15u) ^
         (channels * 0xc2b2ae3d27d4eb4fu);
}
std::uint64_t Engine::bytes() const {
  const std::uint64_t channels = impl_->channels == nullptr ? 0 : impl_->channels->bytes();
  return impl_->graph.bytes() + impl_->state.bytes() + channels;
}

}  // namespace copse
