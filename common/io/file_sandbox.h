// Folders that users without rights to the machine open files in.
//
// The kernel resolves a path below an open folder (openat2, RESOLVE_BENEATH): neither `..` nor a symbolic link leaves
// it, whatever changes while the path is resolved. A file with several hard links is refused, since one of its names
// may lie outside. Without openat2 every path is refused.
#pragma once

#include <string>
#include <vector>

#include "common/io/user_files.h"

namespace pelorus {

// A service of a server. Thread-safe.
class FileSandbox final : public UserFiles {
public:
    struct Options {
        std::vector<std::string> folders;  // relative ones are below the data folder
        std::string dataFolder;
        // What the server keeps for itself: no file folder lies in these, and none holds one of them.
        std::vector<std::string> ownPaths;
        bool confinesAdministrators = false;
    };
    // Makes the folders that are missing, for this user of the system alone. Throws UserError for a folder that would
    // open the server's own files.
    explicit FileSandbox(Options options);

    // An absolute path lies in one of the folders. A relative one is looked for below each, in order; what is made is
    // made where the folders that its path names are, else below the first.
    std::string resolve(const std::string& path) override;
    bool confinesAdministrators() const { return confinesAdministrators_; }
    // The folders, with commas between them.
    std::string folders() const;

protected:
    Place find(const std::string& path) const override;
    Descriptor open(const Place& place, int flags) const override;
    void requireInside(int error, const std::string& path) const override;
    void requireUsable(const struct stat& status, const std::string& path) const override;
    bool opensDevices() const override { return false; }

private:
    struct Root {
        std::string path;      // absolute, as it was configured
        std::string realPath;  // without links
        Descriptor folder;
    };
    struct Found {
        const Root& root;
        std::string path;  // below the root
    };
    Found locate(const std::string& path) const;
    const Root& rootOf(std::string path) const;
    [[noreturn]] void refuse(const std::string& path) const;

    std::vector<Root> roots_;
    const bool confinesAdministrators_;
    bool isSupported_ = true;  // by the kernel
};

}  // namespace pelorus
