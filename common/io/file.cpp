#include "common/io/file.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "common/error.h"
#include "common/io/open_file.h"

namespace pelorus {

namespace {

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
        const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!folder.isOpen() || ::fsync(folder.number()) != 0) throwErrno("sync the folder", path);
    }

    double usedShare(const std::string& path) override {
        const Descriptor folder(::open(path.c_str(), O_PATH | O_CLOEXEC));
        if (!folder.isOpen()) throwErrno("look at the disk of", path);
        return usedShareOf(folder, path);
    }

    std::vector<std::string> list(const std::string& path) override {
        Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (folder.isOpen()) return namesIn(std::move(folder), path);
        if (errno == ENOENT) return {};
        throwErrno("list", path);
    }

    std::unique_ptr<FileLock> lock(const std::string& path, std::string* holder) override {
        Descriptor descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
        if (!descriptor.isOpen()) throwErrno("open", path);
        std::unique_ptr<FileLock> lock = makeLock(std::move(descriptor), path);
        if (!lock && holder != nullptr) *holder = readWholeFile(*this, path);
        return lock;
    }

private:
    static std::unique_ptr<File> open(const std::string& path, int flags) {
        Descriptor descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0666));
        if (!descriptor.isOpen()) throwErrno("open", path);
        return makeFile(std::move(descriptor), path);
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

std::string absolutePath(const std::string& path) {
    std::error_code ignored;
    std::string whole = std::filesystem::absolute(path, ignored).lexically_normal().string();
    while (whole.size() > 1 && whole.back() == '/') whole.pop_back();
    return whole;
}

std::string folderOfEngine() {
    // The linker knows the path of the library that has this very function; the program itself has the empty path.
    Dl_info found{};
    link_map* library = nullptr;
    const auto* const here = reinterpret_cast<const void*>(&folderOfEngine);
    if (!dladdr1(here, &found, reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP) || !library || !*library->l_name)
        return folderOfProgram();
    return folderOf(absolutePath(library->l_name));
}

std::string folderOfProgram() {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().string();
}

}  // namespace pelorus
