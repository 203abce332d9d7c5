// FileSandbox confines users without rights to the machine to some folders: a private one of each user, and shared
// ones.
//
// The kernel resolves a path below an open folder (openat2, RESOLVE_BENEATH): neither `..` nor a symbolic link leaves
// it, whatever changes while the path is resolved. A file with several hard links is refused, since one of its names
// may be outside. Without openat2 every path is refused.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/io/user_files.h"
#include "common/thread/mutex.h"

namespace pelorus {

// The access of a user to a shared folder.
enum class FolderAccess : uint8_t { None, Read, Write };

// The files of the shared folders and of all private ones, which an administrator opens who is confined to them. It
// makes the objects with the files of each user. A service of a server. Thread-safe.
class FileSandbox final : public UserFiles {
public:
    struct Options {
        std::vector<std::string> folders;  // shared folders; relative ones are below the data folder
        std::string dataFolder;
        // Paths that only the server may open: no file folder may be in one of these or contain one.
        std::vector<std::string> ownPaths;
        bool confinesAdministrators = false;
        std::string userFolder = "users";  // contains the private folder of each user
    };
    // Creates the missing folders, with access for this user of the system alone. Throws UserError for a folder that
    // would open the server's own files.
    explicit FileSandbox(Options options);

    // An absolute path must be in one of the folders. A relative one is searched below each, in order; a new file is
    // created where the folders of its path exist, else below the first.
    std::string resolve(const std::string& path) override;
    bool confinesAdministrators() const { return confinesAdministrators_; }
    // Returns the shared folders as they were configured; rights are granted for these names.
    const std::vector<std::string>& sharedNames() const { return sharedNames_; }
    // Returns the shared folders, with commas between them.
    std::string folders() const;
    // Returns the files of a user: those of the private folder, which is created when it is missing, and those of the
    // shared folders, with one `access` for each. With an empty `user` it returns the shared ones alone. The result
    // lives as long as this object.
    UserFiles& ofUser(const std::string& user, const std::vector<FolderAccess>& access);
    // Returns the files of an administrator: all of the machine but those that only the server may open.
    UserFiles& ofMachine() { return *machine_; }

protected:
    Place find(const std::string& path) const override;
    Descriptor open(const Place& place, int flags) const override;
    void requireInside(int error, const std::string& path) const override;
    void requireUsable(const struct stat& status, const std::string& path) const override;
    bool opensDevices() const override { return false; }
    [[noreturn]] void refuseChange(const std::string& path) const override;

private:
    struct Folder {
        std::string path;      // absolute path, as it was configured
        std::string realPath;  // without links
        Descriptor folder;
    };
    struct Root {
        std::shared_ptr<const Folder> folder;
        bool mayChange = true;
    };
    struct Found {
        const Root& root;
        std::string path;  // path below the root
    };
    using Key = std::pair<std::string, std::vector<FolderAccess>>;

    FileSandbox(std::vector<Root> roots, bool isSupported) : roots_(std::move(roots)), isSupported_(isSupported) {}
    static Root rootAt(const std::string& path);
    Found locate(const std::string& path) const;
    const Root& rootOf(std::string path) const;
    [[noreturn]] void refuse(const std::string& path) const;

    std::vector<Root> roots_;  // the shared ones first
    std::vector<std::string> sharedNames_;
    std::string userFolder_;
    bool confinesAdministrators_ = false;
    bool isSupported_ = true;  // the kernel has openat2
    std::shared_ptr<UserFiles> machine_;
    mutable Mutex mutex_;
    std::map<Key, std::shared_ptr<FileSandbox>> ofUsers_ GUARDED_BY(mutex_);  // by user and access
};

}  // namespace pelorus
