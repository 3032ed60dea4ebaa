// SPDX-License-Identifier: Apache-2.0
#include "journal/state/vfs_file.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace copse::journal {

namespace {

sqlite3_vfs* vfs_named(const std::string& name) {
  return sqlite3_vfs_find(name.empty() ? nullptr : name.c_str());
}

std::unexpected<Error> can_not(const char* what, const std::string& path, int code) {
  return fail(ErrorCode::io, fmt::format("can't {} {}: {} (SQLite error {})", what, path,
                                         sqlite3_errstr(code), code));
}

}  // namespace

void VfsFile::Close::operator()(sqlite3_file* file) const {
  if (file->pMethods != nullptr) file->pMethods->xClose(file);
  std::free(file);
}

std::unexpected<Error> VfsFile::error(const char* what, int code) const {
  return can_not(what, *path_, code);
}

Result<bool> VfsFile::exists(const std::string& path, const std::string& vfs) {
  sqlite3_vfs* system = vfs_named(vfs);
  int there = 0;
  const int code = system->xAccess(system, path.c_str(), SQLITE_ACCESS_EXISTS, &there);
  if (code != SQLITE_OK) return can_not("look for", path, code);
  return there != 0;
}

// Super-journals are the type of file about which SQLite assumes nothing, apart from one thing: its
// folder is synced with it when it is new.
Result<VfsFile> VfsFile::open(const std::string& path, const std::string& vfs, Access access) {
  sqlite3_vfs* system = vfs_named(vfs);
  auto name = std::make_unique<const std::string>(path);
  auto* bytes =
      static_cast<sqlite3_file*>(std::calloc(1, static_cast<std::size_t>(system->szOsFile)));
  if (bytes == nullptr) return fail(ErrorCode::io, fmt::format("{}: no memory", path));
  std::unique_ptr<sqlite3_file, Close> file(bytes);
  const int how =
      access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code =
      system->xOpen(system, name->c_str(), file.get(), how | SQLITE_OPEN_SUPER_JOURNAL, nullptr);
  if (code != SQLITE_OK) return can_not("open", path, code);
  return VfsFile(std::move(name), std::move(file));
}

Result<std::uint64_t> VfsFile::size() const {
  sqlite3_int64 out = 0;
  const int code = file_->pMethods->xFileSize(file_.get(), &out);
  if (code != SQLITE_OK) return error("measure", code);
  return static_cast<std::uint64_t>(out);
}

Result<std::string> VfsFile::read(std::uint64_t at, std::size_t bytes) const {
  const auto end = size();
  if (!end) return std::unexpected(end.error());
  std::string out(std::min<std::uint64_t>(bytes, *end > at ? *end - at : 0), '\0');
  if (out.empty()) return out;
  const int code = file_->pMethods->xRead(file_.get(), out.data(), static_cast<int>(out.size()),
                                          static_cast<sqlite3_int64>(at));
  if (code != SQLITE_OK) return error("read", code);
  return out;
}

Result<void> VfsFile::write(std::uint64_t at, std::string_view bytes) {
  const int code = file_->pMethods->xWrite(
      file_.get(), bytes.data(), static_cast<int>(bytes.size()), static_cast<sqlite3_int64>(at));
  return code == SQLITE_OK ? Result<void>() : error("write", code);
}

Result<void> VfsFile::sync() {
  const int code = file_->pMethods->xSync(file_.get(), SQLITE_SYNC_FULL);
  return code == SQLITE_OK ? Result<void>() : error("sync", code);
}

}  // namespace copse::journal
