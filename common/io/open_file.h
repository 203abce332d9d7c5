// Makes files, locks and lists of names from descriptors that are already open, and opens what is below a folder.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/descriptor.h"
#include "common/io/file.h"

namespace pelorus {

// Throws SystemError "Cannot <doing> <path>: <reason>." for `errno`, with advice for some reasons.
[[noreturn]] void throwErrno(std::string_view doing, const std::string& path);

// Makes a file that owns the descriptor; errors name `path`.
std::unique_ptr<File> makeFile(Descriptor descriptor, std::string path);
// Locks an open file. Returns nullptr when another process, or another lock of this one, holds it.
std::unique_ptr<FileLock> makeLock(Descriptor descriptor, std::string path);
// Opens a path below an open folder; the empty path is the folder itself. Neither `..` nor a link leaves the folder.
// Returns no descriptor, and sets errno, when the path cannot be opened: ENOSYS or EPERM without openat2 in the kernel.
Descriptor openBeneath(int folder, const std::string& path, int flags);
// Opens a folder, for paths below it. Throws SystemError when it cannot be opened.
Descriptor openFolder(const std::string& path);
// Opens a regular file below an open folder for reading. Returns nullptr when there is none, or the path leaves the
// folder.
std::unique_ptr<File> openFileBeneath(const Descriptor& folder, const std::string& path);
// Returns the names in an open folder, sorted.
std::vector<std::string> namesIn(Descriptor folder, const std::string& path);
// Returns the used fraction of the disk of an open file or folder, from 0 to 1.
double usedShareOf(const Descriptor& folder, const std::string& path);

}  // namespace pelorus
