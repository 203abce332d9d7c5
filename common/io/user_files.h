// The files that a user of the process reaches: those of the machine, or those below some folders (FileSandbox).
//
// A path of a user goes through this class and no other. It opens regular files and folders only, and waits for none:
// a FIFO is refused, not waited for. Every function throws SystemError as a FileSystem does, and UserError for a path
// that the user may not open.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/descriptor.h"
#include "common/io/file.h"

struct stat;

namespace pelorus {

struct FileFacts {
    bool isFolder = false;
    bool isFile = false;  // a regular one
    int64_t sizeBytes = 0;
    int64_t accessedMillis = 0;  // UTC, like the next one
    int64_t modifiedMillis = 0;
};

using FileStream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// Thread-safe.
class UserFiles : public FileSystem, public std::enable_shared_from_this<UserFiles> {
public:
    // The files of the machine, as far as the system lets the process. Relative paths begin at the working folder.
    static UserFiles& machine();

    // Returns a path to which names can be added: a relative path that may be looked for in several folders is decided
    // once, for the one in which it is, or would be made. Throws UserError for a path outside of the folders.
    virtual std::string resolve(const std::string& path) = 0;
    // Returns nothing when there is no such file.
    std::optional<FileFacts> facts(const std::string& path);
    bool isFolder(const std::string& path);
    // Opens a file in a mode of fopen: r, r+, w, w+, a, a+. Where any file of the machine may be opened, so may the
    // terminal and other devices.
    FileStream openStream(const std::string& path, std::string_view mode);
    // Removes what is in a folder, and the folder too unless it is kept. Links in it are removed, and not followed.
    void removeAll(const std::string& path, bool keepFolder);
    void setModified(const std::string& path, int64_t millis);

    std::unique_ptr<File> create(const std::string& path) override;
    std::unique_ptr<File> openForAppend(const std::string& path) override;
    std::unique_ptr<File> openForRead(const std::string& path) override;
    bool exists(const std::string& path) override;
    void rename(const std::string& from, const std::string& to) override;
    // Removes a file or an empty folder.
    void remove(const std::string& path) override;
    void makeFolder(const std::string& path) override;
    void syncFolder(const std::string& path) override;
    std::vector<std::string> list(const std::string& path) override;
    double usedShare(const std::string& path) override;
    std::unique_ptr<FileLock> lock(const std::string& path, std::string* holder) override;

protected:
    // A path, relative to an open folder or the working one. Empty: the folder itself.
    struct Place {
        int folder;
        std::string path;
        bool mayChange = true;  // files in it: create, write, rename and remove them
    };
    virtual Place find(const std::string& path) const = 0;
    // Returns no descriptor and sets errno when that fails.
    virtual Descriptor open(const Place& place, int flags) const = 0;
    // Throws when the error of `open` says that the path leads to what the user may not open.
    virtual void requireInside(int error, const std::string& path) const = 0;
    // Throws unless a regular file that was opened may be used.
    virtual void requireUsable(const struct stat& status, const std::string& path) const = 0;
    virtual bool opensDevices() const = 0;
    // Throws for a place in which the user may only read.
    [[noreturn]] virtual void refuseChange(const std::string& path) const;
    // Throws unless the name in an open folder may be removed or replaced, with all that is below it.
    virtual void requireRemovable(const Descriptor& /*folder*/, const std::string& /*name*/,
                                  const std::string& /*path*/) const {}

private:
    // Throws for `errno` of `open`.
    [[noreturn]] void fail(std::string_view doing, const std::string& path) const;
    enum class Kinds : uint8_t { Files, FilesAndDevices };
    Descriptor openRegular(const std::string& path, int flags, Kinds kinds) const;
    Descriptor openFolder(const std::string& path, std::string_view doing) const;
    // Opens the folder above; `name` is what is left of the path. Like `open`, sets errno when that fails.
    Descriptor openAbove(const Place& place, const std::string& path, std::string_view doing, std::string& name) const;
    bool exists(const Place& place, const std::string& path) const;
    void makeFolder(const Place& place, const std::string& path) const;
};

}  // namespace pelorus
