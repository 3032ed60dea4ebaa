// SPDX-License-Identifier: Apache-2.0
//
// Machines of include/copse.h.
#include <string>

#include "capi/objects.hpp"
#include "formats/jgf/graph_jgf.hpp"
#include "formats/machine_formats.hpp"

namespace copse::capi {

namespace {

Outcome<MachineFile> machine_options(const copse_machine_options* options, std::string path) {
  copse_machine_options how = COPSE_MACHINE_OPTIONS_INIT;
  if (auto ok = read_struct(options, how); !ok) return std::unexpected(ok.error());
  return MachineFile{.path = how.file == nullptr ? std::move(path) : std::string(how.file),
                     .format = std::string(word_or(how.format, "")),
                     .allowlist = std::string(word_or(how.allowlist, "")),
                     .dominant = std::string(word_or(how.subsystem, "containment")),
                     .divisible = std::string(word_or(how.divisible, "")),
                     .treepool = how.layouts};
}

Outcome<void> give_machine(Result<Machine> machine, copse_machine** out) {
  if (!machine) return std::unexpected(Failure(machine.error()));
  return give(std::make_unique<MachineObject>(std::move(*machine)), out);
}

}  // namespace

extern "C" {

copse_code copse_machine_load(const char* path, const copse_machine_options* options,
                              copse_machine** machine, copse_error* error) {
  return call(error, [&]() -> Outcome<void> {
    const auto name = word_in(path, "the path");
    if (!name) return std::unexpected(name.error());
    auto file = machine_options(options, {});
    if (!file) return std::unexpected(file.error());
    file->path = *name;
    return give_machine(load_machine(*file, nullptr), machine);
  });
}

copse_code copse_machine_read(const char* text, size_t length, const copse_machine_options* options,
                              copse_machine** machine, copse_error* error) {
  return call(error, [&]() -> Outcome<void> {
    const auto all = text_in(text, length, "the text");
    if (!all) return std::unexpected(all.error());
    const auto file = machine_options(options, {});
    if (!file) return std::unexpected(file.error());
    return give_machine(read_machine_text({.text = *all,
                                           .file = file->path,
                                           .allowlist = file->allowlist,
                                           .dominant = file->dominant,
                                           .divisible = file->divisible,
                                           .treepool = file->treepool},
                                          file->format),
                        machine);
  });
}

copse_code copse_machine_write(copse_machine* machine, char** text, size_t* length,
                               copse_error* error) {
  return call(error, [&]() -> Outcome<void> {
    const auto held = Held<MachineObject>::of(machine);
    if (!held) return std::unexpected(held.error());
    std::string out;
    if (auto ok = write_jgf((*held)->machine.graph, out); !ok) return done(ok);
    return text_out(out, text, length);
  });
}

copse_code copse_machine_count(copse_machine* machine, const char* type, uint64_t* pools,
                               uint64_t* units, copse_error* error) {
  return call(error, [&]() -> Outcome<void> {
    const auto held = Held<MachineObject>::of(machine);
    if (!held) return std::unexpected(held.error());
    const ResourceGraph& graph = (*held)->machine.graph;
    const TypeId wanted = type == nullptr ? kNoType : graph.find_type(type);
    std::uint64_t found = 0, sum = 0;
    for (std::uint32_t v = 0; v < graph.pool_count(); ++v) {
      if (type != nullptr && (wanted == kNoType || graph.type(PoolId{v}) != wanted)) continue;
      ++found;
      sum += static_cast<std::uint64_t>(graph.size(PoolId{v}));
    }
    if (pools != nullptr) *pools = found;
    if (units != nullptr) *units = sum;
    return {};
  });
}

copse_code copse_machine_free(copse_machine* machine) {
  return free_handle<MachineObject>(machine);
}

}  // extern "C"

}  // namespace copse::capi
