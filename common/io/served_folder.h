// ServedFolder reads the files below one folder of the machine, for a server that shows them to anyone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/io/descriptor.h"

namespace pelorus {

// The regular files of a folder. The kernel resolves each path below it, so that neither `..` nor a link leaves it;
// names that begin with a dot are not served. Thread-safe.
class ServedFolder {
public:
    // Throws SystemError when the folder cannot be opened.
    explicit ServedFolder(const std::string& path);

    // Returns the content of a file, named relative to the folder; nullopt when there is no such file, it is not
    // served, or it has more than `limitBytes`.
    std::optional<std::string> read(const std::string& path, int64_t limitBytes) const;

private:
    Descriptor folder_;
};

}  // namespace pelorus
