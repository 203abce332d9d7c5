// The key of an encrypted table, for readers and writers of its rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/io/cipher.h"

namespace pelorus {

// A table's cipher, which its readers and writers share. Immutable, hence thread-safe.
struct TableCipher {
    TableCipher(uint64_t table, CipherMode mode, std::string key) : table(table), cipher(mode, std::move(key)) {}

    const uint64_t table;  // its id
    const Cipher cipher;
};
using TableCipherRef = std::shared_ptr<const TableCipher>;

// A function that returns the cipher of a table; null for one that is not encrypted. Throws SystemError when the key is
// not available.
using CipherOf = std::function<TableCipherRef(uint64_t table)>;

}  // namespace pelorus
