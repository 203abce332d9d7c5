// Key of one encrypted table, for readers and writers of its rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/io/cipher.h"

namespace pelorus {

struct TableCipher {
    TableCipher(uint64_t table, CipherMode mode, std::string key) : table(table), cipher(mode, std::move(key)) {}

    const uint64_t table;  // its id
    const Cipher cipher;
};
using TableCipherRef = std::shared_ptr<const TableCipher>;

// Null for a table that is not encrypted. Throws SystemError when the key cannot be had.
using CipherOf = std::function<TableCipherRef(uint64_t table)>;

}  // namespace pelorus
