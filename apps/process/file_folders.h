// Opens the folders in which the users of a server may open files.
#pragma once

#include <memory>

namespace pelorus {

class FileSandbox;
struct NodeSettings;

// Creates the missing folders and returns the sandbox over all. Throws UserError when the setting fileFolders would
// open the server's own files.
std::shared_ptr<FileSandbox> openFileFolders(const NodeSettings& settings);

}  // namespace pelorus
