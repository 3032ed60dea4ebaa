// SPDX-License-Identifier: Apache-2.0
#include "crash_disk.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <utility>

namespace copse::journal {

namespace {

constexpr std::int64_t kSector = 512;

// What SQLite has as a file: its own part comes first.
struct OpenFile {
  sqlite3_file base;
  CrashDisk* disk;
  std::string* path;
};

OpenFile& opened(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file); }

const std::string& contents(sqlite3_file* file) {
  static const std::string none;
  const auto& files = opened(file).disk->files();
  const auto at = files.find(*opened(file).path);
  return at == files.end() ? none : at->second;
}

int close_file(sqlite3_file* file) {
  delete opened(file).path;
  return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* to, int size, sqlite3_int64 at) {
  const std::string& bytes = contents(file);
  std::memset(to, 0, static_cast<std::size_t>(size));
  if (at >= static_cast<std::int64_t>(bytes.size())) return SQLITE_IOERR_SHORT_READ;
  const auto there = std::min<std::size_t>(static_cast<std::size_t>(size),
                                           bytes.size() - static_cast<std::size_t>(at));
  std::memcpy(to, bytes.data() + at, there);
  return there == static_cast<std::size_t>(size) ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* file, const void* from, int size, sqlite3_int64 at) {
  return opened(file).disk->add(
      {CrashDisk::Step::Kind::write, *opened(file).path, at,
       std::string(static_cast<const char*>(from), static_cast<std::size_t>(size))});
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  return opened(file).disk->add({CrashDisk::Step::Kind::truncate, *opened(file).path, size});
}

int sync_file(sqlite3_file* file, int) {
  return opened(file).disk->add({CrashDisk::Step::Kind::sync, *opened(file).path});
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(contents(file).size());
  return SQLITE_OK;
}

int lock_file(sqlite3_file*, int) { return SQLITE_OK; }
int no_lock(sqlite3_file*, int* held) {
  *held = 0;
  return SQLITE_OK;
}
int no_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 4096; }
// As SQLite takes for granted of real disks: a write touches no byte beside its own.
int characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

const sqlite3_io_methods kMethods = {
    1,         close_file, read_file, write_file, truncate_file, sync_file,       size_of_file,
    lock_file, lock_file,  no_lock,   no_control, sector_size,   characteristics, nullptr,
    nullptr,   nullptr,    nullptr,   nullptr,    nullptr};

CrashDisk& disk_of(sqlite3_vfs* vfs) { return *static_cast<CrashDisk*>(vfs->pAppData); }

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  OpenFile& out = opened(file);
  out.base.pMethods = &kMethods;
  out.disk = &disk_of(vfs);
  out.path = new std::string(path == nullptr ? "temporary" : path);
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int remove_file(sqlite3_vfs* vfs, const char* path, int sync_folder) {
  const int done = disk_of(vfs).add({CrashDisk::Step::Kind::remove, path});
  if (done != SQLITE_OK || sync_folder == 0) return done;
  return disk_of(vfs).add({CrashDisk::Step::Kind::sync, path});
}

int access_file(sqlite3_vfs* vfs, const char* path, int, int* there) {
  *there = disk_of(vfs).files().contains(path) ? 1 : 0;
  return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* path, int size, char* out) {
  sqlite3_snprintf(size, out, "%s", path);
  return SQLITE_OK;
}

// The same salts each time: what a seed gives, it gives again.
int random_bytes(sqlite3_vfs*, int size, char* out) {
  for (int i = 0; i < size; ++i) out[i] = static_cast<char>(i * 37);
  return size;
}

int sleep_for(sqlite3_vfs*, int microseconds) { return microseconds; }
int time_now(sqlite3_vfs*, double* days) {
  *days = 2460000.5;
  return SQLITE_OK;
}

}  // namespace

CrashDisk::CrashDisk(Files files)
    : before_(files), files_(std::move(files)), vfs_(std::make_unique<sqlite3_vfs>()) {
  static std::atomic<int> made = 0;
  name_ = "crash-disk-" + std::to_string(made++);
  *vfs_ = {};
  vfs_->iVersion = 1;
  vfs_->szOsFile = sizeof(OpenFile);
  vfs_->mxPathname = 256;
  vfs_->zName = name_.c_str();
  vfs_->pAppData = this;
  vfs_->xOpen = open_file;
  vfs_->xDelete = remove_file;
  vfs_->xAccess = access_file;
  vfs_->xFullPathname = full_path;
  vfs_->xRandomness = random_bytes;
  vfs_->xSleep = sleep_for;
  vfs_->xCurrentTime = time_now;
  sqlite3_vfs_register(vfs_.get(), 0);
}

CrashDisk::~CrashDisk() { sqlite3_vfs_unregister(vfs_.get()); }

int CrashDisk::add(Step step) {
  if (steps_.size() >= fail_from_) {
    if (full_ && step.kind == Step::Kind::write) return SQLITE_FULL;
    if (!full_ && step.kind == Step::Kind::write) return SQLITE_IOERR_WRITE;
    if (!full_ && step.kind == Step::Kind::sync) return SQLITE_IOERR_FSYNC;
  }
  if (step.kind != Step::Kind::sync) apply(step, files_);
  steps_.push_back(std::move(step));
  return SQLITE_OK;
}

void CrashDisk::apply(const Step& step, Files& files) {
  if (step.kind == Step::Kind::remove) {
    files.erase(step.path);
    return;
  }
  std::string& bytes = files[step.path];
  if (step.kind == Step::Kind::truncate) {
    bytes.resize(static_cast<std::size_t>(step.at));
  } else if (step.kind == Step::Kind::write) {
    const auto end = static_cast<std::size_t>(step.at) + step.bytes.size();
    if (bytes.size() < end) bytes.resize(end);
    step.bytes.copy(bytes.data() + step.at, step.bytes.size());
  }
}

// Some of the sectors of a write, and the first bytes of others.
void CrashDisk::apply_part(const Step& step, Files& files, std::mt19937_64& random) {
  const auto size = static_cast<std::int64_t>(step.bytes.size());
  for (std::int64_t from = 0; from < size;) {
    const std::int64_t to = std::min(size, from + kSector - (step.at + from) % kSector);
    const auto chance = random() % 8;
    if (chance < 4) {  // as it was
    } else {
      const std::int64_t torn =
          chance == 7 ? static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from))
                      : to - from;
      apply({Step::Kind::write, step.path, step.at + from,
             step.bytes.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(torn))},
            files);
    }
    from = to;
  }
}

CrashDisk::Files CrashDisk::after(std::size_t steps, std::mt19937_64& random) const {
  std::map<std::string, std::size_t> synced;  // the number of the step after the last sync
  for (std::size_t i = 0; i < steps; ++i) {
    if (steps_[i].kind == Step::Kind::sync) synced[steps_[i].path] = i + 1;
  }
  Files out = before_;
  for (std::size_t i = 0; i < steps; ++i) {
    const Step& step = steps_[i];
    if (step.kind == Step::Kind::sync) {
    } else if (i < synced[step.path]) {
      apply(step, out);
    } else if (step.kind == Step::Kind::write) {
      apply_part(step, out, random);
    } else if (random() % 2 == 0) {
      apply(step, out);
    }
  }
  return out;
}

CrashDisk::Files CrashDisk::all_after(std::size_t steps) const {
  Files out = before_;
  for (std::size_t i = 0; i < steps; ++i) {
    if (steps_[i].kind != Step::Kind::sync) apply(steps_[i], out);
  }
  return out;
}

}  // namespace copse::journal
