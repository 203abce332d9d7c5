#include "common/io/open_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/error.h"
#include "common/io/disk_full.h"

namespace pelorus {

void throwErrno(std::string_view doing, const std::string& path) {
    const int error = errno;
    std::string hint;
    if (error == EACCES || error == EPERM || error == EROFS) hint = "Check who may write to this place.";
    if (error == EMFILE || error == ENFILE) hint = "Raise the limit of open files (ulimit -n).";
    const bool retryable = error == EMFILE || error == ENFILE || error == EINTR;
    const std::string what = "Cannot " + std::string(doing) + " " + path + ": " + std::strerror(error) + ".";
    if (error == ENOSPC || error == EDQUOT) throw DiskFull(what, "Free space on this disk, then try again.");
    throw SystemError(what, hint, retryable);
}

namespace {

class PosixFile final : public File {
public:
    PosixFile(Descriptor descriptor, std::string path)
        : descriptor_(std::move(descriptor)), path_(std::move(path)), end_(size()) {}

    void append(std::string_view bytes) override {
        while (!bytes.empty()) {
            const ssize_t written = ::pwrite(descriptor_.number(), bytes.data(), bytes.size(), end_);
            if (written < 0) {
                if (errno == EINTR) continue;
                throwErrno("write to", path_);
            }
            end_ += written;
            bytes.remove_prefix(static_cast<size_t>(written));
        }
    }

    void overwrite(int64_t offset, std::string_view bytes) override {
        while (!bytes.empty()) {
            const ssize_t written = ::pwrite(descriptor_.number(), bytes.data(), bytes.size(), offset);
            if (written < 0) {
                if (errno == EINTR) continue;
                throwErrno("write to", path_);
            }
            offset += written;
            bytes.remove_prefix(static_cast<size_t>(written));
        }
    }

    size_t readAt(int64_t offset, void* target, size_t sizeBytes) const override {
        size_t done = 0;
        while (done < sizeBytes) {
            const ssize_t got = ::pread(descriptor_.number(), static_cast<char*>(target) + done, sizeBytes - done,
                                        offset + static_cast<int64_t>(done));
            if (got < 0) {
                if (errno == EINTR) continue;
                throwErrno("read", path_);
            }
            if (got == 0) break;
            done += static_cast<size_t>(got);
        }
        return done;
    }

    void willRead(int64_t offset, int64_t sizeBytes) const override {
        (void)::posix_fadvise(descriptor_.number(), offset, sizeBytes, POSIX_FADV_WILLNEED);
    }

    // fdatasync writes the size too, which is all of the metadata that reading back needs.
    void sync() override {
        if (::fdatasync(descriptor_.number()) != 0) throwErrno("sync", path_);
    }

    void reserve(int64_t sizeBytes) override {
        if (sizeBytes > size()) (void)::posix_fallocate(descriptor_.number(), 0, sizeBytes);
    }

    int64_t size() const override {
        struct stat status;
        if (::fstat(descriptor_.number(), &status) != 0) throwErrno("look at", path_);
        return status.st_size;
    }

    void truncate(int64_t sizeBytes) override {
        if (::ftruncate(descriptor_.number(), sizeBytes) != 0) throwErrno("shorten", path_);
        end_ = sizeBytes;
    }

    const std::string& path() const override { return path_; }

private:
    Descriptor descriptor_;
    std::string path_;
    int64_t end_;  // offset at which `append` writes
};

class PosixLock final : public FileLock {
public:
    PosixLock(Descriptor descriptor, std::string path) : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

    void describe(std::string_view string) override {
        if (::ftruncate(descriptor_.number(), 0) != 0 ||
            ::pwrite(descriptor_.number(), string.data(), string.size(), 0) != static_cast<ssize_t>(string.size())) {
            throwErrno("write to", path_);
        }
    }

private:
    Descriptor descriptor_;
    std::string path_;
};

}  // namespace

std::unique_ptr<File> makeFile(Descriptor descriptor, std::string path) {
    return std::make_unique<PosixFile>(std::move(descriptor), std::move(path));
}

std::unique_ptr<FileLock> makeLock(Descriptor descriptor, std::string path) {
    if (::flock(descriptor.number(), LOCK_EX | LOCK_NB) == 0)
        return std::make_unique<PosixLock>(std::move(descriptor), std::move(path));
    if (errno != EWOULDBLOCK) throwErrno("lock", path);
    return nullptr;
}

Descriptor openBeneath(int folder, const std::string& path, int flags) {
    // A rename elsewhere interrupts the resolution of a path with `..`, which is then tried again.
    constexpr int kMaxAttempts = 100;
    struct open_how how = {};
    how.flags = static_cast<uint64_t>(flags);
    how.mode = (flags & O_CREAT) != 0 ? 0666 : 0;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    const char* name = path.empty() ? "." : path.c_str();
    for (int attempt = 1;; ++attempt) {
        const auto number = static_cast<int>(::syscall(SYS_openat2, folder, name, &how, sizeof how));
        if (number >= 0 || (errno != EAGAIN && errno != EINTR) || attempt == kMaxAttempts) return Descriptor(number);
    }
}

Descriptor openFolder(const std::string& path) {
    Descriptor folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder.isOpen()) throwErrno("open the folder", path);
    return folder;
}

std::unique_ptr<File> openFileBeneath(const Descriptor& folder, const std::string& path) {
    // A name ends at a NUL for the kernel, but not for whoever looked at it before.
    if (path.empty() || path.find('\0') != std::string::npos) return nullptr;
    // O_NONBLOCK: a FIFO does not wait for a writer; it is refused below.
    Descriptor file = openBeneath(folder.number(), path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status = {};
    if (!file.isOpen() || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
    return makeFile(std::move(file), path);
}

std::vector<std::string> namesIn(Descriptor folder, const std::string& path) {
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(folder.number()), ::closedir);
    if (!entries) throwErrno("list", path);
    folder.release();
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(entries.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

double usedShareOf(const Descriptor& folder, const std::string& path) {
    struct statvfs disk;
    if (::fstatvfs(folder.number(), &disk) != 0) throwErrno("look at the disk of", path);
    return disk.f_blocks == 0 ? 0 : 1 - static_cast<double>(disk.f_bavail) / static_cast<double>(disk.f_blocks);
}

}  // namespace pelorus
