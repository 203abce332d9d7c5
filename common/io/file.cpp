#include "common/io/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/error.h"

namespace pelorus {

namespace {

[[noreturn]] void throwErrno(std::string_view doing, const std::string& path) {
    const int error = errno;
    std::string hint;
    if (error == ENOSPC || error == EDQUOT) hint = "Free space on this disk, then try again.";
    if (error == EACCES || error == EPERM || error == EROFS) hint = "Check who may write to this place.";
    if (error == EMFILE || error == ENFILE) hint = "Raise the limit of open files (ulimit -n).";
    const bool retryable = error == ENOSPC || error == EDQUOT || error == EMFILE || error == ENFILE || error == EINTR;
    throw SystemError("Cannot " + std::string(doing) + " " + path + ": " + std::strerror(error) + ".", hint, retryable);
}

// Owner of a file descriptor.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return number_; }

private:
    int number_;
};

class PosixFile final : public File {
public:
    PosixFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {
        if (descriptor < 0) throwErrno("open", path_);
        end_ = size();
    }

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
    int64_t end_ = 0;  // where append writes
};

class PosixLock final : public FileLock {
public:
    PosixLock(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

    void describe(std::string_view text) override {
        if (::ftruncate(descriptor_.number(), 0) != 0 ||
            ::pwrite(descriptor_.number(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
            throwErrno("write to", path_);
        }
    }

private:
    Descriptor descriptor_;
    std::string path_;
};

class PosixFileSystem final : public FileSystem {
public:
    std::unique_ptr<File> create(const std::string& path) override { return open(path, O_RDWR | O_CREAT | O_TRUNC); }
    std::unique_ptr<File> openForAppend(const std::string& path) override { return open(path, O_RDWR); }
    std::unique_ptr<File> openForRead(const std::string& path) override { return open(path, O_RDONLY); }

    bool exists(const std::string& path) override {
        struct stat status;
        return ::stat(path.c_str(), &status) == 0;
    }

    void rename(const std::string& from, const std::string& to) override {
        if (::rename(from.c_str(), to.c_str()) != 0) throwErrno("rename " + from + " to", to);
    }

    void remove(const std::string& path) override {
        if (::remove(path.c_str()) != 0 && errno != ENOENT) throwErrno("remove", path);
    }

    void makeFolder(const std::string& path) override {
        if (path.empty() || exists(path)) return;
        const std::string above = folderOf(path);
        if (above != path) makeFolder(above);
        if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) throwErrno("make the folder", path);
    }

    void syncFolder(const std::string& path) override {
        Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (folder.number() < 0 || ::fsync(folder.number()) != 0) throwErrno("sync the folder", path);
    }

    double usedShare(const std::string& path) override {
        struct statvfs disk;
        if (::statvfs(path.c_str(), &disk) != 0) throwErrno("look at the disk of", path);
        return disk.f_blocks == 0 ? 0 : 1 - static_cast<double>(disk.f_bavail) / static_cast<double>(disk.f_blocks);
    }

    std::vector<std::string> list(const std::string& path) override {
        std::vector<std::string> names;
        DIR* folder = ::opendir(path.c_str());
        if (folder == nullptr) {
            if (errno == ENOENT) return names;
            throwErrno("list", path);
        }
        const std::unique_ptr<DIR, int (*)(DIR*)> closer(folder, ::closedir);
        while (const dirent* entry = ::readdir(folder)) {
            const std::string_view name = entry->d_name;
            if (name != "." && name != "..") names.emplace_back(name);
        }
        std::sort(names.begin(), names.end());
        return names;
    }

    std::unique_ptr<FileLock> lock(const std::string& path, std::string* holder) override {
        const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (descriptor < 0) throwErrno("open", path);
        auto lock = std::make_unique<PosixLock>(descriptor, path);
        if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
        if (errno != EWOULDBLOCK) throwErrno("lock", path);
        if (holder != nullptr) *holder = readWholeFile(*this, path);
        return nullptr;
    }

private:
    static std::unique_ptr<File> open(const std::string& path, int flags) {
        return std::make_unique<PosixFile>(::open(path.c_str(), flags | O_CLOEXEC, 0666), path);
    }
};

}  // namespace

FileSystem& FileSystem::posix() {
    static PosixFileSystem files;
    return files;
}

std::string readWholeFile(FileSystem& files, const std::string& path) {
    const std::unique_ptr<File> file = files.openForRead(path);
    std::string content(static_cast<size_t>(file->size()), '\0');
    content.resize(file->readAt(0, content.data(), content.size()));
    return content;
}

void replaceFile(FileSystem& files, const std::string& path, std::string_view content) {
    const std::string aside = path + ".new";
    {
        const std::unique_ptr<File> file = files.create(aside);
        file->append(content);
        file->sync();
    }
    files.rename(aside, path);
    files.syncFolder(folderOf(path));
}

std::string joinPath(std::string_view folder, std::string_view name) {
    std::string path(folder);
    if (!path.empty() && path.back() != '/') path += '/';
    return path += name;
}

std::string folderOf(const std::string& path) {
    const size_t slash = path.find_last_of('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace pelorus
