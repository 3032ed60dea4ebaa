// SPDX-License-Identifier: Apache-2.0
#include "journal/state/commit_mark.hpp"

#include <xxhash.h>

#include <utility>

#include "save/bytes.hpp"

namespace copse::journal {

namespace {

constexpr std::string_view kName = "copse";
constexpr std::uint64_t kSlots = 3, kLastSlot = 2, kSlotBytes = 512;

struct Slot {
  std::uint64_t number = 0, writes = 0;
  Mark mark{};
};

std::string slot_bytes(std::uint64_t writes, const Mark& mark) {
  ByteWriter out;
  out.text(kName);
  for (const std::uint64_t number :
       {writes, mark.end.next, mark.end.value, mark.database.id, mark.database.time_ns}) {
    out.number(number);
  }
  out.number(XXH3_64bits(out.bytes().data(), out.bytes().size()));
  return out.take();
}

std::optional<Slot> read_slot(std::uint64_t number, std::string_view bytes) {
  ByteReader in(bytes);
  Slot out{.number = number};
  const bool named = in.text() == kName;
  out.writes = in.number();
  out.mark.end.next = in.number();
  out.mark.end.value = in.number();
  out.mark.database.id = in.number();
  out.mark.database.time_ns = in.number();
  const std::size_t content = bytes.size() - in.left();
  const std::uint64_t sum = in.number();
  if (!in.ok() || !named || sum != XXH3_64bits(bytes.data(), content)) return std::nullopt;
  return out;
}

// The valid slot among the first `count` that was written last.
Result<std::optional<Slot>> last_slot(const VfsFile& file, std::uint64_t count = kSlots) {
  std::optional<Slot> out;
  for (std::uint64_t number = 0; number < count; ++number) {
    const auto bytes = file.read(number * kSlotBytes, kSlotBytes);
    if (!bytes) return std::unexpected(bytes.error());
    const auto slot = read_slot(number, *bytes);
    if (slot && (!out || slot->writes > out->writes)) out = slot;
  }
  return out;
}

}  // namespace

Result<std::optional<Mark>> CommitMark::read(const std::string& path, const std::string& vfs) {
  const auto there = VfsFile::exists(path, vfs);
  if (!there) return std::unexpected(there.error());
  if (!*there) return std::nullopt;
  const auto file = VfsFile::open(path, vfs, VfsFile::Access::read);
  if (!file) return std::unexpected(file.error());
  const auto slot = last_slot(*file);
  if (!slot) return std::unexpected(slot.error());
  if (!*slot) return std::nullopt;
  return (*slot)->mark;
}

Result<CommitMark> CommitMark::open(const std::string& path, const std::string& vfs) {
  auto file = VfsFile::open(path, vfs, VfsFile::Access::write);
  if (!file) return std::unexpected(file.error());
  const auto slot = last_slot(*file), synced = last_slot(*file, kLastSlot);
  if (!slot) return std::unexpected(slot.error());
  if (!synced) return std::unexpected(synced.error());
  // The next synced write must not replace the only valid synced slot.
  const std::uint64_t next_slot = *synced ? 1 - (*synced)->number : 0;
  return CommitMark(std::move(*file), *slot ? (*slot)->writes : 0, next_slot);
}

Result<void> CommitMark::write_slot(std::uint64_t slot, const Mark& mark) {
  return file_.write(slot * kSlotBytes, slot_bytes(++writes_, mark));
}

Result<void> CommitMark::write(const Mark& mark) { return write_slot(kLastSlot, mark); }

Result<void> CommitMark::write_synced(const Mark& mark) {
  if (auto ok = write_slot(next_synced_slot_, mark); !ok) return ok;
  next_synced_slot_ = 1 - next_synced_slot_;
  return file_.sync();
}

}  // namespace copse::journal
