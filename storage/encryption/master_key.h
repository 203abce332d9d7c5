// Master keys, which wrap the keys of encrypted tables and backups: each is a file of 64 hexadecimal digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/io/file.h"

namespace pelorus {

struct MasterKey {
    std::string bytes;
    uint32_t version = 0;  // its fingerprint
};

// Throws UserError when the file is missing or holds no key.
MasterKey readMasterKey(FileSystem& files, const std::string& path);

// Searches the folder of the setting TDEKeyDir. Names of files in it do not matter, other files are skipped.
std::optional<MasterKey> findMasterKey(FileSystem& files, const std::string& folder, uint32_t version);
// Puts a copy there, readable by its owner only, unless the folder has the key.
void keepMasterKey(FileSystem& files, const std::string& folder, const MasterKey& key);

}  // namespace pelorus
