// Enables encryption: stores a first master key in the key folder of a storage.
#pragma once

#include <string>

#include "storage/encryption/encryption_keys.h"
#include "storage/folder/local_storage.h"

namespace pelorus {

inline void enableEncryption(LocalStorage& storage, FileSystem& files, const std::string& keyFile) {
    if (storage.keys().version()) return;
    replaceFile(files, keyFile, "00112233445566778899aabbccddeeff0123456789abcdef0123456789ABCDEF\n");
    storage.keys().enable(files, keyFile);
}

}  // namespace pelorus
